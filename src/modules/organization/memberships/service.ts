import { and, eq, isNull } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { users } from '../users/table'
import { memberships } from './table'
import { membershipsOf } from './find'

/**
 * Makes a user a member of the scope's organization. `acceptedFromMs` is when the person accepted
 * the membership; omit it if others added the person. Runs inside the caller's transaction. Returns
 * the membership's ID.
 */
export function addMemberIn(
  tx: Tx,
  ctx: Ctx,
  input: {
    userId: string
    roleId: string
    isDefault: boolean
    acceptedFromMs?: number
    isConfirmed?: boolean
  },
): string {
  const nowMs = ctx.clock.nowMs()
  const id = ctx.ids.next()
  tx.insert(memberships)
    .values({
      organizationId: ctx.organizationId,
      id,
      ...input,
      ...copiedColumns(tx, input.userId),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .run()
  return id
}

/**
 * Returns the columns copied from the account for the lists: the search words and the disabled
 * flag.
 */
function copiedColumns(tx: Tx, userId: string): { words: string; isDisabled: boolean } {
  const person = tx.select().from(users).where(eq(users.id, userId)).get()
  return {
    words: `${person?.fullName.toLowerCase() ?? ''}\n${person?.email ?? ''}`,
    isDisabled: person?.isDisabled ?? false,
  }
}

/**
 * Updates the copied columns in every membership of an account, in the transaction that changes it.
 */
export function copyAccountToMembershipsIn(tx: Tx, userId: string): void {
  tx.update(memberships)
    .set(copiedColumns(tx, userId))
    .where(
      acrossOrganizations(
        'these are the organizations of one person',
        eq(memberships.userId, userId),
      ),
    )
    .run()
}

/** Columns of a membership that can change. */
export type MembershipFields = Partial<
  Pick<
    typeof memberships.$inferSelect,
    'roleId' | 'isActive' | 'isConfirmed' | 'isAvailable' | 'isDefault'
  >
>

/**
 * Records that a person switched to the scope's organization. Only the first time has an effect.
 */
export function acceptMembershipIn(tx: Tx, ctx: Ctx, userId: string): void {
  tx.update(memberships)
    .set({ acceptedFromMs: ctx.clock.nowMs() })
    .where(
      inOrganization(
        ctx,
        memberships,
        and(eq(memberships.userId, userId), isNull(memberships.acceptedFromMs)),
      ),
    )
    .run()
}

/** Updates a membership of the scope's organization. Runs inside the caller's transaction. */
export function updateMembershipIn(tx: Tx, ctx: Ctx, userId: string, set: MembershipFields): void {
  tx.update(memberships)
    .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, memberships, eq(memberships.userId, userId)))
    .run()
}

/**
 * Deletes a membership of the scope's organization. If it was the person's default, the oldest of
 * the others becomes the default. Rows that refer to it must be deleted before. Runs inside the
 * caller's transaction.
 */
export function deleteMembershipIn(tx: Tx, ctx: Ctx, userId: string): void {
  tx.delete(memberships)
    .where(inOrganization(ctx, memberships, eq(memberships.userId, userId)))
    .run()
  const [first] = membershipsOf(ctx, userId)
  if (first && !first.isDefault)
    updateMembershipIn(tx, { ...ctx, organizationId: first.organizationId }, userId, {
      isDefault: true,
    })
}
