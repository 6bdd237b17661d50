import { and, inArray, lt, notInArray, sql } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { privacyRequests } from '../privacy/table'
import { exports_ } from '../exports/table'
import { imports } from '../imports/table'
import {
  countingLimits,
  organizationsOnHold,
  organizationsWithRetention,
  retentionRow,
} from '../organizations/retention/service'
import { failMediaIn } from './download'
import { MediaExpired } from './events'
import { filesKeptReady } from './reusable-files'
import { PLATFORM_KEEPS_MS } from './rules'
import { findMedia, takeAwayIn } from './store'
import { media } from './table'

/** Files taken away in one transaction. */
const BATCH = 500

/** What was staged or written so long ago and belongs to nothing is not on its way any more. */
const ORPHAN_AGE_MS = DAY_MS

/**
 * Takes away uploads that nobody sent within a day and files older than their organization keeps
 * them; messages stay. Files still waited for when the platform keeps them no longer are given up.
 */
export async function expireFiles(deps: Deps): Promise<void> {
  await inBatches(deps, () => unusedUploads(deps))
  for (const organizationId of organizationsWithRetention(deps)) {
    const ctx = systemCtx(deps, organizationId)
    const row = retentionRow(deps, organizationId)
    const days = countingLimits(row, {
      nowMs: deps.clock.nowMs(),
      journalDays: deps.settings.journalDays,
    }).media_days
    if (days === null || row.isLegalHold) continue
    const beforeMs = deps.clock.nowMs() - days * DAY_MS
    await inBatches(deps, () => keptLongEnough(ctx, beforeMs))
  }
  giveUpWaiting(deps)
}

/** A file to be taken away. */
interface Doomed {
  organizationId: string
  id: string
}

async function inBatches(deps: Deps, next: () => Doomed[]): Promise<void> {
  for (let doomed = next(); doomed.length > 0; doomed = next()) {
    const names: string[] = []
    for (const [organizationId, rows] of Map.groupBy(doomed, (row) => row.organizationId))
      names.push(...transact(deps.db, (tx) => expireIn(tx, systemCtx(deps, organizationId), rows)))
    for (const name of names) await deps.files.remove(name)
  }
}

/**
 * Takes files away and tells of those that messages still show. Returns the names of their bytes.
 */
function expireIn(tx: Tx, ctx: Ctx, doomed: Doomed[]): string[] {
  const ids = doomed.map(({ id }) => id)
  const names = takeAwayIn(tx, ctx, ids)
  for (const { id: mediaId } of findMedia(ctx, ids))
    emit(tx, ctx, MediaExpired, { contactId: null, payload: { mediaId } })
  return names
}

/** Uploads nobody sent within a day; not those of organizations on legal hold. */
const unusedUploads = (deps: Deps): Doomed[] =>
  deps.db.orm
    .select({ organizationId: media.organizationId, id: media.id })
    .from(media)
    .where(
      acrossOrganizations(
        'expired files are found for all organizations at once',
        and(
          lt(media.expiresAtMs, deps.clock.nowMs()),
          notInArray(media.organizationId, organizationsOnHold(deps)),
        ),
      ),
    )
    .limit(BATCH)
    .all()

/** Files of messages that are older than they are kept; those people keep ready stay. */
function keptLongEnough(ctx: Ctx, beforeMs: number): Doomed[] {
  const kept = filesKeptReady(ctx)
  return ctx.db.orm
    .select({ organizationId: media.organizationId, id: media.id })
    .from(media)
    .where(
      inOrganization(
        ctx,
        media,
        and(sql`${media.state} = 'ready'`, lt(media.createdAtMs, beforeMs)),
      ),
    )
    .orderBy(media.createdAtMs)
    .limit(BATCH + kept.size)
    .all()
    .filter(({ id }) => !kept.has(id))
}

/** Twice what the platform keeps: what is still waited for then has no job any more. */
function giveUpWaiting(deps: Deps): void {
  const lost = deps.db.orm
    .select({ organizationId: media.organizationId, id: media.id })
    .from(media)
    .where(
      acrossOrganizations(
        'expired files are found for all organizations at once',
        and(
          sql`${media.state} = 'pending'`,
          lt(media.createdAtMs, deps.clock.nowMs() - 2 * PLATFORM_KEEPS_MS),
        ),
      ),
    )
    .limit(BATCH)
    .all()
  for (const { organizationId, id } of lost)
    transact(deps.db, (tx) =>
      failMediaIn(tx, systemCtx(deps, organizationId), id, {
        code: 'media_expired',
        message: 'The platform deletes files after seven days; this file is no longer available.',
      }),
    )
}

/** Deletes files on disk that no row names and that nobody is writing any more. */
export const sweepOrphans = (deps: Deps): Promise<void> =>
  sweepBefore(deps, deps.clock.nowMs() - ORPHAN_AGE_MS)

declare module '../../infra/ctx' {
  interface Deps {
    /** The sweep for files of an earlier process; `promise` is `null` until it begins. */
    mediaStartSweep: { promise: Promise<void> | null }
  }
}

/**
 * Deletes files that an earlier process wrote and no row names, because it was killed. Sweeps once
 * per process, since this one leaves none, and again after a failure.
 */
export function sweepLeftBehind(deps: Deps): Promise<void> {
  const sweep = deps.mediaStartSweep
  sweep.promise ??= sweepBefore(deps, deps.files.openedAtMs).catch((error: unknown) => {
    sweep.promise = null
    throw error
  })
  return sweep.promise
}

async function sweepBefore(deps: Deps, beforeMs: number): Promise<void> {
  let removed = await deps.files.clearStaged(beforeMs)
  const names: string[] = []
  const flush = async (): Promise<void> => {
    const known = new Set(namesIn(deps, names))
    for (const name of names.filter((found) => !known.has(found))) {
      await deps.files.remove(name)
      removed += 1
    }
    names.length = 0
  }
  for await (const { name, changedAtMs } of deps.files.list()) {
    if (changedAtMs < beforeMs) names.push(name)
    if (names.length >= BATCH) await flush()
  }
  await flush()
  if (removed > 0) deps.log.info({ files: removed }, 'unused files deleted')
}

/**
 * Which of these names a row knows: a file of a message or an upload, the rows of an import, a
 * finished export.
 */
function namesIn(deps: Deps, names: string[]): (string | null)[] {
  if (names.length === 0) return []
  return [media, imports, exports_, privacyRequests].flatMap((table) =>
    deps.db.orm
      .select({ storedAs: table.storedAs })
      .from(table)
      .where(inArray(table.storedAs, names))
      .all()
      .map(({ storedAs }) => storedAs),
  )
}
