import { SECOND_MS } from '../../../lib/clock'
import { fieldSentence, AppError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import type { StagedFile } from '../../../infra/files/staged-file'
import { FetchRefusal, type GuardedAnswer } from '../../../infra/guarded-fetch'
import { inspectFile } from './inspect'
import { KINDS } from './rules'
import { storeStaged } from './upload'
import type { MediaRow } from './view'
import type { SentMediaKind } from './prepare-to-send'

const FETCH_TIMEOUT_MS = 30 * SECOND_MS

const MAX_REDIRECTS = 3

const urlError = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'media_url_refused',
    errors: [{ path, message }],
  })

/**
 * Downloads a file from a URL and stores it as an upload of the caller. Call it before any
 * transaction; the platform never receives the URL. Throws InvalidError `media_url_refused`.
 */
export async function fetchMediaUrl(
  ctx: Ctx,
  url: string,
  kind: SentMediaKind,
  options: { path?: string } = {},
): Promise<MediaRow> {
  const { path = 'body.media_url' } = options
  let staged: StagedFile | null = null
  try {
    staged = await stageFromUrl(ctx, url, { kind, totalTimeoutMs: FETCH_TIMEOUT_MS })
    const inspected = await inspectFile(staged, kind)
    return await storeStaged(ctx, { staged, inspected, origin: 'url', filename: undefined })
  } catch (error) {
    if (staged) await ctx.files.discard(staged)
    if (error instanceof FetchRefusal) throw urlError(path, error.reason)
    if (error instanceof AppError && error.httpStatus < 500)
      throw urlError(path, `is the URL of a file that cannot be sent as ${kind}`)
    throw error
  }
}

/**
 * Downloads a file from a URL to a staged file, which the caller keeps or discards. Throws
 * FetchRefusal, and AppError 413 if it is larger than its kind allows.
 */
export async function stageFromUrl(
  ctx: Ctx,
  url: string,
  { kind, totalTimeoutMs }: { kind: SentMediaKind; totalTimeoutMs: number },
): Promise<StagedFile> {
  const { maxBytes } = KINDS[kind]
  const answer = await ctx.fetchGuarded(url, {
    maxBytes,
    totalTimeoutMs,
    maxRedirects: MAX_REDIRECTS,
  })
  return await stage(ctx, answer, maxBytes)
}

/** Stages a downloaded file. Ignores generic content types, which many servers send. */
async function stage(ctx: Ctx, answer: GuardedAnswer, maxBytes: number): Promise<StagedFile> {
  try {
    const isSpecific =
      answer.mimeType !== null &&
      !/^(?:application\/octet-stream|binary\/octet-stream|text\/plain)$/.test(answer.mimeType)
    return await ctx.files.stage(answer.bytes, {
      filename: answer.filename,
      mimeType: isSpecific ? answer.mimeType : null,
      maxBytes,
    })
  } finally {
    answer.close()
  }
}
