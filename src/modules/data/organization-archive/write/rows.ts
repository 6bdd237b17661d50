import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'

import type { OrganizationTable } from '../../../../infra/organization-tables'
import { columnsLeftBehind } from '../../../../infra/table-fates'
import type { ArchivePart } from '../archive-format'
import type { StoredValue } from '../archive-values'

/** Rows of the first page, and of any. */
const FIRST_ROWS = 16
const MOST_ROWS = 1_000

/** Bytes of lines that a page should have. */
const PAGE_BYTES = 512 * 1_024

/**
 * Returns the columns of a table's part: all but the ID of the organization, which is the same, and
 * those that only a server can vouch for.
 */
export function columnsOf(
  { name, owner, columns, fate }: OrganizationTable,
  travel: { isMove: boolean },
): ArchivePart['columns'] {
  const left = new Set(columnsLeftBehind(fate, travel).map((column) => column.name))
  return columns
    .filter((column) => column.name !== owner || name === 'organizations')
    .filter((column) => !left.has(column.name))
    .map((column) => ({
      name: column.name,
      type: column.name in fate.secrets ? ('secret' as const) : typeOf(column.type),
    }))
}

function typeOf(stored: string): 'integer' | 'real' | 'text' | 'id' {
  if (stored === 'INTEGER') return 'integer'
  if (stored === 'REAL') return 'real'
  return stored === 'BLOB' ? 'id' : 'text'
}

/** Returns the columns that tell the rows of an organization apart, as they stand in its part. */
export const keyOf = ({ name, owner, key }: OrganizationTable): string[] =>
  name === 'organizations' ? key : key.filter((column) => column !== owner)

/** Returns the columns along which the rows of an organization are read. */
function orderOf(sqlite: Database, table: OrganizationTable): string[] {
  const { name, owner, key } = table
  if (name === 'organizations') return key
  if (key[0] === owner) return key.slice(1)
  // Rows with a number of their own: along an index of the organization and the number, or a key.
  const indexes = sqlite
    .query<{ name: string }, [string]>(
      'select name from pragma_index_list(?) where partial = 0 order by "unique" desc, seq',
    )
    .all(name)
    .map((index) => columnsOfIndex(sqlite, index.name))
    .filter((columns) => columns[0] === owner)
  const found =
    indexes.find((columns) => columns.length === 2 && columns[1] === key[0]) ?? indexes[0]
  if (found === undefined) throw new Error(`no index finds the rows of an organization in ${name}`)
  return found.slice(1)
}

const columnsOfIndex = (sqlite: Database, index: string): string[] =>
  sqlite
    .query<{ name: string }, [string]>('select name from pragma_index_info(?) order by seqno')
    .all(index)
    .map(({ name }) => name)

/** Whether an integer was read as a number that cannot hold all of its digits. */
const lostDigits = (value: StoredValue): boolean =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)

/**
 * Reads the rows of an organization from a table along an index, a page at a time. `sizePage` tells
 * it how many bytes a page became, so that pages of long rows have fewer of them.
 */
export class RowReader {
  /** Where the columns of the index stand in a row. */
  private readonly positions: number[]
  private readonly first: Statement<unknown, SQLQueryBindings[]>
  private readonly further: Statement<unknown, SQLQueryBindings[]>
  private after: SQLQueryBindings[] | null = null
  private limit = FIRST_ROWS
  private isDone = false

  constructor(
    sqlite: Database,
    table: OrganizationTable,
    private readonly organization: Uint8Array,
    part: Pick<ArchivePart, 'columns'>,
  ) {
    const columns = part.columns.map(({ name }) => name)
    const order = orderOf(sqlite, table)
    this.positions = order.map((column) => columns.indexOf(column))
    const select = `select ${listOf(columns)} from "${table.name}"
      where "${table.owner}" = ?1 and (${table.fate.lasting ?? table.fate.moving ?? 'true'})`
    // A table without an order has one row for the organization.
    const sorted = order.length === 0 ? 'limit ?2' : `order by ${listOf(order)} limit ?2`
    const places = order.map((_, index) => `?${index + 3}`).join(', ')
    const beyond = order.length === 0 ? 'false' : `(${listOf(order)}) > (${places})`
    this.first = sqlite.query(`${select} ${sorted}`)
    this.further = sqlite.query(`${select} and ${beyond} ${sorted}`)
  }

  /** Returns the next rows; none at the end. Integers without enough digits are of type `bigint`. */
  next(): StoredValue[][] {
    if (this.isDone) return []
    let rows = this.read(false)
    if (rows.some((row) => row.some(lostDigits))) rows = this.read(true)
    this.isDone = rows.length < this.limit
    const last = rows.at(-1)
    if (last) this.after = this.positions.map((position) => last[position] ?? null)
    return rows
  }

  /** Adjusts the number of rows of the next page to the bytes that the last one became. */
  sizePage(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * PAGE_BYTES) / Math.max(1, bytes))
    this.limit = Math.max(1, Math.min(MOST_ROWS, fitting, this.limit * 4))
  }

  private read(isExact: boolean): StoredValue[][] {
    const { after, organization, limit } = this
    const page = after === null ? this.first : this.further
    return page
      .safeIntegers(isExact)
      .values(organization, limit, ...(after ?? [])) as StoredValue[][]
  }
}

const listOf = (columns: string[]): string => columns.map((column) => `"${column}"`).join(', ')
