import type { Trigger } from './migrations.macro'

/** Expressions by the columns that they fill. In each, `row` is the row that is counted. */
export type Expressions = Readonly<Record<string, string>>

/**
 * Counts that triggers keep in a table, whatever becomes of the rows that they are of. In every
 * expression, `row` is the row that is counted.
 */
export interface Counter {
  /** The names of its triggers begin with it. */
  name: string
  /** The table whose rows are counted. */
  of: string
  /** The table of the counts. */
  into: string
  /** The columns by which counts are told apart. */
  by: Expressions
  /** The rows that count. */
  when: string
  /** What a row adds to the other columns. */
  adds: Expressions
  /** The rows of another table that say which counts a row is added to: `table p where …`. */
  toEach: string
  /** Columns that generated columns of the expressions are made of. */
  madeOf?: readonly string[]
  /** What stays of the rows that are deleted: the columns that tell its counts apart, and of which rows. */
  keeps?: { by: Expressions; when: string }
}

/** What `row` stands for: the row of a trigger before and after its change, or a row of a query. */
type Row = 'old' | 'new' | 'f'

const of = (row: Row, expression: string): string => expression.replaceAll(/\brow\./g, `${row}.`)

const listOf = (row: Row, expressions: readonly string[]): string[] =>
  expressions.map((expression) => `(${of(row, expression)})`)

const columnsIn = (expressions: readonly string[]): string[] =>
  expressions.flatMap((text) => [...text.matchAll(/\brow\.(\w+)/g)].map(([, name = '']) => name))

const unique = (columns: readonly string[]): string => [...new Set(columns)].join(', ')

/** Returns whether all values are the same before and after an update. */
const isSame = (expressions: readonly string[]): string =>
  `(${expressions.map((each) => `(${of('old', each)}) IS (${of('new', each)})`).join(' AND ')})`

/** Returns the statement that adds the rows of a query to the counts. */
const addition = (counter: Counter, { by, query }: { by: Expressions; query: string }): string => {
  const sums = Object.keys(counter.adds)
  return `INSERT INTO ${counter.into} (${[...Object.keys(by), ...sums].join(', ')}) ${query}
    ON CONFLICT DO UPDATE SET ${sums.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(', ')}`
}

/**
 * Returns the triggers of a counter. A change that leaves a row in the same counts adds the
 * differences to them; one that moves it takes it out of the former ones.
 */
export function triggersOf(counter: Counter): Trigger[] {
  const { name, of: table, by, when, adds, toEach, madeOf = [], keeps } = counter
  const [keys, sums] = [Object.values(by), Object.values(adds)]
  const add = (row: Row, values: readonly string[], condition = 'true'): string =>
    addition(counter, {
      by,
      query: `SELECT ${[...listOf(row, keys), ...values].join(', ')} FROM ${of(row, toEach)} AND ${condition}`,
    })
  const minus = listOf('old', sums).map((value) => `-${value}`)
  const gains = sums.map((value) => `(${of('new', value)}) - (${of('old', value)})`)
  const counts = (row: Row): string => `(${of(row, when)})`
  // What tells counts apart, except for what no change of a row moves.
  const place = [when, ...keys.filter((key) => columnsIn([key]).length > 0)]
  const trigger = (suffix: string, event: string, statements: string[]): Trigger => ({
    ...{ name: `${name}_${suffix}`, table },
    sql: `CREATE TRIGGER ${name}_${suffix} AFTER ${event} BEGIN\n  ${statements.join(';\n  ')};\nEND`,
  })
  return [
    trigger('added', `INSERT ON ${table} WHEN ${counts('new')}`, [add('new', listOf('new', sums))]),
    trigger(
      'changed',
      `UPDATE OF ${unique([...columnsIn([...sums, ...place]), ...madeOf])} ON ${table} WHEN ${counts('new')} AND ${isSame(place)} AND NOT ${isSame(sums)}`,
      [add('new', gains)],
    ),
    trigger(
      'moved',
      `UPDATE OF ${unique([...columnsIn(place), ...madeOf])} ON ${table} WHEN (${counts('old')} OR ${counts('new')}) AND NOT ${isSame(place)}`,
      [add('old', minus, counts('old')), add('new', listOf('new', sums), counts('new'))],
    ),
    trigger('removed', `DELETE ON ${table} WHEN ${counts('old')}`, [
      add('old', minus),
      ...(keeps
        ? [
            addition(counter, {
              by: keeps.by,
              query: `SELECT ${listOf('old', [...Object.values(keeps.by), ...sums]).join(', ')} WHERE ${of('old', keeps.when)}`,
            }),
          ]
        : []),
    ]),
  ]
}

/**
 * Returns the statement that counts stored rows into a part. Parameters: the part, the organization,
 * and the IDs after one up to another.
 */
export function recountOf(counter: Counter): string {
  const keys = listOf('f', Object.values(counter.by))
  const sums = listOf('f', Object.values(counter.adds)).map((value) => `sum(${value})`)
  return addition(counter, {
    by: counter.by,
    query: `SELECT ${[...keys, ...sums].join(', ')} FROM (SELECT ?1 AS part) p, ${counter.of} f
    WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND ${of('f', counter.when)}
    GROUP BY ${keys.map((_, nth) => nth + 1).join(', ')}`,
  })
}
