import { and, eq, inArray, notInArray, sql, type SQL } from 'drizzle-orm'

import { hasIdIn, anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { runHooks } from '../../../infra/transaction-hooks'
import { yieldToEventLoop } from '../../../infra/event-loop'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { tags } from '../tags/table'
import { deleteTagIn } from '../tags/service'
import { getTagRow } from '../tags/queries'
import { ContactBatchChanged, ContactsChangedInBulk, ContactTagged } from './events'
import { MAX_TAGS } from './model'
import { contactTags } from './table'

/** A tag in a contact's response. */
export interface TagSummary {
  id: string
  name: string
  color: string
}

const tagsByContact = compiled((orm) =>
  orm
    .select({ contactId: contactTags.contactId, id: tags.id, name: tags.name, color: tags.color })
    .from(contactTags)
    .innerJoin(
      tags,
      and(eq(tags.organizationId, contactTags.organizationId), eq(tags.id, contactTags.tagId)),
    )
    .where(inOrganization(anyScope, contactTags, hasIdIn(contactTags.contactId)))
    .orderBy(tags.nameKey)
    .prepare(),
)

/**
 * Returns the tags of each contact, sorted by name, with one query. Contacts without tags are
 * missing.
 */
export function tagsOf(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  contactIds: string[],
): Map<string, TagSummary[]> {
  if (contactIds.length === 0) return new Map()
  const rows = tagsByContact(ctx.db).all({
    organizationId: ctx.organizationId,
    ids: JSON.stringify(contactIds),
  })
  const byContact = Map.groupBy(rows, ({ contactId }) => contactId)
  return new Map(
    [...byContact].map(([id, current]) => [
      id,
      current.map(({ id: tagId, name, color }) => ({ id: tagId, name, color })),
    ]),
  )
}

const insertTagOnce = compiled((orm) =>
  orm
    .insert(contactTags)
    .values({
      organizationId: sql.placeholder('organizationId'),
      contactId: sql.placeholder('contactId'),
      tagId: sql.placeholder('tagId'),
    })
    .onConflictDoNothing()
    .returning({ tagId: contactTags.tagId })
    .prepare(),
)

/**
 * Returns those of the tags that the contact does not have yet, in order and up to the limit, and
 * whether all fit.
 */
export function newTagsWithinLimit(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  contactId: string,
  tagIds: string[],
): { fresh: string[]; fits: boolean } {
  const current = ctx.db.orm
    .select({ tagId: contactTags.tagId })
    .from(contactTags)
    .where(inOrganization(ctx, contactTags, eq(contactTags.contactId, contactId)))
    .all()
    .map(({ tagId }) => tagId)
  const fresh = [...new Set(tagIds)].filter((id) => !current.includes(id))
  const freeSlots = Math.max(0, MAX_TAGS - current.length)
  return { fresh: fresh.slice(0, freeSlots), fits: fresh.length <= freeSlots }
}

/** Adds tags to a contact. Runs inside the caller's transaction. Returns the number of new ones. */
export function addTagsIn(tx: Tx, ctx: Ctx, contactId: string, tagIds: string[]): number {
  const { organizationId } = ctx
  const added = tagIds.filter(
    (tagId) => insertTagOnce(ctx.db).all({ organizationId, contactId, tagId }).length > 0,
  )
  if (added.length > 0) runHooks(tx, ctx, ContactTagged, { contactId, added, removed: [] })
  return added.length
}

const insertTag = compiled((orm) =>
  orm
    .insert(contactTags)
    .values({
      organizationId: sql.placeholder('organizationId'),
      contactId: sql.placeholder('contactId'),
      tagId: sql.placeholder('tagId'),
    })
    .prepare(),
)

/** Adds distinct tags to a new contact, in the transaction that creates it. */
export function addFirstTagsIn(tx: Tx, ctx: Ctx, contactId: string, tagIds: string[]): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  for (const tagId of tagIds)
    insertTag(ctx.db).run({ organizationId: ctx.organizationId, contactId, tagId })
}

/**
 * Removes tags from a contact. Runs inside the caller's transaction. Returns the number removed.
 */
export function removeTagsIn(tx: Tx, ctx: Ctx, contactId: string, tagIds: string[]): number {
  return tagIds.length === 0 ? 0 : removeIn(tx, ctx, contactId, inArray(contactTags.tagId, tagIds))
}

function removeIn(tx: Tx, ctx: Ctx, contactId: string, which: SQL | undefined): number {
  const removed = tx
    .delete(contactTags)
    .where(inOrganization(ctx, contactTags, and(eq(contactTags.contactId, contactId), which)))
    .returning({ tagId: contactTags.tagId })
    .all()
    .map(({ tagId }) => tagId)
  if (removed.length > 0) runHooks(tx, ctx, ContactTagged, { contactId, added: [], removed })
  return removed.length
}

/**
 * Replaces the tags of a contact. Runs inside the caller's transaction. Returns whether anything
 * changed.
 */
export function setTagsIn(tx: Tx, ctx: Ctx, contactId: string, tagIds: string[]): boolean {
  const others = tagIds.length === 0 ? undefined : notInArray(contactTags.tagId, tagIds)
  const removed = removeIn(tx, ctx, contactId, others)
  return addTagsIn(tx, ctx, contactId, tagIds) + removed > 0
}

const NO_JOB = { reason: 'bulk_update', jobId: null, created: 0, deleted: 0 } as const

/** Contacts from which a deleted tag is removed in one transaction. */
const BATCH_SIZE = 500

/**
 * Deletes a tag: removes it from its contacts in batches, deletes it, and publishes one event for
 * all contacts. If interrupted, it can be repeated. Throws NotFoundError.
 */
export async function deleteTag(ctx: Ctx, id: string): Promise<void> {
  getTagRow(ctx, id)
  let updated = 0
  for (;;) {
    const removed = transact(ctx.db, (tx) => removeFromSomeIn(tx, ctx, id))
    updated += removed
    if (removed < BATCH_SIZE) break
    await yieldToEventLoop()
  }
  transact(ctx.db, (tx) => {
    updated += removeFromSomeIn(tx, ctx, id)
    deleteTagIn(tx, ctx, id)
    if (updated > 0)
      emit(tx, ctx, ContactsChangedInBulk, {
        contactId: null,
        payload: { ...NO_JOB, updated },
      })
  })
}

function removeFromSomeIn(tx: Tx, ctx: Ctx, tagId: string): number {
  const carriers = tx
    .select({ contactId: contactTags.contactId })
    .from(contactTags)
    .where(inOrganization(ctx, contactTags, eq(contactTags.tagId, tagId)))
    .limit(BATCH_SIZE)
    .all()
    .map(({ contactId }) => contactId)
  if (carriers.length > 0)
    tx.delete(contactTags)
      .where(
        inOrganization(
          ctx,
          contactTags,
          and(eq(contactTags.tagId, tagId), inArray(contactTags.contactId, carriers)),
        ),
      )
      .run()
  if (carriers.length > 0)
    emit(tx, ctx, ContactBatchChanged, {
      contactId: null,
      payload: { ...NO_JOB, updated: carriers.length, contactIds: carriers },
    })
  return carriers.length
}
