import { and, eq, exists, inArray, isNotNull, not, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { validIds } from '../../../lib/ids'
import { safeFilename } from '../../../lib/filename'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { emptied } from '../../../infra/db/define-table'
import type { Tx } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { calls } from '../calls/table'
import { campaigns } from '../../outreach/campaigns/table'
import { cannedResponses } from '../../inbox/canned-responses/table'
import { keywordRules } from '../../automation/chatbot/keywords/table'
import { messageFiles, messages } from '../../inbox/messages/table'
import { scheduledFiles } from '../../inbox/scheduled-messages/table'
import { templateCardFiles, templates } from '../templates/table'
import type { FileFacts } from './measure'
import { findReusableFiles } from './reusable-files'
import { UNUSED_UPLOAD_RETENTION_MS } from './rules'
import { media, mediaUploads } from './table'
import type { MediaRow } from './view'

/** Returns files by ID, without a visibility check. */
export function findMedia(ctx: Pick<ReadCtx, 'db' | 'organizationId'>, ids: string[]): MediaRow[] {
  if (ids.length === 0) return []
  return ctx.db.orm
    .select()
    .from(media)
    .where(inOrganization(ctx, media, inArray(media.id, validIds(ids))))
    .all()
}

/** Returns the row of a newly stored file that nothing refers to yet. */
export function storedRow(
  ctx: Ctx,
  file: {
    staged: StagedFile
    inspected: FileFacts
    storedAs: string
    origin: 'upload' | 'url' | 'qr_code'
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
    expiresAtMs: nowMs + UNUSED_UPLOAD_RETENTION_MS,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** Inserts the row of a stored file. */
export function insertMediaIn(tx: Tx, row: MediaRow): void {
  tx.insert(media).values(row).run()
}

/**
 * Stores the row of a file of a past message, which is used at once; without a file, one that is gone.
 * Runs inside the caller's transaction. Returns its ID.
 */
export function storePastFileIn(
  tx: Tx,
  ctx: Ctx,
  past: {
    accountId: string
    origin: 'inbound' | 'phone_app'
    kind: MediaRow['kind']
    filename: string | null
    file: { staged: StagedFile; inspected: FileFacts; storedAs: string } | null
  },
): string {
  const { file, accountId, origin, kind } = past
  const filename = safeFilename(past.filename) ?? undefined
  const nowMs = ctx.clock.nowMs()
  const row = file
    ? { ...storedRow(ctx, { ...file, origin: 'upload', filename }), uploadedBy: null }
    : {
        ...{ organizationId: ctx.organizationId, id: ctx.ids.next(), kind },
        ...{ state: 'expired' as const, createdAtMs: nowMs, updatedAtMs: nowMs },
      }
  tx.insert(media)
    .values({ ...row, accountId, origin, expiresAtMs: null })
    .run()
  return row.id
}

/** Inserts the row of a stored file, or puts it in the place of an expired one with its ID. */
export function replaceMediaIn(tx: Tx, row: MediaRow): void {
  tx.insert(media)
    .values(row)
    .onConflictDoUpdate({ target: [media.organizationId, media.id], set: row })
    .run()
}

/**
 * Marks files as used, so that they do not expire as unused uploads. Runs in the transaction that
 * refers to them.
 */
export function keepMediaIn(tx: Tx, ctx: Ctx, mediaIds: string[]): void {
  for (const id of mediaIds)
    tx.update(media)
      .set({ expiresAtMs: null })
      .where(inOrganization(ctx, media, and(eq(media.id, id), isNotNull(media.expiresAtMs))))
      .run()
}

/**
 * Lets a file expire like an unused upload if nothing refers to it any more. Runs in the
 * transaction that removed the last reference.
 */
export function releaseMediaIn(tx: Tx, ctx: Ctx, mediaId: string): void {
  if (findReusableFiles(ctx, [mediaId]).has(mediaId)) return
  tx.update(media)
    .set({ expiresAtMs: ctx.clock.nowMs() + UNUSED_UPLOAD_RETENTION_MS })
    .where(inOrganization(ctx, media, and(eq(media.id, mediaId), ...notReferenced(tx, ctx))))
    .run()
}

/**
 * Lets the QR codes of a phone number expire like unused uploads, unless something else refers to
 * them. Runs in the transaction that disconnects the number.
 */
export function releaseQrCodesIn(tx: Tx, ctx: Ctx, accountId: string): void {
  tx.update(media)
    .set({ expiresAtMs: ctx.clock.nowMs() + UNUSED_UPLOAD_RETENTION_MS })
    .where(
      inOrganization(
        ctx,
        media,
        and(
          eq(media.accountId, accountId),
          // The text matches the partial index.
          sql`${media.origin} = 'qr_code'`,
          ...notReferenced(tx, ctx),
        ),
      ),
    )
    .run()
}

/**
 * Removes files in the caller's transaction: rows still referred to become `expired`, others are
 * deleted. Returns the names of stored files, which the caller deletes after the commit.
 */
export function removeMediaRowsIn(tx: Tx, ctx: Ctx, ids: string[]): string[] {
  const rows = findMedia(ctx, [...new Set(ids)])
  if (rows.length === 0) return []
  const known = rows.map(({ id }) => id)
  tx.delete(mediaUploads)
    .where(inOrganization(ctx, mediaUploads, inArray(mediaUploads.mediaId, known)))
    .run()
  tx.update(media)
    .set({ ...EXPIRED_COLUMNS, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, media, inArray(media.id, known)))
    .run()
  tx.delete(media)
    .where(inOrganization(ctx, media, and(inArray(media.id, known), ...notReferenced(tx, ctx))))
    .run()
  return rows.map(({ storedAs }) => storedAs).filter((name) => name !== null)
}

/** Columns of an expired file: only its existence and kind remain. */
const EXPIRED_COLUMNS = { ...emptied(media), state: 'expired', expiresAtMs: null } as const

/** Conditions that match files without references. */
function notReferenced(tx: Tx, ctx: Ctx) {
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
    of(calls, calls.recordingMediaId),
    of(calls, calls.transcriptMediaId),
    of(cannedResponses, cannedResponses.mediaId),
    of(keywordRules, keywordRules.mediaId),
    of(templates, templates.headerMediaId),
    of(templateCardFiles, templateCardFiles.mediaId),
    of(campaigns, campaigns.headerMediaId),
    of(scheduledFiles, scheduledFiles.mediaId),
  ]
}
