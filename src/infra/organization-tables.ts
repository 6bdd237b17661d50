import type { Database } from 'bun:sqlite'

import type { TableFate } from './table-fates'

/** A column as SQLite stores it. */
export interface StoredColumn {
  name: string
  /** INTEGER, TEXT, REAL, or BLOB for a UUID: all tables are strict. */
  type: string
  isRequired: boolean
  hasDefault: boolean
  /** Position in the primary key from 1; 0 if it is not a part of it. */
  key: number
}

/** A table with rows of organizations, as the database describes it. */
export interface OrganizationTable {
  name: string
  fate: TableFate
  /** The columns that are written; computed ones are not here. */
  columns: StoredColumn[]
  /** Columns of the primary key. */
  key: string[]
  hasRowid: boolean
  /** The column with the ID of the organization. */
  owner: string
  /** Columns that refer to other rows of the same table. */
  selfReferences: { from: string; to: string }[]
}

/**
 * Returns the tables with rows of organizations. Each table stands behind those that its rows refer
 * to. Throws if the references form a circle.
 */
export function organizationTables(
  sqlite: Database,
  fates: readonly TableFate[],
): OrganizationTable[] {
  const written = writtenTables(sqlite)
  const owned = fates.filter(({ kind, table }) => kind !== 'shared' && !isIndex(written.get(table)))
  const references = Map.groupBy(referencesIn(sqlite), ({ child }) => child)
  const sorted: TableFate[] = []
  let rest = owned
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ table }) => table))
    const isReady = ({ table }: TableFate): boolean =>
      (references.get(table) ?? []).every(({ parent }) => parent === table || !waiting.has(parent))
    const ready = rest.filter(isReady)
    if (ready.length === 0)
      throw new Error(`the references of ${[...waiting].join(', ')} form a circle`)
    sorted.push(...ready)
    rest = rest.filter((fate) => !ready.includes(fate))
  }
  const columns = Map.groupBy(columnsIn(sqlite), ({ table }) => table)
  return sorted.map((fate): OrganizationTable => {
    const { table: name } = fate
    const stored = columns.get(name) ?? []
    return {
      name,
      fate,
      columns: stored.map((column) => ({
        name: column.name,
        type: column.type,
        isRequired: column.notnull === 1,
        hasDefault: column.dflt_value !== null,
        key: column.pk,
      })),
      key: stored
        .filter(({ pk }) => pk > 0)
        .toSorted((a, b) => a.pk - b.pk)
        .map((column) => column.name),
      hasRowid: !/WITHOUT ROWID/i.test(written.get(name) ?? ''),
      owner: name === 'organizations' ? 'id' : 'organization_id',
      selfReferences: (references.get(name) ?? [])
        .filter(({ parent, from }) => parent === name && from !== 'organization_id')
        .map(({ from, to }) => ({ from, to })),
    }
  })
}

/** Returns how each table was written, by its name. */
const writtenTables = (sqlite: Database): Map<string, string> =>
  new Map(
    sqlite
      .query<{ name: string; sql: string }, []>(
        "select name, sql from sqlite_schema where type = 'table'",
      )
      .all()
      .map(({ name, sql }) => [name, sql]),
  )

interface Reference {
  child: string
  parent: string
  from: string
  to: string
}

const referencesIn = (sqlite: Database): Reference[] =>
  sqlite
    .query<Reference, []>(
      `select written.name as child, "table" as parent, "from", "to"
       from sqlite_schema as written, pragma_foreign_key_list(written.name) where type = 'table'`,
    )
    .all()

interface ColumnRow {
  table: string
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

const columnsIn = (sqlite: Database): ColumnRow[] =>
  sqlite
    .query<ColumnRow, []>(
      `select written.name as "table", column.name, column.type, "notnull", dflt_value, pk
       from sqlite_schema as written, pragma_table_info(written.name) as column
       where written.type = 'table'`,
    )
    .all()

/** Returns the full-text indexes among the tables. */
export function fullTextIndexes(sqlite: Database, fates: readonly TableFate[]): string[] {
  const written = writtenTables(sqlite)
  return fates.map(({ table }) => table).filter((table) => isIndex(written.get(table)))
}

/** Whether a table is a full-text index. Its rows follow those of another table. */
const isIndex = (written: string | undefined): boolean => / USING fts5/i.test(written ?? '')
