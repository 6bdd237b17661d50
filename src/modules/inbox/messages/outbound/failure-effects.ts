import { DAY_MS, HOUR_MS, isoTime } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import type { PlatformError, RetryClass } from '../../../../platform/client/errors'
import { pauseAccountIn, suspendAccountIn } from '../../../channel/accounts/suspend'
import { findAccount } from '../../../channel/accounts/queries'
import type { AccountRow } from '../../../channel/accounts/view'
import { appendConsentIn } from '../../contacts/consent/ledger'
import { updateReachabilityIn } from '../../contacts/activity/reachability'
import { updateClosedWindowIn, WINDOW_CODE } from '../../conversations/window'
import { recordSendErrorIn } from '../../../channel/flows/apply-webhook'
import { flowOfTemplate } from '../compose/template/flow-token'
import { templateOfMessage } from './template-payload'
import { failureOf, type SendError } from './delivery-state'
import type { MessageRow } from '../view'

/**
 * Too many recipients blocked or reported the phone number: it pauses instead of being suspended
 * (platform documentation).
 */
const SPAM_CODE = 131_048
const SPAM_PAUSE_MS = HOUR_MS

/** The platform rejects capped marketing again before this time (platform documentation). */
const CAP_PAUSE_MS = DAY_MS

/** The platform cannot reach this recipient. */
const UNREACHABLE_CODE = 131_026

/** The `retry_after` of an error, if its class has one. */
export const retryAfterOf = (
  retryClass: RetryClass,
  failedAtMs: number,
): Pick<SendError, 'retry_after'> =>
  retryClass === 'cap' ? { retry_after: isoTime(failedAtMs + CAP_PAUSE_MS) } : {}

/** A platform error, reduced to what affects the account, the contact or the Flow. */
export interface SendFailure {
  retryClass: RetryClass
  platformCode: number | null
  why: Pick<SendError, 'code' | 'message'>
  retryAfterMs: number | null
}

/** Reduces a platform error to a {@link SendFailure}. */
export const classifyFailure = (error: PlatformError): SendFailure => ({
  retryClass: error.retryClass,
  platformCode: error.platformCode,
  why: failureOf(error),
  retryAfterMs: error.retryAfterMs,
})

/** State of the phone number after a credential or account error. */
export const blockedStatusOf = ({
  retryClass,
  platformCode,
}: SendFailure): 'disconnected' | 'suspended' | 'paused' =>
  retryClass === 'credential' ? 'disconnected' : platformCode === SPAM_CODE ? 'paused' : 'suspended'

/**
 * Disconnects, suspends or pauses the phone number after a credential or account error (outbound
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
 * Pauses a phone number whose quota is exhausted, for the time the platform names or increasingly
 * longer.
 */
export function pauseForQuotaIn(tx: Tx, ctx: Ctx, account: AccountRow, failure: SendFailure): void {
  const nowMs = ctx.clock.nowMs()
  // Responses to simultaneous calls count once.
  const isPaused = (findAccount(ctx, account.id)?.pausedUntilMs ?? 0) > nowMs
  if (isPaused && failure.retryAfterMs === null) return
  const pauseMs = failure.retryAfterMs ?? ctx.rateLimiter.quotaPauseMs(account, nowMs)
  pauseAccountIn(tx, ctx, account.id, {
    untilMs: nowMs + pauseMs,
    why: failure.why,
    isSerious: false,
  })
}

/** Platform codes of blocked and throttled Flows. */
const FLOW_CODES: Readonly<Record<number, 'BLOCKED' | 'THROTTLED'>> = {
  132_068: 'BLOCKED',
  132_069: 'THROTTLED',
}

/** Records that the platform blocked or throttled the Flow of a message. */
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
  if (flowId !== undefined) recordSendErrorIn(tx, ctx, flowId, { status, atMs: refused.atMs })
}

/**
 * Records what a failure says about the contact: marketing opt-out, unreachable, or closed window.
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
