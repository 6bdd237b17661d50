import { and, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { media } from './table'

/**
 * Takes files away for good, in the caller's transaction; their bytes go by a job after the commit. What still refers to them shows
 * `expired`. Of a revoked message, a purged contact.
 */
export function removeMediaIn(tx: Tx, ctx: Ctx, mediaIds: string[]): void {
  if (mediaIds.length === 0) return
  tx.update(media)
    .set({ state: 'expired', storedAs: null, filename: null, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, media, and(inArray(media.id, mediaIds))))
    .run()
}
