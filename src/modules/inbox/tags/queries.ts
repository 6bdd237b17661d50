import { asc, eq, sql } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import type { Page } from '../../../lib/page'
import { hasIdIn, anyScope, hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { readNumbered } from '../../../infra/offset-pagination'
import type { TagView } from './model'
import { tags } from './table'

/** A row of the tags table. */
export type TagRow = typeof tags.$inferSelect

/** Returns the comparison key of a tag name. Names that differ only in case have the same key. */
export const tagKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()

/** Returns a page of the organization's tags, sorted by name. */
export function listTags(
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<TagView> {
  const filter = inOrganization(
    ctx,
    tags,
    query.search === undefined
      ? undefined
      : sql`instr(${tags.nameKey}, ${tagKey(query.search)}) > 0`,
  )
  return readNumbered(ctx, query, {
    table: tags,
    filter,
    order: [asc(tags.nameKey)],
    views: (rows) => rows.map((row) => tagView(ctx, row)),
  })
}

/** Returns a tag. Throws NotFoundError. */
export const getTag = (ctx: Ctx, id: string): TagView => tagView(ctx, getTagRow(ctx, id))

/** Returns the row of a tag. Throws NotFoundError. */
export function getTagRow(ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): TagRow {
  const row = ctx.db.orm
    .select()
    .from(tags)
    .where(inOrganization(ctx, tags, eq(tags.id, id)))
    .get()
  if (!row) throw new NotFoundError('Tag')
  return row
}

/** Returns those of the IDs that are tags of the organization. */
export const knownTagIds = (ctx: Pick<Ctx, 'db' | 'organizationId'>, ids: string[]): string[] =>
  tagsWhere(ctx, { ids }).map(({ id }) => id)

const withIds = compiled((orm) =>
  orm
    .select()
    .from(tags)
    .where(inOrganization(anyScope, tags, hasIdIn(tags.id)))
    .prepare(),
)

const withKeys = compiled((orm) =>
  orm
    .select()
    .from(tags)
    .where(
      inOrganization(
        anyScope,
        tags,
        sql`${tags.nameKey} in (select value from json_each(${sql.placeholder('ids')}))`,
      ),
    )
    .prepare(),
)

/** Matches tags with one of these IDs or name keys (see `tagKey`). */
export function tagsWhere(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  which: { ids: string[] } | { keys: string[] },
): TagRow[] {
  const requested = 'ids' in which ? which.ids : which.keys
  if (requested.length === 0) return []
  const found = 'ids' in which ? withIds(ctx.db) : withKeys(ctx.db)
  return found.all({ organizationId: ctx.organizationId, ids: JSON.stringify(requested) })
}

/**
 * Returns a tag as the API shows it. Only callers who see every contact get the number of its
 * contacts.
 */
export const tagView = (ctx: Pick<Ctx, 'actor'>, row: TagRow): TagView => ({
  id: row.id,
  name: row.name,
  color: row.color,
  contact_count: hasPermission(ctx.actor, 'contacts:read_all') ? row.contactCount : null,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
