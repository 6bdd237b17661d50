import { inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import type { MediaRef } from '../../platform/content'
import { media } from './table'
import type { MediaRow } from './view'

/** Writes down a file the platform keeps for us, in the transaction of its message; `isLost` when the platform says it cannot be had. */
export function noteInboundMediaIn(
  tx: Tx,
  ctx: Ctx,
  file: { accountId: string; kind: MediaRow['kind']; origin: 'inbound' | 'phone_app'; ref: MediaRef; isLost: boolean },
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
      lastError: file.isLost ? JSON.stringify({ code: 'media_unavailable', message: 'The platform could not deliver the file.' }) : null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .run()
  return id
}

/** The files with these ids, whoever sees them. */
export function findMedia(ctx: Pick<Ctx, 'db' | 'organizationId'>, ids: string[]): MediaRow[] {
  if (ids.length === 0) return []
  return ctx.db.orm
    .select()
    .from(media)
    .where(inOrganization(ctx, media, inArray(media.id, ids)))
    .all()
}
