import { and, eq, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { AccountRow } from '../../../channel/accounts/view'
import { portfolioOf } from '../../../channel/accounts/reached'
import { portfolioReach } from '../table'

const insertReach = compiled((orm) =>
  orm
    .insert(portfolioReach)
    .values({
      organizationId: sql.placeholder('organizationId'),
      portfolio: sql.placeholder('portfolio'),
      contactId: sql.placeholder('contactId'),
      atMs: sql.placeholder('atMs'),
    })
    .onConflictDoUpdate({
      target: [portfolioReach.organizationId, portfolioReach.portfolio, portfolioReach.contactId],
      set: { atMs: sql`max(${portfolioReach.atMs}, excluded.at_ms)` },
    })
    .prepare(),
)

/**
 * Records that a template reached a contact outside the 24-hour window. Runs inside the caller's
 * transaction.
 */
export function recordReachIn(
  tx: Tx,
  ctx: Ctx,
  reached: { account: AccountRow; contactId: string; atMs: number },
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const { account, contactId, atMs } = reached
  insertReach(ctx.db).run({
    organizationId: ctx.organizationId,
    portfolio: portfolioOf(account),
    contactId,
    atMs,
  })
}

/** Deletes a batch of records older than 24 hours. Returns how many. */
export function pruneReach(ctx: Pick<Ctx, 'clock'>, tx: Tx): number {
  const old = tx
    .select({
      organizationId: portfolioReach.organizationId,
      portfolio: portfolioReach.portfolio,
      contactId: portfolioReach.contactId,
    })
    .from(portfolioReach)
    .where(
      inWorkingOrganizations(
        'old entries are pruned for all organizations at once',
        portfolioReach,
        sql`${portfolioReach.atMs} <= ${ctx.clock.nowMs() - DAY_MS}`,
      ),
    )
    .limit(500)
    .all()
  for (const row of old)
    tx.delete(portfolioReach)
      .where(
        inOrganization(
          row,
          portfolioReach,
          and(
            eq(portfolioReach.portfolio, row.portfolio),
            eq(portfolioReach.contactId, row.contactId),
          ),
        ),
      )
      .run()
  return old.length
}
