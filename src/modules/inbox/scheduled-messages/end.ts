import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { endWaitingJobs } from '../../../infra/jobs/waiting-jobs'
import { emit } from '../../../infra/outbox/events'
import { releaseMediaIn } from '../../channel/media/store'
import { findActiveMember } from '../../organization/memberships/find'
import { notifyIn } from '../../organization/notifications/service'
import { ScheduledChanged } from './events'
import { SendScheduled } from './jobs'
import type { ScheduledError, ScheduledRow } from './row'
import { scheduledFiles, scheduledMessages } from './table'
import { noticeText } from '../../organization/notifications/catalog'

/** The ordering key of the jobs of one scheduled message. */
export const keyOf = (id: string): string => `scheduled ${id}`

/** Publishes a change of a scheduled message to its author. Runs inside the caller's transaction. */
export function publishScheduledIn(tx: Tx, ctx: Ctx, row: ScheduledRow): void {
  emit(tx, ctx, ScheduledChanged, {
    contactId: row.contactId,
    payload: {
      scheduledId: row.id,
      contactId: row.contactId,
      userId: row.createdBy,
      ...(row.createdByKey === null ? {} : { apiKeyId: row.createdByKey }),
    },
  })
}

/** How a scheduled message ends. */
type End =
  | { state: 'sent'; messageId: string; isFallbackSent: boolean }
  | { state: 'failed'; error: ScheduledError }
  | { state: 'cancelled' }

/**
 * Ends a scheduled message, cancels its job, and lets its files go. Runs inside the caller's
 * transaction. Returns the new row.
 */
export function endScheduledIn(tx: Tx, ctx: Ctx, before: ScheduledRow, end: End): ScheduledRow {
  const nowMs = ctx.clock.nowMs()
  const { state, ...facts } = end
  const row = tx
    .update(scheduledMessages)
    .set({
      state,
      ...('messageId' in facts ? facts : {}),
      ...('error' in facts ? { error: JSON.stringify(facts.error) } : {}),
      endedAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .where(
      inOrganization(
        ctx,
        scheduledMessages,
        and(eq(scheduledMessages.id, before.id), eq(scheduledMessages.state, 'scheduled')),
      ),
    )
    .returning()
    .get()
  endWaitingJobs(
    tx,
    ctx,
    { kind: SendScheduled.name, orderingKeys: [keyOf(row.id)] },
    { state: 'cancelled', reason: state },
  )
  releaseFilesIn(tx, ctx, row.id)
  publishScheduledIn(tx, ctx, row)
  return row
}

/** Lets the files of a scheduled message expire, unless something else uses them. */
export function releaseFilesIn(tx: Tx, ctx: Ctx, scheduledId: string): void {
  const released = tx
    .delete(scheduledFiles)
    .where(inOrganization(ctx, scheduledFiles, eq(scheduledFiles.scheduledId, scheduledId)))
    .returning({ mediaId: scheduledFiles.mediaId })
    .all()
  for (const { mediaId } of released) releaseMediaIn(tx, ctx, mediaId)
}

/**
 * Fails scheduled messages for one reason and notifies each author once, in the caller's
 * transaction.
 */
export function failScheduledIn(
  tx: Tx,
  ctx: Ctx,
  rows: ScheduledRow[],
  error: ScheduledError,
): void {
  for (const row of rows) endScheduledIn(tx, ctx, row, { state: 'failed', error })
  notifyAuthorsIn(tx, ctx, rows, error)
}

/** Notifies the authors of failed messages, each once. Those who left are left out. */
function notifyAuthorsIn(
  tx: Tx,
  ctx: Ctx,
  rows: Pick<ScheduledRow, 'createdBy' | 'contactId'>[],
  { code, message }: ScheduledError,
): void {
  for (const [userId, own] of Map.groupBy(rows, ({ createdBy }) => createdBy)) {
    const [first] = own
    if (userId === null || !first || !findActiveMember(ctx, userId)) continue
    notifyIn(tx, ctx, {
      userId,
      kind: 'scheduled_failed',
      severity: 'warning',
      text: noticeText('scheduled_failed', { count: own.length, error: code, message }),
      title:
        own.length === 1
          ? 'A scheduled message was not sent'
          : `${own.length} scheduled messages were not sent`,
      body: message,
      ...(own.every(({ contactId }) => contactId === first.contactId)
        ? { link: `/contacts/${first.contactId}` }
        : {}),
    })
  }
}
