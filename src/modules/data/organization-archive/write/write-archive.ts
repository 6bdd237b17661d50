import type { Database } from 'bun:sqlite'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { isoTime } from '../../../../lib/clock'
import { endSnapshot, openSnapshot } from '../../../../infra/db/snapshot'
import { uuidToBytes } from '../../../../infra/db/uuid'
import { organizationTables, type OrganizationTable } from '../../../../infra/organization-tables'
import { ZipWriter } from '../../../../infra/zip-writer'
import {
  ARCHIVE_ENTRIES,
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  USERS_PART,
  type ArchiveManifest,
  type ArchivePart,
} from '../archive-format'
import { USER_COLUMNS, USER_KEY } from '../archive-users'
import { derivedTotals } from '../derived-totals'
import { toArchived, type ArchivedValue, type StoredValue } from '../archive-values'
import { FileList, writeFiles } from './files'
import type { ArchiveFacts, ArchiveOrder } from './order'
import { ArchiveError, diskFull } from './problems'
import { partKindOf } from '../part-kind'
import { columnsOf, keyOf, RowReader } from './rows'
import { idIn, SecretWriter } from './secrets'
import { userRows } from './users'

/**
 * Writes the archive of an organization as it is at one moment, while others write to the database:
 * with a connection of its own and one read transaction for all rows. Files are read afterwards.
 * Slow: it belongs into a thread. Throws ArchiveError, and the errors of the disk.
 */
export function writeArchiveOf(order: ArchiveOrder): ArchiveFacts {
  const sqlite = openSnapshot(order.database)
  try {
    return writeArchive(sqlite, order)
  } finally {
    sqlite.close()
  }
}

/** Writes an archive with an open connection. Ends its transaction after the last row, if it has one. */
export function writeArchive(sqlite: Database, order: ArchiveOrder): ArchiveFacts {
  const zip = new ZipWriter(order.target, order.nowMs)
  try {
    const manifest = new ArchiveWriter(sqlite, zip, order).write()
    zip.finish()
    return { sizeBytes: zip.sizeBytes, manifest }
  } finally {
    zip.close()
  }
}

/** Text is written as soon as it has so many characters. */
const WRITTEN_CHARACTERS = 128 * 1_024

class ArchiveWriter {
  private readonly organization: Uint8Array
  private readonly secrets: SecretWriter
  private readonly files = new FileList()
  private readonly check: () => void

  constructor(
    private readonly sqlite: Database,
    private readonly zip: ZipWriter,
    private readonly order: ArchiveOrder,
  ) {
    this.organization = uuidToBytes(order.organizationId)
    this.secrets = new SecretWriter(order)
    const initialWalBytes = walBytesOf(order)
    this.check = () => {
      if (sqlite.inTransaction) requireShortLog(order, initialWalBytes)
      requireSpace(order)
    }
  }

  write(): ArchiveManifest {
    const { sqlite, zip, order } = this
    const tables = organizationTables(sqlite, order.tables).filter(
      ({ fate }) =>
        fate.kind === 'carried' || fate.lasting !== null || (order.isMove && fate.moving !== null),
    )
    const facts = this.readFacts()
    const parts = [this.writeUsers(tables), ...tables.map((table) => this.writeTable(table))]
    const totals = derivedTotals(sqlite, order.tables, this.organization)
    // The write-ahead log can be checkpointed from here on.
    endSnapshot(sqlite)
    const list = order.hasFiles ? this.files : new FileList()
    const written = writeFiles(zip, { folder: order.filesFolder, list, check: this.check })
    const manifest: ArchiveManifest = {
      format: ARCHIVE_FORMAT,
      version: ARCHIVE_VERSION,
      product_version: order.productVersion,
      as_of: isoTime(order.nowMs),
      ...facts,
      encryption: order.key?.encryption ?? null,
      parts,
      files: { is_included: order.hasFiles, ...written },
      totals,
      secrets_left: this.secrets.leftBehind,
    }
    zip.begin(ARCHIVE_ENTRIES.manifest, { isCompressed: true })
    zip.write(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
    zip.end()
    return manifest
  }

  /** Reads the first rows, and with them the moment of the archive begins. Throws ArchiveError. */
  private readFacts(): Pick<ArchiveManifest, 'organization' | 'schema_version' | 'event_seq'> {
    const { sqlite } = this
    const row = sqlite
      .query<{ slug: string; name: string; state: string }, [Uint8Array]>(
        'select slug, name, state from organizations where id = ?',
      )
      .get(this.organization)
    if (row === null || row.state === 'erasing' || row.state === 'importing')
      throw new ArchiveError('The organization does not exist any more, or not completely yet.')
    const migration = sqlite
      .query<{ tag: string }, []>('select max(tag) as tag from schema_migrations')
      .get()
    const head = sqlite
      .query<{ seq: number }, [Uint8Array]>('select seq from event_heads where organization_id = ?')
      .get(this.organization)
    const { organizationId: id } = this.order
    return {
      schema_version: migration?.tag ?? '',
      event_seq: head?.seq ?? 0,
      organization: { id, slug: row.slug, name: row.name },
    }
  }

  private writeUsers(tables: readonly OrganizationTable[]): ArchivePart {
    const { sqlite, order, organization, secrets } = this
    const lines = userRows(sqlite, tables, { order, organization, secrets })
    const about = { table: USERS_PART, kind: 'users', key: USER_KEY } as const
    return this.writePart({ ...about, columns: [...USER_COLUMNS] }, function* () {
      for (const line of lines) yield [line]
    })
  }

  private writeTable(table: OrganizationTable): ArchivePart {
    const columns = columnsOf(table, this.order)
    const kind = partKindOf(table.fate) ?? 'carried'
    const about = { table: table.name, kind, columns, key: keyOf(table) } as const
    const toLine = this.lineOf(table, about)
    const fileColumn = table.fate.hasFiles
      ? columns.findIndex(({ name }) => name === 'stored_as')
      : -1
    const { sqlite, organization, files } = this
    return this.writePart(about, function* (writtenBytes) {
      const reader = new RowReader(sqlite, table, organization, about)
      for (let rows = reader.next(); rows.length > 0; rows = reader.next()) {
        const before = writtenBytes()
        if (fileColumn >= 0) for (const row of rows) files.add(row[fileColumn])
        yield rows.map(toLine)
        reader.sizePage(rows.length, writtenBytes() - before)
      }
    })
  }

  /** Writes the lines of a part, a page at a time. */
  private writePart(
    about: Pick<ArchivePart, 'table' | 'kind' | 'columns' | 'key'>,
    pages: (writtenBytes: () => number) => Generator<ArchivedValue[][]>,
  ): ArchivePart {
    const { zip } = this
    zip.begin(ARCHIVE_ENTRIES.part(about.table), { isCompressed: true })
    let rows = 0
    let bytes = 0
    let text = ''
    const flush = (): void => {
      const written = Buffer.from(text)
      zip.write(written)
      bytes += written.length
      text = ''
    }
    for (const lines of pages(() => bytes)) {
      for (const line of lines) {
        text += `${JSON.stringify(line)}\n`
        if (text.length >= WRITTEN_CHARACTERS) flush()
      }
      flush()
      rows += lines.length
      this.check()
    }
    return { ...about, rows, ...zip.end() }
  }

  /** Returns the function that makes a line of a row. */
  private lineOf(
    { name: table, fate }: OrganizationTable,
    { columns, key }: Pick<ArchivePart, 'columns' | 'key'>,
  ): (row: StoredValue[]) => ArchivedValue[] {
    const { secrets } = this
    const keyColumns = key.map((column) => columns.findIndex(({ name }) => name === column))
    const organizationId = this.order.organizationId
    return (row) => {
      const archivedKey = (): ArchivedValue[] =>
        keyColumns.map((at) => toArchived(row[at] ?? null, columns[at]?.type ?? 'text'))
      const idOf = (column: string): string =>
        column === 'organization_id' ? organizationId : idIn(columns, row)(column)
      return columns.map(({ name: column, type }, at): ArchivedValue => {
        const value = row[at] ?? null
        if (value === null) return null
        if (type === 'secret') {
          const place = { table, column, key: archivedKey(), idOf }
          return secrets.reseal(value, fate.secrets[column] ?? '', place)
        }
        if (fate.codes.includes(column))
          return secrets.withoutCode(value as string, { table, column }) // a text by the schema
        return toArchived(value, type)
      })
    }
  }
}

const walBytesOf = ({ database }: ArchiveOrder): number =>
  statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0

/**
 * Throws ArchiveError if the write-ahead log has become long: nothing of it can be checkpointed while
 * rows are read.
 */
function requireShortLog(order: ArchiveOrder, initialBytes: number): void {
  if (walBytesOf(order) - initialBytes > order.maxWalBytes)
    throw new ArchiveError(
      'So much was written meanwhile that the archive was given up. Try again at a quieter time.',
    )
}

function requireSpace({ target, spareBytes }: ArchiveOrder): void {
  const { bavail, bsize } = statfsSync(dirname(target))
  if (bavail * bsize < spareBytes) throw diskFull()
}
