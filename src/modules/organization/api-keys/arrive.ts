import { and, eq, notInArray } from 'drizzle-orm'

import type { Arrival } from '../../../infra/arrival'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { memberships } from '../memberships/table'
import { permissionsOfRole } from '../roles/service'
import { users } from '../users/table'
import { apiKeyPermissions, apiKeys } from './table'

/**
 * How keys arrive from another installation. The key of a super admin who was no member there counts as
 * the key of somebody who left: no super admin of this installation has made it.
 */
export const apiKeyArrival: Arrival = {
  change: (row) => ({
    ...row,
    owner_membership_id: row['owner_membership_id'] ?? row['id'] ?? null, // no membership has the ID of a key
  }),
}

/**
 * Takes from the keys of an organization that arrived what the roles of their owners do not permit, if
 * the owners are super admins here: that would permit everything, and did not at home. Runs inside the
 * caller's transaction.
 */
export function limitArrivedKeysIn(tx: Tx, ctx: Ctx): void {
  const ofSuperAdmins = tx
    .select({ id: apiKeys.id, roleId: memberships.roleId })
    .from(apiKeys)
    .innerJoin(users, and(eq(users.id, apiKeys.ownerUserId), eq(users.isSuperAdmin, true)))
    .innerJoin(
      memberships,
      and(
        eq(memberships.organizationId, apiKeys.organizationId),
        eq(memberships.id, apiKeys.ownerMembershipId),
      ),
    )
    .where(inOrganization(ctx, apiKeys))
    .all()
  for (const { id, roleId } of ofSuperAdmins)
    tx.delete(apiKeyPermissions)
      .where(
        inOrganization(
          ctx,
          apiKeyPermissions,
          and(
            eq(apiKeyPermissions.apiKeyId, id),
            notInArray(apiKeyPermissions.permission, permissionsOfRole(ctx, roleId)),
          ),
        ),
      )
      .run()
}
