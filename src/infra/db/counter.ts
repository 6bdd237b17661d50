/** A trigger of the schema: of a `triggers.sql` or of the counters of a `counters.ts`. */
export interface CounterTrigger {
  name: string
  table: string
  sql: string
}

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
  /** The rows of another table for each of which a row is counted once: `table p WHERE …`. */
  toEach?: string
  /** Columns that generated columns of the expressions are made of. */
  madeOf?: readonly string[]
  /**
   * What becomes of a deleted row: it leaves its counts, stays in them (`stay`), or leaves them
   * for others if it meets a condition.
   */
  deleted?: 'stay' | { by: Expressions; when: string }
}

/** What `row` stands for: the row of a trigger before and after its change, or a row of a query. */
type Row = 'old' | 'new' | 'f'

const of = (row: Row, expression: string): string => expression.replaceAll(/\brow\./g, `${row}.`)

const listOf = (row: Row, expressions: readonly string[]): string[] =>
  expressions.map((expression) => `(${of(row, expression)})`)

const columnsIn = (expressions: readonly string[]): string[] =>
  expressions.flatMap((text) => [...text.matchAll(/\brow\.(\w+)/g)].map(([, name = '']) => name))

/** Returns whether all values are the same before and after an update. */
const isSame = (expressions: readonly string[]): string =>
  `(${expressions.map((each) => `(${of('old', each)}) IS (${of('new', each)})`).join(' AND ')})`

/** Returns the statement that adds the rows of a query to the counts. */
function addition(
  { into, by, adds }: Pick<Counter, 'into' | 'by' | 'adds'>,
  query: string,
): string {
  const sums = Object.keys(adds)
  return `INSERT INTO ${into} (${[...Object.keys(by), ...sums].join(', ')}) ${query}
    ON CONFLICT DO UPDATE SET ${sums.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(', ')}`
}

/** Returns the statement by which a row adds values to its counts if it meets a condition. */
function change(
  counter: Pick<Counter, 'into' | 'by' | 'adds' | 'toEach'>,
  row: Row,
  { values, where = 'true' }: { values: readonly string[]; where?: string },
): string {
  const { by, toEach } = counter
  const selected = [...listOf(row, Object.values(by)), ...values].join(', ')
  const each = toEach === undefined ? 'WHERE' : `FROM ${of(row, toEach)} AND`
  return addition(counter, `SELECT ${selected} ${each} (${of(row, where)})`)
}

/**
 * Returns the triggers of a counter. A change that leaves a row in its counts adds the differences
 * to them; one that moves it takes it out of the former ones.
 */
export function triggersOf(counter: Counter): CounterTrigger[] {
  const { name, of: table, into, by, when, adds, madeOf = [], deleted } = counter
  const sums = Object.values(adds)
  // What decides in which counts a row is.
  const place = [...Object.values(by).filter((key) => columnsIn([key]).length > 0), when]
  const isCounted = (row: Row): string => `(${of(row, when)})`
  const before = listOf('old', sums)
  const after = listOf('new', sums)
  const minus = before.map((value) => `-${value}`)
  const updateOf = (expressions: readonly string[]): string =>
    `UPDATE OF ${[...new Set([...columnsIn(expressions), ...madeOf])].join(', ')} ON ${table}`
  const trigger = (suffix: string, event: string, statements: string[]): CounterTrigger => ({
    ...{ name: `${name}_${suffix}`, table },
    sql: `CREATE TRIGGER ${name}_${suffix} AFTER ${event} BEGIN\n  ${statements.join(';\n  ')};\nEND`,
  })
  const removal = (): CounterTrigger =>
    trigger('removed', `DELETE ON ${table} WHEN ${isCounted('old')}`, [
      change(counter, 'old', { values: minus }),
      ...(typeof deleted === 'object'
        ? [change({ into, adds, by: deleted.by }, 'old', { values: before, where: deleted.when })]
        : []),
    ])
  return [
    trigger('added', `INSERT ON ${table} WHEN ${isCounted('new')}`, [
      change(counter, 'new', { values: after }),
    ]),
    trigger(
      'changed',
      `${updateOf([...sums, ...place])} WHEN NOT ${isSame(sums)} AND ${isSame(place)} AND ${isCounted('new')}`,
      [change(counter, 'new', { values: after.map((value, nth) => `${value} ${minus[nth]}`) })],
    ),
    trigger('moved', `${updateOf(place)} WHEN NOT ${isSame(place)}`, [
      change(counter, 'old', { values: minus, where: when }),
      change(counter, 'new', { values: after, where: when }),
    ]),
    ...(deleted === 'stay' ? [] : [removal()]),
  ]
}

/**
 * Returns the statement that counts stored rows into a part. Parameters: the part, the organization,
 * and the IDs after one up to another.
 */
export function recountOf(counter: Counter): string {
  const keys = listOf('f', Object.values(counter.by))
  const sums = listOf('f', Object.values(counter.adds)).map((value) => `sum(${value})`)
  return addition(
    counter,
    `SELECT ${[...keys, ...sums].join(', ')} FROM (SELECT ?1 AS part) p, ${counter.of} f
    WHERE f.organization_id = ?2 AND f.id > ?3 AND f.id <= ?4 AND (${of('f', counter.when)})
    GROUP BY ${keys.map((_, nth) => nth + 1).join(', ')}`,
  )
}
