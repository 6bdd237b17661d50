import { and, eq, lte, notExists } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import {
  acrossOrganizations,
  inOrganization,
  INSTALLATION,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { dropSecondFactorIn } from '../auth/second-factor'
import { endSessionsOfUserIn } from '../auth/sessions'
import { membershipsOf } from '../memberships/find'
import { deleteMembershipIn } from '../memberships/service'
import { memberships } from '../memberships/table'
import { emptyUserIn, findUser } from '../users/service'
import { users } from '../users/table'
import { AccountErased } from './events'

const BATCH = 100

/**
 * Erases a batch of accounts that have belonged to no organization for `ORPHAN_ACCOUNT_DAYS`. The
 * person can no longer sign in, the email is free again, and its content shows a former user. Keeps
 * super admins. Returns the number erased.
 */
export function eraseOrphans(deps: Deps): number {
  const { orphanAccountDays } = deps.settings
  if (orphanAccountDays === 0) return 0
  return transact(deps.db, (tx) => {
    const own = tx
      .select({ id: memberships.id })
      .from(memberships)
      .where(
        acrossOrganizations(
          'checks whether a person belongs to any organization',
          eq(memberships.userId, users.id),
        ),
      )
    const orphans = tx
      .select({ id: users.id })
      .from(users)
      .where(
        and(
          lte(users.orphanedAtMs, deps.clock.nowMs() - orphanAccountDays * DAY_MS),
          eq(users.isSuperAdmin, false),
          notExists(own),
        ),
      )
      .limit(BATCH)
      .all()
    for (const { id } of orphans) eraseUserIn(tx, deps, id)
    return orphans.length
  })
}

/**
 * Erases what is known about a person except that the account existed, in the caller's transaction.
 * Returns how many mentions of the person elsewhere went with it.
 */
export function eraseUserIn(tx: Tx, deps: Deps, id: string): number {
  const erased = { email: findUser(deps, id)?.email ?? '', mentions: 0 }
  runHooks(tx, systemCtx(deps, INSTALLATION), AccountErased, erased)
  endSessionsOfUserIn(tx, deps, id, { reason: 'account_erased' })
  dropSecondFactorIn(tx, deps, id)
  emptyUserIn(tx, deps, id)
  return erased.mentions
}

/**
 * Ends up to `limit` memberships of an organization that is erased, in the caller's transaction.
 * Erases people who belong to no other organization, except super admins. Returns whether there may
 * be more, and how many mentions of these people elsewhere went with them.
 */
export function eraseMembersIn(
  tx: Tx,
  ctx: Ctx,
  limit: number,
): { isMore: boolean; mentions: number } {
  const own = tx
    .select({ userId: memberships.userId, isSuperAdmin: users.isSuperAdmin })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(inOrganization(ctx, memberships))
    .limit(limit)
    .all()
  let mentions = 0
  for (const { userId, isSuperAdmin } of own) {
    deleteMembershipIn(tx, ctx, userId)
    if (!isSuperAdmin && membershipsOf(ctx, userId).length === 0)
      mentions += eraseUserIn(tx, ctx, userId)
  }
  return { isMore: own.length === limit, mentions }
}
