import { eq } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { getOrganization } from './service'
import { organizations } from './table'

/** A warning about the budget of a month, such as 202610. */
interface SpendWarning {
  month: number
  percent: number
}

/**
 * Records a warning about the budget, inside the caller's transaction. Returns `false` if this or a
 * higher one was already given in the month, or one of a later month.
 */
export function recordSpendWarningIn(tx: Tx, ctx: Ctx, warning: SpendWarning): boolean {
  const { spendWarned } = getOrganization(ctx)
  const last = spendWarned === null ? null : (JSON.parse(spendWarned) as SpendWarning)
  const isKnown =
    last !== null &&
    (last.month > warning.month ||
      (last.month === warning.month && last.percent >= warning.percent))
  if (isKnown) return false
  tx.update(organizations)
    .set({ spendWarned: JSON.stringify(warning) })
    .where(eq(organizations.id, ctx.organizationId))
    .run()
  return true
}
