import { and, asc, eq } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { readNumbered } from '../../../infra/offset-pagination'
import { holdsText } from '../../../infra/search-keys'
import { configView, type ActionRow } from './config'
import type { CustomActionView } from './model'
import { customActions } from './table'

/** Returns a page of custom actions by display order, then by name. */
export function listCustomActions(
  ctx: Ctx,
  query: {
    page: number
    limit: number
    search?: string | undefined
    activeOnly?: boolean | undefined
  },
): Page<CustomActionView> & { custom_actions: CustomActionView[] } {
  const filter = and(
    query.activeOnly === true ? eq(customActions.isActive, true) : undefined,
    query.search === undefined ? undefined : holdsText(customActions.nameKey, query.search),
  )
  const page = readNumbered(ctx, query, {
    table: customActions,
    filter: inOrganization(ctx, customActions, filter),
    order: [asc(customActions.displayOrder), asc(customActions.nameKey), asc(customActions.id)],
    views: (rows) => rows.map(customActionView),
  })
  return { ...page, custom_actions: page.items }
}

/** Returns a custom action. Throws NotFoundError. */
export const getCustomAction = (ctx: Ctx, id: string): CustomActionView =>
  customActionView(getActionRow(ctx, id))

/** Returns a custom action as stored. Throws NotFoundError. */
export function getActionRow(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): ActionRow {
  const row = ctx.db.orm
    .select()
    .from(customActions)
    .where(inOrganization(ctx, customActions, eq(customActions.id, id)))
    .get()
  if (!row) throw new NotFoundError('Custom action')
  return row
}

/** Returns a custom action as the API shows it. */
export const customActionView = (row: ActionRow): CustomActionView => ({
  id: row.id,
  name: row.name,
  icon: row.icon,
  action_type: row.actionType,
  config: configView(row),
  is_active: row.isActive,
  display_order: row.displayOrder,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
