import { and, eq } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { messagePreview, readContent } from '../../../../platform/webhook/content'
import type { ReadRevision } from '../../../../platform/webhook/reactions-and-edits'
import { publishPreviewIn } from '../../conversations/update'
import { deleteMediaIn } from '../../../channel/media/delete-files'
import { MessageUpdated } from '../events'
import { contextOf } from './content'
import { findByPlatformId, keyOf, type InboundItem, type Receipt } from './item'
import { contactOfItemIn } from './contact'
import { plausibleTime, emptied, REVOKED_PREVIEW } from '../rules'
import { messages } from '../table'
import { messageRevisions } from './table'
import type { MessageRow } from '../view'
import { indexWordsIn } from '../search-index'
import {
  type Version,
  versionOf,
  mediaOf,
  storeOriginalIn,
  versionIn,
  applyIn,
  eraseVersionsIn,
} from './edit-versions'

const revisionsOf = compiled((orm) =>
  orm
    .select()
    .from(messageRevisions)
    .where(
      inOrganization(
        anyScope,
        messageRevisions,
        and(
          eq(messageRevisions.accountId, place(messageRevisions.accountId, 'accountId')),
          eq(
            messageRevisions.targetWaMessageId,
            place(messageRevisions.targetWaMessageId, 'targetWaMessageId'),
          ),
        ),
      ),
    )
    .prepare(),
)

/**
 * Stores an edit or deletion and applies it to its message, in the caller's transaction (inbound
 * contract 7). It waits if the message is unknown. It neither opens the window nor needs an answer.
 */
export function receiveRevisionIn(
  tx: Tx,
  ctx: Ctx,
  item: InboundItem,
  revision: ReadRevision,
): Receipt {
  const { account, message, receivedAtMs } = item
  const timestampMs = plausibleTime(message.timestampMs, receivedAtMs)
  // Only IDs are taken from it. Names come with messages, whose times decide which is newest.
  const contact = contactOfItemIn(tx, ctx, item, null)
  const written = tx
    .insert(messageRevisions)
    .values({
      organizationId: ctx.organizationId,
      accountId: account.id,
      targetWaMessageId: revision.targetId,
      waMessageId: keyOf(message),
      kind: revision.kind,
      content: revision.now && JSON.stringify(pendingVersion(revision.now, item)),
      raw: JSON.stringify(message.raw),
      contactId: contact.id,
      timestampMs,
      receivedAtMs,
      pendingSinceMs: receivedAtMs,
    })
    .onConflictDoNothing()
    .returning({ kind: messageRevisions.kind })
    .all()
  if (written.length === 0) return { outcome: 'duplicate' }
  const target = findByPlatformId(ctx, account.id, revision.targetId)
  if (!target) return { outcome: 'parked' }
  applyEditsIn(tx, ctx, target, { isQuiet: item.isPast })
  return { outcome: 'applied' }
}

function pendingVersion(
  now: NonNullable<ReadRevision['now']>,
  { direction, isObserved }: InboundItem,
): Version {
  const { type, content, media } = readContent(now)
  const file = media && { ref: media, isLost: now.errors.length > 0 }
  const from = { direction, ...(isObserved ? { isObserved } : {}) }
  return { type, content, media_id: null, file, ...from, context: contextOf(now) }
}

/**
 * Applies the stored edits and deletions of a message, in the caller's transaction: a deletion
 * wins, otherwise the newest edit. The result does not depend on order or repetition.
 */
export function applyEditsIn(tx: Tx, ctx: Ctx, row: MessageRow, how: { isQuiet: boolean }): void {
  if (row.waMessageId === null) return
  const found = revisionsOf(ctx.db).all({
    organizationId: ctx.organizationId,
    accountId: row.accountId,
    targetWaMessageId: row.waMessageId,
  })
  if (!found.some(({ pendingSinceMs }) => pendingSinceMs !== null)) return
  // Sorted here because the result is nearly always empty, and SQLite sets up its sorter before it
  // looks.
  const ledger = found.toSorted(
    (a, b) => a.timestampMs - b.timestampMs || (a.waMessageId < b.waMessageId ? -1 : 1),
  )
  const original =
    ledger.find(({ kind }) => kind === 'original') ?? storeOriginalIn(tx, ctx, row, row.waMessageId)
  const edits = ledger.filter(({ kind }) => kind === 'edit')
  const revoke = ledger.find(({ kind }) => kind === 'revoke')
  const versions = revoke
    ? []
    : edits.map((edit) => ({ edit, version: versionIn(tx, ctx, row, edit) }))
  if (revoke) eraseVersionsIn(tx, ctx, row, row.waMessageId)
  const newest = versions.at(-1)
  const first = versionOf(original) ?? {
    type: row.type,
    content: JSON.parse(row.content) as Record<string, unknown>,
    media_id: null,
  }
  const now: Version = revoke
    ? { type: first.type, content: emptied(first.content), media_id: null }
    : (newest?.version ?? first)
  const facts = {
    editedAtMs: edits.at(-1)?.timestampMs ?? null,
    revokedAtMs: revoke?.timestampMs ?? null,
  }
  // A deleted message keeps nothing of its content. The raw item of an edit is kept if the content
  // does not hold all of it.
  const raw = revoke || now.type === 'text' ? null : (newest?.edit.raw ?? row.raw)
  if (revoke)
    deleteMediaIn(
      tx,
      ctx,
      [...new Set([row.mediaId, first.media_id, ...ledger.map(mediaOf)])].filter(
        (id) => id !== null,
      ),
    )
  for (const { edit, version } of versions)
    if (edit.pendingSinceMs !== null) applyIn(tx, ctx, edit, version)
  showIn(tx, ctx, row, { now, facts, raw, isQuiet: how.isQuiet })
}

interface Shown {
  now: Version
  facts: Pick<MessageRow, 'editedAtMs' | 'revokedAtMs'>
  raw: string | null
  isQuiet: boolean
}

function showIn(tx: Tx, ctx: Ctx, row: MessageRow, { now, facts, raw, isQuiet }: Shown): void {
  const content = JSON.stringify(now.content)
  const preview =
    facts.revokedAtMs === null ? messagePreview(now.type, now.content) : REVOKED_PREVIEW
  const set = { type: now.type, content, preview, mediaId: now.media_id, raw, ...facts }
  const changed = (Object.keys(WIRE_NAMES) as (keyof typeof WIRE_NAMES)[])
    .filter((column) => row[column] !== set[column])
    .map((column) => WIRE_NAMES[column])
  if (changed.length === 0 && row.raw === raw) return
  tx.update(messages)
    .set(set)
    .where(inOrganization(ctx, messages, eq(messages.id, row.id)))
    .run()
  indexWordsIn(tx, ctx, { ...row, type: now.type, content })
  if (isQuiet) return
  if (preview !== row.preview) publishPreviewIn(tx, ctx, row)
  emit(tx, ctx, MessageUpdated, {
    contactId: row.contactId,
    payload: { messageId: row.id, contactId: row.contactId, changed },
  })
}

const WIRE_NAMES = {
  type: 'type',
  content: 'content',
  preview: 'preview',
  mediaId: 'media',
  editedAtMs: 'edited_at',
  revokedAtMs: 'revoked_at',
} as const
