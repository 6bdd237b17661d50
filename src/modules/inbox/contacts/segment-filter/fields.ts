import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { definitionsOf } from '../attributes/service'
import { columnsOf } from '../../../../infra/db/define-table'
import { plainFields } from '../plain-fields'
import { contacts } from '../table'
import { type Kind, refuse } from './values'

/** A field that can be filtered. */
export interface Field {
  kind: Kind
  /** SQL expression of the field's value in the contact's row. */
  value: SQL
}

const KINDS: Record<string, Kind> = { text: 'text', blob: 'id', integer: 'number' }

function kindOf(column: SQLiteColumn): Kind {
  if (column.name.endsWith('_ms')) return 'time'
  return column.enumValues ? 'word' : (KINDS[column.getSQLType()] ?? 'text')
}

const COLUMNS: Record<string, Field> = Object.fromEntries(
  columnsOf(contacts).flatMap(({ key, column, use: { inSegments } }) => {
    const kind: Kind = plainFields.find((one) => one.column === key)?.inSegments ?? kindOf(column)
    return inSegments === undefined ? [] : [[inSegments, { kind, value: sql`${column}` }]]
  }),
)

/** Names of the columns of a contact that segments can filter by. */
export const SEGMENT_COLUMNS = Object.keys(COLUMNS)

const ATTRIBUTE_KINDS = {
  text: 'text',
  url: 'text',
  email: 'text',
  select: 'word',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
} as const

/** State while one filter is read. */
export interface FilterState {
  timezone: string
  attributes: ReturnType<typeof definitionsOf> | null
  conditions: number
  /** Cost of the conditions so far for one contact, and its limit. */
  cost: number
  budget: number
  /** Whether the filter comes from an installation with other custom fields. */
  isForeign?: boolean
}

/** The parts of the scope that a filter needs. */
export type FieldScope = Pick<ReadCtx, 'db' | 'organizationId' | 'clock'>

/** Resolves a field name. Throws InvalidError for an unknown field. */
export function fieldOf(ctx: FieldScope, state: FilterState, name: string, path: string): Field {
  if (Object.hasOwn(COLUMNS, name)) return COLUMNS[name] as Field
  const [, space, key] = /^(attributes|metadata)\.(.{1,64})$/.exec(name) ?? []
  if (space === 'attributes' && key !== undefined) {
    state.attributes ??= definitionsOf(ctx)
    const definition = state.attributes.get(key)
    if (definition)
      return {
        kind: ATTRIBUTE_KINDS[definition.type],
        value: sql`json_extract(${contacts.attributes}, ${`$.${key}`})`,
      }
  }
  if (space === 'metadata' && key !== undefined && /^[^"\\\p{C}]+$/u.test(key))
    return { kind: 'any', value: sql`json_extract(${contacts.metadata}, ${`$."${key}"`})` }
  throw refuse(`${path}.field`, 'is not a field that can be filtered by')
}
