import { eq } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { users } from '../users/table'
import { MemberChanged } from './events'
import { findMembership } from './find'

/**
 * Publishes to the organization's members that a member was added or changed, in the transaction of
 * the change.
 */
export function publishMemberIn(
  tx: Tx,
  ctx: Ctx,
  userId: string,
  change: 'added' | 'updated' | 'removed' | 'availability',
): void {
  const member = findMembership(ctx, { organizationId: ctx.organizationId, userId })
  const person = tx
    .select({ fullName: users.fullName, isDisabled: users.isDisabled })
    .from(users)
    .where(eq(users.id, userId))
    .get()
  if (!member || !person) return
  const { membershipId, roleId, roleName, isAvailable } = member
  const isActive = change !== 'removed' && member.isActive && !person.isDisabled
  emit(tx, ctx, MemberChanged, {
    contactId: null,
    payload: {
      userId,
      membershipId,
      fullName: person.fullName,
      roleId,
      roleName,
      isActive,
      isAvailable,
      change,
    },
  })
}
