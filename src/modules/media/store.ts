import { and, eq, exists, inArray, isNotNull, not, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { safeFilename } from '../../lib/filename'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import type { StagedFile } from '../../infra/files/staged-file'
import { campaigns } from '../campaigns/table'
import { cannedResponses } from '../canned-responses/table'
import { messageFiles, messages } from '../messages/table'
import { templateCardFiles, templates } from '../templates/table'
import type { Inspected } from './inspect'
import { filesKeptReady } from './reusable-files'
import { UNUSED_KEPT_MS } from './rules'
import { media, mediaUploads } from './table'
import type { MediaRow } from './view'

/** The files with these ids, whoever sees them. */
export function findMedia(ctx: Pick<Ctx, 'db' | 'organizationId'>, ids: string[]): MediaRow[] {
  if (ids.length === 0) return []
  return ctx.db.orm
    .select()
    .from(media)
    .where(inOrganization(ctx, media, inArray(media.id, ids)))
    .all()
}

/** A file whose bytes were just kept, as a row that is not used by anything yet. */
export function storedRow(
  ctx: Ctx,
  file: {
    staged: StagedFile
    inspected: Inspected
    storedAs: string
    origin: 'upload' | 'url'
    filename: string | undefined
  },
): MediaRow {
  const nowMs = ctx.clock.nowMs()
  const { facts } = file.staged
  return {
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    origin: file.origin,
    state: 'ready',
    ...file.inspected,
    filename: safeFilename(file.filename) ?? facts.filename,
    sizeBytes: facts.sizeBytes,
    sha256: facts.sha256,
    storedAs: file.storedAs,
    accountId: null,
    platformMediaId: null,
    platformSha256: null,
    attempts: 0,
    lastError: null,
    uploadedBy: ctx.actor.userId,
    expiresAtMs: nowMs + UNUSED_KEPT_MS,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** Writes the row of a file whose bytes are kept. */
export function insertMediaIn(tx: Tx, row: MediaRow): void {
  tx.insert(media).values(row).run()
}

/**
 * Keeps files that a message or another row refers to from being removed as unused; in the
 * transaction that refers to them. Rows of those kept already are not written.
 */
export function keepMediaIn(tx: Tx, ctx: Ctx, mediaIds: string[]): void {
  for (const id of mediaIds)
    tx.update(media)
      .set({ expiresAtMs: null })
      .where(inOrganization(ctx, media, and(eq(media.id, id), isNotNull(media.expiresAtMs))))
      .run()
}

/**
 * Lets a file that nothing refers to any more go as an upload nobody sent does; in the transaction
 * that ended the last reference.
 */
export function releaseMediaIn(tx: Tx, ctx: Ctx, mediaId: string): void {
  if (filesKeptReady(ctx, [mediaId]).has(mediaId)) return
  tx.update(media)
    .set({ expiresAtMs: ctx.clock.nowMs() + UNUSED_KEPT_MS })
    .where(inOrganization(ctx, media, and(eq(media.id, mediaId), ...unused(tx, ctx))))
    .run()
}

/**
 * Takes files away, in the caller's transaction: what still refers to one shows `expired`, the row
 * of one that nothing refers to goes too. Returns the names of their bytes, which the caller
 * deletes after the commit.
 */
export function takeAwayIn(tx: Tx, ctx: Ctx, ids: string[]): string[] {
  const rows = findMedia(ctx, [...new Set(ids)])
  if (rows.length === 0) return []
  const known = rows.map(({ id }) => id)
  tx.delete(mediaUploads)
    .where(inOrganization(ctx, mediaUploads, inArray(mediaUploads.mediaId, known)))
    .run()
  tx.update(media)
    .set({ ...EMPTY, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, media, inArray(media.id, known)))
    .run()
  tx.delete(media)
    .where(inOrganization(ctx, media, and(inArray(media.id, known), ...unused(tx, ctx))))
    .run()
  return rows.map(({ storedAs }) => storedAs).filter((name) => name !== null)
}

/** What is left of a file that was taken away: that there was one, and of what kind. */
const EMPTY = {
  state: 'expired',
  storedAs: null,
  filename: null,
  sha256: null,
  platformMediaId: null,
  platformSha256: null,
  expiresAtMs: null,
} as const

/** The conditions under which nothing refers to a file. */
function unused(tx: Tx, ctx: Ctx) {
  const of = (table: { organizationId: SQLiteColumn } & SQLiteTable, mediaId: SQLiteColumn) =>
    not(
      exists(
        tx
          .select({ one: sql`1` })
          .from(table)
          .where(inOrganization(ctx, table, eq(mediaId, media.id))),
      ),
    )
  return [
    of(messages, messages.mediaId),
    of(messageFiles, messageFiles.mediaId),
    of(cannedResponses, cannedResponses.mediaId),
    of(templates, templates.headerMediaId),
    of(templateCardFiles, templateCardFiles.mediaId),
    of(campaigns, campaigns.headerMediaId),
  ]
}
