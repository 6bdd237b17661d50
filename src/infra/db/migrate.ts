import type { Database } from 'bun:sqlite'

import type { Clock } from '../../lib/clock'
import type { Migration } from './migrations.macro'
import { readMigrations } from './migrations.macro' with { type: 'macro' }
import { writeStatistics } from './planner-stats'
import { applyTriggers, dropTriggers } from './triggers'

export type { Migration } from './migrations.macro'

/**
 * Thrown if the database cannot be migrated to this version. The message is one sentence for the
 * operator.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** Thrown if this version does not open a database however often it is tried. */
export class UnfitDatabaseError extends MigrationError {}

/** Thrown for a database that a newer version has changed. `by` says with what. */
export class NewerDatabaseError extends UnfitDatabaseError {
  constructor(readonly by: string) {
    super(
      `The database is newer than this version (${by}). Use the newer version. After an upgrade, ` +
        '"switchboard rollback" goes back to the database from before it.',
    )
  }
}

/** The migrations this program knows, oldest first. */
export const knownMigrations = (): Migration[] => readMigrations() as unknown as Migration[] // a macro is inlined as a plain value

/** The first migration. Databases from before the first release have another one. */
const BASELINE = '0000_baseline'

interface Applied {
  tag: string
  hash: string
}

/**
 * Returns the applied and pending migrations of a database, oldest first; `isNew` if it is empty.
 * Throws UnfitDatabaseError for a database of another program, of a newer version or from before the
 * first release, and for an edited migration.
 */
export function migrationStatus(
  sqlite: Database,
  migrations: Migration[] = knownMigrations(),
): { isNew: boolean; applied: Applied[]; pending: Migration[] } {
  const hasTable =
    sqlite
      .query("select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'")
      .get() !== null
  const applied = hasTable
    ? sqlite.query<Applied, []>('select tag, hash from schema_migrations order by tag').all()
    : []
  if (
    !hasTable &&
    sqlite.query("select 1 from sqlite_master where type = 'table' limit 1").get() !== null
  )
    throw new UnfitDatabaseError(
      'The database file contains tables of another program. Choose another DATA_DIR.',
    )
  const [first] = applied
  const baseline = migrations.find(({ tag }) => tag === BASELINE)
  if (first && baseline && (first.tag !== BASELINE || first.hash !== baseline.hash))
    throw new UnfitDatabaseError(
      'This database was made by a version from before the first release and cannot be upgraded; start with a new DATA_DIR.',
    )
  const known = new Map(migrations.map((migration) => [migration.tag, migration]))
  for (const { tag, hash } of applied) {
    const migration = known.get(tag)
    if (!migration) throw new NewerDatabaseError(tag)
    if (migration.hash !== hash)
      throw new UnfitDatabaseError(
        `The migration ${tag} differs from the one this database was created with. Restore the ` +
          'original file.',
      )
  }
  const done = new Set(applied.map(({ tag }) => tag))
  return { isNew: !hasTable, applied, pending: migrations.filter(({ tag }) => !done.has(tag)) }
}

/**
 * Applies the pending migrations without triggers and views, then those of the program, then
 * `afterwards`, and writes the planner statistics. All of it is one transaction, with foreign keys
 * checked after each migration, so a crash or an error leaves the database unchanged.
 * `beforeChange` is called once before the first change to a database that already holds data.
 * Returns the tags of the applied migrations. Throws MigrationError.
 *
 * Drizzle's own migrator is not used: it rebuilds tables with foreign keys on, and a rebuild then
 * deletes the child rows.
 */
export function migrate(
  sqlite: Database,
  options: {
    clock: Pick<Clock, 'nowMs'>
    beforeChange?: (tag: string) => void
    afterwards?: () => void
    migrations?: Migration[]
  },
): string[] {
  const { applied, pending } = migrationStatus(sqlite, options.migrations)
  const first = pending[0]
  if (first && applied.length > 0) options.beforeChange?.(first.tag)
  sqlite.run('pragma foreign_keys = off') // has no effect inside a transaction, hence here
  try {
    sqlite
      .transaction(() => {
        if (pending.length > 0) dropTriggers(sqlite)
        for (const migration of pending) apply(sqlite, migration, options.clock.nowMs())
        applyTriggers(sqlite)
        options.afterwards?.()
        writeStatistics(sqlite)
      })
      .immediate()
  } finally {
    sqlite.run('pragma foreign_keys = on')
  }
  return pending.map(({ tag }) => tag)
}

function apply(sqlite: Database, migration: Migration, nowMs: number): void {
  sqlite.run(
    'create table if not exists schema_migrations (tag text primary key, hash text not null, applied_at_ms integer not null) strict',
  )
  for (const statement of migration.sql.split('--> statement-breakpoint'))
    if (statement.trim() !== '') sqlite.run(statement)
  if (sqlite.query('pragma foreign_key_check').all().length > 0)
    throw new MigrationError(
      `The migration ${migration.tag} would leave rows with broken references. The database ` +
        'was not changed.',
    )
  sqlite.run('insert into schema_migrations (tag, hash, applied_at_ms) values (?, ?, ?)', [
    migration.tag,
    migration.hash,
    nowMs,
  ])
}
