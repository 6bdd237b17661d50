import { asc } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import type { Ctx } from '../../../infra/ctx'
import { NIL_UUID } from '../../../infra/db/uuid'
import { of } from '../../../infra/scoped'
import { holdsText } from '../../../infra/search-keys'
import { seesAll } from '../../inbox/contacts/sight/visibility'
import type { SegmentView } from './model'
import { segments } from './table'
import { usableSegments } from '../../inbox/contacts/segment-filter/condition'

type SegmentRow = typeof segments.$inferSelect

/** Returns a page of the segments the caller can use, shared ones and their own, by name. */
export const listSegments = (
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<SegmentView> =>
  of(ctx, segments).page(query, {
    where: [
      usableSegments(ctx),
      query.search === undefined ? undefined : holdsText(segments.nameKey, query.search),
    ],
    order: [asc(segments.nameKey), asc(segments.id)],
    views: (rows) => rows.map((row) => segmentView(ctx, row)),
  })

/** Returns a segment the caller can use. Throws NotFoundError. */
export const getSegment = (ctx: Ctx, id: string): SegmentView =>
  segmentView(ctx, getUsableSegment(ctx, id))

/** Returns a segment the caller can use, as stored. Throws NotFoundError. */
export function getUsableSegment(ctx: Ctx, id: string): SegmentRow {
  const row = of(ctx, segments).find({ id }, usableSegments(ctx))
  if (!row) throw new NotFoundError('Segment')
  return row
}

/**
 * Returns a segment as the API shows it. The count is hidden from callers who cannot see all
 * contacts.
 */
export const segmentView = (ctx: Ctx, row: SegmentRow): SegmentView => ({
  id: row.id,
  name: row.name,
  description: row.description,
  filter: row.filter,
  shared: row.isShared,
  created_by: row.createdBy === NIL_UUID ? null : row.createdBy,
  last_count: seesAll(ctx.actor) ? row.lastCount : null,
  last_counted_at: seesAll(ctx.actor) ? isoTimeOrNull(row.lastCountedAtMs) : null,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
