import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx, type JobCtx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import type { StagedFile } from '../../infra/files/staged-file'
import { FileTooLargeError } from '../../infra/files/store'
import type { Outcome } from '../../infra/jobs/work'
import { emit } from '../../infra/outbox/events'
import type { NumberCall } from '../../platform/client/client'
import { PlatformError } from '../../platform/client/errors'
import { accessTokenOf, findAccount } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { breakLeftMs, noteFailureIn, noteSuccessIn } from './circuit-breaker'
import { MediaFailed, MediaStored } from './events'
import { measured, servedType } from './inspect'
import {
  DISCONNECTED_PAUSE_MS,
  INBOUND_LIMIT_BYTES,
  MAX_ATTEMPTS,
  pauseBeforeNext,
  PLATFORM_KEEPS_MS,
} from './rules'
import { findMedia } from './store'
import { media } from './table'
import type { MediaRow } from './view'

/** Why a file could not be had, in our words. */
interface Failure {
  code: string
  message: string
  /** Trying again is of no use. */
  isFinal: boolean
  /** It is the number's or the platform's, so that the next file would meet it too. */
  isOfAccount: boolean
}

const failure = (
  code: string,
  message: string,
  kind: 'file' | 'account' | 'final' = 'file',
): Failure => ({
  code,
  message,
  isFinal: kind === 'final',
  isOfAccount: kind === 'account',
})

/** A file whose bytes are not those the platform promised. */
class WrongChecksum extends Error {}

/**
 * Fetches one incoming file from the platform: asks for its address, streams it to disk, proves its
 * checksum, and announces it. What cannot be had is tried again, twenty times within seven days;
 * the outcome is in the file's row, so the job itself never fails. Returns when to go on.
 */
export async function fetchInbound(ctx: JobCtx, mediaId: string): Promise<Outcome> {
  const row = findMedia(ctx, [mediaId])[0]
  if (!row || row.state !== 'pending' || row.accountId === null || row.platformMediaId === null)
    return undefined
  if (ctx.clock.nowMs() - row.createdAtMs >= PLATFORM_KEEPS_MS)
    return end(
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
    return end(
      ctx,
      row,
      failure(
        'account_deleted',
        'The phone number that received the file is no longer connected.',
        'final',
      ),
    )
  const breakMs =
    account.status === 'disconnected' ? DISCONNECTED_PAUSE_MS : breakLeftMs(ctx, account.id)
  if (breakMs > 0) return { snoozeMs: breakMs }
  let staged: StagedFile | null = null
  try {
    staged = await download(ctx, row, callOf(ctx, account, token))
    await keepInbound(ctx, row, staged)
    return undefined
  } catch (error) {
    if (staged) await ctx.files.discard(staged)
    const known = failureOf(error)
    if (!known) throw error
    return end(ctx, row, known)
  }
}

const callOf = (ctx: JobCtx, account: AccountRow, accessToken: string): NumberCall => ({
  phoneId: account.phoneId,
  apiVersion: account.apiVersion,
  accessToken,
  signal: ctx.signal,
})

/**
 * The bytes of a file on disk, proven to be those the platform means. Throws PlatformError,
 * FileTooLargeError and WrongChecksum.
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
  const told = facts.sha256 ?? row.platformSha256
  if (told === null || isChecksumOf(told, staged.facts.sha256)) return staged
  await ctx.files.discard(staged)
  throw new WrongChecksum()
}

const BASE64_SHA256 = /^[A-Za-z0-9+/_-]{43}=?$/

/**
 * Whether a checksum as the platform writes it, base64 or hex, is this one; what is neither proves
 * nothing and is let pass.
 */
function isChecksumOf(told: string, hex: string): boolean {
  if (/^[0-9a-f]{64}$/i.test(told)) return told.toLowerCase() === hex
  return !BASE64_SHA256.test(told) || Buffer.from(told, 'base64').toString('hex') === hex
}

/** Moves the bytes to their place and writes it down, unless nobody wants the file any more. */
async function keepInbound(ctx: JobCtx, row: MediaRow, staged: StagedFile): Promise<void> {
  const mimeType = await servedType(staged.path, staged.facts.mimeType)
  const { width, height, durationMs, channels, isAnimated } = await measured(staged.path, mimeType)
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
    noteSuccessIn(tx, ctx, row.accountId ?? '')
    emit(tx, ctx, MediaStored, { contactId: null, payload: { mediaId: row.id } })
    return true
  })
  if (!isWanted) await ctx.files.remove(storedAs)
}

/** What an error means for the file; `null` for what is no trouble of fetching. */
function failureOf(error: unknown): Failure | null {
  if (error instanceof FileTooLargeError)
    return failure('media_too_large', 'The file is larger than 100 MB.', 'final')
  if (error instanceof WrongChecksum)
    return failure(
      'media_checksum',
      'The downloaded file does not match the checksum sent by the platform.',
    )
  if (!(error instanceof PlatformError)) return null
  if (error.details === 'too_large')
    return failure('media_too_large', 'The file is larger than 100 MB.', 'final')
  if (error.details === 'foreign_host' || error.details === 'redirected')
    return failure(
      'media_address_refused',
      'The platform named a download URL on a host that is not allowed.',
      'file',
    )
  if (error.retryClass === 'credential' || error.retryClass === 'account')
    return failure(
      'credential_rejected',
      'The platform did not accept the access token of the phone number.',
      'account',
    )
  if (
    error.platformCode !== null &&
    (error.retryClass === 'content' || error.retryClass === 'other')
  )
    return failure('media_unavailable', 'The platform does not know the file.', 'final')
  if (error.httpStatus === 404 || error.httpStatus === 410)
    return failure('media_link_expired', "The platform's download URL has expired.")
  return failure('platform_unreachable', 'The platform did not deliver the file.', 'account')
}

/** Writes a failed attempt down; the last one is announced. */
function end(ctx: JobCtx, row: MediaRow, why: Failure): Outcome {
  return transact(ctx.db, (tx): Outcome => {
    const attempts = row.attempts + 1
    if (why.isOfAccount && row.accountId !== null) noteFailureIn(tx, ctx, row.accountId)
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
 * Gives a file up that was waited for, and announces it. A file that came or was taken away
 * meanwhile stays as it is.
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
