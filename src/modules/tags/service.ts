import { asc, eq, sql } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { NotFoundError, type FieldProblem } from '../../lib/errors'
import { isName, nameRule } from '../../lib/fields'
import type { Page } from '../../lib/page'
import { throwProblems } from '../../lib/input-problems'
import { hasIdIn, anyScope, hasPermission, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { transact, type Tx } from '../../infra/db/transact'
import { readNumbered } from '../../infra/offset-pagination'
import { requireUnique } from '../../infra/require-unique'
import { differences, recordAudit } from '../audit/record'
import { MAX_TAG_LENGTH, type NewTag, type TagChanges, type TagView } from './model'
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

/** Creates a tag. Throws ConflictError `name_taken` if another tag's name differs only in case. */
export function createTag(ctx: Ctx, input: NewTag): TagView {
  return transact(ctx.db, (tx) => {
    const name = freeName(ctx, input.name, null)
    return tagView(ctx, insertTagIn(tx, ctx, name, input.color ?? 'gray'))
  })
}

function insertTagIn(tx: Tx, ctx: Ctx, name: string, color: TagRow['color']): TagRow {
  const nowMs = ctx.clock.nowMs()
  const row = tx
    .insert(tags)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      name,
      nameKey: tagKey(name),
      color,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .returning()
    .get()
  recordAudit(tx, ctx, {
    action: 'created',
    resourceType: 'tag',
    resourceId: row.id,
    resourceName: name,
  })
  return row
}

/**
 * Renames or recolors a tag for all its contacts. Throws NotFoundError and ConflictError
 * `name_taken`.
 */
export function updateTag(ctx: Ctx, id: string, changes: TagChanges): TagView {
  return transact(ctx.db, (tx) => {
    const before = getTagRow(ctx, id)
    const name = changes.name === undefined ? before.name : freeName(ctx, changes.name, id)
    const requested = { name, color: changes.color ?? before.color }
    const changed = differences({ name: before.name, color: before.color }, requested)
    if (changed.length === 0) return tagView(ctx, before)
    const row = tx
      .update(tags)
      .set({ ...requested, nameKey: tagKey(name), updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, tags, eq(tags.id, id)))
      .returning()
      .get()
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'tag',
      resourceId: id,
      resourceName: name,
      changes: changed,
    })
    return tagView(ctx, row)
  })
}

/**
 * Deletes a tag that no contact has any more. Runs inside the caller's transaction. Throws
 * NotFoundError.
 */
export function deleteTagIn(tx: Tx, ctx: Ctx, id: string): void {
  const row = getTagRow(ctx, id)
  tx.delete(tags)
    .where(inOrganization(ctx, tags, eq(tags.id, id)))
    .run()
  recordAudit(tx, ctx, {
    action: 'deleted',
    resourceType: 'tag',
    resourceId: id,
    resourceName: row.name,
  })
}

/** Returns the name as it is stored. Throws ConflictError if another tag has it. */
function freeName(ctx: Ctx, written: string, exceptId: string | null): string {
  const name = written.trim()
  requireUnique(ctx, {
    table: tags,
    thing: 'tag',
    field: 'name',
    where: eq(tags.nameKey, tagKey(name)),
    except: exceptId,
  })
  return name
}

/** Tags given by name, by ID or both. */
export interface WantedTags {
  names?: string[] | undefined
  ids?: string[] | undefined
}

/**
 * Returns the distinct IDs of tags given by name or ID. Creates unknown names if the caller may
 * create tags. Runs inside the caller's transaction. Throws InvalidError with every unknown tag;
 * `path` names the request fields of the IDs and names.
 */
export function tagIdsIn(
  tx: Tx,
  ctx: Ctx,
  requested: WantedTags,
  path: { names: string; ids: string },
): string[] {
  const names = requested.names ?? []
  const byKey = new Map(
    tagsWhere(ctx, { keys: names.map(tagKey) }).map((row) => [row.nameKey, row.id]),
  )
  const known = new Set(tagsWhere(ctx, { ids: requested.ids ?? [] }).map(({ id }) => id))
  const mayCreate = hasPermission(ctx.actor, 'tags:create')
  const problems: FieldProblem[] = []
  for (const [index, id] of (requested.ids ?? []).entries())
    if (!known.has(id))
      problems.push({ path: `${path.ids}.${index}`, message: 'is not a tag of this organization' })
  for (const [index, name] of names.entries()) {
    const problem = byKey.has(tagKey(name)) ? null : problemOfTagName(name, mayCreate)
    if (problem !== null) problems.push({ path: `${path.names}.${index}`, message: problem })
  }
  throwProblems(problems, 'unknown_tag')
  for (const name of names)
    if (!byKey.has(tagKey(name)))
      byKey.set(tagKey(name), insertTagIn(tx, ctx, name.trim(), 'gray').id)
  return [...new Set([...(requested.ids ?? []), ...byKey.values()])]
}

/** Returns why a name cannot become a new tag, or `null` if it can. */
export function problemOfTagName(name: string, mayCreate: boolean): string | null {
  if (!isName(name, MAX_TAG_LENGTH)) return nameRule(MAX_TAG_LENGTH)
  return mayCreate ? null : 'is not a tag of this organization'
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
    .where(inOrganization(anyScope, tags, hasIdIn(tags.nameKey)))
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
const tagView = (ctx: Pick<Ctx, 'actor'>, row: TagRow): TagView => ({
  id: row.id,
  name: row.name,
  color: row.color,
  contact_count: hasPermission(ctx.actor, 'contacts:read_all') ? row.contactCount : null,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
