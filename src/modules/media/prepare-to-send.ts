import { and, eq, gt } from 'drizzle-orm'

import { SECOND_MS } from '../../lib/clock'
import { fieldSentence, AppError, InvalidError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import type { StagedFile } from '../../infra/files/staged-file'
import { FileTooLargeError } from '../../infra/files/store'
import { FetchRefusal, type GuardedAnswer } from '../../infra/guarded-fetch'
import { permanentFailure } from '../../platform/client/media'
import { type OutgoingFile } from '../../platform/client/upload'
import { accessTokenOf } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { inspectFile } from './inspect'
import { KINDS, nameOf, typeName, UPLOAD_GOOD_MS } from './rules'
import { findVisibleMedia } from './queries'
import { findMedia } from './store'
import { mediaUploads } from './table'
import { keepStaged } from './upload'
import type { MediaRow } from './view'

/** What a file is sent as. */
export type MediaKind = MediaRow['kind']

const FETCH_TIMEOUT_MS = 30 * SECOND_MS
const MAX_REDIRECTS = 3

const refusedUrl = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'media_url_refused',
    errors: [{ path, message }],
  })

/**
 * Fetches a file from a customer's address and stores it as an upload of the caller; to be awaited
 * before any transaction. The platform never gets the address itself. Throws InvalidError
 * `media_url_refused`.
 */
export async function fetchMediaUrl(
  ctx: Ctx,
  url: string,
  kind: MediaKind,
  options: { path?: string } = {},
): Promise<MediaRow> {
  const { path = 'body.media_url' } = options
  let staged: StagedFile | null = null
  try {
    const { maxBytes } = KINDS[kind]
    const answer = await ctx.fetchGuarded(url, {
      maxBytes,
      totalTimeoutMs: FETCH_TIMEOUT_MS,
      maxRedirects: MAX_REDIRECTS,
    })
    staged = await stage(ctx, answer, maxBytes)
    const inspected = await inspectFile(staged, kind)
    return await keepStaged(ctx, { staged, inspected, origin: 'url', filename: undefined })
  } catch (error) {
    if (staged) await ctx.files.discard(staged)
    if (error instanceof FetchRefusal) throw refusedUrl(path, error.reason)
    if (error instanceof FileTooLargeError)
      throw refusedUrl(path, 'is the URL of a file that is too large')
    if (error instanceof AppError && error.httpStatus < 500)
      throw refusedUrl(path, `is the URL of a file that cannot be sent as ${kind}`)
    throw error
  }
}

/**
 * What an address led to, on disk. Servers say a general type of much that is more than that: then
 * the bytes decide alone.
 */
async function stage(ctx: Ctx, answer: GuardedAnswer, maxBytes: number): Promise<StagedFile> {
  try {
    const isTelling =
      answer.mimeType !== null &&
      !/^(?:application\/octet-stream|binary\/octet-stream|text\/plain)$/.test(answer.mimeType)
    return await ctx.files.stage(answer.bytes, {
      filename: answer.filename,
      mimeType: isTelling ? answer.mimeType : null,
      maxBytes,
    })
  } finally {
    answer.close()
  }
}

/**
 * The file with this id, when the caller sees it, its bytes are here and it can be sent as this
 * kind. Throws InvalidError naming `path` (default `body.media_id`).
 */
export function requireUsableMedia(
  ctx: Ctx,
  mediaId: string,
  kind: MediaKind,
  path = 'body.media_id',
): MediaRow {
  const refuse = (message: string): InvalidError =>
    new InvalidError(fieldSentence(path, message), {
      code: 'invalid_input',
      errors: [{ path, message }],
    })
  const row = findVisibleMedia(ctx, mediaId)
  if (!row) throw refuse('is not a file of this organization')
  if (row.state === 'pending') throw refuse('is a file that is still being downloaded')
  if (row.state !== 'ready') throw refuse('is a file that has been deleted')
  if (!fits(row, kind)) throw refuse(`is a file that cannot be sent as ${kind}`)
  return row
}

/**
 * Whether a file can be sent as a kind: everything can be a document, the others take some types up
 * to a size.
 */
function fits(row: MediaRow, kind: MediaKind): boolean {
  const { types, maxBytes } = KINDS[kind]
  return (
    row.kind === kind ||
    ((row.sizeBytes ?? 0) <= maxBytes &&
      (types === null || types.has(typeName(row.mimeType ?? ''))))
  )
}

declare module '../../infra/ctx' {
  interface Deps {
    /** The uploads under way, so that a file is not uploaded twice at the same moment. */
    mediaUploads: Map<string, Promise<string>>
  }
}

/**
 * The platform's id of one of our files for a number; uploads the file when there is none or it is
 * older than 25 days. To be awaited outside of any transaction. Throws PlatformError, whose retry
 * class says what to do; an upload may be repeated safely.
 */
export async function platformMediaIdFor(
  ctx: Ctx & { signal?: AbortSignal },
  mediaId: string,
  account: AccountRow,
): Promise<string> {
  const known = findUpload(ctx, mediaId, account.id)
  if (known !== null) return known
  const running = ctx.mediaUploads
  const key = `${ctx.organizationId}/${mediaId}/${account.id}`
  const upload =
    running.get(key) ?? uploadTo(ctx, mediaId, account).finally(() => running.delete(key))
  running.set(key, upload)
  return await upload
}

function findUpload(ctx: Ctx, mediaId: string, accountId: string): string | null {
  const isGood = and(
    eq(mediaUploads.mediaId, mediaId),
    eq(mediaUploads.accountId, accountId),
    gt(mediaUploads.uploadedAtMs, ctx.clock.nowMs() - UPLOAD_GOOD_MS),
  )
  return (
    ctx.db.orm
      .select({ id: mediaUploads.platformMediaId })
      .from(mediaUploads)
      .where(inOrganization(ctx, mediaUploads, isGood))
      .get()?.id ?? null
  )
}

/** A file of ours as the platform is handed it; `null` when its bytes are not here. */
export async function fileToHandOver(ctx: Ctx, mediaId: string): Promise<OutgoingFile | null> {
  const [row] = findMedia(ctx, [mediaId])
  if (row?.state !== 'ready' || row.storedAs === null || !(await ctx.files.has(row.storedAs)))
    return null
  const { storedAs } = row
  return {
    filename: nameOf(row),
    mimeType: row.mimeType ?? 'application/octet-stream',
    sizeBytes: row.sizeBytes ?? 0,
    stream: () => ctx.files.read(storedAs),
  }
}

async function uploadTo(
  ctx: Ctx & { signal?: AbortSignal },
  mediaId: string,
  account: AccountRow,
): Promise<string> {
  const file = await fileToHandOver(ctx, mediaId)
  if (file === null) throw permanentFailure('media_missing')
  const platformMediaId = await ctx.platform.uploadMedia({
    phoneId: account.phoneId,
    apiVersion: account.apiVersion,
    accessToken: accessTokenOf(ctx, account) ?? '',
    file,
    ...(ctx.signal ? { signal: ctx.signal } : {}),
  })
  const uploaded = { platformMediaId, uploadedAtMs: ctx.clock.nowMs() }
  transact(ctx.db, (tx) => {
    tx.insert(mediaUploads)
      .values({ organizationId: ctx.organizationId, mediaId, accountId: account.id, ...uploaded })
      .onConflictDoUpdate({
        target: [mediaUploads.organizationId, mediaUploads.mediaId, mediaUploads.accountId],
        set: uploaded,
      })
      .run()
  })
  return platformMediaId
}

/**
 * Forgets the platform's id of a file for a number, after the platform did not want it any more:
 * the next send uploads anew.
 */
export function dropPlatformMediaIdIn(tx: Tx, ctx: Ctx, mediaId: string, accountId: string): void {
  tx.delete(mediaUploads)
    .where(
      inOrganization(
        ctx,
        mediaUploads,
        and(eq(mediaUploads.mediaId, mediaId), eq(mediaUploads.accountId, accountId)),
      ),
    )
    .run()
}

/**
 * Whether a file can be sent as a voice note: ogg with one opus channel (platform documentation).
 */
export const isVoiceNote = (row: MediaRow): boolean =>
  typeName(row.mimeType ?? '') === 'audio/ogg' &&
  /codecs=opus/.test(row.mimeType ?? '') &&
  row.channels === 1
