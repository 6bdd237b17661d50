import { and, eq, inArray, lt, ne, or, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { deleteMediaIn } from '../media/delete-files'
import { media } from '../media/table'
import type { CallRow } from './row'
import { calls } from './table'
import { uuidsIn } from '../../../infra/db/compiled'

/** Maximum number of calls deleted in one transaction. */
const AT_ONCE = 200

/**
 * Moves all calls of a contact, or those with the given IDs, to another contact, in the caller's
 * transaction. Returns their IDs.
 */
export function moveCallsIn(
  tx: Tx,
  ctx: Ctx,
  move: { from: string; to: string; ids?: string[] },
): string[] {
  const chosen =
    move.ids === undefined ? undefined : sql`${calls.id} in ${uuidsIn(JSON.stringify(move.ids))}`
  return tx
    .update(calls)
    .set({ contactId: move.to })
    .where(inOrganization(ctx, calls, and(eq(calls.contactId, move.from), chosen)))
    .returning({ id: calls.id })
    .all()
    .map(({ id }) => id)
}

/** Numbers of erased rows. */
interface ErasedCalls {
  calls: number
  files: number
}

/**
 * Deletes up to 200 calls of a contact with their recordings, in the transaction that erases it.
 * Returns the numbers deleted.
 */
export function eraseCallsIn(tx: Tx, ctx: Ctx, contactId: string): ErasedCalls {
  const rows = tx
    .select()
    .from(calls)
    .where(inOrganization(ctx, calls, eq(calls.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
  return deleteRowsIn(tx, ctx, rows)
}

/**
 * Deletes up to 200 calls stored before `beforeMs` with their recordings, in the caller's
 * transaction. Returns whether there may be more.
 */
export function eraseCallsBeforeIn(tx: Tx, ctx: Ctx, beforeMs: number): boolean {
  const rows = tx
    .select()
    .from(calls)
    .where(inOrganization(ctx, calls, lt(calls.createdAtMs, beforeMs)))
    .orderBy(calls.createdAtMs)
    .limit(AT_ONCE)
    .all()
  deleteRowsIn(tx, ctx, rows)
  return rows.length === AT_ONCE
}

function deleteRowsIn(tx: Tx, ctx: Ctx, rows: CallRow[]): ErasedCalls {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { calls: 0, files: 0 }
  tx.delete(calls)
    .where(inOrganization(ctx, calls, inArray(calls.id, ids)))
    .run()
  const files = filesOf(rows)
  deleteMediaIn(tx, ctx, files)
  return { calls: ids.length, files: files.length }
}

/** Returns the recordings and transcripts of calls. */
const filesOf = (rows: CallRow[]): string[] =>
  rows
    .flatMap(({ recordingMediaId, transcriptMediaId }) => [recordingMediaId, transcriptMediaId])
    .filter((id) => id !== null)

/**
 * Deletes up to 200 recordings and transcripts of a contact's calls in the caller's transaction.
 * The calls stay. Returns whether there may be more.
 */
export function eraseCallFilesIn(tx: Tx, ctx: Ctx, contactId: string): boolean {
  const isOfCall = or(eq(calls.recordingMediaId, media.id), eq(calls.transcriptMediaId, media.id))
  const ids = tx
    .select({ id: media.id })
    .from(calls)
    .innerJoin(media, and(eq(media.organizationId, calls.organizationId), isOfCall))
    .where(
      inOrganization(ctx, calls, and(eq(calls.contactId, contactId), ne(media.state, 'expired'))),
    )
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  deleteMediaIn(tx, ctx, ids)
  return ids.length === AT_ONCE
}
