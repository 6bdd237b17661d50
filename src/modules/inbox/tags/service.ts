import { eq } from 'drizzle-orm'

import type { FieldProblem } from '../../../lib/errors'
import { isName, nameRule } from '../../../lib/fields'
import { throwProblems } from '../../../lib/input-problems'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { requireUnique } from '../../../infra/require-unique'
import { MAX_TAG_LENGTH, type NewTag, type TagChanges, type TagView } from './model'
import { tags } from './table'
import { type TagRow, tagCollection, tagKey, tagsWhere, tagView } from './queries'

/** Throws ConflictError `name_taken` if another tag's name differs only in case. */
export function createTag(ctx: Ctx, { name, color = 'gray' }: NewTag): TagView {
  return transact(ctx.db, (tx) =>
    tagView(ctx, addTagIn(tx, ctx, requireFreeName(ctx, name, null), color)),
  )
}

const addTagIn = (tx: Tx, ctx: Ctx, name: string, color: TagRow['color']): TagRow =>
  tagCollection.addIn(tx, ctx, { name, nameKey: tagKey(name), color })

/** Renames or recolors it for all its contacts. Throws NotFoundError, ConflictError `name_taken`. */
export function updateTag(ctx: Ctx, id: string, changes: TagChanges): TagView {
  return transact(ctx.db, (tx) => {
    const before = tagCollection.get(ctx, id)
    const name = changes.name === undefined ? before.name : requireFreeName(ctx, changes.name, id)
    const { color } = changes
    return tagView(
      ctx,
      tagCollection.changeIn(tx, ctx, before, { name, nameKey: tagKey(name), color }),
    )
  })
}

/** Deletes a tag that no contact has any more. Throws NotFoundError. */
export const deleteTagIn = (tx: Tx, ctx: Ctx, id: string): void =>
  tagCollection.deleteIn(tx, ctx, tagCollection.get(ctx, id))

/** Returns the name as it is stored. Throws ConflictError if another tag has it. */
function requireFreeName(ctx: Ctx, written: string, exceptId: string | null): string {
  const name = written.trim()
  requireUnique(ctx, {
    table: tags,
    kind: 'tag',
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
    if (!byKey.has(tagKey(name))) byKey.set(tagKey(name), addTagIn(tx, ctx, name.trim(), 'gray').id)
  return [...new Set([...(requested.ids ?? []), ...byKey.values()])]
}

/** Returns why a name cannot become a new tag, or `null` if it can. */
export function problemOfTagName(name: string, mayCreate: boolean): string | null {
  if (!isName(name, MAX_TAG_LENGTH)) return nameRule(MAX_TAG_LENGTH)
  return mayCreate ? null : 'is not a tag of this organization'
}
