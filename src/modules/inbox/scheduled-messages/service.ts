import { ConflictError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { endWaitingJobs } from '../../../infra/jobs/waiting-jobs'
import { eq } from 'drizzle-orm'
import { keepMediaIn } from '../../channel/media/store'
import { recordScheduledIn } from './audit'
import { checkDraft, fetchFiles, type ScheduledDraft, type DraftFiles } from './draft'
import { endScheduledIn, keyOf, publishScheduledIn, releaseFilesIn } from './end'
import { SendScheduled } from './jobs'
import type { NewScheduledMessage, ScheduledMessage, ScheduledMessageChanges } from './model'
import { countOpen, getScheduled, scheduledView } from './queries'
import type { ScheduledRow } from './row'
import { MAX_OPEN, requireOpen, sendTime } from './rules'
import { scheduledFiles, scheduledMessages } from './table'

/**
 * Schedules a message. It is validated as if it were sent now, except that the 24-hour window may be
 * closed; files named by URL are fetched now. Throws the errors of sending, InvalidError for the
 * time, and ConflictError `limit_reached`.
 */
export async function scheduleMessage(
  ctx: Ctx,
  input: NewScheduledMessage,
): Promise<ScheduledMessage> {
  const sendAtMs = sendTime(input.send_at, ctx.clock.nowMs())
  const draft: ScheduledDraft = {
    contactId: input.contact_id,
    accountId: input.account_id,
    message: input.message,
    fallback: input.fallback_template ?? null,
  }
  const files = await fetchFiles(ctx, draft)
  return transact(ctx.db, (tx) => {
    const { accountId, mediaIds } = checkDraft(ctx, draft, files)
    requireRoom(ctx, draft.contactId)
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(scheduledMessages)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        contactId: draft.contactId,
        writtenForId: draft.contactId,
        accountId,
        ...contentOf(draft, files),
        sendAtMs,
        cancelsOnReply: input.cancel_on_reply ?? false,
        state: 'scheduled',
        createdBy: ctx.actor.userId,
        createdByKey: ctx.actor.apiKeyId,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    useFilesIn(tx, ctx, row.id, mediaIds)
    enqueueIn(tx, ctx, row)
    publishScheduledIn(tx, ctx, row)
    recordScheduledIn(tx, ctx, 'created', { before: null, after: row })
    return scheduledView(ctx, row)
  })
}

/**
 * Changes a scheduled message that has not ended. Throws NotFoundError, ConflictError
 * `not_scheduled`, and the errors of {@link scheduleMessage}.
 */
export async function updateScheduled(
  ctx: Ctx,
  id: string,
  changes: ScheduledMessageChanges,
): Promise<ScheduledMessage> {
  const known = requireOpen(getScheduled(ctx, id))
  const sendAtMs =
    changes.send_at === undefined ? undefined : sendTime(changes.send_at, ctx.clock.nowMs())
  const isRewritten = changes.message !== undefined || changes.fallback_template !== undefined
  const files = isRewritten ? await fetchFiles(ctx, draftOf(known, changes)) : null
  return transact(ctx.db, (tx) => {
    const before = requireOpen(getScheduled(ctx, id))
    const draft = draftOf(before, changes)
    const checked = files && checkDraft(ctx, draft, files)
    const row = tx
      .update(scheduledMessages)
      .set({
        ...(files ? contentOf(draft, files) : {}),
        ...(sendAtMs === undefined ? {} : { sendAtMs }),
        ...(changes.cancel_on_reply === undefined
          ? {}
          : { cancelsOnReply: changes.cancel_on_reply }),
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, scheduledMessages, eq(scheduledMessages.id, id)))
      .returning()
      .get()
    if (checked) replaceFilesIn(tx, ctx, id, checked.mediaIds)
    if (row.sendAtMs !== before.sendAtMs) {
      endWaitingJobs(
        tx,
        ctx,
        { kind: SendScheduled.name, orderingKeys: [keyOf(id)] },
        { state: 'cancelled', reason: 'rescheduled' },
      )
      enqueueIn(tx, ctx, row)
    }
    publishScheduledIn(tx, ctx, row)
    recordScheduledIn(tx, ctx, 'updated', { before, after: row })
    return scheduledView(ctx, row)
  })
}

/** Cancels a scheduled message. Throws NotFoundError and ConflictError `not_scheduled`. */
export const cancelScheduled = (ctx: Ctx, id: string): ScheduledMessage =>
  transact(ctx.db, (tx) => {
    const before = requireOpen(getScheduled(ctx, id))
    const row = endScheduledIn(tx, ctx, before, { state: 'cancelled' })
    recordScheduledIn(tx, ctx, 'cancelled', { before, after: row })
    return scheduledView(ctx, row)
  })

const contentOf = (draft: ScheduledDraft, files: DraftFiles) => ({
  message: JSON.stringify(draft.message),
  fallbackTemplate: draft.fallback === null ? null : JSON.stringify(draft.fallback),
  storedFiles: JSON.stringify(files),
})

/** Returns what a stored message is with the requested changes. */
const draftOf = (row: ScheduledRow, changes: ScheduledMessageChanges): ScheduledDraft => ({
  contactId: row.contactId,
  accountId: row.accountId,
  message: changes.message ?? (JSON.parse(row.message) as ScheduledDraft['message']),
  fallback:
    changes.fallback_template === undefined
      ? (JSON.parse(row.fallbackTemplate ?? 'null') as ScheduledDraft['fallback'])
      : changes.fallback_template,
})

function enqueueIn(tx: Tx, ctx: Ctx, row: ScheduledRow): void {
  enqueue(tx, ctx, SendScheduled, {
    args: { scheduledId: row.id },
    runAtMs: row.sendAtMs,
    orderingKey: keyOf(row.id),
  })
}

/** Keeps files until the scheduled message has ended. */
function useFilesIn(tx: Tx, ctx: Ctx, scheduledId: string, mediaIds: string[]): void {
  keepMediaIn(tx, ctx, mediaIds)
  for (const mediaId of mediaIds)
    tx.insert(scheduledFiles)
      .values({ organizationId: ctx.organizationId, scheduledId, mediaId })
      .onConflictDoNothing()
      .run()
}

function replaceFilesIn(tx: Tx, ctx: Ctx, scheduledId: string, mediaIds: string[]): void {
  releaseFilesIn(tx, ctx, scheduledId)
  useFilesIn(tx, ctx, scheduledId, mediaIds)
}

/** Throws ConflictError `limit_reached` if no further message can be scheduled. */
function requireRoom(ctx: Ctx, contactId: string): void {
  const isFull = (open: number, most: number, whose: string): void => {
    if (open >= most)
      throw new ConflictError(
        `${whose} has ${most} scheduled messages. Cancel one, or wait until one is sent.`,
        { code: 'limit_reached' },
      )
  }
  isFull(countOpen(ctx, contactId), MAX_OPEN.contact, 'The contact')
  isFull(countOpen(ctx), MAX_OPEN.organization, 'The organization')
}
