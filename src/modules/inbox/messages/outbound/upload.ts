import { and, eq, gt, sql } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { AppError } from '../../../../lib/errors'
import { anyScope, inOrganization, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { expedite } from '../../../../infra/jobs/waiting-jobs'
import { pauseAfter, nextPauseMs, PlatformError } from '../../../../platform/client/errors'
import { findAccount } from '../../../channel/accounts/queries'
import type { AccountRow } from '../../../channel/accounts/view'
import { platformMediaIdFor } from '../../../channel/media/platform-uploads'
import { mediaUploads } from '../../../channel/media/table'
import { holdNumberIn, pauseForQuotaIn, classifyFailure } from './failure-effects'
import { blockReasonOf } from './send-gate'
import { sendJobOf } from './queue'
import {
  failureOf,
  failWaitingIn,
  findMessageIn,
  ownFailure,
  setDeliveryState,
  type SendError,
} from './delivery-state'
import { filesOfMessage, templateToSend } from './template-payload'
import type { MessageRow } from '../view'

/** How long a platform file ID is reused; the platform stores files for 30 days. */
const UPLOAD_VALID_MS = 25 * DAY_MS

const validUpload = compiled((orm) =>
  orm
    .select({ id: mediaUploads.platformMediaId })
    .from(mediaUploads)
    .where(
      inOrganization(
        anyScope,
        mediaUploads,
        and(
          eq(mediaUploads.mediaId, place(mediaUploads.mediaId, 'mediaId')),
          eq(mediaUploads.accountId, place(mediaUploads.accountId, 'accountId')),
          gt(mediaUploads.uploadedAtMs, sql.placeholder('sinceMs')),
        ),
      ),
    )
    .prepare(),
)

/** Returns the platform ID of a file for a phone number; `null` if it is not uploaded. */
export const uploadedIdOf = (ctx: Ctx, mediaId: string, accountId: string): string | null =>
  validUpload(ctx.db).get({
    organizationId: ctx.organizationId,
    mediaId,
    accountId,
    sinceMs: ctx.clock.nowMs() - UPLOAD_VALID_MS,
  })?.id ?? null

/**
 * Uploads the files of a message and requeues it. Uploads are idempotent, so temporary errors are
 * retried like failed connections. A permanent platform error fails the message.
 */
export async function uploadFileOf(ctx: JobCtx, messageId: string): Promise<Outcome> {
  const start = transact(ctx.db, (tx) => {
    const row = findMessageIn(tx, ctx, messageId)
    const account = row ? findAccount(ctx, row.accountId) : null
    if (!row || row.stage !== 'uploading' || !account) return null
    if (account.deletedAtMs === null && !blockReasonOf(account, ctx.clock.nowMs()))
      return { account, mediaIds: filesOfMessage(row, templateToSend(ctx, row)) }
    requeue(tx, ctx, row) // its send job decides what happens next
    return null
  })
  if (!start) return undefined
  try {
    for (const mediaId of start.mediaIds) await platformMediaIdFor(ctx, mediaId, start.account)
  } catch (error) {
    return transact(ctx.db, (tx) =>
      recordUploadFailureIn(tx, ctx, { messageId, account: start.account, error }),
    )
  }
  return transact(ctx.db, (tx) => {
    const row = findMessageIn(tx, ctx, messageId)
    if (row?.stage === 'uploading') requeue(tx, ctx, row)
    return undefined
  })
}

/** Requeues the message so that its send job runs now. */
function requeue(tx: Tx, ctx: Ctx, row: MessageRow): void {
  setDeliveryState(tx, ctx, row, 'queued')
  expedite(tx, ctx, sendJobOf(row))
}

function recordUploadFailureIn(
  tx: Tx,
  ctx: JobCtx,
  failed: { messageId: string; account: AccountRow; error: unknown },
): Outcome {
  const { account, error } = failed
  const row = findMessageIn(tx, ctx, failed.messageId)
  if (!row || row.stage !== 'uploading') return undefined
  if (error instanceof AppError)
    return fail(tx, ctx, row, ownFailure(error.code ?? 'media_unusable', error.message))
  if (!(error instanceof PlatformError)) throw error
  const failure = classifyFailure(error)
  switch (error.retryClass) {
    case 'credential':
    case 'account':
      holdNumberIn(tx, ctx, account.id, failure)
      requeue(tx, ctx, row)
      return undefined
    case 'quota':
      pauseForQuotaIn(tx, ctx, account, failure)
      requeue(tx, ctx, row)
      return undefined
    case 'throughput':
      ctx.rateLimiter.slowDown(account, ctx.clock.nowMs(), error.retryAfterMs)
      return { snoozeMs: error.retryAfterMs ?? SECOND_MS }
    case 'again':
    case 'ambiguous': {
      const pauseMs = pauseAfter('again', ctx.attempt, ctx.random)
      const reason = `${failure.why.code} (${error.platformCode ?? error.outcome})`
      if (pauseMs !== null) return { retryInMs: nextPauseMs(error, pauseMs), reason }
      return fail(tx, ctx, row, { ...failureOf(error), code: 'platform_unreachable' })
    }
    default:
      return fail(tx, ctx, row, failureOf(error))
  }
}

function fail(tx: Tx, ctx: Ctx, row: MessageRow, error: SendError): Outcome {
  failWaitingIn(tx, ctx, row, error)
  return {
    giveUp: error.platform_code === null ? error.code : `${error.code} (${error.platform_code})`,
  }
}

/** Interval at which the send job checks for its upload; the end of the upload wakes it earlier. */
export const UPLOAD_RECHECK_MS = 5 * MINUTE_MS
