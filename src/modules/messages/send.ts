import { and, count, eq, inArray, lt, max, sql, type SQL } from 'drizzle-orm'

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db'
import type { JobCtx, Outcome } from '../../infra/jobs/define'
import { PlatformError, describePlatformError, pauseAfter } from '../../platform/errors'
import type { SendReceipt } from '../../platform/client'
import { accessTokenOf, findAccount, pauseAccountIn, suspendAccountIn } from '../accounts/state'
import type { AccountRow } from '../accounts/view'
import { findContact, learnAddressIn } from '../contacts/service'
import { WINDOW_MS, type ContactRow } from '../contacts/view'
import { isWindowOpen } from '../conversations/window'
import { closeWindowIn, findConversation } from '../conversations/service'
import { platformMediaIdFor } from '../media/outgoing'
import { payloadOf, platformIdToQuote } from './payload'
import { findMessages } from './queries'
import { messages, sendAttempts } from './table'
import { announceStatus, settleIn } from './statuses'
import type { MessageRow } from './view'

/** While a number cannot send, its messages are looked at again so often; a change of the number hurries them. */
const HELD_PAUSE_MS = 10 * MINUTE_MS

/** After the platform says that a number is too fast, its next message waits at least so long. */
const THROUGHPUT_PAUSE_MS = SECOND_MS

/** Too many recipients blocked or reported the number: it rests for a while instead of being suspended (platform documentation). */
const SPAM_CODE = 131_048
const SPAM_PAUSE_MS = HOUR_MS

/** A failure in our words, as the message shows it. */
interface SendError {
  code: string
  platform_code: number | null
  message: string
  details: string | null
  retryable: boolean
}

type Step =
  | { kind: 'call'; row: MessageRow; account: AccountRow; attempt: number; accessToken: string; payload: Record<string, unknown> }
  | { kind: 'end'; outcome: Outcome }

/**
 * Takes one message a step further on its way to the platform: checks once more what may have changed, writes down that the call
 * is being made, makes it, writes down the answer. A message whose call was cut off is never sent again; it waits for news and
 * becomes `unknown` without any. Returns when to go on; nothing when the message has reached an end.
 */
export async function deliverMessage(ctx: JobCtx, messageId: string): Promise<Outcome> {
  const platformMediaId = await uploadedFileOf(ctx, messageId)
  const step = transact(ctx.db, (tx) => prepareIn(tx, ctx, messageId, platformMediaId))
  if (step.kind === 'end') return step.outcome
  const { row, account, attempt } = step
  try {
    const receipt = await ctx.platform.sendMessage({
      phoneId: account.phoneId,
      apiVersion: account.apiVersion,
      accessToken: step.accessToken,
      payload: step.payload,
      signal: ctx.signal,
    })
    transact(ctx.db, (tx) => recordAcceptanceIn(tx, ctx, row, { attempt, receipt }))
    return undefined
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return transact(ctx.db, (tx) => recordFailureIn(tx, ctx, row, { attempt, error }))
  }
}

/** The platform's id of a waiting message's file, uploaded where it has none yet; `null` without a file, and while its number cannot send. */
async function uploadedFileOf(ctx: JobCtx, messageId: string): Promise<string | null> {
  const [row] = findMessages(ctx, [messageId])
  const account = row && findAccount(ctx, row.accountId)
  const isWaiting = row?.stage === 'queued' || row?.stage === 'held' || row?.stage === 'retry_wait'
  if (!isWaiting || row.mediaId === null || account?.status !== 'active') return null
  return await platformMediaIdFor(ctx, row.mediaId, account)
}

/** Everything before the call, in one transaction: the checks and, last, the mark that the call is being made. */
function prepareIn(tx: Tx, ctx: Ctx, messageId: string, platformMediaId: string | null): Step {
  const end = (outcome: Outcome): Step => ({ kind: 'end', outcome })
  const row = findMessageIn(tx, ctx, messageId)
  if (!row || row.stage === null || ['accepted', 'failed', 'unknown'].includes(row.stage)) return end(undefined)
  // The process ended while a call was under way: it may have reached the platform.
  if (row.stage === 'sending') return end(becomeAmbiguous(tx, ctx, row))
  if (row.stage === 'ambiguous') return end(awaitNews(tx, ctx, row))

  const account = findAccount(ctx, row.accountId)
  const contact = findContact(ctx, row.contactId)
  const refusal = refusalOf(ctx, row, { account, contact })
  if (refusal) return end(giveUp(tx, ctx, row, refusal))
  const accessToken = account ? accessTokenOf(ctx, account) : null
  if (!account || !contact || accessToken === null || account.status !== 'active' || isPaused(ctx, account))
    return end(hold(tx, ctx, row, account))

  const attempt =
    (tx
      .select({ last: max(sendAttempts.attempt) })
      .from(sendAttempts)
      .where(inOrganization(ctx, sendAttempts, eq(sendAttempts.messageId, row.id)))
      .get()?.last ?? 0) + 1
  tx.insert(sendAttempts).values({ organizationId: ctx.organizationId, messageId: row.id, attempt, startedAtMs: ctx.clock.nowMs() }).run()
  setStage(tx, ctx, row, 'sending')
  const quoted = row.replyToId === null ? null : platformIdToQuote(ctx, findMessageIn(tx, ctx, row.replyToId))
  if (row.replyToId !== null && quoted === null) warnIn(tx, ctx, 'quote_not_sent', eq(messages.id, row.id))
  const payload = payloadOf(row, { addressee: contact, replyTo: quoted, platformMediaId, callbackData: row.id })
  return { kind: 'call', row, account, attempt, accessToken, payload }
}

const findMessageIn = (tx: Tx, ctx: Ctx, id: string): MessageRow | undefined =>
  tx
    .select()
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.id, id)))
    .get()

function setStage(tx: Tx, ctx: Ctx, row: MessageRow, stage: MessageRow['stage'], heldReason: string | null = null): void {
  tx.update(messages)
    .set({ stage, heldReason, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, messages, eq(messages.id, row.id)))
    .run()
}

/** Why a waiting message can no longer be sent at all; `null` when it can. */
function refusalOf(ctx: Ctx, row: MessageRow, now: { account: AccountRow | null; contact: ContactRow | null }): SendError | null {
  const refuse = (code: string, message: string, retryable = false): SendError => ({
    code,
    platform_code: null,
    message,
    details: null,
    retryable,
  })
  const { account, contact } = now
  if (!account || account.deletedAtMs !== null)
    return refuse('account_deleted', 'The phone number this message was to be sent from has been disconnected.')
  if (ctx.clock.nowMs() - row.createdAtMs >= ctx.settings.sendExpiryHours * HOUR_MS)
    return account.status === 'active'
      ? refuse('expired', 'The message waited too long to be sent. Send it again if it still matters.', true)
      : refuse('account_disconnected', 'The phone number was not able to send for too long. Send the message again when it is.', true)
  if (!contact || contact.deletedAtMs !== null) return refuse('contact_deleted', 'The contact has been deleted.')
  if (contact.blockedAtMs !== null) return refuse('contact_blocked', 'The contact is blocked.')
  const conversation = findConversation(ctx, { contactId: row.contactId, accountId: row.accountId })
  if (!isWindowOpen(conversation?.lastInboundAtMs ?? null, ctx.clock.nowMs()))
    return refuse('window_closed', 'The 24-hour window closed before the message could be sent. Send a template instead.')
  return null
}

/** Puts a warning on messages, once each. */
function warnIn(tx: Tx, ctx: Ctx, warning: 'quote_not_sent' | 'out_of_order', which: SQL | undefined): void {
  tx.update(messages)
    .set({ warnings: sql`json_insert(${messages.warnings}, '$[#]', ${warning})` })
    .where(inOrganization(ctx, messages, and(which, sql`instr(${messages.warnings}, ${warning}) = 0`)))
    .run()
}

const isPaused = (ctx: Ctx, account: AccountRow): boolean => (account.pausedUntilMs ?? 0) > ctx.clock.nowMs()

/** The message waits for its number: to the end of a pause, else for a change of the number, which hurries it. */
function hold(tx: Tx, ctx: Ctx, row: MessageRow, account: AccountRow | null): Outcome {
  const pausedMs = account?.status === 'active' ? (account.pausedUntilMs ?? 0) - ctx.clock.nowMs() : 0
  setStage(tx, ctx, row, 'held', pausedMs > 0 ? 'paused' : (account?.status ?? 'account_missing'))
  return { snoozeMs: pausedMs > 0 ? pausedMs : HELD_PAUSE_MS }
}

function becomeAmbiguous(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  setStage(tx, ctx, row, 'ambiguous')
  endAttempt(tx, ctx, row, { outcome: 'ambiguous' })
  return { snoozeMs: ctx.settings.sendUnknownMinutes * MINUTE_MS }
}

/** After long enough without news nobody knows whether the message arrived, and it says so. Only a person sends it again. */
function awaitNews(tx: Tx, ctx: Ctx, row: MessageRow): Outcome {
  const startedAtMs =
    tx
      .select({ at: max(sendAttempts.startedAtMs) })
      .from(sendAttempts)
      .where(inOrganization(ctx, sendAttempts, eq(sendAttempts.messageId, row.id)))
      .get()?.at ?? row.createdAtMs
  const leftMs = startedAtMs + ctx.settings.sendUnknownMinutes * MINUTE_MS - ctx.clock.nowMs()
  if (leftMs > 0) return { snoozeMs: leftMs }
  const error: SendError = {
    code: 'outcome_unknown',
    platform_code: null,
    message: 'The platform never said whether it took the message. It may have arrived; look before you send it again.',
    details: null,
    retryable: true,
  }
  tx.update(messages)
    .set({ stage: 'unknown', status: 'unknown', error: JSON.stringify(error), updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, messages, eq(messages.id, row.id)))
    .run()
  announceStatus(tx, ctx, row, { status: 'unknown', timestampMs: ctx.clock.nowMs() })
  return undefined
}

/** The message failed for good; its row says why. */
function giveUp(tx: Tx, ctx: Ctx, row: MessageRow, error: SendError): Outcome {
  const nowMs = ctx.clock.nowMs()
  tx.update(messages)
    .set({ stage: 'failed', status: 'failed', heldReason: null, failedAtMs: nowMs, error: JSON.stringify(error), updatedAtMs: nowMs })
    .where(inOrganization(ctx, messages, eq(messages.id, row.id)))
    .run()
  announceStatus(tx, ctx, row, { status: 'failed', timestampMs: nowMs })
  return { giveUp: error.platform_code === null ? error.code : `${error.code} (${error.platform_code})` }
}

/** Marks a message as failed because its job was given up: that is a bug of ours, and the row must not wait for ever. */
export function failAbandonedIn(tx: Tx, ctx: Ctx, messageId: string): void {
  const row = findMessageIn(tx, ctx, messageId)
  if (row && row.stage !== null && !['accepted', 'failed', 'unknown'].includes(row.stage))
    giveUp(tx, ctx, row, {
      code: 'internal_error',
      platform_code: null,
      message: 'The message could not be sent because of an error of this server.',
      details: null,
      retryable: true,
    })
}

interface AttemptEnd {
  outcome: 'accepted' | 'refused' | 'ambiguous' | 'unreachable'
  httpStatus?: number | null
  platformCode?: number | null
  traceId?: string | null
}

/** Closes the attempt under way: the newest without an end. */
function endAttempt(tx: Tx, ctx: Ctx, row: MessageRow, end: AttemptEnd): void {
  tx.update(sendAttempts)
    .set({ endedAtMs: ctx.clock.nowMs(), ...end })
    .where(inOrganization(ctx, sendAttempts, and(eq(sendAttempts.messageId, row.id), sql`${sendAttempts.endedAtMs} is null`)))
    .run()
}

/** The platform took the message: from now on only its statuses move it; those that came early are applied. */
function recordAcceptanceIn(tx: Tx, ctx: Ctx, row: MessageRow, done: { attempt: number; receipt: SendReceipt }): void {
  endAttempt(tx, ctx, row, { outcome: 'accepted', httpStatus: 200 })
  const { receipt } = done
  const now = tx
    .update(messages)
    .set({ waMessageId: receipt.waMessageId, acceptedAtMs: ctx.clock.nowMs(), heldReason: null })
    .where(inOrganization(ctx, messages, eq(messages.id, row.id)))
    .returning()
    .get()
  learnAddressIn(tx, ctx, row.contactId, { waId: receipt.waId, userId: receipt.userId, accountId: row.accountId })
  settleIn(tx, ctx, now)
  const isOvertaken = and(
    eq(messages.contactId, row.contactId),
    inArray(messages.stage, ['retry_wait', 'ambiguous']),
    lt(messages.id, row.id),
  )
  warnIn(tx, ctx, 'out_of_order', isOvertaken)
}

/** The platform did not take the message: what its code means decides whether and when it is tried again. */
function recordFailureIn(tx: Tx, ctx: Ctx, row: MessageRow, done: { attempt: number; error: PlatformError }): Outcome {
  const { error } = done
  endAttempt(tx, ctx, row, {
    outcome: error.outcome,
    httpStatus: error.httpStatus,
    platformCode: error.platformCode,
    traceId: error.traceId,
  })
  const current = findMessageIn(tx, ctx, row.id)
  // A status that came before the answer has settled it already.
  if (!current || current.stage !== 'sending') return undefined
  const words = describePlatformError(error.platformCode, error.retryClass)
  const failure: SendError = {
    code: words.code,
    platform_code: error.platformCode,
    message: words.message,
    details: error.details,
    retryable: words.retryable,
  }
  switch (error.retryClass) {
    case 'ambiguous':
      setStage(tx, ctx, row, 'ambiguous')
      return { snoozeMs: ctx.settings.sendUnknownMinutes * MINUTE_MS }
    case 'throughput':
      // The number is too fast: that is no failed attempt of this message.
      setStage(tx, ctx, row, 'retry_wait')
      return { snoozeMs: Math.max(error.retryAfterMs ?? 0, THROUGHPUT_PAUSE_MS) }
    case 'credential':
    case 'account':
      if (error.platformCode === SPAM_CODE)
        pauseAccountIn(tx, ctx, row.accountId, { untilMs: ctx.clock.nowMs() + Math.max(error.retryAfterMs ?? 0, SPAM_PAUSE_MS), error })
      else suspendAccountIn(tx, ctx, row.accountId, { status: error.retryClass === 'credential' ? 'disconnected' : 'suspended', error })
      return hold(tx, ctx, row, findAccount(ctx, row.accountId))
    case 'window':
      closeWindowIn(tx, ctx, row.conversationId, ctx.clock.nowMs() - WINDOW_MS)
      return giveUp(tx, ctx, row, failure)
    default: {
      const pauseMs = error.retryAfterMs ?? pauseAfter(error.retryClass, callsOf(tx, ctx, row.id), ctx.random)
      if (pauseMs === null || pauseAfter(error.retryClass, callsOf(tx, ctx, row.id), ctx.random) === null)
        return giveUp(tx, ctx, row, failure)
      setStage(tx, ctx, row, 'retry_wait')
      return { retryInMs: pauseMs, reason: `${failure.code} (${error.platformCode ?? error.outcome})` }
    }
  }
}

/** Codes of "too fast", which do not count as attempts (platform documentation). */
const THROUGHPUT_CODE = 130_429

function callsOf(tx: Tx, ctx: Ctx, messageId: string): number {
  const counted = inOrganization(
    ctx,
    sendAttempts,
    and(eq(sendAttempts.messageId, messageId), sql`coalesce(${sendAttempts.platformCode}, 0) <> ${THROUGHPUT_CODE}`),
  )
  return tx.select({ calls: count() }).from(sendAttempts).where(counted).get()?.calls ?? 0
}
