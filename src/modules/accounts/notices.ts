import { and, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { notifyIn, type NewNotification } from '../notifications/service'
import { memberships } from '../organizations/members/table'
import { rolePermissions } from '../roles/table'
import type { AccountRow } from './view'

/** What the people who look after a number are told of it. */
export type AccountNotice = Omit<NewNotification, 'userId' | 'link'>

/** More people than this do not look after the numbers of one organization. */
const MOST_TOLD = 500

/** Tells everybody who may change numbers something about one, in the transaction of what it is about. */
export function notifyAboutAccountIn(tx: Tx, ctx: Ctx, account: Pick<AccountRow, 'id' | 'name'>, notice: AccountNotice): void {
  const told = tx
    .selectDistinct({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(
      rolePermissions,
      and(eq(rolePermissions.organizationId, memberships.organizationId), eq(rolePermissions.roleId, memberships.roleId)),
    )
    .where(
      inOrganization(
        ctx,
        memberships,
        eq(memberships.isActive, true),
        eq(memberships.isDisabled, false),
        eq(rolePermissions.permission, 'accounts:update'),
      ),
    )
    .limit(MOST_TOLD)
    .all()
  const title = `${notice.title}: ${account.name}`
  for (const { userId } of told) notifyIn(tx, ctx, { ...notice, title, userId, link: `/accounts/${account.id}` })
}
