import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { notifyIn, type NewNotification } from '../../notifications/service'
import { memberships } from '../../memberships/table'
import { rolePermissions } from '../../roles/table'
import { users } from '../../users/table'
import type { CampaignRow } from '../view'

/** More people than this do not look after the campaigns of one organization. */
const MAX_TOLD = 500

/**
 * Tells everybody who may steer campaigns and wants to hear of them something about one, in the
 * transaction of what it is about.
 */
export function notifyAboutCampaignIn(
  tx: Tx,
  ctx: Ctx,
  campaign: Pick<CampaignRow, 'id' | 'name'>,
  notice: Pick<NewNotification, 'kind' | 'severity' | 'title' | 'body'>,
): void {
  const told = tx
    .selectDistinct({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(
      rolePermissions,
      and(
        eq(rolePermissions.organizationId, memberships.organizationId),
        eq(rolePermissions.roleId, memberships.roleId),
      ),
    )
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      inOrganization(
        ctx,
        memberships,
        eq(memberships.isActive, true),
        eq(memberships.isDisabled, false),
        eq(users.campaignUpdates, true),
        eq(rolePermissions.permission, 'campaigns:execute'),
      ),
    )
    .limit(MAX_TOLD)
    .all()
  const title = `${notice.title}: ${campaign.name}`
  for (const { userId } of told)
    notifyIn(tx, ctx, { ...notice, title, userId, link: `/campaigns/${campaign.id}` })
}
