import { and, asc, count, eq, inArray, type SQL } from 'drizzle-orm'

import { ForbiddenError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { holdsText } from '../../../infra/search-keys'
import type { OrganizationList, OrganizationView } from './model'
import { organizationView, type OrganizationRow } from './service'
import { organizations } from './table'
import { activeMembershipsOf } from '../memberships/find'

/** Search and page of a list of organizations. Without a page, the list has all matches. */
export interface OrganizationQuery {
  search?: string | undefined
  page: { page: number; limit: number } | null
  /** Only this one. */
  id?: string | undefined
  /** Whether those that arrive or leave are listed too; for super admins only. */
  isWhole?: boolean
}

/**
 * Returns the organizations the caller may see, sorted by name (spec 4.2): all for a super admin,
 * those of the memberships for another person, its own for an API key. Throws ForbiddenError
 * `super_admin_required`.
 */
export function listOrganizations(ctx: Ctx, query: OrganizationQuery): OrganizationList {
  if (query.isWhole === true && !ctx.actor.isSuperAdmin)
    throw new ForbiddenError('Only super admins can see organizations that arrive or leave.', {
      code: 'super_admin_required',
    })
  const filter = and(
    visibleOrganizations(ctx),
    query.isWhole === true ? undefined : inArray(organizations.state, ['active', 'deleting']),
    query.id === undefined ? undefined : eq(organizations.id, query.id),
    query.search === undefined ? undefined : holdsText(organizations.nameKey, query.search),
  )
  const all = ctx.db.orm
    .select()
    .from(organizations)
    .where(filter)
    .orderBy(asc(organizations.nameKey), asc(organizations.id))
  const viewOf = query.isWhole === true ? statedView : organizationView
  if (!query.page) return { organizations: all.all().map(viewOf) }
  const { page, limit } = query.page
  const rows = all
    .limit(limit)
    .offset((page - 1) * limit)
    .all()
  const total =
    ctx.db.orm.select({ rows: count() }).from(organizations).where(filter).get()?.rows ?? 0
  return { organizations: rows.map(viewOf), total, page, limit }
}

/** An organization with its state, for those who run the server. */
const statedView = (row: OrganizationRow): OrganizationView => ({
  ...organizationView(row),
  state: row.state,
  ...(row.movedTo === null ? {} : { moved_to: row.movedTo }),
})

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
