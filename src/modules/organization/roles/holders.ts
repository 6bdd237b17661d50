import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { memberships } from '../memberships/table'
import { rolePermissions } from './table'

/** Maximum number of people that are notified of one thing. */
const MAX_RECIPIENTS = 500

/**
 * Returns the IDs of active members whose role has a permission, up to 500. They are notified about
 * what the permission concerns.
 */
export const holdersOf = (tx: Tx, ctx: Ctx, permission: string): string[] =>
  tx
    .selectDistinct({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(
      rolePermissions,
      and(
        eq(rolePermissions.organizationId, memberships.organizationId),
        eq(rolePermissions.roleId, memberships.roleId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        memberships,
        eq(memberships.isActive, true),
        eq(memberships.isDisabled, false),
        eq(rolePermissions.permission, permission),
      ),
    )
    .limit(MAX_RECIPIENTS)
    .all()
    .map(({ userId }) => userId)
