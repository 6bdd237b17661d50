import { eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { breakAfter, MAX_BREAK_MS } from './rules'
import { mediaBreakers } from './table'

/**
 * How long nothing is to be fetched for a number, milliseconds; 0 when files may be fetched now.
 */
export function breakLeftMs(ctx: Ctx, accountId: string): number {
  const row = ctx.db.orm
    .select({ openUntilMs: mediaBreakers.openUntilMs })
    .from(mediaBreakers)
    .where(inOrganization(ctx, mediaBreakers, eq(mediaBreakers.accountId, accountId)))
    .get()
  const leftMs = Math.max(0, (row?.openUntilMs ?? 0) - ctx.clock.nowMs())
  return leftMs > MAX_BREAK_MS ? 0 : leftMs // by a clock that was put back since
}

/**
 * Counts a failure that is the number's or the platform's, not the file's; after a few in a row
 * nothing is fetched for a while.
 */
export function noteFailureIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const row = tx
    .insert(mediaBreakers)
    .values({ organizationId: ctx.organizationId, accountId, failures: 1 })
    .onConflictDoUpdate({
      target: [mediaBreakers.organizationId, mediaBreakers.accountId],
      set: { failures: sql`${mediaBreakers.failures} + 1` },
    })
    .returning()
    .get()
  const pauseMs = breakAfter(row.failures)
  if (pauseMs === null) return
  tx.update(mediaBreakers)
    .set({ openUntilMs: ctx.clock.nowMs() + pauseMs })
    .where(inOrganization(ctx, mediaBreakers, eq(mediaBreakers.accountId, accountId)))
    .run()
}

/** A file came: the number is well. */
export function noteSuccessIn(tx: Tx, ctx: Ctx, accountId: string): void {
  tx.delete(mediaBreakers)
    .where(inOrganization(ctx, mediaBreakers, eq(mediaBreakers.accountId, accountId)))
    .run()
}
