import type { Ctx } from '../../../../infra/ctx'
import { organizationTables, type OrganizationTable } from '../../../../infra/organization-tables'
import { columnsLeftBehind } from '../../../../infra/table-fates'
import {
  ARCHIVE_ENTRIES,
  ARCHIVE_VERSION,
  USERS_PART,
  type ArchiveManifest,
  type ArchivePart,
} from '../../organization-archive/archive-format'
import { USER_COLUMNS } from '../../organization-archive/archive-users'
import { partKindOf } from '../../organization-archive/part-kind'
import { rulesOf, userRules } from '../columns/column-rules'
import type { Conflict } from '../model'
import { Container } from './container'
import { ArchivedFiles } from './files'
import { ArchiveFault, damaged, invalid } from './fault'
import { readLines, type ArchiveLine } from './lines'
import { FORMER_COLUMNS } from './older-formats'
import { readManifest, type ReadManifest } from './read-manifest'
import { RowReader, type RowToStore, type RowTarget } from './row-reader'
import type { SecretReader } from './secrets'

/** A row of a part and its line. */
export interface ArchivedRow {
  row: RowToStore
  line: number
  /** Characters of the line. */
  size: number
}

/** What is left out of an entry. */
type LeftOut = Omit<Conflict, 'kind'>

const noTable = ({ table, rows }: ArchivePart): LeftOut => ({
  reason: 'table',
  values: { table, rows },
  message: `This version takes no table \`${table}\` from archives. Its ${rows} rows are left out.`,
})

const noColumns = ({ table }: ArchivePart, columns: string[]): LeftOut => ({
  reason: 'columns',
  values: { table, columns: columns.join(', ') },
  message:
    `This version has no column ${columns.map((column) => `\`${column}\``).join(' or ')} of ` +
    `\`${table}\`. The values are left out.`,
})

/** An archive whose manifest fits this database. */
export class Archive {
  private constructor(
    private readonly container: Container,
    private readonly read: ReadManifest,
    readonly secrets: SecretReader,
    private readonly readers: ReadonlyMap<string, RowReader>,
    /** The tables of this database, parents first. */
    readonly tables: ReadonlyMap<string, OrganizationTable>,
    readonly files: ArchivedFiles,
    /** What an older format has and this version does not, and is not read. */
    readonly leftOut: readonly LeftOut[],
  ) {}

  /**
   * Opens an archive and compares its parts with this database. `secretsOf` returns the key for
   * its secrets. Work of the organization is only read from a cell (`isMove`). Tables and columns that
   * this version does not know are left out of a file in an older format, and refused otherwise: in a
   * move nobody would read the warning before it is too late. Throws ArchiveFault.
   */
  static async open(
    ctx: Pick<Ctx, 'db' | 'tables'>,
    path: string,
    secretsOf: (manifest: ArchiveManifest) => Promise<SecretReader> | SecretReader,
    { isMove = false }: { isMove?: boolean } = {},
  ): Promise<Archive> {
    const container = await Container.open(path)
    try {
      const { manifest, digest } = await readManifest(container)
      const secrets = await secretsOf(manifest)
      const tables = new Map(
        organizationTables(ctx.db.sqlite, ctx.tables).map((table) => [table.name, table]),
      )
      const { version } = manifest
      const leavesOut = version < ARCHIVE_VERSION && !isMove
      const at = {
        organizationId: manifest.organization.id,
        ...{ version, former: FORMER_COLUMNS, leavesOut, secrets },
      }
      const readers = new Map<string, RowReader>()
      const leftOut: LeftOut[] = []
      const described = new Set<string>()
      for (const part of manifest.parts) {
        const file = ARCHIVE_ENTRIES.part(part.table)
        if (described.has(file)) throw damaged('is described twice', { file })
        described.add(file)
        if (container.sizeOf(file) !== part.bytes)
          throw damaged('has another size than the manifest states', { file })
        const most = MOST_ROWS[part.table] ?? Number.MAX_SAFE_INTEGER
        if (part.rows > most) throw invalid(`has more than ${most} rows`, { file })
        const table = tables.get(part.table)
        if (leavesOut && part.table !== USERS_PART && (!table || !partKindOf(table.fate))) {
          leftOut.push({ file, ...noTable(part) })
          continue
        }
        const reader = new RowReader(part, targetOf({ part, isMove }, table), at)
        readers.set(part.table, reader)
        if (reader.leftOut.length > 0) leftOut.push({ file, ...noColumns(part, reader.leftOut) })
      }
      requireParts({ readers, described }, container)
      const files = await ArchivedFiles.read(container, manifest)
      const parts = manifest.parts.filter(({ table }) => readers.has(table))
      const read = { manifest: { ...manifest, parts }, digest }
      return new Archive(container, read, secrets, readers, tables, files, leftOut)
    } catch (error) {
      container.close()
      throw error
    }
  }

  /** What the archive says, with the parts that are read. */
  get manifest(): ArchiveManifest {
    return this.read.manifest
  }

  /** SHA-256 of the manifest: another archive has another one. */
  get digest(): string {
    return this.read.digest
  }

  close(): void {
    this.container.close()
  }

  has(table: string): boolean {
    return this.readers.has(table)
  }

  /** Name of the entry of a table, for messages. */
  fileOf(table: string): string {
    return ARCHIVE_ENTRIES.part(table)
  }

  /**
   * Reads the rows of a table after a line. Earlier lines are only compared with the digest. Throws
   * ArchiveFault.
   */
  async *rows(table: string, after = 0): AsyncGenerator<ArchivedRow> {
    const reader = this.readers.get(table)
    if (!reader) return
    const { bytes, sha256, rows } = reader.part
    const { file, lineBytes } = reader
    const expected = { file, bytes, sha256, rows, lineBytes }
    const lines: AsyncGenerator<ArchiveLine> = readLines(this.container.read(reader.file), expected)
    let fault: ArchiveFault | null = null
    for await (const { text, number } of lines) {
      if (number <= after || fault !== null) continue
      let row: RowToStore | null = null
      try {
        row = reader.read(text, number)
      } catch (error) {
        if (!(error instanceof ArchiveFault)) throw error
        fault = error // unless the digest tells that it was changed since it was written
      }
      if (row) yield { row, line: number, size: text.length }
    }
    if (fault !== null) throw fault
  }

  /** Streams the bytes of a stored file. Throws ArchiveFault. */
  readFile(name: string): AsyncIterable<Uint8Array> {
    return this.container.read(ARCHIVE_ENTRIES.file(name))
  }
}

const FIXED = { isRequired: false, hasDefault: false }

/** The columns of the part of people. */
const USERS: RowTarget = {
  name: USERS_PART,
  columns: USER_COLUMNS.map(({ name, type }) => ({
    name,
    type: { integer: 'INTEGER', text: 'TEXT', id: 'BLOB', secret: 'TEXT' }[type],
    ...FIXED,
    isRequired: name === 'id' || name === 'full_name' || name === 'is_member',
  })),
  rules: userRules(),
  secrets: new Set(USER_COLUMNS.flatMap(({ name, type }) => (type === 'secret' ? [name] : []))),
  owner: null,
  isOfPart0: false,
}

/** Returns what the table of a part takes. Throws ArchiveFault for a part that does not travel. */
function targetOf(
  { part, isMove }: { part: ArchivePart; isMove: boolean },
  table: OrganizationTable | undefined,
): RowTarget {
  const file = ARCHIVE_ENTRIES.part(part.table)
  if (part.table === USERS_PART) {
    if (part.kind === 'users') return USERS
    throw invalid('is not of the kind `users`', { file })
  }
  if (!table) throw invalid(`this version knows no table \`${part.table}\``, { file })
  const { fate } = table
  const kind = partKindOf(fate)
  if (kind !== part.kind || (kind === 'moving' && !isMove))
    throw invalid(`the table \`${part.table}\` is none that travels as ${part.kind}`, { file })
  const left = new Set(columnsLeftBehind(fate, { isMove }).map(({ name }) => name))
  return {
    name: table.name,
    columns: table.columns.map((column) =>
      left.has(column.name) ? { ...column, isRequired: false } : column,
    ),
    rules: rulesOf(fate),
    secrets: new Set(Object.keys(fate.secrets)),
    owner: table.owner,
    isOfPart0: fate.lasting === 'part = 0',
  }
}

/** Most rows of parts that are kept in memory as a whole. */
const MOST_ROWS: Record<string, number> = { [USERS_PART]: 500_000, accounts: 5_000 }

/** Parts without which there is no organization. */
const REQUIRED = [USERS_PART, 'organizations']

function requireParts(
  {
    readers,
    described,
  }: { readers: ReadonlyMap<string, RowReader>; described: ReadonlySet<string> },
  container: Container,
): void {
  for (const table of REQUIRED)
    if (!readers.has(table)) throw damaged('is missing', { file: ARCHIVE_ENTRIES.part(table) })
  if (readers.get('organizations')?.part.rows !== 1)
    throw invalid('has not exactly one row', { file: ARCHIVE_ENTRIES.part('organizations') })
  for (const name of container.names())
    if (name.startsWith('tables/') && !described.has(name))
      throw new ArchiveFault(
        'archive_invalid',
        `${name}: the manifest does not describe this part.`,
        { file: name },
      )
}
