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
  const owned = fates.filter(({ kind, table }) => kind !== 'shared' && !isIndex(sqlite, table))
  const references = new Map(owned.map(({ table }) => [table, referencesOf(sqlite, table)]))
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
  return sorted.map((fate) => describe(sqlite, fate, references.get(fate.table) ?? []))
}

interface Reference {
  parent: string
  from: string
  to: string
}

const referencesOf = (sqlite: Database, table: string): Reference[] =>
  sqlite
    .query<Reference, [string]>(
      'select "table" as parent, "from", "to" from pragma_foreign_key_list(?)',
    )
    .all(table)

const sqlOf = (sqlite: Database, table: string): string =>
  sqlite
    .query<{ sql: string }, [string]>(
      "select sql from sqlite_schema where type = 'table' and name = ?",
    )
    .get(table)?.sql ?? ''

/** Returns the full-text indexes among the tables. */
export const fullTextIndexes = (sqlite: Database, fates: readonly TableFate[]): string[] =>
  fates.map(({ table }) => table).filter((table) => isIndex(sqlite, table))

/** Whether a table is a full-text index. Its rows follow those of another table. */
const isIndex = (sqlite: Database, table: string): boolean =>
  / USING fts5/i.test(sqlOf(sqlite, table))

function describe(sqlite: Database, fate: TableFate, references: Reference[]): OrganizationTable {
  const { table: name } = fate
  const columns = sqlite
    .query<
      { name: string; type: string; notnull: number; dflt_value: string | null; pk: number },
      [string]
    >('select name, type, "notnull", dflt_value, pk from pragma_table_info(?)')
    .all(name)
    .map((column) => ({
      name: column.name,
      type: column.type,
      isRequired: column.notnull === 1,
      hasDefault: column.dflt_value !== null,
      key: column.pk,
    }))
  const key = columns.filter((column) => column.key > 0).toSorted((a, b) => a.key - b.key)
  return {
    name,
    fate,
    columns,
    key: key.map((column) => column.name),
    hasRowid: !/WITHOUT ROWID/i.test(sqlOf(sqlite, name)),
    owner: name === 'organizations' ? 'id' : 'organization_id',
    selfReferences: references.filter(
      ({ parent, from }) => parent === name && from !== 'organization_id',
    ),
  }
}
