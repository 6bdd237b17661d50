import { and, eq, lte, notExists } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { acrossOrganizations, type Deps } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import { dropSecondFactorIn } from '../auth/second-factor'
import { endSessionsOfUserIn } from '../auth/sessions'
import { memberships } from '../memberships/table'
import { updateUserIn } from '../users/service'
import { users } from '../users/table'

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
    for (const { id } of orphans) {
      endSessionsOfUserIn(tx, deps, id, { reason: 'account_erased' })
      dropSecondFactorIn(tx, deps, id)
      updateUserIn(tx, deps, id, {
        email: `former-${id}@erased.invalid`,
        fullName: 'Former user',
        passwordHash: '',
        isDisabled: true,
        homeOrganizationId: null,
        orphanedAtMs: null,
      })
    }
    return orphans.length
  })
}
