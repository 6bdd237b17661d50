import { and, eq, inArray, isNotNull, lt } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { emptied } from '../../../infra/db/define-table'
import type { Tx } from '../../../infra/db/transact'
import { aiUsage } from './table'

/** Maximum number of rows changed in one transaction. */
const AT_ONCE = 200

/** Moves the usage of a contact to another one, in the transaction of their merge. */
export function moveUsageIn(tx: Tx, ctx: Ctx, { from, to }: { from: string; to: string }): void {
  tx.update(aiUsage)
    .set({ contactId: to })
    .where(inOrganization(ctx, aiUsage, eq(aiUsage.contactId, from)))
    .run()
}

/**
 * Removes a contact from up to 200 usage rows, in the transaction that erases it. The rows stay,
 * because budgets and costs are made of them. Returns the number of rows changed.
 */
export function eraseUsageIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const ids = tx
    .select({ id: aiUsage.id })
    .from(aiUsage)
    .where(inOrganization(ctx, aiUsage, eq(aiUsage.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.update(aiUsage)
      .set(emptied(aiUsage))
      .where(inOrganization(ctx, aiUsage, inArray(aiUsage.id, ids)))
      .run()
  return ids.length
}

/**
 * Deletes up to 200 settled usage rows from before `beforeMs`, in the caller's transaction. The sums
 * of their days stay. Returns whether there may be more.
 */
export function deleteUsageBeforeIn(tx: Tx, ctx: Ctx, beforeMs: number): boolean {
  const ids = tx
    .select({ id: aiUsage.id })
    .from(aiUsage)
    .where(
      inOrganization(
        ctx,
        aiUsage,
        and(lt(aiUsage.createdAtMs, beforeMs), isNotNull(aiUsage.settledAtMs)),
      ),
    )
    .orderBy(aiUsage.createdAtMs)
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  if (ids.length > 0)
    tx.delete(aiUsage)
      .where(inOrganization(ctx, aiUsage, inArray(aiUsage.id, ids)))
      .run()
  return ids.length === AT_ONCE
}
