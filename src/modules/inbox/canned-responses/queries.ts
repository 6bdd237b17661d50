import { asc, desc, eq } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { readNumbered } from '../../../infra/offset-pagination'
import { holdsText } from '../../../infra/search-keys'
import type { CannedResponseView } from './model'
import { cannedResponses } from './table'

/** A canned response as stored. */
type CannedRow = typeof cannedResponses.$inferSelect

/** Filters of the list. */
export interface CannedQuery {
  page: number
  limit: number
  search?: string | undefined
  category?: string | undefined
  activeOnly?: boolean | undefined
}

/** Returns a page of canned responses, most used first. */
export function listCannedResponses(
  ctx: Ctx,
  query: CannedQuery,
): Page<CannedResponseView> & { canned_responses: CannedResponseView[] } {
  const filter = inOrganization(
    ctx,
    cannedResponses,
    query.category === undefined ? undefined : eq(cannedResponses.category, query.category),
    query.activeOnly === true ? eq(cannedResponses.isActive, true) : undefined,
    query.search === undefined ? undefined : holdsText(cannedResponses.words, query.search),
  )
  const page = readNumbered(ctx, query, {
    table: cannedResponses,
    filter,
    order: [desc(cannedResponses.usageCount), asc(cannedResponses.nameKey)],
    views: (rows) => rows.map(cannedResponseView),
  })
  return { ...page, canned_responses: page.items }
}

/** Returns a canned response. Throws NotFoundError. */
export const getCannedResponse = (ctx: Ctx, id: string): CannedResponseView =>
  cannedResponseView(getCannedResponseRow(ctx, id))

/** Returns a canned response as stored. Throws NotFoundError. */
export function getCannedResponseRow(ctx: Ctx, id: string): CannedRow {
  const row = ctx.db.orm
    .select()
    .from(cannedResponses)
    .where(inOrganization(ctx, cannedResponses, eq(cannedResponses.id, id)))
    .get()
  if (!row) throw new NotFoundError('Canned response')
  return row
}

/** Returns a canned response as the API shows it. */
export const cannedResponseView = (row: CannedRow): CannedResponseView => ({
  id: row.id,
  name: row.name,
  shortcut: row.shortcut,
  content: row.content,
  category: row.category,
  is_active: row.isActive,
  usage_count: row.usageCount,
  buttons: JSON.parse(row.buttons) as CannedResponseView['buttons'],
  media_id: row.mediaId,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
