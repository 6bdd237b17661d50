import { and, eq, gt } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { permanentFailure } from '../../../platform/client/media'
import type { OutgoingFile } from '../../../platform/client/upload'
import { accessTokenOf } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { nameOf, UPLOAD_REUSE_MS } from './rules'
import { findMedia } from './store'
import { mediaUploads } from './table'

declare module '../../../infra/ctx' {
  interface Deps {
    /** Uploads in progress, so that concurrent sends share one. */
    mediaUploads: Map<string, Promise<string>>
  }
}

/**
 * Returns the platform ID of a file for a phone number. Uploads it if there is no upload younger
 * than 25 days. Call it outside of transactions. Throws PlatformError with a retry class; repeating
 * is safe.
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
    running.get(key) ?? uploadToPlatform(ctx, mediaId, account).finally(() => running.delete(key))
  running.set(key, upload)
  return await upload
}

function findUpload(ctx: Ctx, mediaId: string, accountId: string): string | null {
  const isGood = and(
    eq(mediaUploads.mediaId, mediaId),
    eq(mediaUploads.accountId, accountId),
    gt(mediaUploads.uploadedAtMs, ctx.clock.nowMs() - UPLOAD_REUSE_MS),
  )
  return (
    ctx.db.orm
      .select({ id: mediaUploads.platformMediaId })
      .from(mediaUploads)
      .where(inOrganization(ctx, mediaUploads, isGood))
      .get()?.id ?? null
  )
}

/** Returns a stored file for upload; `null` if it is not stored. */
export async function openFileForUpload(ctx: Ctx, mediaId: string): Promise<OutgoingFile | null> {
  const [row] = findMedia(ctx, [mediaId])
  // Only files that are ready are stored.
  if (!row || row.storedAs === null || !(await ctx.files.has(row.storedAs))) return null
  const { storedAs } = row
  return {
    filename: nameOf(row),
    mimeType: row.mimeType ?? 'application/octet-stream',
    sizeBytes: row.sizeBytes ?? 0,
    stream: () => ctx.files.read(storedAs),
  }
}

async function uploadToPlatform(
  ctx: Ctx & { signal?: AbortSignal },
  mediaId: string,
  account: AccountRow,
): Promise<string> {
  const file = await openFileForUpload(ctx, mediaId)
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
 * Deletes the platform ID of a file after the platform rejected it: the next send uploads again.
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
