import { asc, eq, inArray, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { aiChunks } from '../table'
import { indexChunks, unindexChunks } from './search-index'

/** Chunks deleted in one transaction. */
const AT_ONCE = 100

/** Stores chunks of a context from a position on, in the caller's transaction. */
export function addChunksIn(
  tx: Tx,
  ctx: Ctx,
  { contextId, position, texts }: { contextId: string; position: number; texts: string[] },
): void {
  const rows = texts.map((text, index) => {
    const { row } = tx
      .insert(aiChunks)
      .values({
        organizationId: ctx.organizationId,
        contextId,
        position: position + index,
        text,
      })
      .returning({ row: aiChunks.row })
      .get()
    return { row, contextId, text }
  })
  indexChunks(ctx.db, rows)
}

/**
 * Deletes up to 100 chunks of a context, in the caller's transaction. Returns whether there may be
 * more.
 */
export const deleteChunksIn = (tx: Tx, ctx: Ctx, contextId: string): boolean =>
  deleteSomeIn(tx, ctx, eq(aiChunks.contextId, contextId))

/**
 * Deletes up to 100 chunks of the organization, in the caller's transaction. Returns whether there
 * may be more.
 */
export const eraseChunksIn = (tx: Tx, ctx: Ctx): boolean => deleteSomeIn(tx, ctx)

function deleteSomeIn(tx: Tx, ctx: Ctx, condition?: SQL): boolean {
  const rows = tx
    .select({ row: aiChunks.row })
    .from(aiChunks)
    .where(inOrganization(ctx, aiChunks, condition))
    .limit(AT_ONCE)
    .all()
    .map(({ row }) => row)
  if (rows.length > 0) {
    unindexChunks(ctx.db, rows)
    tx.delete(aiChunks)
      .where(inOrganization(ctx, aiChunks, inArray(aiChunks.row, rows)))
      .run()
  }
  return rows.length === AT_ONCE
}

/** Returns the first chunks of a context in their order. */
export const firstChunks = (ctx: Ctx, contextId: string, limit: number): string[] =>
  ctx.db.orm
    .select({ text: aiChunks.text })
    .from(aiChunks)
    .where(inOrganization(ctx, aiChunks, eq(aiChunks.contextId, contextId)))
    .orderBy(asc(aiChunks.position))
    .limit(limit)
    .all()
    .map(({ text }) => text)

/** Returns chunks by their row numbers, in any order. */
export const chunksOfRows = (
  ctx: Ctx,
  rows: number[],
): { row: number; contextId: string; text: string }[] =>
  ctx.db.orm
    .select({ row: aiChunks.row, contextId: aiChunks.contextId, text: aiChunks.text })
    .from(aiChunks)
    .where(inOrganization(ctx, aiChunks, inArray(aiChunks.row, rows)))
    .all()
