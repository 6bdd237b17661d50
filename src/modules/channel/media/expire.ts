import { and, lt, notInArray, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import {
  limitsInEffect,
  organizationsOnHold,
  organizationsWithRetention,
  retentionRow,
} from '../../organization/organizations/retention/service'
import { failMediaIn } from './download'
import { MediaExpired } from './events'
import { findReusableFiles } from './reusable-files'
import { PLATFORM_RETENTION_MS } from './rules'
import { findMedia, removeMediaRowsIn } from './store'
import { media } from './table'

/** Files per transaction. */
export const BATCH = 500

/**
 * Deletes uploads unused for a day and files older than the retention of their organization;
 * messages are kept. Fails downloads that the platform can no longer serve.
 */
export async function expireFiles(deps: Deps): Promise<void> {
  await expireInBatches(deps, () => findUnusedUploads(deps))
  for (const organizationId of organizationsWithRetention(deps)) {
    const ctx = systemCtx(deps, organizationId)
    const row = retentionRow(deps, organizationId)
    const days = limitsInEffect(row, {
      nowMs: deps.clock.nowMs(),
      journalDays: deps.settings.journalDays,
    }).media_days
    if (days === null || row.isLegalHold) continue
    const beforeMs = deps.clock.nowMs() - days * DAY_MS
    await expireInBatches(deps, () => findPastRetention(ctx, beforeMs))
  }
  failLostDownloads(deps)
}

interface ExpiredFile {
  organizationId: string
  id: string
}

async function expireInBatches(deps: Deps, next: () => ExpiredFile[]): Promise<void> {
  for (let expired = next(); expired.length > 0; expired = next()) {
    const names: string[] = []
    for (const [organizationId, rows] of Map.groupBy(expired, (row) => row.organizationId))
      names.push(...transact(deps.db, (tx) => expireIn(tx, systemCtx(deps, organizationId), rows)))
    for (const name of names) await deps.files.remove(name)
  }
}

/**
 * Expires files and emits an event for those still shown in messages. Returns the names of the
 * stored files.
 */
function expireIn(tx: Tx, ctx: Ctx, expired: ExpiredFile[]): string[] {
  const ids = expired.map(({ id }) => id)
  const names = removeMediaRowsIn(tx, ctx, ids)
  for (const { id: mediaId } of findMedia(ctx, ids))
    emit(tx, ctx, MediaExpired, { contactId: null, payload: { mediaId } })
  return names
}

/** Returns uploads unused for a day, except in organizations on legal hold. */
const findUnusedUploads = (deps: Deps): ExpiredFile[] =>
  deps.db.orm
    .select({ organizationId: media.organizationId, id: media.id })
    .from(media)
    .where(
      inWorkingOrganizations(
        'expired files are found for all organizations at once',
        media,
        and(
          lt(media.expiresAtMs, deps.clock.nowMs()),
          notInArray(media.organizationId, organizationsOnHold(deps)),
        ),
      ),
    )
    .limit(BATCH)
    .all()

/** Returns files older than the retention; reusable files are kept. */
function findPastRetention(ctx: Ctx, beforeMs: number): ExpiredFile[] {
  const kept = findReusableFiles(ctx)
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

/** After twice the platform's retention, a pending file no longer has a job. */
function failLostDownloads(deps: Deps): void {
  const lost = deps.db.orm
    .select({ organizationId: media.organizationId, id: media.id })
    .from(media)
    .where(
      inWorkingOrganizations(
        'expired files are found for all organizations at once',
        media,
        and(
          sql`${media.state} = 'pending'`,
          lt(media.createdAtMs, deps.clock.nowMs() - 2 * PLATFORM_RETENTION_MS),
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
