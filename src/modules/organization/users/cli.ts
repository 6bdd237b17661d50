import { asc, count, eq, sql } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import type { Deps } from '../../../infra/ctx'
import { memberships } from '../memberships/table'
import { organizations } from '../organizations/table'
import { users } from './table'

/** A user as the command line shows it. */
interface AccountOfPerson {
  id: string
  email: string
  full_name: string
  is_super_admin: boolean
  is_disabled: boolean
  two_factor_enabled: boolean
  /** Number of organizations the user belongs to. */
  organizations: number
  last_login_at: string | null
  created_at: string
}

/** Returns every user of the installation, sorted by email. For the command line. */
export const listAllUsers = (deps: Pick<Deps, 'db'>): AccountOfPerson[] =>
  deps.db.orm
    .select({ user: users, organizations: count(memberships.userId) })
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .groupBy(users.id)
    .orderBy(asc(users.email))
    .all()
    .map(({ user, organizations: belongsTo }) => ({
      id: user.id,
      email: user.email,
      full_name: user.fullName,
      is_super_admin: user.isSuperAdmin,
      is_disabled: user.isDisabled,
      two_factor_enabled: user.totpSealed !== null,
      organizations: belongsTo,
      last_login_at: user.lastLoginAtMs === null ? null : isoTime(user.lastLoginAtMs),
      created_at: isoTime(user.createdAtMs),
    }))

/** An organization as the command line shows it. */
type OrganizationState = (typeof organizations.$inferSelect)['state']

interface Tenant {
  id: string
  slug: string
  name: string
  state: OrganizationState
  /** Number of active members. */
  members: number
  created_at: string
}

/** Returns every organization of the installation, oldest first. For the command line. */
export const listAllOrganizations = (deps: Pick<Deps, 'db'>): Tenant[] =>
  deps.db.orm
    .select({
      organization: organizations,
      members: sql<number>`count(case when ${memberships.isActive} then 1 end)`,
    })
    .from(organizations)
    .leftJoin(memberships, eq(memberships.organizationId, organizations.id))
    .groupBy(organizations.id)
    .orderBy(asc(organizations.createdAtMs), asc(organizations.id))
    .all()
    .map(({ organization, members }) => ({
      id: organization.id,
      slug: organization.slug,
      name: organization.name,
      state: organization.state,
      members,
      created_at: isoTime(organization.createdAtMs),
    }))
