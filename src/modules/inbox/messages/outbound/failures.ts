import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import type { Ctx, JobCtx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import type { SendPath } from '../../../../platform/client/client'
import {
  pauseAfter,
  nextPauseMs,
  type PlatformError,
  type RetryClass,
} from '../../../../platform/client/errors'
import { recordDirectResultIn } from '../../../channel/accounts/direct-send'
import { recordUnpaidIn } from '../../../channel/accounts/funding/record'
import { findAccount } from '../../../channel/accounts/queries'
import type { AccountRow } from '../../../channel/accounts/view'
import { dropPlatformMediaIdIn } from '../../../channel/media/platform-uploads'
import { holdForSyncIn } from '../../../channel/templates/hold-for-sync'
import { requestSyncIn } from '../../../channel/templates/request-sync'
import { callsOf, endAttempt, refusalsOf } from './attempts'
import {
  holdNumberIn,
  recordContactFailureIn,
  recordFlowFailureIn,
  pauseForQuotaIn,
  retryAfterOf,
  blockedStatusOf,
  classifyFailure,
} from './failure-effects'
import {
  failIn,
  failureOf,
  findMessageIn,
  setDeliveryState,
  type SendError,
} from './delivery-state'
import { triesOtherPath } from './send-path'
import { filesOfMessage, linkedTemplateId, templateToSend } from './template-payload'
import { becomeAmbiguous, waitForPayment, waitForSync } from './wait'
import { TEMPLATE_PAUSED } from '../rules'
import { isServiceMessage, waitsForFunding } from './unpaid'
import type { MessageRow } from '../view'

/** Quota errors that concern one template or Flow only. */
const TEMPLATE_CODES: readonly number[] = [132_015, 132_069]

/** The platform's template differs from ours and has to be synced (outbound contract 3). */
const STALE_TEMPLATE_CODES: readonly number[] = [
  132_000, 132_001, 132_012, 132_016, 134_100, 134_102,
]

/** The platform could not use the file: it is uploaded again once (platform documentation). */
const MEDIA_CODES: readonly number[] = [131_052, 131_053]

/** A failed call with its message and the account it was made with. */
interface FailedCall {
  row: MessageRow
  account: AccountRow
  path: SendPath
  error: PlatformError
}

type FailureHandler = (tx: Tx, ctx: JobCtx, failed: FailedCall) => Outcome

/** Records a failed call and applies the retry plan of its error class (outbound contract 3). */
export function recordFailureIn(tx: Tx, ctx: JobCtx, failed: FailedCall): Outcome {
  const { row, error } = failed
  const { outcome, httpStatus, platformCode, traceId } = error
  endAttempt(tx, ctx, row.id, { outcome, httpStatus, platformCode, traceId })
  const current = findMessageIn(tx, ctx, row.id)
  recordFlowFailureIn(tx, ctx, row, { platformCode, atMs: ctx.clock.nowMs() })
  // A status that arrived before the response has decided the result.
  if (!current || current.stage !== 'sending') return undefined
  return HANDLERS[error.retryClass](tx, ctx, { ...failed, row: current })
}

const reasonOf = (error: PlatformError): string =>
  `${failureOf(error).code} (${error.platformCode ?? error.outcome})`

/** Refusals of a message without a template: a value that needs it, or the business is blocked. */
const DIRECT_CODES: readonly number[] = [100, 139_200]

/** Describes a refusal for which the platform has only its code for any wrong value. */
const describeFailure = ({ isDirect }: MessageRow, error: PlatformError): SendError =>
  isDirect && error.platformCode === 100
    ? { ...failureOf(error), ...DIRECT_REFUSED }
    : failureOf(error)

const DIRECT_REFUSED = {
  code: 'direct_send_refused',
  message:
    'WhatsApp did not take this message without a template. It may not have enabled such messages ' +
    'for the business. Send a template instead.',
}

/** Fails the message and records what the error says about its contact. */
const fail: FailureHandler = (tx, ctx, { row, account, error }) => {
  const failedAtMs = ctx.clock.nowMs()
  const failure = describeFailure(row, error)
  failIn(tx, ctx, row, { ...failure, ...retryAfterOf(error.retryClass, failedAtMs) })
  if (row.isDirect && DIRECT_CODES.includes(error.platformCode ?? 0))
    recordDirectResultIn(tx, ctx, account, { isRefused: true })
  recordContactFailureIn(tx, ctx, row, { ...classifyFailure(error), atMs: failedAtMs })
  return { giveUp: error.platformCode === null ? failureOf(error).code : reasonOf(error) }
}

/** Retries after the pause of the error class, or fails after its last attempt. */
const retry: FailureHandler = (tx, ctx, failed) => {
  const { row, error } = failed
  const plannedMs = pauseAfter(
    error.retryClass,
    callsOf(tx, ctx, row.id, error.retryClass),
    ctx.random,
  )
  if (plannedMs === null) return fail(tx, ctx, failed)
  const pauseMs = nextPauseMs(error, plannedMs)
  const isPair = error.retryClass === 'pair'
  if (isPair)
    ctx.rateLimiter.blockContact(ctx, row.accountId, row.contactId, ctx.clock.nowMs() + pauseMs)
  setDeliveryState(tx, ctx, row, 'retry_wait', isPair ? 'contact_pace' : null)
  return { retryInMs: pauseMs, reason: reasonOf(error) }
}

/** Puts the message back to the gate of its phone number. A job without a gate polls instead. */
function requeue(
  tx: Tx,
  ctx: JobCtx,
  row: MessageRow,
  at: { reason: string | null; pauseMs: number },
): Outcome {
  setDeliveryState(tx, ctx, row, at.reason === null ? 'queued' : 'held', at.reason)
  return ctx.gateKey === '' ? { snoozeMs: at.pauseMs } : { backToGate: true }
}

const slowDown: FailureHandler = (tx, ctx, { row, account, error }) => {
  ctx.rateLimiter.slowDown(account, ctx.clock.nowMs(), error.retryAfterMs)
  return requeue(tx, ctx, row, { reason: null, pauseMs: error.retryAfterMs ?? SECOND_MS })
}

/** Pauses the phone number, or only this message if the quota belongs to its template. */
const waitForQuota: FailureHandler = (tx, ctx, { row, account, error }) => {
  if (TEMPLATE_CODES.includes(error.platformCode ?? 0)) {
    if (row.type === 'template') requestSyncIn(tx, ctx, account)
    setDeliveryState(tx, ctx, row, 'held', TEMPLATE_PAUSED)
    return {
      snoozeMs:
        error.retryAfterMs ??
        pauseAfter('quota', callsOf(tx, ctx, row.id, 'quota'), ctx.random) ??
        HOUR_MS,
    }
  }
  pauseForQuotaIn(tx, ctx, account, classifyFailure(error))
  return requeue(tx, ctx, row, { reason: 'paused', pauseMs: 5 * MINUTE_MS })
}

/** Holds all messages of the template until the platform has prepared it. */
const holdTemplate: FailureHandler = (tx, ctx, { row, error }) => {
  const plannedMs = pauseAfter('syncing', 1, ctx.random) ?? MINUTE_MS
  const untilMs = ctx.clock.nowMs() + nextPauseMs(error, plannedMs)
  const templateId = linkedTemplateId(ctx, row.id)
  if (templateId !== null) holdForSyncIn(tx, ctx, templateId, untilMs)
  return waitForSync(tx, ctx, row, untilMs)
}

/** Blocks the phone number; its messages wait. */
const holdNumber: FailureHandler = (tx, ctx, { row, account, error }) => {
  // The error may concern something that was replaced during the call.
  if (!isUnchanged(ctx, account)) return requeue(tx, ctx, row, { reason: null, pauseMs: SECOND_MS })
  const failure = classifyFailure(error)
  holdNumberIn(tx, ctx, account.id, failure)
  return requeue(tx, ctx, row, { reason: blockedStatusOf(failure), pauseMs: 10 * MINUTE_MS })
}

/**
 * Records that nobody pays. The message waits if messages like it do now, otherwise it fails, so that
 * its sender learns of it at once.
 */
const waitOrFail: FailureHandler = (tx, ctx, failed) => {
  const { row, account } = failed
  if (!isUnchanged(ctx, account)) return requeue(tx, ctx, row, { reason: null, pauseMs: SECOND_MS })
  const isService = isServiceMessage(row)
  recordUnpaidIn(tx, ctx, account.id, { atMs: ctx.clock.nowMs(), isService })
  const now = findAccount(ctx, account.id)
  return now && waitsForFunding(ctx, row, now)
    ? waitForPayment(tx, ctx, row)
    : fail(tx, ctx, failed)
}

function isUnchanged(ctx: Ctx, before: AccountRow): boolean {
  const now = findAccount(ctx, before.id)
  return (
    now?.accessTokenSealed === before.accessTokenSealed &&
    now.phoneId === before.phoneId &&
    now.messagingAccountId === before.messagingAccountId
  )
}

/**
 * Tries a message once on the other path if the platform files its template under another category.
 * Uploads unusable files again once. Any other content error fails the message.
 */
const refuseContent: FailureHandler = (tx, ctx, failed) => {
  const { row, error } = failed
  if (STALE_TEMPLATE_CODES.includes(error.platformCode ?? 0)) requestSyncIn(tx, ctx, failed.account)
  if (row.type === 'template' && triesOtherPath(ctx, row.id, failed)) {
    setDeliveryState(tx, ctx, row, 'retry_wait')
    return { retryInMs: 0, reason: reasonOf(error) }
  }
  const files = filesOfMessage(row, templateToSend(ctx, row))
  if (files.length === 0 || !MEDIA_CODES.includes(error.platformCode ?? 0))
    return fail(tx, ctx, failed)
  for (const mediaId of files) dropPlatformMediaIdIn(tx, ctx, mediaId, row.accountId)
  if (refusalsOf(tx, ctx, row.id, MEDIA_CODES) > 1) return fail(tx, ctx, failed)
  setDeliveryState(tx, ctx, row, 'retry_wait', 'media')
  return { retryInMs: 0, reason: reasonOf(error) }
}

const failAndLog: FailureHandler = (tx, ctx, failed) => {
  const { row, error } = failed
  const facts = {
    message_id: row.id,
    organization_id: ctx.organizationId,
    platform_code: error.platformCode,
    http_status: error.httpStatus,
  }
  ctx.log.warn(
    { ...facts, trace_id: error.traceId },
    'platform rejected a message with an unknown error code',
  )
  return fail(tx, ctx, failed)
}

const HANDLERS: Readonly<Record<RetryClass, FailureHandler>> = {
  again: retry,
  pair: retry,
  throughput: slowDown,
  quota: waitForQuota,
  syncing: holdTemplate,
  ambiguous: (tx, ctx, { row }) => becomeAmbiguous(tx, ctx, row),
  credential: holdNumber,
  account: holdNumber,
  payment: waitOrFail,
  messaging_account: holdNumber,
  window: fail,
  consent: fail,
  cap: fail,
  recipient: fail,
  content: refuseContent,
  routing: fail,
  other: failAndLog,
}
