import { and, asc, desc, eq } from 'drizzle-orm'

import {
  acrossOrganizations,
  anyScope,
  inOrganization,
  type Ctx,
  type Deps,
} from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { roles } from '../roles/table'
import { users } from '../users/table'
import { memberships } from './table'

/** A membership with the columns that determine its permissions. */
export interface MembershipRights {
  membershipId: string
  organizationId: string
  userId: string
  isActive: boolean
  isConfirmed: boolean
  isAvailable: boolean
  roleId: string
  roleName: string
  roleDescription: string
  isSystemRole: boolean
}

const rights = {
  membershipId: memberships.id,
  organizationId: memberships.organizationId,
  userId: memberships.userId,
  isActive: memberships.isActive,
  isConfirmed: memberships.isConfirmed,
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
    .where(
      inOrganization(
        anyScope,
        memberships,
        eq(memberships.userId, place(memberships.userId, 'userId')),
      ),
    )
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
        eq(memberships.userId, place(memberships.userId, 'userId')),
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
