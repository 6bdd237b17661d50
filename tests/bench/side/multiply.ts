import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { columnsIn } from '../../support/columns-in'

/** What is multiplied, and how often. */
export interface Multiplying {
  /** The database before the sample was written, and after; it is not changed. */
  before: string
  after: string
  /** Where the multiplied one is written. */
  path: string
  times: number
  /** So long after a copy the next one begins, milliseconds; the last one is of now. */
  apartMs: number
  /** Tables of which nothing is written, as if they had been cleaned. */
  without?: string[]
  /** When to stop before all are written; looked at now and then. */
  isEnough?: (sqlite: Database) => boolean
}

type Value = string | number | bigint | Uint8Array | null
type Change = (value: Value, copy: Copy) => Value

/** One copy of a sample: the how many-th it is, and how much earlier than the sample it happened. */
interface Copy {
  nth: number
  earlierMs: number
  /** When the sample began. */
  sinceMs: number
}

/**
 * Numbers of customers and orders in a sample, in any text: each copy has its own. So many apart.
 */
const COUNTED = /(?<!\d)(1556|77|78)(\d{7,8}|\d{16})(?!\d)/g
const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?7[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}/g
const PLATFORM_ID = /wamid\.[\w+/=-]+/g
const DIGEST = /^[0-9a-f]{64}$/

/**
 * Writes the rows of a sample again and again, as the server would have: the same shapes with other
 * ids, numbers and times. Whatever the tables look like, an id made in the sample carries its time
 * and is moved with it, a column that ends in `_ms` is a time, and a whole number that differs
 * within a unique index is counted on. Throws when a copy of a message is not written.
 */
export function multiply(of: Multiplying): Database {
  const before = new Database(of.before, { readonly: true })
  before.run('vacuum into ?', [of.path])
  before.close()
  const sqlite = new Database(of.path, { strict: true })
  for (const pragma of PRAGMAS) sqlite.run(`pragma ${pragma}`)
  sqlite.run('attach ? as sample', [of.after])
  const sinceMs = newestMs(sqlite)
  const numbers = numbersIn(sqlite)
  const tables = tablesOf(sqlite)
    .filter((table) => of.without?.includes(table) !== true)
    .map((table) => new Copied(sqlite, table, { sinceMs, numbers }))
  const inSample = messagesIn(sqlite, 'sample')
  let written = 0
  for (; written < of.times; written += 1) {
    if (written % LOOK_EVERY === 0 && of.isEnough?.(sqlite) === true) break
    const copy = { nth: written, earlierMs: (of.times - 1 - written) * of.apartMs, sinceMs }
    sqlite.transaction(() => {
      for (const table of tables) table.write(copy)
      sqlite.run("insert into message_search (message_search, rank) values ('merge', 2000)")
    })()
  }
  if (messagesIn(sqlite, 'main') !== written * inSample)
    throw new Error(`${messagesIn(sqlite, 'main')} messages instead of ${written * inSample}`)
  for (const end of ENDS) sqlite.run(end)
  return sqlite
}

const PRAGMAS = [
  'foreign_keys = off',
  'synchronous = off',
  'journal_mode = wal',
  'cache_size = -400000',
]

/** What the server keeps of the end of its log; the log itself is in the order of time. */
const ENDS = [
  'update main.events set at_ms = (select min(at_ms) from main.events) where position < (select position from main.events order by at_ms limit 1)',
  'update event_heads set seq = coalesce((select max(seq) from main.events e where e.organization_id = event_heads.organization_id), seq)',
  'update relay_state set position = coalesce((select max(position) from main.events), position)',
  'detach sample',
  'pragma wal_checkpoint(truncate)',
]

const messagesIn = (sqlite: Database, schema: 'main' | 'sample'): number =>
  sqlite.query<{ n: number }, []>(`select count(*) as n from ${schema}.messages`).get()?.n ?? 0

const LOOK_EVERY = 10

/** When the newest row before the sample was written. */
const newestMs = (sqlite: Database): number =>
  sqlite.query<{ ms: number }, []>('select max(at_ms) as ms from main.events').get()?.ms ?? 0

/** Counts that triggers keep: copies of the counted rows fill them. */
const KEPT_BY_TRIGGERS: readonly string[] = [
  'agent_message_counts',
  'agent_response_counts',
  'ai_call_counts',
  'bot_session_counts',
  'contact_rollups',
  'contacts_seen',
  'cost_changes',
  'cost_rollups',
  'message_rollups',
  'transfer_counts',
]

/** Plain tables, those that others refer to first as far as it matters to triggers. */
const tablesOf = (sqlite: Database): string[] =>
  sqlite
    .query<{ name: string }, []>(
      `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'
       order by name <> 'contacts', name <> 'conversations', name <> 'messages', name`,
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !KEPT_BY_TRIGGERS.includes(name))

/** The rows that a sample added to one table, and how to write them again. */
class Copied {
  private readonly rows: Value[][]
  private readonly changes: { row: number; column: number; change: Change }[] = []
  private readonly insert: { run: (...values: SQLQueryBindings[]) => unknown }

  constructor(
    sqlite: Database,
    table: string,
    private readonly sample: { sinceMs: number; numbers: Map<string, number> },
  ) {
    const columns = sqlite
      .query<{ name: string; pk: number; type: string }, [string]>(
        'select name, pk, type from pragma_table_info(?)',
      )
      .all(table)
    const written = columnsIn(sqlite, table)
    const keys = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
    const same = keys.map((key) => `b."${key}" = a."${key}"`).join(' and ')
    this.rows = sqlite
      .query(
        `select ${written} from sample."${table}" a where not exists (select 1 from main."${table}" b where ${same})`,
      )
      .values() as Value[][]
    this.insert = sqlite.query(
      `insert or ignore into main."${table}" (${written}) values (${columns.map(() => '?').join()})`,
    )
    const counted = countedColumns(sqlite, table)
    const numbered = numberedColumns(sqlite, table)
    columns.forEach(({ name }, column) =>
      this.rows.forEach((row, at) => {
        const apart = sample.numbers.get(numbered.get(name) ?? '')
        const change =
          apart === undefined
            ? this.changeOf(row[column] ?? null, name, counted)
            : (number: Value, { nth }: Copy) =>
                Number(number) < COUNTED_FROM_ONE ? Number(number) + nth * apart : null
        if (change) this.changes.push({ row: at, column, change })
      }),
    )
  }

  write(copy: Copy): void {
    const rows = this.rows.map((row) => [...row])
    for (const { row, column, change } of this.changes) {
      const copied = rows[row] as Value[]
      copied[column] = change(copied[column] ?? null, copy)
    }
    for (const row of rows) this.insert.run(...row)
  }

  /** How a value differs from copy to copy; `null` where it does not. */
  private changeOf(value: Value, column: string, counted: Map<string, number>): Change | null {
    const { sinceMs } = this.sample
    if (typeof value === 'number') {
      if (column.endsWith('_ms') && value >= sinceMs - CLOSE_MS)
        return (ms, { earlierMs }) => Number(ms) - earlierMs
      const step = counted.get(column)
      return step === undefined ? null : (number, { nth }) => Number(number) + nth * step
    }
    if (value instanceof Uint8Array) {
      const id = Buffer.from(value).toString('hex')
      if (DIGEST.test(id)) return (_, { nth }) => Buffer.from(hashed(id, nth, 64), 'hex')
      return isNewId(id, sinceMs)
        ? (_, { earlierMs }) => Buffer.from(moved(id, earlierMs), 'hex')
        : null
    }
    if (typeof value !== 'string') return null
    const probe = { nth: 1, earlierMs: DAY_MS, sinceMs }
    return copiedText(value, probe) === value ? null : (_, copy) => copiedText(value, copy)
  }
}

/** Columns that number the rows of a table or name a row of another, with what the key is called. */
const numberedColumns = (sqlite: Database, table: string): Map<string, string> =>
  new Map(
    sqlite
      .query<{ name: string; key: string }, [string]>(
        `select name, name as "key" from (select name, type, pk, count(*) filter (where pk > 0) over () as keys from pragma_table_info(?1)) where pk = 1 and keys = 1 and type = 'INTEGER'
         union select f."from", f."to" from pragma_foreign_key_list(?1) f join pragma_table_info(f."table") c on c.name = f."to" and c.type = 'INTEGER' and c.pk = 1`,
      )
      .all(table)
      .map(({ name, key }) => [name, key]),
  )

/** The audit log numbers its rows by time; copies of those are numbered anew. */
const COUNTED_FROM_ONE = 2 ** 32

/** The highest number in a sample, for each name of a key: numbers of copies are so far apart. */
function numbersIn(sqlite: Database): Map<string, number> {
  const highest = new Map<string, number>()
  for (const table of tablesOf(sqlite))
    for (const [name, key] of numberedColumns(sqlite, table)) {
      const found = sqlite
        .query<{ n: number | null }, []>(`select max("${name}") as n from sample."${table}"`)
        .get()
      if ((found?.n ?? 0) < COUNTED_FROM_ONE)
        highest.set(key, Math.max(highest.get(key) ?? 0, found?.n ?? 0))
    }
  return highest
}

/** Times of the platform are whole seconds and may lie a little before. */
const CLOSE_MS = 5_000

/**
 * Whole numbers that differ within a unique index, and how far copies of them lie apart. A kind is a
 * word that is stored as a number.
 */
function countedColumns(sqlite: Database, table: string): Map<string, number> {
  const names = sqlite
    .query<{ name: string }, [string]>(
      `select distinct c.name from pragma_index_list(?) i join pragma_index_info(i.name) c where i."unique" = 1 and c.name not like '%\\_ms' escape '\\' and c.name <> 'kind'`,
    )
    .all(table)
  const counted = new Map<string, number>()
  for (const { name } of names) {
    const of = sqlite
      .query<{ least: Value; most: Value; kind: string }, []>(
        `select min("${name}") as least, max("${name}") as most, max(typeof("${name}")) as kind from sample."${table}"`,
      )
      .get()
    if (of?.kind === 'integer' && of.least !== of.most)
      counted.set(name, Number(of.most) - Number(of.least) + 1)
  }
  return counted
}

const msOf = (id: string): number => parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** Whether it is an id that was made in the sample: it begins with its time. */
const isNewId = (hex: string, sinceMs: number): boolean =>
  /^[0-9a-f]{12}7[0-9a-f]{19}$/.test(hex) && msOf(hex) >= sinceMs && msOf(hex) < sinceMs + DAY_MS

const DAY_MS = 86_400_000

/** An id of so much earlier. */
function moved(id: string, byMs: number): string {
  const digits = (msOf(id) - byMs).toString(16).padStart(12, '0')
  return id.includes('-')
    ? `${digits.slice(0, 8)}-${digits.slice(8)}${id.slice(13)}`
    : digits + id.slice(12)
}

function copiedText(text: string, { nth, earlierMs, sinceMs }: Copy): string {
  if (DIGEST.test(text)) return hashed(text, nth, 64)
  return text
    .replace(UUID, (id) => (isNewId(id.replaceAll('-', ''), sinceMs) ? moved(id, earlierMs) : id))
    .replace(
      PLATFORM_ID,
      (id) => id.slice(0, KEPT_OF_ID) + signOf(nth) + id.slice(KEPT_OF_ID + SIGN),
    )
    .replace(
      COUNTED,
      (_, kind: string, digits: string) =>
        kind +
        String((Number(digits) + nth * APART) % 10 ** digits.length).padStart(digits.length, '0'),
    )
}

/** Where in the platform's ids the number of a copy stands, after what all ids begin with. */
const KEPT_OF_ID = 16
const SIGN = 4

/** The number of a copy as digits of which the first differ most, as those of the platform do. */
const signOf = (nth: number): string =>
  [...nth.toString(36).padStart(SIGN, '0')].toReversed().join('')

/** More than the customers or orders of a sample, so that numbers last for 10,000 copies. */
export const APART = 1_000

const hashed = (text: string, nth: number, length: number): string =>
  new Bun.CryptoHasher('sha256')
    .update(`${nth} ${text}`)
    .digest('hex')
    .slice(0, length)
    .padEnd(length, '0')
