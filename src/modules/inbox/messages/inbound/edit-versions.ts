import { and, eq, inArray } from 'drizzle-orm'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { type MediaRef } from '../../../../platform/webhook/content'
import { recordInboundMediaIn } from '../../../channel/media/receive'
import { findMedia } from '../../../channel/media/store'
import { isMediaKind } from '../../../channel/media/view'
import { messageRevisions } from './table'
import type { MessageRow } from '../view'

/** An edit, a deletion or the original version of a message. */
export type RevisionRow = typeof messageRevisions.$inferSelect

/** One version of a message. While the message is unknown, also its file, direction and group. */
export interface Version {
  type: string
  content: Record<string, unknown>
  media_id: string | null
  file?: { ref: MediaRef; isLost: boolean } | null
  direction?: MessageRow['direction']
  isObserved?: boolean
  context?: string | null
}

/**
 * Returns the version of a stored edit; `null` for a deletion, and for all versions once the
 * message is deleted.
 */
export const versionOf = (row: Pick<RevisionRow, 'content'>): Version | null =>
  row.content === null ? null : (JSON.parse(row.content) as Version)

/** The file of a version; `null` when it has none. */
export const mediaOf = (row: RevisionRow): string | null => versionOf(row)?.media_id ?? null

/** Stores the original version of a message before its first edit. */
export function storeOriginalIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  targetWaMessageId: string,
): RevisionRow {
  const version: Version = {
    type: row.type,
    content: JSON.parse(row.content) as Record<string, unknown>,
    media_id: row.mediaId,
  }
  return tx
    .insert(messageRevisions)
    .values({
      organizationId: ctx.organizationId,
      accountId: row.accountId,
      targetWaMessageId,
      waMessageId: 'original',
      kind: 'original',
      content: JSON.stringify(version),
      contactId: row.contactId,
      timestampMs: row.timestampMs,
      receivedAtMs: row.receivedAtMs,
    })
    .returning()
    .get()
}

/**
 * The version of an edit, with the download of its file scheduled unless the message already has
 * it.
 */
export function versionIn(tx: Tx, ctx: Ctx, row: MessageRow, edit: RevisionRow): Version {
  const { type, content, media_id, file } = versionOf(edit) ?? {
    type: row.type,
    content: {},
    media_id: null,
  }
  if (!file || !isMediaKind(type)) return { type, content, media_id }
  const [known] = row.mediaId === null ? [] : findMedia(ctx, [row.mediaId])
  if (known && known.platformMediaId === file.ref.platformMediaId)
    return { type, content, media_id: known.id }
  const origin = row.direction === 'incoming' ? ('inbound' as const) : ('phone_app' as const)
  return {
    type,
    content,
    media_id: recordInboundMediaIn(tx, ctx, {
      accountId: row.accountId,
      kind: type,
      origin,
      ...file,
    }),
  }
}

const inLedger = (
  ctx: Ctx,
  row: Pick<RevisionRow, 'accountId' | 'targetWaMessageId'>,
  waMessageIds?: string[],
) =>
  inOrganization(
    ctx,
    messageRevisions,
    and(
      eq(messageRevisions.accountId, row.accountId),
      eq(messageRevisions.targetWaMessageId, row.targetWaMessageId),
      waMessageIds === undefined ? undefined : inArray(messageRevisions.waMessageId, waMessageIds),
    ),
  )

/** Marks an edit as applied and stores its version with the file it refers to. */
export function applyIn(tx: Tx, ctx: Ctx, edit: RevisionRow, version: Version): void {
  tx.update(messageRevisions)
    .set({ content: JSON.stringify(version), raw: null, pendingSinceMs: null })
    .where(inLedger(ctx, edit, [edit.waMessageId]))
    .run()
}

/** Erases the content of all versions of a deleted message; their times stay. */
export function eraseVersionsIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  targetWaMessageId: string,
): void {
  tx.update(messageRevisions)
    .set({ content: null, raw: null, pendingSinceMs: null })
    .where(inLedger(ctx, { accountId: row.accountId, targetWaMessageId }))
    .run()
}

/** Deletes the edits and deletions that waited for a message. */
export function dropRevisionsIn(
  tx: Tx,
  ctx: Ctx,
  target: Pick<RevisionRow, 'accountId' | 'targetWaMessageId'>,
): void {
  tx.delete(messageRevisions).where(inLedger(ctx, target)).run()
}
