import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { memberships } from '../memberships/table'
import { rolePermissions } from './table'

/** More people than this do not look after one kind of thing in an organization. */
const MAX_TOLD = 500

/**
 * The active members of the scope's organization whose role holds a permission: who is told of what
 * concerns it. At most 500.
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
    .limit(MAX_TOLD)
    .all()
    .map(({ userId }) => userId)
