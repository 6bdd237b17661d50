import type { TSchema } from '@sinclair/typebox'

import { typeGuardOf } from '../../../../lib/schema-check'
import type { StoredValue } from '../../organization-archive/archive-values'

/** What the values of a column must be, beyond their type. `null` is not judged. */
export interface ColumnRule {
  /** Most characters of a text; 0 for columns of numbers and IDs. */
  length: number
  /** Returns what a value must be, such as `must be 0 or 1`; `null` if it is. */
  problemOf: (value: StoredValue) => string | null
}

/** Characters of a text that no other rule bounds. */
const TEXT_LENGTH = 128 * 1_024

/** Characters of JSON: as many as a body of a request usually may have. */
const JSON_LENGTH = 1_024 * 1_024

/** Characters of JSON that comes from the platform or is a document of its own. */
export const DOCUMENT_LENGTH = 16 * 1_024 * 1_024

/** Deepest nesting of JSON. The program walks it in functions that call themselves. */
const DEPTH = 200

/** Returns what a value must be by the message of its schema. */
const wanted = ({ error }: TSchema): string =>
  typeof error === 'string' ? error : 'must have the form that this version expects'

const lengthRule = (length: number): string => `must have at most ${length} characters`

/** No database holds half of a surrogate pair. */
const WELL_FORMED = 'must be valid Unicode'

export function textRule(schema: TSchema | null = null, length = TEXT_LENGTH): ColumnRule {
  const isValid = schema === null ? () => true : typeGuardOf(schema)
  const most = longestOf(schema, length)
  return {
    length: most,
    problemOf: (value) => {
      if (typeof value !== 'string') return null
      if (value.length > most) return lengthRule(most)
      if (!value.isWellFormed()) return WELL_FORMED
      return isValid(value) || schema === null ? null : wanted(schema)
    },
  }
}

/** Returns the most UTF-16 units of a text that a schema takes, also of one that takes `null`. */
function longestOf(schema: TSchema | null, otherwise: number): number {
  const options = (schema?.['anyOf'] as TSchema[] | undefined) ?? (schema ? [schema] : [])
  const lengths = options.flatMap(({ maxLength }) =>
    typeof maxLength === 'number' ? [maxLength * 2] : [],
  )
  return lengths.length > 0 ? Math.max(...lengths) : otherwise
}

/** Returns the rule of a column of integers. */
export function numberRule(schema: TSchema): ColumnRule {
  const isValid = typeGuardOf(schema)
  return {
    length: 0,
    problemOf: (value) => (isValid(Number(value)) ? null : wanted(schema)),
  }
}

/** Returns the rule of a text that is JSON. */
export function jsonRule(schema: TSchema, length = JSON_LENGTH): ColumnRule {
  const isValid = typeGuardOf(schema)
  return {
    length,
    problemOf: (value) => {
      if (typeof value !== 'string') return null
      if (value.length > length) return lengthRule(length)
      if (!value.isWellFormed()) return WELL_FORMED
      let parsed: unknown
      try {
        parsed = JSON.parse(value)
      } catch {
        return 'must be JSON'
      }
      if (isDeep(value)) return `must be nested at most ${DEPTH} times`
      return isValid(parsed) ? null : wanted(schema)
    },
  }
}

/**
 * Whether lists and objects are within each other more often than in JSON of ours. Reads the characters of
 * valid JSON: to walk through a million objects would hold the server for a second.
 */
function isDeep(json: string): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (isText) {
      if (character === '\\') at += 1
      else if (character === '"') isText = false
    } else if (character === '"') isText = true
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth > DEPTH) return true
    } else if (character === '}' || character === ']') depth -= 1
  }
  return false
}
