import { eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { breakAfterFailuresMs, MAX_BREAK_MS } from './rules'
import { mediaBreakers } from './table'

/** Returns how long downloads for a phone number pause, milliseconds; 0 if they are allowed. */
export function remainingBreakMs(ctx: Ctx, accountId: string): number {
  const row = ctx.db.orm
    .select({ openUntilMs: mediaBreakers.openUntilMs })
    .from(mediaBreakers)
    .where(inOrganization(ctx, mediaBreakers, eq(mediaBreakers.accountId, accountId)))
    .get()
  const leftMs = Math.max(0, (row?.openUntilMs ?? 0) - ctx.clock.nowMs())
  return leftMs > MAX_BREAK_MS ? 0 : leftMs // by a clock that was put back since
}

/** Counts a failure of the phone number or the platform; several in a row pause downloads. */
export function recordFailureIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const row = tx
    .insert(mediaBreakers)
    .values({ organizationId: ctx.organizationId, accountId, failures: 1 })
    .onConflictDoUpdate({
      target: [mediaBreakers.organizationId, mediaBreakers.accountId],
      set: { failures: sql`${mediaBreakers.failures} + 1` },
    })
    .returning()
    .get()
  const pauseMs = breakAfterFailuresMs(row.failures)
  if (pauseMs === null) return
  tx.update(mediaBreakers)
    .set({ openUntilMs: ctx.clock.nowMs() + pauseMs })
    .where(inOrganization(ctx, mediaBreakers, eq(mediaBreakers.accountId, accountId)))
    .run()
}

/** Resets the failures of a phone number after a successful download. */
export function recordSuccessIn(tx: Tx, ctx: Ctx, accountId: string): void {
  tx.delete(mediaBreakers)
    .where(inOrganization(ctx, mediaBreakers, eq(mediaBreakers.accountId, accountId)))
    .run()
}
