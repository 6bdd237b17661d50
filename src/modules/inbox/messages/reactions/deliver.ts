import { HOUR_MS } from '../../../../lib/clock'
import type { Ctx, JobCtx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { PlatformError, pauseAfter, nextPauseMs } from '../../../../platform/client/errors'
import { messagePayload } from '../../../../platform/send/payload'
import { accessTokenOf, findAccount } from '../../../channel/accounts/queries'
import type { AccountRow } from '../../../channel/accounts/view'
import { findContact } from '../../contacts/service'
import { findConversation } from '../../conversations/service'
import { isWindowOpen } from '../../conversations/window'
import { holdNumberIn, pauseForQuotaIn, classifyFailure } from '../outbound/failure-effects'
import { blockReasonOf } from '../outbound/send-gate'
import { REACTION_KEY } from '../rules'
import { findMessageIn } from '../outbound/delivery-state'
import type { MessageRow } from '../view'
import {
  pendingChangeOf,
  updateOwnReactionIn,
  ourReactionIn,
  restoreReactionIn,
  type PendingChange,
} from './own-reaction'

type Step =
  | {
      kind: 'call'
      row: MessageRow
      account: AccountRow
      former: PendingChange
      accessToken: string
      payload: Record<string, unknown>
    }
  | { kind: 'end'; outcome: Outcome }

/**
 * Submits one change of our reaction, unless a newer one exists. An interrupted call is not
 * repeated and counts as delivered. If the platform rejects the reaction, the previous one is
 * restored.
 */
export async function deliverReaction(
  ctx: JobCtx,
  at: { messageId: string; change: string },
): Promise<Outcome> {
  const step = transact(ctx.db, (tx) => prepareIn(tx, ctx, at))
  if (step.kind === 'end') return step.outcome
  const { row, account, accessToken, payload } = step
  const { phoneId, apiVersion } = account
  try {
    const { waMessageId } = await ctx.platform.sendMessage({
      phoneId,
      apiVersion,
      accessToken,
      payload,
      signal: ctx.signal,
    })
    transact(ctx.db, (tx) => finishReactionIn(tx, ctx, row, { change: at.change, waMessageId }))
    return undefined
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return transact(ctx.db, (tx) =>
      recordFailureIn(tx, ctx, { row, account, change: at.change, error }),
    )
  }
}

function prepareIn(tx: Tx, ctx: JobCtx, at: { messageId: string; change: string }): Step {
  const end = (outcome: Outcome): Step => ({ kind: 'end', outcome })
  const row = findMessageIn(tx, ctx, at.messageId)
  const reaction = row && ourReactionIn(tx, ctx, row)
  const former = pendingChangeOf(reaction)
  if (!row || row.waMessageId === null || !reaction || former?.change !== at.change)
    return end(undefined)
  if (former.isCalled)
    return end(finishReactionIn(tx, ctx, row, { change: at.change, waMessageId: null }))

  const account = findAccount(ctx, row.accountId)
  const contact = findContact(ctx, row.contactId)
  const conversation = findConversation(ctx, { contactId: row.contactId, accountId: row.accountId })
  const nowMs = ctx.clock.nowMs()
  const isTooLate = nowMs - reaction.receivedAtMs >= ctx.settings.sendExpiryHours * HOUR_MS
  const canGo =
    isWindowOpen(conversation, nowMs) &&
    contact?.blockedAtMs === null &&
    contact.deletedAtMs === null
  if (!account || account.deletedAtMs !== null || !contact || isTooLate || !canGo)
    return end(giveUp(tx, ctx, row, former, 'it can no longer be sent'))
  const accessToken = accessTokenOf(ctx, account)
  if (blockReasonOf(account, nowMs) || accessToken === null) return end({ backToGate: true })
  const wait = ctx.rateLimiter.take(ctx, account, contact.id)
  if (wait)
    return end(
      wait.waitsFor === 'number' ? { backToGate: true } : { snoozeMs: wait.untilMs - nowMs },
    )
  updateOwnReactionIn(tx, ctx, row, { former: { ...former, isCalled: true } })
  const to = contact.waId ?? contact.phoneNumber
  const recipient = to === null ? (contact.userId ?? contact.parentUserId) : null
  const content = { message_id: row.waMessageId, emoji: reaction.emoji ?? '' }
  const payload = messagePayload(
    {
      to,
      recipient,
      replyTo: null,
      callbackData: `${REACTION_KEY}${row.id}`,
      messagingAccountId: account.messagingAccountId,
    },
    { type: 'reaction', content },
    { previewUrl: false, mediaId: null },
  )
  return { kind: 'call', row, account, former, accessToken, payload }
}

/**
 * Confirms the reaction. Its platform ID is kept because a later status may still report a failure.
 */
function finishReactionIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  result: { change: string; waMessageId: string | null },
): undefined {
  const former = pendingChangeOf(ourReactionIn(tx, ctx, row))
  if (former?.change !== result.change) return
  if (result.waMessageId === null) updateOwnReactionIn(tx, ctx, row, { former: null })
  else
    updateOwnReactionIn(tx, ctx, row, {
      former: { ...former, isAccepted: true },
      waMessageId: result.waMessageId,
    })
}

function giveUp(tx: Tx, ctx: Ctx, row: MessageRow, former: PendingChange, reason: string): Outcome {
  restoreReactionIn(tx, ctx, row, former)
  return { giveUp: reason }
}

function recordFailureIn(
  tx: Tx,
  ctx: JobCtx,
  failed: { row: MessageRow; account: AccountRow; change: string; error: PlatformError },
): Outcome {
  const { row, account, change, error } = failed
  const former = pendingChangeOf(ourReactionIn(tx, ctx, row))
  if (former?.change !== change) return undefined
  const failure = classifyFailure(error)
  const reason = `${failure.why.code} (${error.platformCode ?? error.outcome})`
  const again = (outcome: Outcome): Outcome => {
    updateOwnReactionIn(tx, ctx, row, { former: { ...former, isCalled: false } })
    return outcome
  }
  switch (error.retryClass) {
    case 'ambiguous':
      return finishReactionIn(tx, ctx, row, { change, waMessageId: null })
    case 'throughput':
      ctx.rateLimiter.slowDown(account, ctx.clock.nowMs(), error.retryAfterMs)
      return again({ backToGate: true })
    case 'quota':
      pauseForQuotaIn(tx, ctx, account, failure)
      return again({ backToGate: true })
    case 'credential':
    case 'account':
      holdNumberIn(tx, ctx, account.id, failure)
      return again({ backToGate: true })
    case 'again':
    case 'pair': {
      const plannedMs = pauseAfter(error.retryClass, ctx.attempt, ctx.random)
      if (plannedMs === null) return giveUp(tx, ctx, row, former, reason)
      const pauseMs = nextPauseMs(error, plannedMs)
      if (error.retryClass === 'pair')
        ctx.rateLimiter.blockContact(ctx, row.accountId, row.contactId, ctx.clock.nowMs() + pauseMs)
      return again({ retryInMs: pauseMs, reason })
    }
    default:
      return giveUp(tx, ctx, row, former, reason)
  }
}

/** Restores the previous reaction after the job was discarded. */
export function abandonReactionIn(
  tx: Tx,
  ctx: Ctx,
  at: { messageId: string; change: string },
): void {
  const row = findMessageIn(tx, ctx, at.messageId)
  const former = row && pendingChangeOf(ourReactionIn(tx, ctx, row))
  if (row && former?.change === at.change && !former.isAccepted)
    restoreReactionIn(tx, ctx, row, former)
}
