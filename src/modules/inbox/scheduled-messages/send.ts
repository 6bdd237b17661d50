import { AppError, ForbiddenError, NotFoundError, RateLimitedError } from '../../../lib/errors'
import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import { savepoint, transact, type Tx } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { delegatedCtx } from '../../organization/auth/delegated-ctx'
import { createMessageIn } from '../messages/outbound/create'
import { recordScheduledIn } from './audit'
import { fetchedFiles, messageOfTemplate, partOf, type DraftFiles } from './draft'
import { endScheduledIn, failScheduledIn } from './end'
import type { ScheduledMessage } from './model'
import { findScheduled, getScheduled, scheduledView } from './queries'
import type { ScheduledError, ScheduledRow } from './row'
import { requireOpen } from './rules'

/** A message that could not be sent this long after its time is not sent any more. */
const MISSED_AFTER_MS = HOUR_MS

const MISSED: ScheduledError = {
  code: 'missed',
  message: 'The server did not run when the message was due, and was more than an hour late.',
}

/** How long a message waits while the send queue of its contact is full. */
const FULL_QUEUE_MS = MINUTE_MS

/** A message that was created, or the reason against it. */
type Attempt = { messageId: string; isFallbackSent: boolean } | { refusal: AppError }

/**
 * Sends a scheduled message with the current rights of its author, in the transaction of its job:
 * the message is created exactly once, or the row says why it was not. Does nothing if it has ended.
 */
export function sendDueIn(tx: Tx, ctx: Ctx, scheduledId: string): Outcome {
  const row = findScheduled(ctx, scheduledId)
  const nowMs = ctx.clock.nowMs()
  if (row?.state !== 'scheduled') return undefined
  if (row.sendAtMs > nowMs) return { snoozeMs: row.sendAtMs - nowMs }
  if (nowMs - row.sendAtMs > MISSED_AFTER_MS) {
    failScheduledIn(tx, ctx, [row], MISSED)
    return undefined
  }
  const attempt = attemptAsAuthorIn(tx, ctx, row)
  if (!('refusal' in attempt)) endScheduledIn(tx, ctx, row, { state: 'sent', ...attempt })
  else if (attempt.refusal instanceof RateLimitedError) return { snoozeMs: FULL_QUEUE_MS }
  else {
    failScheduledIn(tx, ctx, [row], errorOf(attempt.refusal))
  }
  return undefined
}

const errorOf = (refusal: AppError): ScheduledError => ({
  code: refusal.code,
  message:
    refusal instanceof NotFoundError
      ? 'Its author can no longer see the contact.'
      : refusal.message,
})

/** Fails a message whose job failed for an unexpected reason too often. */
export function abandonIn(tx: Tx, ctx: Ctx, scheduledId: string): void {
  const row = findScheduled(ctx, scheduledId)
  if (row?.state === 'scheduled')
    failScheduledIn(tx, ctx, [row], {
      code: 'internal_error',
      message: 'The server could not send the message. Its log says why.',
    })
}

function attemptAsAuthorIn(tx: Tx, ctx: Ctx, row: ScheduledRow): Attempt {
  const asker = { userId: row.createdBy, apiKeyId: row.createdByKey }
  try {
    return attemptIn(tx, delegatedCtx(ctx, asker, ['messages:create']), row)
  } catch (error) {
    if (error instanceof ForbiddenError) return { refusal: error }
    throw error
  }
}

/** Creates the message, or its fallback template if the window is closed. */
function attemptIn(tx: Tx, ctx: Ctx, row: ScheduledRow): Attempt {
  const first = createIn(tx, ctx, row, 'message')
  const isClosed = 'refusal' in first && first.refusal.code === 'window_closed'
  return isClosed && row.fallbackTemplate !== null ? createIn(tx, ctx, row, 'fallback') : first
}

function createIn(tx: Tx, ctx: Ctx, row: ScheduledRow, which: keyof DraftFiles): Attempt {
  const files = JSON.parse(row.storedFiles) as DraftFiles
  const { contactId, accountId } = row
  try {
    const created = savepoint(tx, (inner) =>
      createMessageIn(inner, ctx, {
        ...partOf(ctx, { contactId, accountId, message: messageOf(row, which) }),
        stored: fetchedFiles(ctx, files[which]),
        clientRef: clientRefOf(row),
      }),
    )
    return { messageId: created.id, isFallbackSent: which === 'fallback' }
  } catch (error) {
    if (error instanceof AppError && error.httpStatus < 500) return { refusal: error }
    throw error
  }
}

type Message = Parameters<typeof partOf>[1]['message']

const messageOf = (row: ScheduledRow, which: keyof DraftFiles): Message =>
  which === 'message'
    ? (JSON.parse(row.message) as Message)
    : messageOfTemplate(JSON.parse(row.fallbackTemplate ?? '{}') as object)

const clientRefOf = (row: ScheduledRow): string | null =>
  (JSON.parse(row.message) as Message).client_ref ?? null

/**
 * Sends a scheduled message now, as the caller. Throws NotFoundError, ConflictError
 * `not_scheduled`, and the errors of sending; it stays scheduled then.
 */
export const sendNow = (ctx: Ctx, id: string): ScheduledMessage =>
  transact(ctx.db, (tx) => {
    const before = requireOpen(getScheduled(ctx, id))
    const attempt = attemptIn(tx, ctx, before)
    if ('refusal' in attempt) throw attempt.refusal
    const row = endScheduledIn(tx, ctx, before, { state: 'sent', ...attempt })
    recordScheduledIn(tx, ctx, 'updated', { before, after: row })
    return scheduledView(ctx, row)
  })
