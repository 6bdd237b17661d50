import type { Database } from 'bun:sqlite'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { organizationTables } from '../../src/infra/organization-tables'
import { USER_COLUMNS } from '../../src/modules/data/organization-archive/archive-users'
import { partKindOf } from '../../src/modules/data/organization-archive/part-kind'
import { columnsOf as archivedColumnsOf } from '../../src/modules/data/organization-archive/write/rows'
import { createRegistry } from '../../src/registry'
import { apiPartsOf, type ApiParts } from './api-fields'
import type { Tenant } from './world'

/** Folder of the releases, one folder for each. */
const RELEASES = join(import.meta.dir, '../releases')

/** Names of the files of a release. */
export const RELEASE_FILES = {
  facts: 'release.json',
  database: 'database.sqlite.gz',
  archive: 'organization.zip',
  api: 'api.json.gz',
}

/** What a release has frozen. */
export interface Release {
  version: string
  /** SHA-256 of each migration. */
  migrations: Record<string, string>
  /** SHA-256 of the packed file, and rows by table. */
  database: { sha256: string; rows: Record<string, number> }
  /** The archive of its first organization. `columns` are those that travel, by table. */
  archive: {
    format: number
    sha256: string
    rows: Record<string, number>
    columns: Record<string, string[]>
  }
  /** The server that made it. */
  world: { nowMs: number; ids: number; env: Record<string, string>; tenants: Tenant[] }
}

/** Returns the folders of all frozen releases, the oldest first. */
export const releaseFolders = (): string[] =>
  readdirSync(RELEASES)
    .map((name) => join(RELEASES, name))
    .filter((folder) => existsSync(join(folder, RELEASE_FILES.facts)))
    .toSorted((one, other) => Bun.semver.order(basename(one), basename(other)))

/** Reads what a release has frozen. */
export const releaseIn = (folder: string): Release =>
  JSON.parse(readFileSync(join(folder, RELEASE_FILES.facts), 'utf8')) as Release

/** Returns the routes and fields of this version's API. */
export const apiToday = (): ApiParts =>
  apiPartsOf(
    JSON.parse(readFileSync(join(RELEASES, '../contract/openapi.json'), 'utf8')) as Parameters<
      typeof apiPartsOf
    >[0],
  )

/** Returns those of a release. */
export const apiOf = (folder: string): ApiParts =>
  JSON.parse(
    new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(folder, RELEASE_FILES.api)))),
  ) as ApiParts

/** The columns of a table, in their order. */
export const columnsOf = (database: Database, table: string): string[] =>
  database
    .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name)

/** Returns the tables that hold data of users and programs. */
export const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "select name from pragma_table_list where type = 'table' and name not like 'sqlite_%' and name <> 'schema_migrations' order by name",
    )
    .all()
    .map(({ name }) => name)

/** Returns the number of rows of each table. */
export const rowCounts = (database: Database): Record<string, number> =>
  Object.fromEntries(
    tablesOf(database).map((table) => [
      table,
      database.query<{ rows: number }, []>(`select count(*) as rows from "${table}"`).get()?.rows ??
        0,
    ]),
  )

/** Returns the columns that an archive of this version has, by table, sorted. */
export const columnsInArchives = (database: Database): Record<string, string[]> =>
  Object.fromEntries([
    ['users', USER_COLUMNS.map(({ name, type }) => `${name} ${type}`).toSorted()],
    ...organizationTables(database, createRegistry().tables)
      .filter(({ fate }) => ['carried', 'sums'].includes(partKindOf(fate) ?? ''))
      .map((table) => [
        table.name,
        archivedColumnsOf(table, { isMove: false })
          .map(({ name, type }) => `${name} ${type}`)
          .toSorted(),
      ]),
  ]) as Record<string, string[]>
