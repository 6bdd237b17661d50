import { and, asc, desc, eq, isNull, ne, type SQL } from 'drizzle-orm'

import { ConflictError } from '../../lib/errors'
import { acrossOrganizations, anyScope, inOrganization, type Ctx, type Deps } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import type { Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { roles } from '../roles/table'
import { users } from '../users/table'
import { MemberChanged } from './events'
import { memberships } from './table'
import { place } from '../../infra/db/place'

/** A membership with the columns that determine its permissions. */
export interface MembershipRights {
  membershipId: string
  organizationId: string
  userId: string
  isActive: boolean
  isAvailable: boolean
  roleId: string
  roleName: string
  roleDescription: string
  isSystemRole: boolean
}

/**
 * Makes a user a member of the scope's organization. `acceptedFromMs` is when the person accepted
 * the membership; omit it if others added the person. Runs inside the caller's transaction. Returns
 * the membership's ID.
 */
export function addMemberIn(
  tx: Tx,
  ctx: Ctx,
  input: { userId: string; roleId: string; isDefault: boolean; acceptedFromMs?: number },
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

const rights = {
  membershipId: memberships.id,
  organizationId: memberships.organizationId,
  userId: memberships.userId,
  isActive: memberships.isActive,
  isAvailable: memberships.isAvailable,
  roleId: memberships.roleId,
  roleName: roles.name,
  roleDescription: roles.description,
  isSystemRole: roles.isSystem,
}

const membershipOf = compiled((orm) =>
  orm
    .select(rights)
    .from(memberships)
    .innerJoin(
      roles,
      and(eq(roles.organizationId, memberships.organizationId), eq(roles.id, memberships.roleId)),
    )
    .where(inOrganization(anyScope, memberships, eq(memberships.userId, place('userId'))))
    .prepare(),
)

/** Returns the membership of a user in an organization, active or not, or `null`. */
export const findMembership = (
  deps: Pick<Deps, 'db'>,
  at: { organizationId: string; userId: string },
): MembershipRights | null => membershipOf(deps.db).get(at) ?? null

/** A membership in the list of a user's organizations. */
export interface MembershipOf {
  organizationId: string
  isDefault: boolean
  isActive: boolean
  acceptedFromMs: number | null
}

const everywhere = compiled((orm) =>
  orm
    .select({
      organizationId: memberships.organizationId,
      isDefault: memberships.isDefault,
      isActive: memberships.isActive,
      acceptedFromMs: memberships.acceptedFromMs,
    })
    .from(memberships)
    .where(
      acrossOrganizations(
        'these are the organizations of one person',
        eq(memberships.userId, place('userId')),
      ),
    )
    .orderBy(desc(memberships.isDefault), asc(memberships.createdAtMs), asc(memberships.id))
    .prepare(),
)

/**
 * Returns the memberships of a user in every organization, including suspended ones: the default
 * one first, then the oldest.
 */
export const membershipsOf = (deps: Pick<Deps, 'db'>, userId: string): MembershipOf[] =>
  everywhere(deps.db).all({ userId })

/** Returns the memberships of a user that are not suspended. */
export const activeMembershipsOf = (deps: Pick<Deps, 'db'>, userId: string): MembershipOf[] =>
  membershipsOf(deps, userId).filter(({ isActive }) => isActive)

/** Returns the active member with this user ID in the scope's organization, or `null`. */
export function findActiveMember(
  ctx: Ctx,
  userId: string,
): { userId: string; fullName: string } | null {
  return (
    ctx.db.orm
      .select({ userId: memberships.userId, fullName: users.fullName })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(
        inOrganization(
          ctx,
          memberships,
          and(
            eq(memberships.userId, userId),
            eq(memberships.isActive, true),
            eq(users.isDisabled, false),
          ),
        ),
      )
      .get() ?? null
  )
}

/** Columns of a membership that can change. */
export type MembershipFields = Partial<
  Pick<typeof memberships.$inferSelect, 'roleId' | 'isActive' | 'isAvailable' | 'isDefault'>
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

const MAX_ADMINS_NOTIFIED = 100

/** Returns user IDs of the organization's active admins, up to 100 by default. */
export function findAdmins(
  ctx: Ctx,
  choice: { which?: SQL; limit: number } = { limit: MAX_ADMINS_NOTIFIED },
): string[] {
  return ctx.db.orm
    .select({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(
      roles,
      and(eq(roles.organizationId, memberships.organizationId), eq(roles.id, memberships.roleId)),
    )
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      inOrganization(
        ctx,
        memberships,
        eq(memberships.isActive, true),
        eq(users.isDisabled, false),
        eq(roles.nameKey, 'admin'),
        eq(roles.isSystem, true),
        choice.which,
      ),
    )
    .limit(choice.limit)
    .all()
    .map(({ userId }) => userId)
}

/**
 * Requires another active member with the system role `admin` whose account is not disabled, so
 * that an organization never loses its last one. Call it before the change, in the same
 * transaction. Throws ConflictError `last_admin`.
 */
export function requireOtherAdminIn(tx: Tx, ctx: Ctx, userId: string): void {
  void tx // what is read counts only inside the transaction of the change
  const isAdmin = findAdmins(ctx, { which: eq(memberships.userId, userId), limit: 1 }).length > 0
  if (isAdmin && findAdmins(ctx, { which: ne(memberships.userId, userId), limit: 1 }).length === 0)
    throw new ConflictError(
      'The organization needs at least one active admin. Make another member an admin first.',
      { code: 'last_admin' },
    )
}

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
