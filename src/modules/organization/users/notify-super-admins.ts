import { and, asc, desc, eq } from 'drizzle-orm'

import { systemCtx, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { memberships } from '../memberships/table'
import { wasNotifiedSince } from '../notifications/queries'
import { notifyIn, type NewNotification } from '../notifications/service'
import { findOrganizationToAdminister } from '../organizations/service'
import { organizations } from '../organizations/table'
import { users } from './table'

const MAX_NOTIFIED = 100

/** A notification about the whole installation. */
type InstallationNotice = Omit<NewNotification, 'userId'>

/**
 * Notifies every super admin who is a member of an organization, inside the caller's transaction: in one
 * that works here, or in the one in which they sign in if none of theirs does, because it moved to
 * another server. With `onceSinceMs`, skips those who got a notification of this kind and link since then.
 */
export function notifySuperAdminsIn(
  tx: Tx,
  ctx: Ctx,
  notice: InstallationNotice,
  { onceSinceMs = null }: { onceSinceMs?: number | null } = {},
): void {
  const places = tx
    .select({
      userId: users.id,
      organizationId: memberships.organizationId,
      state: organizations.state,
    })
    .from(users)
    .innerJoin(memberships, eq(memberships.userId, users.id))
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .where(
      and(
        eq(users.isSuperAdmin, true),
        eq(users.isDisabled, false),
        eq(memberships.isActive, true),
      ),
    )
    .orderBy(asc(users.id), desc(memberships.isDefault))
    .limit(MAX_NOTIFIED)
    .all()
  for (const [userId, own] of Map.groupBy(places, (place) => place.userId)) {
    const organizationId =
      own.find(({ state }) => state === 'active')?.organizationId ??
      findOrganizationToAdminister(ctx)?.id
    if (organizationId === undefined) continue
    const home = systemCtx(ctx, organizationId)
    const { kind, link = '' } = notice
    if (
      onceSinceMs === null ||
      !wasNotifiedSince(home, { userId, kind, link, sinceMs: onceSinceMs })
    )
      notifyIn(tx, home, { ...notice, userId })
  }
}
