import { eq } from 'drizzle-orm'

import { InvalidError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import type { AccountRow } from '../accounts/view'
import { findMedia } from './service'
import { media } from './table'
import type { MediaRow } from './view'

/** What a file is sent as. */
export type MediaKind = MediaRow['kind']

/**
 * Fetches a file from a customer's address and stores it as an upload of the caller; to be awaited before any transaction. Throws
 * InvalidError `media_url_refused`.
 */
export async function fetchMediaUrl(_ctx: Ctx, _url: string, _kind: MediaKind, _options: { path?: string } = {}): Promise<MediaRow> {
  throw new InvalidError('media_url: is not fetched yet.', { code: 'media_url_refused' })
}

/**
 * The file with this id, when the caller sees it, its bytes are here and it can be sent as this kind. Throws InvalidError naming
 * `path` (default `body.media_id`).
 */
export function requireUsableMedia(ctx: Ctx, mediaId: string, kind: MediaKind, path = 'body.media_id'): MediaRow {
  const [row] = findMedia(ctx, [mediaId])
  if (row?.state === 'ready' && row.kind === kind) return row
  const message = 'is not a file of yours that can be sent as this type'
  throw new InvalidError(`${path}: ${message}.`, { code: 'invalid_input', errors: [{ path, message }] })
}

/** Keeps files a message or another row refers to from being removed as unused; in the transaction that refers to them. */
export function keepMediaIn(tx: Tx, ctx: Ctx, mediaIds: string[]): void {
  for (const id of mediaIds)
    tx.update(media)
      .set({ expiresAtMs: null })
      .where(inOrganization(ctx, media, eq(media.id, id)))
      .run()
}

/**
 * The platform's id of one of our files for a number; uploads the file when there is none or it is older than 25 days. To be awaited
 * outside of any transaction. Throws PlatformError, whose retry class says what to do.
 */
export async function platformMediaIdFor(_ctx: Ctx & { signal?: AbortSignal }, mediaId: string, _account: AccountRow): Promise<string> {
  throw new Error(`the file ${mediaId} cannot be uploaded yet`)
}

/** Forgets the platform's id of a file for a number, after the platform did not want it any more: the next send uploads anew. */
export function dropPlatformMediaIdIn(_tx: Tx, _ctx: Ctx, _mediaId: string, _accountId: string): void {}

/** Whether a file can be sent as a voice note: ogg with one opus channel (platform documentation). */
export const isVoiceNote = (_row: MediaRow): boolean => false
