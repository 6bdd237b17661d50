import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { notifyIn, type NewNotification } from '../../../organization/notifications/service'
import { textAbout } from '../../../organization/notifications/catalog'
import { memberships } from '../../../organization/memberships/table'
import { rolePermissions } from '../../../organization/roles/table'
import { users } from '../../../organization/users/table'
import type { CampaignRow } from '../view'

/** Maximum number of users notified about a campaign. */
const MAX_NOTIFIED = 500

/**
 * Notifies all users who can run campaigns and have campaign notifications turned on. Runs inside
 * the caller's transaction.
 */
export function notifyAboutCampaignIn(
  tx: Tx,
  ctx: Ctx,
  campaign: Pick<CampaignRow, 'id' | 'name'>,
  notice: Pick<NewNotification, 'kind' | 'severity' | 'title' | 'body' | 'text'>,
): void {
  const recipients = tx
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
    .limit(MAX_NOTIFIED)
    .all()
  const title = `${notice.title}: ${campaign.name}`
  for (const { userId } of recipients)
    notifyIn(tx, ctx, {
      ...{ ...notice, ...textAbout(notice.text, campaign.name), title, userId },
      link: `/campaigns/${campaign.id}`,
    })
}
