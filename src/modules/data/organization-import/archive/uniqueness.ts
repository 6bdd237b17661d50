import type { Database, Statement } from 'bun:sqlite'

import type { OrganizationTable } from '../../../../infra/organization-tables'
import { columnsLeftBehind } from '../../../../infra/table-fates'
import { invalid, type ArchivePlace } from './fault'
import { ROW_NUMBER, type RowToStore } from './row-reader'

/** What no two rows of a table have, and the values that were seen. */
interface UniqueKey {
  columns: string[]
  seen: Set<string>
  /** Tells whether a row takes part, by the condition of a partial index. */
  covers: ((row: RowToStore) => boolean) | null
  /** Finds a row of another organization, if the key is one of the whole server. */
  elsewhere: Statement<unknown, Bound[]> | null
}

type Bound = RowToStore[string]

/** Most values that are kept, some 60 MB. The database refuses others when they are stored. */
const MOST_VALUES = 500_000

/**
 * Tables whose keys of the whole server are judged elsewhere: the organization and its numbers have
 * answers of their own, and a job gets another ID (`moving-arrivals.ts`).
 */
const JUDGED_ELSEWHERE: ReadonlySet<string> = new Set(['organizations', 'accounts', 'jobs'])

/**
 * Refuses rows that have the key of an earlier one, or of a row of another organization here, so that
 * an archive that was checked can be stored.
 */
export class UniquenessCheck {
  private readonly keys = new Map<string, UniqueKey[]>()
  private left = MOST_VALUES

  constructor(
    private readonly sqlite: Database,
    private readonly tables: ReadonlyMap<string, OrganizationTable>,
    private readonly travel: { isMove: boolean },
  ) {}

  /** Throws ArchiveFault if an earlier row has a key of this one. */
  add(table: string, row: RowToStore, place: ArchivePlace): void {
    for (const { columns, seen, covers, elsewhere } of this.keysOf(table)) {
      const values = columns.map((column) => row[column] ?? null)
      if (values.includes(null) || (covers && !covers(row))) continue
      const key = values.map(textOf).join(' ')
      if (seen.has(key)) throw invalid(`has the same ${named(columns)} as an earlier row`, place)
      if (elsewhere !== null && elsewhere.get(...values) !== null)
        throw invalid(`has the same ${named(columns)} as a row of another organization here`, place)
      if (this.left === 0) continue
      this.left -= 1
      seen.add(key)
    }
  }

  private keysOf(name: string): UniqueKey[] {
    const known = this.keys.get(name)
    if (known) return known
    const table = this.tables.get(name)
    const keys = table ? this.readKeys(table) : []
    this.keys.set(name, keys)
    return keys
  }

  private readKeys(table: OrganizationTable): UniqueKey[] {
    const { name, owner, fate, key } = table
    const left = new Set(columnsLeftBehind(fate, this.travel).map((column) => column.name))
    const indexes = this.sqlite
      .query<{ name: string; partial: number }, [string]>(
        'select name, partial from pragma_index_list(?) where "unique" = 1',
      )
      .all(name)
      .map((index) => ({
        columns: this.columnsOf(index.name),
        condition: index.partial === 1 ? this.conditionOf(index.name) : null,
      }))
    const numbered = key.length === 1 ? [{ columns: key, condition: null }] : []
    return [...indexes, ...numbered].flatMap(({ columns, condition }) => {
      const own = columns.filter((column) => column !== owner)
      if (own.length === 0 || own.some((column) => left.has(column))) return []
      const isOfServer = own.length === columns.length && !own.includes(ROW_NUMBER)
      return {
        columns: own,
        seen: new Set<string>(),
        covers: condition === null ? null : this.coverageOf(table, condition),
        elsewhere:
          isOfServer && !JUDGED_ELSEWHERE.has(name) ? this.finderOf(name, own, condition) : null,
      }
    })
  }

  private columnsOf(index: string): string[] {
    return this.sqlite
      .query<{ name: string }, [string]>('select name from pragma_index_info(?) order by seqno')
      .all(index)
      .map(({ name }) => name)
  }

  private conditionOf(index: string): string {
    const sql = this.sqlite
      .query<{ sql: string }, [string]>('select sql from sqlite_schema where name = ?')
      .get(index)?.sql
    return /\bwhere\b([\s\S]*)$/i.exec(sql ?? '')?.[1] ?? 'true'
  }

  private coverageOf({ name, columns }: OrganizationTable, condition: string) {
    const used = columns.filter((column) => condition.includes(column.name))
    const values = used.map((column, at) => `?${at + 1} as "${column.name}"`).join(', ')
    const statement = this.sqlite.query<{ covers: number | null }, Bound[]>(
      `select (${condition}) as covers from (select ${values}) as "${name}"`,
    )
    return (row: RowToStore): boolean =>
      statement.get(...used.map((column) => row[column.name] ?? null))?.covers === 1
  }

  private finderOf(table: string, columns: string[], condition: string | null) {
    const same = columns.map((column, at) => `"${column}" = ?${at + 1}`).join(' and ')
    return this.sqlite.query<unknown, Bound[]>(
      `select 1 from "${table}" where ${same} and (${condition ?? 'true'}) limit 1`,
    )
  }
}

const textOf = (value: Bound): string =>
  value instanceof Uint8Array ? value.toHex() : JSON.stringify(String(value))

const named = (columns: string[]): string => columns.map((column) => `\`${column}\``).join(', ')
