import { MINUTE_MS } from '../../../lib/clock'
import type { Deps } from '../../../infra/ctx'
import { isStorageError } from '../../../infra/db/errors'
import { transact, tryToWrite } from '../../../infra/db/transact'
import { oldestDueMs } from '../../../infra/jobs/inspect'
import type { ReplicaWatch } from '../../../infra/replica/watch'
import type { LoopLag } from '../../../infra/metrics/event-loop-lag'
import { oldestPendingMs } from '../../channel/inbound/journal/staging-queue'
import type { DiskReserve } from './disk-reserve'

/** Measurements that exist only in this process. */
export interface ProcessSources {
  pendingRequests: () => number
  loopLag: LoopLag
}

/** State of the process, as `/ready` reports it. */
export interface Lifecycle {
  phase: 'starting' | 'running' | 'stopping'
  startedAtMs: number
  /** Sources of the process metrics; set once the server listens. */
  process?: ProcessSources
  /** Folder whose disk must have space; `null` for an in-memory database. */
  dataDir: string | null
  /** The free space of its disk. */
  reserve: DiskReserve
  /** The age of the follower. */
  replica: ReplicaWatch
}

const OLDEST_JOB_MS = 5 * MINUTE_MS
const OLDEST_JOURNAL_MS = MINUTE_MS

/**
 * The checks of readiness and the sentence of each that fails; empty when the server can take work.
 */
export function failingChecks(deps: Deps, lifecycle: Lifecycle): Record<string, string> {
  const nowMs = deps.clock.nowMs()
  const failing: Record<string, string> = {}
  if (lifecycle.phase !== 'running') failing['process'] = `the server is ${lifecycle.phase}`
  if (!isWritable(deps)) failing['database'] = 'the database is not writable'
  if (lifecycle.reserve.isShort()) failing['disk'] = 'the disk is almost full'
  const dueMs = oldestDueMs(deps)
  if (dueMs !== null && nowMs - dueMs > OLDEST_JOB_MS)
    failing['jobs'] = 'the oldest due job has waited more than five minutes'
  if (nowMs - oldestPendingMs(deps) > OLDEST_JOURNAL_MS)
    failing['journal'] = 'the oldest webhook delivery has waited more than a minute'
  return failing
}

/** The checks that `/ready` names. */
export const CHECKS = [
  'process',
  'database',
  'migrations',
  'disk',
  'jobs',
  'journal',
  'secrets',
] as const

function isWritable(deps: Deps): boolean {
  try {
    if (deps.db.storage.state) tryToWrite(deps.db)
    else transact(deps.db, () => undefined)
    return true
  } catch (error) {
    if (isStorageError(error)) return false
    throw error
  }
}
