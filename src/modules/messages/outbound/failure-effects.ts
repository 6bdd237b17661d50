import { DAY_MS, HOUR_MS, isoTime } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { PlatformError, RetryClass } from '../../../platform/client/errors'
import { pauseAccountIn, suspendAccountIn } from '../../accounts/suspend'
import { findAccount } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import { appendConsentIn } from '../../contacts/consent/ledger'
import { updateReachabilityIn } from '../../contacts/reachability'
import { updateClosedWindowIn, WINDOW_CODE } from '../../conversations/window'
import { followRefusalIn } from '../../flows/apply-webhook'
import { flowOfTemplate } from '../compose/template/flow-token'
import { templateOfMessage } from './template-payload'
import { failureOf, type SendError } from './delivery-state'
import type { MessageRow } from '../view'

/**
 * Too many recipients blocked or reported the number: it rests for a while instead of being
 * suspended (platform documentation).
 */
const SPAM_CODE = 131_048
const SPAM_PAUSE_MS = HOUR_MS

/** Marketing that was held back is held back again before that (platform documentation). */
const CAP_PAUSE_MS = DAY_MS

/** The platform cannot deliver to this person at all. */
const UNREACHABLE_CODE = 131_026

/** When a message of this class is worth another try at the earliest, as its error tells it. */
export const retryAfterOf = (
  retryClass: RetryClass,
  failedAtMs: number,
): Pick<SendError, 'retry_after'> =>
  retryClass === 'cap' ? { retry_after: isoTime(failedAtMs + CAP_PAUSE_MS) } : {}

/** What an error says about more than its message: in words, by class and code. */
export interface SendFailure {
  retryClass: RetryClass
  platformCode: number | null
  why: Pick<SendError, 'code' | 'message'>
  retryAfterMs: number | null
}

/** What a refusal of the platform says about more than its message. */
export const classifyFailure = (error: PlatformError): SendFailure => ({
  retryClass: error.retryClass,
  platformCode: error.platformCode,
  why: failureOf(error),
  retryAfterMs: error.retryAfterMs,
})

/**
 * What is wrong with the number, for the classes credential and account: it is disconnected,
 * suspended, or only rests.
 */
export const blockedStatusOf = ({
  retryClass,
  platformCode,
}: SendFailure): 'disconnected' | 'suspended' | 'paused' =>
  retryClass === 'credential' ? 'disconnected' : platformCode === SPAM_CODE ? 'paused' : 'suspended'

/**
 * Takes a number out of sending whose credential or account the platform does not accept (outbound
 * contract 5).
 */
export function holdNumberIn(tx: Tx, ctx: Ctx, accountId: string, failure: SendFailure): void {
  const status = blockedStatusOf(failure)
  const untilMs = ctx.clock.nowMs() + Math.max(failure.retryAfterMs ?? 0, SPAM_PAUSE_MS)
  if (status === 'paused')
    pauseAccountIn(tx, ctx, accountId, { untilMs, why: failure.why, isSerious: true })
  else
    suspendAccountIn(tx, ctx, accountId, {
      status,
      platformCode: failure.platformCode,
      why: failure.why,
    })
}

/**
 * Lets a number rest whose quota is used up: as long as the platform says, else longer from time to
 * time.
 */
export function pauseForQuotaIn(tx: Tx, ctx: Ctx, account: AccountRow, failure: SendFailure): void {
  const nowMs = ctx.clock.nowMs()
  // Answers to calls that were under way together count as one.
  const isPaused = (findAccount(ctx, account.id)?.pausedUntilMs ?? 0) > nowMs
  if (isPaused && failure.retryAfterMs === null) return
  const pauseMs = failure.retryAfterMs ?? ctx.rateLimiter.quotaPauseMs(account, nowMs)
  pauseAccountIn(tx, ctx, account.id, {
    untilMs: nowMs + pauseMs,
    why: failure.why,
    isSerious: false,
  })
}

/** The platform sends this form not at all, or only a few times an hour. */
const FLOW_CODES: Readonly<Record<number, 'BLOCKED' | 'THROTTLED'>> = {
  132_068: 'BLOCKED',
  132_069: 'THROTTLED',
}

/** What a refusal, at once or in a later status, says about the form a message carries. */
export function recordFlowFailureIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  refused: { platformCode: number | null; atMs: number },
): void {
  const status = FLOW_CODES[refused.platformCode ?? 0]
  if (status === undefined) return
  const template = templateOfMessage(ctx, row)
  const flowId = template
    ? flowOfTemplate(ctx, template)?.id
    : (JSON.parse(row.content) as { flow_id?: string }).flow_id
  if (flowId !== undefined) followRefusalIn(tx, ctx, flowId, { status, atMs: refused.atMs })
}

/**
 * What a refusal, at once or in a later status, says about the contact: that it wants no marketing,
 * cannot be reached, or that its window is closed.
 */
export function recordContactFailureIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  failure: SendFailure & { atMs: number },
): void {
  const { contactId, id: messageId } = row
  if (failure.retryClass === 'consent')
    appendConsentIn(tx, ctx, {
      contactId,
      state: 'opted_out',
      source: 'platform',
      evidence: `platform code ${failure.platformCode}`,
      messageId,
      atMs: failure.atMs,
    })
  if (failure.platformCode === UNREACHABLE_CODE) updateReachabilityIn(tx, ctx, contactId)
  if (failure.platformCode === WINDOW_CODE) updateClosedWindowIn(tx, ctx, row.conversationId)
}
