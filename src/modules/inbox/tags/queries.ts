import { asc, sql } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import type { Page } from '../../../lib/page'
import { hasIdIn, anyScope, hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { of } from '../../../infra/scoped'
import { collection } from '../../organization/audit/collection'
import type { TagView } from './model'
import { tags } from './table'

/** A row of the tags table. */
export type TagRow = typeof tags.$inferSelect

/** Returns the comparison key of a tag name. Names that differ only in case have the same key. */
export const tagKey = (name: string): string => name.trim().normalize('NFC').toLowerCase()

/** Tags as people change them. */
export const tagCollection = collection({
  table: tags,
  name: 'Tag',
  resourceType: 'tag',
  recorded: ({ name, color }) => ({ name, color }),
})

/** Returns the row of a tag. Throws NotFoundError. */
export const getTagRow = tagCollection.get

/** Returns a page of the organization's tags, sorted by name. */
export const listTags = (
  ctx: ReadCtx,
  query: { page: number; limit: number; search?: string | undefined },
): Page<TagView> =>
  of(ctx, tags).page(query, {
    where: [
      query.search === undefined
        ? undefined
        : sql`instr(${tags.nameKey}, ${tagKey(query.search)}) > 0`,
    ],
    order: [asc(tags.nameKey)],
    views: (rows) => rows.map((row) => tagView(ctx, row)),
  })

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
export const tagView = (ctx: Pick<ReadCtx, 'actor'>, row: TagRow): TagView => ({
  id: row.id,
  name: row.name,
  color: row.color,
  contact_count: hasPermission(ctx.actor, 'contacts:read_all') ? row.contactCount : null,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
