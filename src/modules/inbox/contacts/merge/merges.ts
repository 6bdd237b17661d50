import { eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { contactMerges, contacts } from '../table'

/** Stores a merge and the data to undo it, in the transaction of the merge. Returns its ID. */
export function recordMergeIn(
  tx: Tx,
  ctx: Ctx,
  merge: { targetId: string; sourceId: string; undo: object },
): string {
  const id = ctx.ids.next()
  const { undo, ...ids } = merge
  tx.insert(contactMerges)
    .values({
      organizationId: ctx.organizationId,
      id,
      ...ids,
      undo: JSON.stringify(undo),
      actorId: ctx.actor.userId,
      mergedAtMs: ctx.clock.nowMs(),
    })
    .run()
  return id
}

/** A row of the merges table. */
export type MergeRow = typeof contactMerges.$inferSelect

/** Returns the merge, or `null`. */
export const findMerge = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): MergeRow | null =>
  ctx.db.orm
    .select()
    .from(contactMerges)
    .where(inOrganization(ctx, contactMerges, eq(contactMerges.id, id)))
    .get() ?? null

/** Marks a merge as undone, in the transaction that undoes it. */
export function closeMergeIn(tx: Tx, ctx: Ctx, id: string): void {
  tx.update(contactMerges)
    .set({ undoneAtMs: ctx.clock.nowMs(), undo: '{}' })
    .where(inOrganization(ctx, contactMerges, eq(contactMerges.id, id)))
    .run()
}

/** Sorts the IDs of active contacts, oldest first. */
export const oldestFirst = (ctx: Pick<Ctx, 'db' | 'organizationId'>, ids: string[]): string[] =>
  ctx.db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
    .orderBy(contacts.createdAtMs, contacts.id)
    .all()
    .map(({ id }) => id)
