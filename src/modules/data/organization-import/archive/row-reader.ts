import { uuidToBytes } from '../../../../infra/db/uuid'
import type { OrganizationTable, StoredColumn } from '../../../../infra/organization-tables'
import {
  ARCHIVE_ENTRIES,
  ARCHIVED_FILE,
  type ArchiveColumnType,
  type ArchivePart,
} from '../../organization-archive/archive-format'
import { fromArchived, type StoredValue } from '../../organization-archive/archive-values'
import type { ColumnRule } from '../columns/rule'
import { columnToday, type FormerColumn } from './older-formats'
import type { SecretReader } from './secrets'
import { MAX_LINE_BYTES } from './lines'
import { invalid, wrongValue, type ArchivePlace } from './fault'

/** A row as it is stored, by column. */
export type RowToStore = Record<string, StoredValue>

/** The types of columns that hold a value of an archive. */
const STORED_TYPES: Record<ArchiveColumnType, string> = {
  integer: 'INTEGER',
  real: 'REAL',
  text: 'TEXT',
  id: 'BLOB',
  secret: 'TEXT',
}

/** The column of a row in the numbering of its database. */
export const ROW_NUMBER = 'row'

/** Whether the rows of a table get new numbers. */
export const isNumbered = ({ key }: Pick<OrganizationTable, 'key'>): boolean =>
  key.length === 1 && key[0] === ROW_NUMBER

/** Bytes of a number or an ID, and most bytes of a character of a text. */
const OTHER_BYTES = 64
const CHARACTER_BYTES = 6

/** Most characters of an encrypted text. */
const SECRET_LENGTH = 256 * 1_024

/** What a table takes. */
export interface RowTarget {
  name: string
  columns: readonly Pick<StoredColumn, 'name' | 'type' | 'isRequired' | 'hasDefault'>[]
  /** What the values of columns must be, beyond their type. */
  rules: ReadonlyMap<string, ColumnRule>
  secrets: ReadonlySet<string>
  /** The column with the ID of the organization, which no line has; `null` for none. */
  owner: string | null
  /** Whether only counts of what is not stored any more travel, which have the part 0. */
  isOfPart0: boolean
}

/** The archive of a part. */
interface ReadContext {
  organizationId: string
  /** Its format. */
  version: number
  former: readonly FormerColumn[]
  /** Whether columns that this version does not know are left out, and not refused. */
  leavesOut: boolean
  secrets: SecretReader
}

/** How a column of a part is read. */
interface ReadColumn {
  /** Its name in this version, and in the archive. */
  name: string
  archived: string
  type: ArchiveColumnType
  valueOf: (archived: unknown) => unknown
}

/** Reads the lines of a part as rows of its table. */
export class RowReader {
  readonly file: string
  /** Longest line that a row of the table can have, bytes. */
  readonly lineBytes: number
  /** Columns of older formats that this version does not have: their values are left out. */
  readonly leftOut: string[] = []
  private readonly columns: ReadonlyMap<string, RowTarget['columns'][number]>
  private readonly reads: readonly (ReadColumn | null)[]
  private readonly key: number[]
  private readonly organization: Uint8Array

  /** Throws ArchiveFault for columns that the table does not take. */
  constructor(
    readonly part: ArchivePart,
    private readonly target: RowTarget,
    private readonly at: ReadContext,
  ) {
    this.file = ARCHIVE_ENTRIES.part(part.table)
    this.organization = uuidToBytes(at.organizationId)
    this.columns = new Map(target.columns.map((column) => [column.name, column]))
    this.reads = part.columns.map((column) => this.readOf(column))
    this.requireColumns()
    this.lineBytes = this.reads.reduce(
      (sum, column) =>
        Math.min(
          MAX_LINE_BYTES,
          sum + OTHER_BYTES + (column ? this.lengthOf(column) * CHARACTER_BYTES : MAX_LINE_BYTES),
        ),
      OTHER_BYTES,
    )
    this.key = part.key.map((name) => part.columns.findIndex((column) => column.name === name))
    if (this.key.includes(-1)) throw this.fault('its key names a column that it does not have')
  }

  /** Returns the row of a line. Throws ArchiveFault with the line. */
  read(text: string, line: number): RowToStore {
    const place = { file: this.file, line }
    const values = parsedLine(text, place)
    const { columns } = this.part
    if (values.length !== columns.length)
      throw invalid(`has ${values.length} values for ${columns.length} columns`, place)
    const row: RowToStore = {}
    for (const [index, column] of this.reads.entries())
      if (column)
        row[column.name] =
          column.type === 'secret'
            ? this.secretOf(values, { index, column }, place)
            : this.valueOf(column.valueOf(values[index]), column, place)
    const { owner, isOfPart0 } = this.target
    if (isOfPart0 && row['part'] !== 0) throw invalid('`part` is not 0', place)
    if (owner === null) return row
    const named = row[owner]
    if (named instanceof Uint8Array && named.toHex() !== this.organization.toHex())
      throw invalid('is the row of another organization', place)
    row[owner] = this.organization
    return row
  }

  private valueOf(value: unknown, { name, type }: ReadColumn, place: ArchivePlace): StoredValue {
    const column = this.columns.get(name)
    if (value === null && column?.isRequired === true && name !== ROW_NUMBER)
      throw wrongValue(name, 'is required', place)
    const stored = valueFrom(value, { name, type }, place)
    if (stored === null) return null
    if (name === 'stored_as' && !ARCHIVED_FILE.test(String(stored)))
      throw wrongValue(name, 'is no name of a file', place)
    const problem = this.target.rules.get(name)?.problemOf(stored) ?? null
    if (problem !== null) throw wrongValue(name, problem, place)
    // Where the column takes it: SQLite's functions end a text there.
    return typeof stored === 'string' ? stored.replaceAll('\0', '') : stored
  }

  private secretOf(
    values: unknown[],
    { index, column: { name, archived } }: { index: number; column: ReadColumn },
    place: ArchivePlace,
  ): string | null {
    const value = values[index]
    if (value === null) return null
    if (typeof value !== 'string') throw wrongValue(name, 'is no text', place)
    if (value.length > SECRET_LENGTH) throw wrongValue(name, 'is too long', place)
    const secret = this.at.secrets.open(value, {
      organizationId: this.at.organizationId,
      table: this.part.table,
      column: archived,
      key: this.key.map((at) => values[at]),
      place,
    })
    const problem = this.target.rules.get(name)?.problemOf(secret) ?? null
    if (problem !== null) throw wrongValue(name, problem, place)
    return secret
  }

  /** Most characters of a value. */
  private lengthOf({ name, type }: ReadColumn): number {
    return type === 'secret' ? SECRET_LENGTH : (this.target.rules.get(name)?.length ?? 0)
  }

  /** Returns how a column is read; `null` if it is left out. */
  private readOf({ name: archived, type }: ArchivePart['columns'][number]): ReadColumn | null {
    const { version, former, leavesOut } = this.at
    const { name, valueOf } = columnToday(
      { version, table: this.part.table, column: archived },
      former,
    )
    const column = this.columns.get(name)
    if (name === 'organization_id' || (!column && !leavesOut))
      throw this.fault(`this version knows no column \`${name}\` of \`${this.target.name}\``)
    if (!column) {
      this.leftOut.push(archived)
      return null
    }
    const isSecret = this.target.secrets.has(name)
    if (column.type !== STORED_TYPES[type] || isSecret !== (type === 'secret'))
      throw this.fault(`the column \`${name}\` has the type ${type}`)
    return { name, archived, type, valueOf }
  }

  private requireColumns(): void {
    const names = new Set<string>()
    const read = this.reads.flatMap((column) => (column ? [column.name] : []))
    for (const name of [...read, ...this.leftOut]) {
      if (names.has(name)) throw this.fault(`the column \`${name}\` is there twice`)
      names.add(name)
    }
    const missing = this.target.columns.find(
      ({ name, isRequired, hasDefault }) =>
        isRequired && !hasDefault && !names.has(name) && name !== this.target.owner,
    )
    if (missing && missing.name !== ROW_NUMBER)
      throw this.fault(`the column \`${missing.name}\` is missing`)
  }

  private fault(message: string): Error {
    return invalid(message, { file: this.file })
  }
}

function parsedLine(text: string, place: ArchivePlace): unknown[] {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    throw invalid('is no JSON', place)
  }
  if (!Array.isArray(values)) throw invalid('is no list of values', place)
  return values as unknown[]
}

function valueFrom(
  value: unknown,
  { name, type }: { name: string; type: ArchiveColumnType },
  place: ArchivePlace,
): StoredValue {
  try {
    return fromArchived(value, type)
  } catch (error) {
    throw wrongValue(name, error instanceof Error ? error.message : 'is invalid', place)
  }
}
