import { isoTime } from '../../../lib/clock'
import type { Deps } from '../../../infra/ctx'
import { migrationStatus } from '../../../infra/db/migrate'
import { listBackups } from './backups/store'
import { databaseSizes, freeBytes, type Sources } from './metrics/collect'
import type { InstallationInfo } from './model'

/** Maximum number of rows counted, because counting blocks other work. */
const MAX_COUNTED = 1_000_000

const COUNTED = [
  'organizations',
  'users',
  'accounts',
  'contacts',
  'conversations',
  'messages',
  'media',
  'jobs',
  'inbound_events',
  'events',
]

/** Returns the properties of the installation, without secrets. */
export function installationInfo(deps: Deps, { lifecycle }: Sources): InstallationInfo {
  const { sqlite } = deps.db
  const number = (query: string): number =>
    sqlite.query<{ n: number | null }, []>(query).get()?.n ?? 0
  const { applied } = migrationStatus(sqlite)
  const { database, wal } = databaseSizes(deps)
  return {
    version: deps.version,
    commit: deps.commit?.hash ?? null,
    committed_at: deps.commit?.committedAt ?? null,
    started_at: isoTime(lifecycle.startedAtMs),
    runtime: Bun.version,
    sqlite:
      sqlite.query<{ version: string }, []>('select sqlite_version() as version').get()?.version ??
      '',
    schema: { version: applied.at(-1)?.tag ?? '', migrations: applied.length },
    settings: deps.settings.shown,
    sizes: {
      database_bytes: database,
      wal_bytes: wal,
      media_bytes: number(
        `select sum(size_bytes) as n from (select size_bytes from media where stored_as is not null limit ${MAX_COUNTED})`,
      ),
      backups_bytes: listBackups(deps).reduce(
        (sum, one) => sum + (one.database?.sizeBytes ?? 0) + (one.files?.sizeBytes ?? 0),
        0,
      ),
      disk_free_bytes: lifecycle.dataDir === null ? null : freeBytes(lifecycle.dataDir),
    },
    counts: Object.fromEntries(
      COUNTED.map((table) => [
        table,
        number(`select count(*) as n from (select 1 from ${table} limit ${MAX_COUNTED})`),
      ]),
    ),
  }
}
