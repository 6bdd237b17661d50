import { and, asc, count, eq, inArray } from 'drizzle-orm'

import type { Ctx, Deps } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { inviteToConfirmIn } from '../../../organization/members/invitations/confirm'
import { findMembership } from '../../../organization/memberships/find'
import { requireNotMoving } from '../../../organization/organizations/service'
import { findUser } from '../../../organization/users/service'
import { users } from '../../../organization/users/table'
import { organizationImportUsers } from '../table'
import type { OrganizationImportRow } from '../view'

/** People asked in one transaction. */
const AT_ONCE = 10

const unconfirmedOf = (importId: string) =>
  and(
    eq(organizationImportUsers.importId, importId),
    eq(organizationImportUsers.outcome, 'unconfirmed'),
  )

/** Counts the people of an import who have accounts here with another password. */
export const countUnconfirmed = ({ db }: Pick<Deps, 'db'>, importId: string): number =>
  db.orm
    .select({ rows: count() })
    .from(organizationImportUsers)
    .where(unconfirmedOf(importId))
    .get()?.rows ?? 0

/**
 * Asks some of these people to confirm by mail, and forgets them, in the caller's transaction. `ctx` is
 * that of the organization. Returns whether there may be more. Throws UnavailableError
 * `organization_moving`.
 */
export function inviteSomeIn(tx: Tx, ctx: Ctx, row: OrganizationImportRow): boolean {
  const some = tx
    .select({ userId: organizationImportUsers.userId, id: organizationImportUsers.archivedId })
    .from(organizationImportUsers)
    .where(unconfirmedOf(row.id))
    .limit(AT_ONCE)
    .all()
  if (some.length === 0) return false
  requireNotMoving(ctx, ctx.organizationId)
  const invitedBy = row.createdBy ?? firstSuperAdmin(tx)
  for (const { userId } of some) {
    const user = findUser(ctx, userId)
    const membership = findMembership(ctx, { organizationId: ctx.organizationId, userId })
    if (user && membership && invitedBy !== null)
      inviteToConfirmIn(tx, ctx, { user, roleId: membership.roleId, invitedBy })
  }
  tx.delete(organizationImportUsers)
    .where(
      and(
        eq(organizationImportUsers.importId, row.id),
        inArray(
          organizationImportUsers.archivedId,
          some.map(({ id }) => id),
        ),
      ),
    )
    .run()
  return some.length === AT_ONCE
}

const firstSuperAdmin = (tx: Tx): string | null =>
  tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isSuperAdmin, true), eq(users.isDisabled, false)))
    .orderBy(asc(users.createdAtMs), asc(users.id))
    .limit(1)
    .get()?.id ?? null
