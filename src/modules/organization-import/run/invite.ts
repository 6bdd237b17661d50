import { asc, eq, and } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { inviteToConfirmIn } from '../../members/invitations/confirm'
import { findMembership } from '../../memberships/find'
import { findUser } from '../../users/service'
import { users } from '../../users/table'
import type { OrganizationImportRow } from '../view'
import { importedPeople } from './people'

/**
 * Asks the people who have accounts here with another password to confirm by mail, in the caller's
 * transaction. Returns their number.
 */
export function inviteUnconfirmedIn(tx: Tx, ctx: Ctx, row: OrganizationImportRow): number {
  const unconfirmed = importedPeople(ctx, row.id).filter(({ outcome }) => outcome === 'unconfirmed')
  const invitedBy = row.createdBy ?? firstSuperAdmin(tx)
  for (const { userId } of unconfirmed) {
    const user = findUser(ctx, userId)
    const membership = findMembership(ctx, { organizationId: ctx.organizationId, userId })
    if (user && membership && invitedBy !== null)
      inviteToConfirmIn(tx, ctx, { user, roleId: membership.roleId, invitedBy })
  }
  return unconfirmed.length
}

const firstSuperAdmin = (tx: Tx): string | null =>
  tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.isSuperAdmin, true), eq(users.isDisabled, false)))
    .orderBy(asc(users.createdAtMs), asc(users.id))
    .limit(1)
    .get()?.id ?? null
