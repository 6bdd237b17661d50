import { inOrganization, type Ctx } from '../../../infra/ctx'
import { type Tx, transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import type { MediaRef } from '../../../platform/webhook/content'
import { and, eq } from 'drizzle-orm'
import { ConflictError } from '../../../lib/errors'
import { DownloadMedia } from './jobs'
import { PLATFORM_RETENTION_MS } from './rules'
import { recordAudit } from '../../organization/audit/record'
import { getVisibleMedia } from './queries'
import { media } from './table'
import type { MediaRow } from './view'
import { mediaInfo } from './view'
import type { MediaInfo } from './model'

/**
 * Stores an incoming file in the transaction of its message and schedules its download, unless it
 * `isLost`. Returns its ID.
 */
export function recordInboundMediaIn(
  tx: Tx,
  ctx: Ctx,
  file: {
    accountId: string
    kind: MediaRow['kind']
    origin: 'inbound' | 'phone_app'
    ref: MediaRef
    isLost: boolean
  },
): string {
  const nowMs = ctx.clock.nowMs()
  const id = ctx.ids.next()
  tx.insert(media)
    .values({
      organizationId: ctx.organizationId,
      id,
      origin: file.origin,
      kind: file.kind,
      state: file.isLost ? 'failed' : 'pending',
      mimeType: file.ref.mimeType,
      filename: file.ref.filename,
      sizeBytes: file.ref.sizeBytes,
      accountId: file.accountId,
      platformMediaId: file.ref.platformMediaId,
      platformSha256: file.ref.sha256,
      lastError: file.isLost
        ? JSON.stringify({
            code: 'media_unavailable',
            message: 'The platform could not deliver the file.',
          })
        : null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .run()
  if (!file.isLost) enqueue(tx, ctx, DownloadMedia, { args: { mediaId: id } })
  return id
}

/**
 * Retries a failed download. Throws NotFoundError, ConflictError `not_failed`, or `media_expired`
 * if the platform no longer has the file.
 */
export function retryDownload(ctx: Ctx, id: string): MediaInfo {
  return transact(ctx.db, (tx) => {
    const row = getVisibleMedia(ctx, id)
    if (row.state !== 'failed')
      throw new ConflictError('Only failed downloads can be retried.', {
        code: 'not_failed',
      })
    if (ctx.clock.nowMs() - row.createdAtMs >= PLATFORM_RETENTION_MS)
      throw new ConflictError(
        'The platform deletes files after seven days; this file is no longer available.',
        {
          code: 'media_expired',
        },
      )
    const again = tx
      .update(media)
      .set({ state: 'pending', attempts: 0, lastError: null, updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, media, and(eq(media.id, row.id), eq(media.state, 'failed'))))
      .returning()
      .get()
    enqueue(tx, ctx, DownloadMedia, { args: { mediaId: row.id } })
    recordAudit(tx, ctx, {
      action: 'retried',
      resourceType: 'media',
      resourceId: row.id,
      resourceName: row.filename ?? row.kind,
    })
    return mediaInfo(again ?? row)
  })
}
