import { lengthOf, type Report } from '../../../../lib/input-problems'
import {
  isObject,
  listOf,
  objectOf,
  textOf,
  type JsonObject,
} from '../../../../platform/lenient-json'
import {
  normalizeVariables,
  variablesOf,
  type ParameterFormat,
  type TextExample,
} from '../../../../platform/templates/components'

/**
 * Maximum length of each text in Unicode code points (templates contract A, platform documentation
 * 4.3).
 */
export const LIMITS = {
  header: 60,
  body: 1_024,
  cardBody: 160,
  footer: 60,
  label: 25,
  url: 2_000,
  code: 15,
  offer: 16,
  example: 1_024,
} as const

/** A variable example given separately from the components. */
export interface Sample {
  component: string
  /** Number of the variable from 1; for a button its position from 0. */
  index?: number | undefined
  param_name?: string | undefined
  card?: number | undefined
  value: string
}

/** Context for reading the parts of a template. */
export interface TextReading {
  report: Report
  samples: readonly Sample[]
  format: ParameterFormat
  /** Number of the current card; `null` outside a carousel. */
  card: number | null
  /** Whether the category is AUTHENTICATION, for which the platform writes the texts. */
  isAuthentication: boolean
}

/** Reports whether a variable name is a number. */
const isNumber = (name: string): boolean => /^[1-9]\d{0,2}$/.test(name)
const isWord = (name: string): boolean => /^[a-z_][a-z0-9_]{0,99}$/.test(name)

/** Returns the variable format of the texts; positional if there are no variables. */
export const detectFormat = (texts: readonly string[]): ParameterFormat =>
  texts.flatMap(variablesOf).some((name) => !isNumber(name)) ? 'named' : 'positional'

/** Returns a required text and reports one that is missing or longer than `max` characters. */
export function readText(reading: TextReading, path: string, value: unknown, max: number): string {
  const text = normalizeVariables((textOf(value) ?? '').replaceAll('\r\n', '\n'))
  if (value === undefined || value === null) reading.report(path, 'is required')
  else if (typeof value !== 'string') reading.report(path, 'must be a string')
  else if (text.trim() === '') reading.report(path, 'must not be empty or blank')
  else if (lengthOf(text) > max) reading.report(path, `must have at most ${max} characters`)
  return text
}

export const readOptionalText = (
  reading: TextReading,
  path: string,
  value: unknown,
  max: number,
): string | undefined =>
  value === undefined || value === null || value === ''
    ? undefined
    : readText(reading, path, value, max)

/** Returns a required text and reports variables in it. */
export function readPlainText(
  reading: TextReading,
  path: string,
  value: unknown,
  max: number,
): string {
  const text = readText(reading, path, value, max)
  if (variablesOf(text).length > 0) reading.report(path, 'allows no variables')
  return text
}

/**
 * Returns the variables of a text. Reports wrong spelling, mixed formats and gaps in the numbers.
 */
export function checkVariables(
  { report, format }: TextReading,
  path: string,
  text: string,
): string[] {
  const names = variablesOf(text)
  const odd = names.find((name) => !isNumber(name) && !isWord(name))
  if (odd !== undefined)
    report(path, `has {{${odd}}}, which is no variable: write {{1}} or {{lower_case_name}}`)
  else if (/\{\{|\}\}/.test(text.replaceAll(/\{\{[^{}]*\}\}/g, '')))
    report(path, 'has braces that do not form a variable')
  else if (format === 'positional' && names.some((name) => !isNumber(name)))
    report(path, 'mixes numbered and named variables; use only one style')
  else if (format === 'named' && names.some(isNumber))
    report(path, 'mixes named and numbered variables; use only one style')
  else if (format === 'positional') {
    const gap = names
      .map((_name, index) => String(index + 1))
      .find((wanted) => !names.includes(wanted))
    if (gap !== undefined)
      report(
        path,
        `has {{${highestOf(names)}}} but no {{${gap}}}: number the variables from 1 without gaps`,
      )
  }
  return names
}

const highestOf = (names: string[]): number => Math.max(...names.map(Number))

const words = new Intl.Segmenter(undefined, { granularity: 'word' })
const VARIABLE = /\{\{[^{}]*\}\}/g

/** Reports variables in positions the platform rejects (2388293, 2388299). */
export function checkVariablePositions(
  { report }: TextReading,
  path: string,
  text: string,
  names: string[],
): void {
  if (names.length === 0) return
  const trimmed = text.trim()
  if (trimmed.startsWith('{{') || trimmed.endsWith('}}'))
    report(path, 'must not begin or end with a variable')
  if (/\}\}\s*\{\{/.test(text)) report(path, 'must have text between variables')
  const count = [...words.segment(text.replaceAll(VARIABLE, ' '))].filter(
    ({ isWordLike }) => isWordLike,
  ).length
  const needed = 2 * names.length + 1
  if (count < needed)
    report(
      path,
      `has too many variables for its length: ${names.length} variables require at least ` +
        `${needed} other words`,
    )
}

/**
 * Returns the examples of a text from the component or the separate samples. Reports variables
 * without an example.
 */
export function readExamples(
  reading: TextReading,
  at: { path: string; component: 'HEADER' | 'BODY' },
  names: string[],
  example: unknown,
): TextExample | undefined {
  if (names.length === 0) return undefined
  const { report, format, card, samples } = reading
  const own = ownExamples(at.component, objectOf(example))
  const beside = samples.filter(
    (sample) => sample.component.toUpperCase() === at.component && (sample.card ?? null) === card,
  )
  const exampleOf = (name: string): string => {
    const sample = beside.find(
      ({ param_name, index }) =>
        param_name === name || (index !== undefined && String(index) === name),
    )
    const value = own(name) ?? sample?.value ?? ''
    if (value.trim() === '') report(`${at.path}.example`, `requires an example of \`${name}\``)
    else if (lengthOf(value) > LIMITS.example)
      report(`${at.path}.example`, `has an example of more than ${LIMITS.example} characters`)
    return value
  }
  const isHeader = at.component === 'HEADER'
  if (format === 'named') {
    const named = names.map((name) => ({ param_name: name, example: exampleOf(name) }))
    return isHeader ? { header_text_named_params: named } : { body_text_named_params: named }
  }
  const values = names.toSorted((a, b) => Number(a) - Number(b)).map(exampleOf)
  return isHeader ? { header_text: values } : { body_text: [values] }
}

function ownExamples(
  component: 'HEADER' | 'BODY',
  example: JsonObject,
): (name: string) => string | undefined {
  const prefix = component === 'HEADER' ? 'header_text' : 'body_text'
  const named = listOf(example[`${prefix}_named_params`]).filter(isObject)
  const given = listOf(example[prefix])
  const values = Array.isArray(given[0]) ? listOf(given[0]) : given
  return (name) => {
    const found = isNumber(name)
      ? values[Number(name) - 1]
      : named.find(({ param_name }) => param_name === name)?.example
    return textOf(found) ?? undefined
  }
}
