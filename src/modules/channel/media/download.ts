import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx, type JobCtx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import type { Outcome } from '../../../infra/jobs/work'
import { emit } from '../../../infra/outbox/events'
import type { NumberCall } from '../../../platform/client/client'
import { accessTokenOf, findAccount } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { remainingBreakMs, recordFailureIn, recordSuccessIn } from './circuit-breaker'
import { MediaFailed, MediaStored } from './events'
import { measureFile } from './measure'
import { servedType } from './inspect'
import {
  DISCONNECTED_PAUSE_MS,
  INBOUND_LIMIT_BYTES,
  MAX_ATTEMPTS,
  pauseBeforeNext,
  PLATFORM_RETENTION_MS,
} from './rules'
import { findMedia } from './store'
import { media } from './table'
import type { MediaRow } from './view'
import { type DownloadFailure, failure, WrongChecksum, failureOf } from './download-errors'

/**
 * Downloads an incoming file from the platform, verifies its checksum and emits an event. Failed
 * downloads are retried, 20 times within 7 days; the result is stored in the row, so the job itself
 * does not fail. Returns when to retry.
 */
export async function fetchInbound(ctx: JobCtx, mediaId: string): Promise<Outcome> {
  const row = findMedia(ctx, [mediaId])[0]
  if (!row || row.state !== 'pending' || row.accountId === null || row.platformMediaId === null)
    return undefined
  if (ctx.clock.nowMs() - row.createdAtMs >= PLATFORM_RETENTION_MS)
    return recordFailedAttempt(
      ctx,
      row,
      failure(
        'media_expired',
        'The platform deletes files after seven days; this file is no longer available.',
        'final',
      ),
    )
  const account = findAccount(ctx, row.accountId)
  const token = account && account.deletedAtMs === null ? accessTokenOf(ctx, account) : null
  if (!account || token === null)
    return recordFailedAttempt(
      ctx,
      row,
      failure(
        'account_deleted',
        'The phone number that received the file is no longer connected.',
        'final',
      ),
    )
  const breakMs =
    account.status === 'disconnected' ? DISCONNECTED_PAUSE_MS : remainingBreakMs(ctx, account.id)
  if (breakMs > 0) return { snoozeMs: breakMs }
  let staged: StagedFile | null = null
  try {
    staged = await download(ctx, row, platformCallOf(ctx, account, token))
    await storeInbound(ctx, row, staged)
    return undefined
  } catch (error) {
    if (staged) await ctx.files.discard(staged)
    const known = failureOf(error)
    if (!known) throw error
    return recordFailedAttempt(ctx, row, known)
  }
}

const platformCallOf = (ctx: JobCtx, account: AccountRow, accessToken: string): NumberCall => ({
  phoneId: account.phoneId,
  apiVersion: account.apiVersion,
  accessToken,
  signal: ctx.signal,
})

/**
 * Downloads a file to disk and verifies it. Throws PlatformError, FileTooLargeError and
 * WrongChecksum.
 */
async function download(ctx: JobCtx, row: MediaRow, call: NumberCall): Promise<StagedFile> {
  const facts = await ctx.platform.getMedia({ ...call, mediaId: row.platformMediaId ?? '' })
  const file = await ctx.platform.openMedia({
    ...call,
    url: facts.url,
    maxBytes: INBOUND_LIMIT_BYTES,
  })
  const mimeType = row.mimeType ?? facts.mimeType
  const staged = await ctx.files.stage(file.bytes, {
    filename: row.filename,
    mimeType,
    maxBytes: INBOUND_LIMIT_BYTES,
  })
  const checksum = facts.sha256 ?? row.platformSha256
  if (checksum === null || isChecksumOf(checksum, staged.facts.sha256)) return staged
  await ctx.files.discard(staged)
  throw new WrongChecksum()
}

const BASE64_SHA256 = /^[A-Za-z0-9+/_-]{43}=?$/

/**
 * Reports whether a base64 or hex checksum matches. Other formats prove nothing and are accepted.
 */
function isChecksumOf(checksum: string, hex: string): boolean {
  if (/^[0-9a-f]{64}$/i.test(checksum)) return checksum.toLowerCase() === hex
  return !BASE64_SHA256.test(checksum) || Buffer.from(checksum, 'base64').toString('hex') === hex
}

/** Stores a downloaded file, unless it was deleted meanwhile. */
async function storeInbound(ctx: JobCtx, row: MediaRow, staged: StagedFile): Promise<void> {
  const mimeType = await servedType(staged.path, staged.facts.mimeType)
  const { width, height, durationMs, channels, isAnimated } = await measureFile(
    staged.path,
    mimeType,
  )
  const storedAs = await ctx.files.keep(staged)
  const isWanted = transact(ctx.db, (tx) => {
    const changed = tx
      .update(media)
      .set({
        state: 'ready',
        storedAs,
        mimeType,
        sizeBytes: staged.facts.sizeBytes,
        sha256: staged.facts.sha256,
        ...{ width, height, durationMs, channels, isAnimated },
        attempts: row.attempts + 1,
        lastError: null,
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, media, and(eq(media.id, row.id), eq(media.state, 'pending'))))
      .returning({ id: media.id })
      .all()
    if (changed.length === 0) return false
    recordSuccessIn(tx, ctx, row.accountId ?? '')
    emit(tx, ctx, MediaStored, { contactId: null, payload: { mediaId: row.id } })
    return true
  })
  if (!isWanted) await ctx.files.remove(storedAs)
}

/** Records a failed attempt; the last one emits an event. */
function recordFailedAttempt(ctx: JobCtx, row: MediaRow, why: DownloadFailure): Outcome {
  return transact(ctx.db, (tx): Outcome => {
    const attempts = row.attempts + 1
    if (why.isOfAccount && row.accountId !== null) recordFailureIn(tx, ctx, row.accountId)
    const pauseMs =
      why.isFinal || attempts >= MAX_ATTEMPTS ? null : pauseBeforeNext(attempts, ctx.random)
    if (pauseMs === null) {
      failMediaIn(tx, ctx, row.id, { ...why, attempts })
      return undefined
    }
    tx.update(media)
      .set({
        attempts,
        lastError: JSON.stringify({ code: why.code, message: why.message }),
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, media, and(eq(media.id, row.id), eq(media.state, 'pending'))))
      .run()
    return { retryInMs: pauseMs, reason: why.code }
  })
}

/**
 * Marks a pending file as failed and emits an event. A file that arrived or was deleted meanwhile
 * is unchanged.
 */
export function failMediaIn(
  tx: Tx,
  ctx: Ctx,
  mediaId: string,
  why: { code: string; message: string; attempts?: number },
): void {
  const failed = tx
    .update(media)
    .set({
      state: 'failed',
      ...(why.attempts === undefined ? {} : { attempts: why.attempts }),
      lastError: JSON.stringify({ code: why.code, message: why.message }),
      updatedAtMs: ctx.clock.nowMs(),
    })
    .where(inOrganization(ctx, media, and(eq(media.id, mediaId), eq(media.state, 'pending'))))
    .returning({ id: media.id })
    .all()
  if (failed.length > 0) emit(tx, ctx, MediaFailed, { contactId: null, payload: { mediaId } })
}
