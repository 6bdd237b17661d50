import { SECOND_MS } from '../../../../lib/clock'
import type { JobCtx } from '../../../../infra/ctx'
import type { Outcome } from '../../../../infra/jobs/work'
import { PlatformError, type RetryClass } from '../../../../platform/client/errors'
import { accessTokenOf, findAccount } from '../../../channel/accounts/queries'
import { findMessages } from '../queries'
import { platformIdOf, type MessageRow } from '../view'

/** Error classes that are retried; with any other the receipt is dropped. */
const TRANSIENT: ReadonlySet<RetryClass> = new Set(['again', 'throughput', 'quota', 'ambiguous'])

const PAUSE_MS = 30 * SECOND_MS

/** A read receipt or typing indicator to send. */
interface Mark {
  messageId: string
  isTyping: boolean
  /** Expiry in epoch milliseconds. */
  untilMs: number
}

/**
 * Sends a read receipt, optionally with the typing indicator. Failures are dropped because they
 * change nothing that people see. Returns when to try again.
 */
export async function sendReadMark(ctx: JobCtx, mark: Mark): Promise<Outcome> {
  const [row] = findMessages(ctx, [mark.messageId])
  if (!row || ctx.clock.nowMs() > mark.untilMs) return { cancel: 'it is no longer needed' }
  return await callPlatform(ctx, row, mark.isTyping)
}

async function callPlatform(ctx: JobCtx, row: MessageRow, isTyping: boolean): Promise<Outcome> {
  const account = findAccount(ctx, row.accountId)
  const accessToken = account && accessTokenOf(ctx, account)
  const waMessageId = platformIdOf(row)
  if (!account || account.status !== 'active' || accessToken === null || waMessageId === null)
    return { cancel: 'the phone number cannot send it' }
  const { phoneId, apiVersion } = account
  try {
    await ctx.platform.markRead({
      phoneId,
      apiVersion,
      accessToken,
      waMessageId,
      isTyping,
      signal: ctx.signal,
    })
    return undefined
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (ctx.isLastAttempt || !TRANSIENT.has(error.retryClass)) return { cancel: error.message }
    return { retryInMs: Math.max(error.retryAfterMs ?? 0, PAUSE_MS), reason: error.message }
  }
}
