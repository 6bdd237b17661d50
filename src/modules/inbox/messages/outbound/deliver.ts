import { eq } from 'drizzle-orm'
import { type Ctx, type JobCtx } from '../../../../infra/ctx'
import { type Tx } from '../../../../infra/db/transact'
import { transactGrouped } from '../../../../infra/db/group-commit'
import type { Outcome } from '../../../../infra/jobs/work'
import type { SendPath } from '../../../../platform/client/client'
import { PlatformError } from '../../../../platform/client/errors'
import { accessTokenOf, findAccount } from '../../../channel/accounts/queries'
import { isRestricted, type AccountRow } from '../../../channel/accounts/view'
import { findContact } from '../../contacts/service'
import { isPaused, syncingUntilMs } from '../../../channel/templates/status'
import { beginAttempt, endAttempt } from './attempts'
import { recordFailureIn } from './failures'
import { blockReasonOf } from './send-gate'
import { fieldsOfPath, sendPathOf } from './send-path'
import { buildPayload, platformIdToQuote, type SendContext } from './payload'
import {
  failWaitingIn,
  findMessageIn,
  ownFailure,
  setDeliveryState,
  warnIn,
} from './delivery-state'
import { parseGateKey } from './gate-keys'
import { enqueueUploadIn } from './queue'
import { messages } from '../table'
import { filesOfMessage, templateOfMessage, templateToSend } from './template-payload'
import { waitsForFunding } from './unpaid'
import { UPLOAD_RECHECK_MS, uploadedIdOf } from './upload'
import type { MessageRow } from '../view'
import { findSendError, isMessageWindowOpen, CODE_LOST } from './recheck'
import {
  waitForEarlier,
  waitForNumber,
  waitForTemplate,
  waitForSync,
  waitForRestriction,
  waitForPayment,
  waitForContact,
  becomeAmbiguous,
  waitForStatus,
  giveUp,
} from './wait'
import { recordAcceptedIn } from './record-accepted'
import { outcomeWaitMs, repeatWaitMs } from './outcome-wait'
import { repeatMessageIn } from './repeat'

type Step =
  | {
      kind: 'call'
      row: MessageRow
      account: AccountRow
      accessToken: string
      path: SendPath
      payload: Record<string, unknown>
    }
  | { kind: 'end'; outcome: Outcome }
  | { kind: 'repeat'; messageId: string }

/**
 * Submits one message to the platform: rechecks it, records the attempt, calls the API and records
 * the response. If a call is interrupted, the message becomes `unknown` unless a status arrives. It
 * is never resent; only a reply of the bot in a live session is repeated once, as a new message,
 * which this job then submits. Returns when to run again, if at all.
 */
export async function deliverMessage(ctx: JobCtx, messageId: string): Promise<Outcome> {
  // Concurrent messages share the commit of their attempts and, later, of their results.
  const step = await transactGrouped(ctx.db, 'now', (tx) => prepareSendIn(tx, ctx, messageId))
  if (step.kind === 'end') return step.outcome
  if (step.kind === 'repeat') return await deliverMessage(ctx, step.messageId)
  const { row, account, path } = step
  try {
    const receipt = await ctx.platform.sendMessage({
      phoneId: account.phoneId,
      apiVersion: account.apiVersion,
      accessToken: step.accessToken,
      payload: step.payload,
      path,
      signal: ctx.signal,
    })
    await transactGrouped(ctx.db, 'soon', (tx) =>
      recordAcceptedIn(tx, ctx, { row, account, receipt }),
    )
    return undefined
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return await transactGrouped(ctx.db, 'soon', (tx) =>
      recordFailureIn(tx, ctx, { row, account, path, error }),
    )
  }
}

/**
 * Rechecks the message and records the attempt, in one transaction. Returns the call to make, or
 * the outcome of the job.
 */
function prepareSendIn(tx: Tx, ctx: JobCtx, messageId: string): Step {
  const end = (outcome: Outcome): Step => ({ kind: 'end', outcome })
  const row = findMessageIn(tx, ctx, messageId)
  if (!row || row.stage === null || ['accepted', 'failed', 'unknown'].includes(row.stage))
    return end(undefined)
  // The process ended during the call: the message may have reached the platform.
  if (row.stage === 'sending') {
    endAttempt(tx, ctx, row.id, { outcome: 'ambiguous' })
    return end(becomeAmbiguous(tx, ctx, row))
  }
  if (row.stage === 'ambiguous') return settleAmbiguousIn(tx, ctx, row)

  const account = findAccount(ctx, row.accountId)
  const contact = findContact(ctx, row.contactId)
  const template = templateOfMessage(ctx, row)
  const error = findSendError(ctx, row, { account, contact, template })
  if (error) return end(giveUp(tx, ctx, row, error))
  const earlierMs = row.source === 'chatbot' ? outcomeWaitMs(ctx, row, row.row) : null
  if (earlierMs !== null) return end(waitForEarlier(tx, ctx, row, earlierMs))
  const blockReason = account && blockReasonOf(account, ctx.clock.nowMs())
  const accessToken = account && accessTokenOf(ctx, account)
  if (!account || !contact || blockReason || !accessToken)
    return end(waitForNumber(tx, ctx, row, { reason: blockReason?.reason ?? 'no_token' }))

  if (template && isPaused(template)) return end(waitForTemplate(tx, ctx, row))
  const syncedAtMs = template && syncingUntilMs(template, ctx.clock.nowMs())
  if (syncedAtMs) return end(waitForSync(tx, ctx, row, syncedAtMs))
  // Only templates and direct messages are sent outside the 24-hour window.
  const isBusinessInitiated = (template !== null || row.isDirect) && !isMessageWindowOpen(ctx, row)
  if (isBusinessInitiated && isRestricted(account, ctx.clock.nowMs()))
    return end(waitForRestriction(tx, ctx, row, account))
  if (waitsForFunding(ctx, row, account)) return end(waitForPayment(tx, ctx, row))

  const toSend = templateToSend(ctx, row)
  if (template && toSend === null) return end(giveUp(tx, ctx, row, CODE_LOST))
  const uploaded = new Map(
    filesOfMessage(row, toSend).map((mediaId) => [mediaId, uploadedIdOf(ctx, mediaId, account.id)]),
  )
  const missing = [...uploaded].find(([, platformId]) => platformId === null)
  if (missing) {
    enqueueUploadIn(tx, ctx, { messageId: row.id, mediaId: missing[0], accountId: account.id })
    setDeliveryState(tx, ctx, row, 'uploading')
    return end({ snoozeMs: UPLOAD_RECHECK_MS })
  }
  const wait = ctx.rateLimiter.take(ctx, account, contact.id, parseGateKey(ctx.gateKey))
  if (wait?.waitsFor === 'number')
    return end(waitForNumber(tx, ctx, row, { untilMs: wait.untilMs }))
  if (wait) return end(waitForContact(tx, ctx, row, wait.untilMs))

  const path = sendPathOf(ctx, row.id, { account, template })
  beginAttempt(tx, ctx, { messageId: row.id, path })
  setDeliveryState(tx, ctx, row, 'sending')
  const quoted =
    row.replyToId === null ? null : platformIdToQuote(ctx, findMessageIn(tx, ctx, row.replyToId))
  if (row.replyToId !== null && quoted === null)
    warnIn(tx, ctx, 'quote_not_sent', eq(messages.id, row.id))
  const idOf = (mediaId: string): string | null => uploaded.get(mediaId) ?? null
  const context: SendContext = {
    addressee: contact,
    account,
    replyTo: quoted,
    platformMediaId: row.mediaId === null ? null : (uploaded.get(row.mediaId) ?? null),
    idOf,
    callbackData: row.id,
    ...(toSend === null ? {} : { template: { toSend, idOf } }),
  }
  const payload = { ...buildPayload(row, context), ...fieldsOfPath(ctx, { account, path }) }
  return { kind: 'call', row, account, accessToken, path, payload }
}

/** Repeats an unconfirmed message when its time has come, or waits for its status. */
function settleAmbiguousIn(tx: Tx, ctx: JobCtx, row: MessageRow): Step {
  if (row.repeatAtMs === null) return { kind: 'end', outcome: waitForStatus(tx, ctx, row) }
  const snoozeMs = repeatWaitMs(ctx, row.repeatAtMs)
  if (snoozeMs > 0) return { kind: 'end', outcome: { snoozeMs } }
  const messageId = repeatMessageIn(tx, ctx, row)
  return messageId === null
    ? { kind: 'end', outcome: waitForStatus(tx, ctx, row) }
    : { kind: 'repeat', messageId }
}

/** Fails a message whose job was discarded, which only a bug of this server causes. */
export function failAbandonedIn(tx: Tx, ctx: Ctx, messageId: string): void {
  const row = findMessageIn(tx, ctx, messageId)
  if (row && row.stage !== null && !['accepted', 'failed', 'unknown'].includes(row.stage))
    failWaitingIn(
      tx,
      ctx,
      row,
      ownFailure(
        'internal_error',
        'The message could not be sent because of an internal error.',
        true,
      ),
    )
}
