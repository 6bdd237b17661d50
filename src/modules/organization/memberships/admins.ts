import { and, eq, ne, type SQL } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { roles } from '../roles/table'
import { users } from '../users/table'
import { memberships } from './table'

const MAX_ADMINS_NOTIFIED = 100

/** Returns user IDs of the organization's active admins, up to 100 by default. */
export function findAdmins(
  ctx: Ctx,
  choice: { which?: SQL; limit: number } = { limit: MAX_ADMINS_NOTIFIED },
): string[] {
  return ctx.db.orm
    .select({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(
      roles,
      and(eq(roles.organizationId, memberships.organizationId), eq(roles.id, memberships.roleId)),
    )
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      inOrganization(
        ctx,
        memberships,
        eq(memberships.isActive, true),
        eq(users.isDisabled, false),
        eq(roles.nameKey, 'admin'),
        eq(roles.isSystem, true),
        choice.which,
      ),
    )
    .limit(choice.limit)
    .all()
    .map(({ userId }) => userId)
}

/**
 * Requires another active member with the system role `admin` whose account is not disabled, so
 * that an organization never loses its last one. Call it before the change, in the same
 * transaction. Throws ConflictError `last_admin`.
 */
export function requireOtherAdminIn(tx: Tx, ctx: Ctx, userId: string): void {
  void tx // what is read counts only inside the transaction of the change
  const isAdmin = findAdmins(ctx, { which: eq(memberships.userId, userId), limit: 1 }).length > 0
  if (isAdmin && findAdmins(ctx, { which: ne(memberships.userId, userId), limit: 1 }).length === 0)
    throw new ConflictError(
      'The organization needs at least one active admin. Make another member an admin first.',
      { code: 'last_admin' },
    )
}
