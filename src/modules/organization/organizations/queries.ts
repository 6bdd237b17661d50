import { and, asc, count, eq, inArray, type SQL } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import { holdsText } from '../../../infra/search-keys'
import type { OrganizationList } from './model'
import { organizationView } from './service'
import { organizations } from './table'
import { activeMembershipsOf } from '../memberships/find'

/** Search and page of a list of organizations. Without a page, the list has all matches. */
export interface OrganizationQuery {
  search?: string | undefined
  page: { page: number; limit: number } | null
}

/**
 * Returns the organizations the caller may see, sorted by name (spec 4.2): all for a super admin,
 * those of the memberships for another person, its own for an API key.
 */
export function listOrganizations(ctx: Ctx, query: OrganizationQuery): OrganizationList {
  const filter = and(
    visibleOrganizations(ctx),
    inArray(organizations.state, ['active', 'deleting']),
    query.search === undefined ? undefined : holdsText(organizations.nameKey, query.search),
  )
  const all = ctx.db.orm
    .select()
    .from(organizations)
    .where(filter)
    .orderBy(asc(organizations.nameKey), asc(organizations.id))
  if (!query.page) return { organizations: all.all().map(organizationView) }
  const { page, limit } = query.page
  const rows = all
    .limit(limit)
    .offset((page - 1) * limit)
    .all()
  const total =
    ctx.db.orm.select({ rows: count() }).from(organizations).where(filter).get()?.rows ?? 0
  return { organizations: rows.map(organizationView), total, page, limit }
}

function visibleOrganizations(ctx: Ctx): SQL | undefined {
  const { actor } = ctx
  if (actor.isSuperAdmin) return undefined
  if (actor.type !== 'user' || actor.userId === null)
    return eq(organizations.id, ctx.organizationId)
  return inArray(
    organizations.id,
    activeMembershipsOf(ctx, actor.userId).map(({ organizationId }) => organizationId),
  )
}
