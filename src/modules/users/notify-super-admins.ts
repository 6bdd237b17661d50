import { and, asc, desc, eq } from 'drizzle-orm'

import { systemCtx, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { memberships } from '../memberships/table'
import { wasNotifiedSince } from '../notifications/queries'
import { notifyIn, type NewNotification } from '../notifications/service'
import { users } from './table'

const MAX_NOTIFIED = 100

/** A notification about the whole installation. */
type InstallationNotice = Omit<NewNotification, 'userId'>

/**
 * Notifies every super admin in their home organization, inside the caller's transaction. With
 * `onceSinceMs`, skips those who got a notification of this kind and link since then.
 */
export function notifySuperAdminsIn(
  tx: Tx,
  ctx: Ctx,
  notice: InstallationNotice,
  { onceSinceMs = null }: { onceSinceMs?: number | null } = {},
): void {
  const places = tx
    .select({ userId: users.id, organizationId: memberships.organizationId })
    .from(users)
    .innerJoin(memberships, eq(memberships.userId, users.id))
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
  const notified = new Set<string>()
  for (const { userId, organizationId } of places) {
    if (notified.has(userId)) continue
    notified.add(userId)
    const home = systemCtx(ctx, organizationId)
    const { kind, link = '' } = notice
    if (
      onceSinceMs === null ||
      !wasNotifiedSince(home, { userId, kind, link, sinceMs: onceSinceMs })
    )
      notifyIn(tx, home, { ...notice, userId })
  }
}
