import { Column, getTableName, is, Param, Placeholder, SQL } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

/** A selected column as Drizzle describes it: where its value goes, and what it is made of. */
interface Selected {
  path: string[]
  field: unknown
}

/** How a value of the driver becomes one of ours. */
interface Decoder {
  mapFromDriverValue(value: unknown): unknown
}

type Row = Record<string, unknown>
type Build = (row: unknown[], decoders: readonly (Decoder | null)[]) => Row

/** A statement of Drizzle's, as far as it is used here. */
interface Prepared {
  query: { params: unknown[] }
  stmt: { run(...params: unknown[]): unknown; values(...params: unknown[]): unknown[][] }
  /** Of a join: the tables whose row is always there. */
  joinsNotNullableMap?: Record<string, boolean>
  all(values?: Row): unknown
  get(values?: Row): unknown
  run(values?: Row): unknown
  values(values?: Row): unknown[][]
}

/** Its connection: every statement is made here. */
interface Session {
  prepareQuery(
    query: unknown,
    fields: Selected[] | undefined,
    method: unknown,
    isArray: unknown,
    mapper?: unknown,
  ): Prepared
}

/**
 * Lets Drizzle's statements fill their places and make their rows by functions that are made once:
 * its own way looks at what each place and column is for every value, which takes longer than
 * reading them. Statements and rows are the same.
 */
export function quickenRows(orm: BunSQLiteDatabase): void {
  const { session } = orm as unknown as { session: Session } // not in its types
  const prepare = session.prepareQuery.bind(session)
  session.prepareQuery = (query, fields, method, isArray, mapper) => {
    const prepared = prepare(query, fields, method, isArray, mapper)
    const { stmt } = prepared
    const fill = fillingOf(prepared.query.params)
    prepared.run = (values) => stmt.run(...fill(values))
    prepared.values = (values) => stmt.values(...fill(values))
    if (!fields || mapper !== undefined || !fields.every(isKnown)) return prepared
    const decoders = fields.map(({ field }) => decoderOf(field))
    let made: Build | null = null
    // What a join may lack is told after it was prepared.
    const build = (row: unknown[]): Row =>
      (made ??= builderOf(fields, decoders, prepared.joinsNotNullableMap))(row, decoders)
    prepared.all = (values) => prepared.values(values).map(build)
    prepared.get = (values) => {
      const [row] = prepared.values(values)
      return row && build(row)
    }
    return prepared
  }
}

/** How the value of one place comes about. */
type Place = (values: Row) => unknown

/**
 * What fills the places of a statement with values by name. It throws for a name without a value,
 * as Drizzle does.
 */
function fillingOf(params: unknown[]): (values?: Row) => unknown[] {
  const places = params.map(placeOf)
  if (places.every((place) => place === null)) return () => params
  return (values = {}) =>
    params.map((param, at) => places[at]?.(values) ?? (places[at] ? null : param))
}

/** `null` for a value that is fixed. */
function placeOf(param: unknown): Place | null {
  const encoder = is(param, Param) ? param.encoder : null
  const place = is(param, Param) ? param.value : param
  if (!is(place, Placeholder)) return null
  const { name } = place
  const valueIn = (values: Row): unknown => {
    const value = values[name]
    if (value === undefined && !(name in values))
      throw new Error(`No value for placeholder "${name}" was provided`)
    return value
  }
  return encoder === null ? valueIn : (values) => encoder.mapToDriverValue(valueIn(values))
}

/**
 * Whether a selected field is a column, or an expression with or without a name, in the row itself
 * or in a part of it.
 */
const isKnown = ({ path, field }: Selected): boolean =>
  path.length <= 2 && (is(field, Column) || is(field, SQL) || is(field, SQL.Aliased))

// oxlint-disable-next-line typescript/unbound-method -- compared, never called
const PLAIN = Column.prototype.mapFromDriverValue

/** How the values of a selected field are turned into ours; `null` when they stay what they are. */
function decoderOf(field: unknown): Decoder | null {
  if (is(field, Column)) return field.mapFromDriverValue === PLAIN ? null : field
  return (
    is(field, SQL.Aliased)
      ? (field.sql as unknown as { decoder: Decoder })
      : (field as { decoder: Decoder })
  ).decoder // not in its types
}

const builders = new Map<string, Build>()

/** The function that makes rows of these fields; the same lists come again and again. */
function builderOf(
  fields: Selected[],
  decoders: (Decoder | null)[],
  joined: Prepared['joinsNotNullableMap'],
): Build {
  const values = decoders.map((decoder, at) =>
    decoder
      ? `row[${at}] === null ? null : decoders[${at}].mapFromDriverValue(row[${at}])`
      : `row[${at}]`,
  )
  const members = new Map<string, string[] | string>()
  fields.forEach(({ path: [name = '', inner] }, at) => {
    const value = values[at] ?? 'null'
    if (inner === undefined) return members.set(name, value)
    const part = members.get(name)
    const member = `${JSON.stringify(inner)}: ${value}`
    return Array.isArray(part) ? part.push(member) : members.set(name, [member])
  })
  const text = [...members].map(([name, part]) => {
    if (!Array.isArray(part)) return `${JSON.stringify(name)}: ${part}`
    const absent = joined ? absenceOf(fields, name, joined) : null
    return `${JSON.stringify(name)}: ${absent === null ? '' : `row[${absent}] === null ? null : `}{${part.join()}}`
  })
  const source = `return {${text.join()}}`
  const known = builders.get(source)
  if (known) return known
  // oxlint-disable-next-line typescript/no-implied-eval -- names of our own columns; a loop over them takes twice as long
  const build = new Function('row', 'decoders', source) as Build
  builders.set(source, build)
  return build
}

/**
 * Which column of a part tells by being null that a join found no row for it, as Drizzle sees it:
 * its first, when all are of one table.
 */
function absenceOf(
  fields: Selected[],
  name: string,
  joined: Record<string, boolean>,
): number | null {
  const columns = fields.flatMap(({ path, field }, at) =>
    path.length === 2 && path[0] === name && is(field, Column)
      ? [{ at, of: getTableName(field.table) }]
      : [],
  )
  const [first] = columns
  return first && joined[first.of] !== true && columns.every((column) => column.of === first.of)
    ? first.at
    : null
}
