import { statfsSync, statSync } from 'node:fs'

import { SECOND_MS } from '../../../../lib/clock'
import { INSTALLATION, type Deps } from '../../../../infra/ctx'
import { QUEUES } from '../../../../infra/jobs/job'
import { oldestDueMs } from '../../../../infra/jobs/inspect'
import { oldestPendingMs } from '../../../channel/inbound/journal/staging-queue'
import { listBackups, newestComplete } from '../backups/store'
import type { Sockets } from '../../../delivery/realtime/sockets'
import type { Lifecycle } from '../readiness'
import { bytesToUuid } from '../../../../infra/db/uuid'
import { lookAtWebhooks } from './webhooks'

/** The services that metrics are read from. */
export interface Sources {
  lifecycle: Lifecycle
  sockets: Pick<Sockets, 'count'>
}

/** Maximum number of rows counted, because counting blocks other work. */
const MAX_COUNTED = 100_000
/** Lower limit for jobs, because their kind is in no index. */
const MAX_JOBS = 10_000

/** Returns all metrics in the Prometheus text format. Every query uses an index and is bounded. */
export async function readMetrics(deps: Deps, sources: Sources): Promise<string> {
  lookAtQueues(deps)
  lookAtJobs(deps)
  lookAtWebhooks(deps)
  lookAtProcess(deps, sources)
  lookAtDisk(deps, sources.lifecycle.dataDir)
  lookAtBackups(deps)
  return await deps.metrics.registry.metrics()
}

/** Content type of the exposition format. */
export const metricsType = (deps: Pick<Deps, 'metrics'>): string =>
  deps.metrics.registry.contentType

const ageS = (deps: Deps, sinceMs: number | null): number =>
  sinceMs === null || sinceMs === Infinity
    ? 0
    : Math.max(0, deps.clock.nowMs() - sinceMs) / SECOND_MS

function lookAtQueues(deps: Deps): void {
  const { metrics, db } = deps
  const count = (rows: string): number =>
    db.sqlite
      .query<{ n: number }, [number]>(`select count(*) as n from (select 1 from ${rows} limit ?)`)
      .get(MAX_COUNTED)?.n ?? 0
  metrics.journalPending.set(
    count("inbound_events where state = 'pending' and state <> 'done'") + count('inbound_staging'),
  )
  metrics.journalOldest.set(ageS(deps, oldestPendingMs(deps)))
  const waiting =
    "messages where stage in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')"
  metrics.outboxPending.set(count(waiting))
  metrics.transfersWaiting.set(
    count("transfers indexed by transfers_waiting where status = 'active' and agent_id is null"),
  )
  // One step into the index per organization: it is ordered by the time within each.
  const oldest = db.sqlite
    .query<{ atMs: number | null }, []>(
      `select min(at) as atMs from (select (select min(created_at_ms) from ${waiting} and organization_id = organizations.id) as at from organizations)`,
    )
    .get()
  metrics.outboxOldest.set(ageS(deps, oldest?.atMs ?? null))
}

/** The ID of an organization, or `installation` for work that belongs to none. */
const organizationLabel = (id: string): string => (id === INSTALLATION ? 'installation' : id)

function lookAtJobs(deps: Deps): void {
  const { metrics, db, settings } = deps
  metrics.jobsPending.reset()
  const due = db.sqlite.query<
    { kind: string; organization: Uint8Array; n: number },
    [string, number]
  >(
    "select kind, organization_id as organization, count(*) as n from (select kind, organization_id from jobs where state = 'available' and queue = ? limit ?) group by 1, 2",
  )
  for (const queue of QUEUES)
    for (const { kind, organization, n } of due.all(queue, MAX_JOBS))
      metrics.jobsPending.inc(
        settings.hasMetricsPerOrganization
          ? { kind, organization: organizationLabel(bytesToUuid(organization)) }
          : { kind },
        n,
      )
  metrics.jobsOldest.set(ageS(deps, oldestDueMs(deps)))
  metrics.jobsDiscarded.reset()
  const discarded = db.sqlite.query<{ kind: string; n: number }, [number]>(
    "select kind, count(*) as n from (select kind from jobs where state = 'discarded' and finished_at_ms is not null limit ?) group by 1",
  )
  for (const { kind, n } of discarded.all(MAX_JOBS)) metrics.jobsDiscarded.set({ kind }, n)
}

function lookAtProcess({ metrics, version, commit }: Deps, { lifecycle, sockets }: Sources): void {
  const { all, own } = sockets.count()
  metrics.wsConnections.set({ class: 'all' }, all)
  metrics.wsConnections.set({ class: 'own' }, own)
  metrics.httpInFlight.set(lifecycle.process?.pendingRequests() ?? 0)
  metrics.loopLag.set(lifecycle.process?.loopLag.take('metrics') ?? 0)
  const { user, system } = process.cpuUsage()
  metrics.cpu.reset()
  metrics.cpu.inc((user + system) / 1_000_000)
  metrics.memory.set(process.memoryUsage.rss())
  metrics.replicaAge.set(lifecycle.replica.ageS)
  const { hash = 'unknown', committedAt = 'unknown' } = commit ?? {}
  metrics.buildInfo.set({ version, commit: hash, committed_at: committedAt }, 1)
  metrics.startTime.set(lifecycle.startedAtMs / SECOND_MS)
}

function lookAtDisk(deps: Deps, dataDir: string | null): void {
  const { database, wal } = databaseSizes(deps)
  deps.metrics.dbSize.set(database)
  deps.metrics.dbWal.set(wal)
  if (dataDir !== null) deps.metrics.diskFree.set(freeBytes(dataDir))
}

/**
 * Returns the sizes of the database and its write-ahead log, bytes. Empty for an in-memory
 * database.
 */
export function databaseSizes({ db }: Pick<Deps, 'db'>): { database: number; wal: number } {
  const { filename } = db.sqlite
  const isFile = filename !== '' && filename !== ':memory:'
  return { database: isFile ? sizeOf(filename) : 0, wal: isFile ? sizeOf(`${filename}-wal`) : 0 }
}

/** Returns the free space on the disk of a folder, bytes. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function lookAtBackups(deps: Deps): void {
  const newest = newestComplete(listBackups(deps))
  deps.metrics.backupLastSuccess.set((newest?.finishedAtMs ?? 0) / SECOND_MS)
  deps.metrics.backupDuration.set(
    newest?.finishedAtMs ? (newest.finishedAtMs - newest.startedAtMs) / SECOND_MS : 0,
  )
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
