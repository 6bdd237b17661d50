import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { publishVisibilityChangeIn } from '../../inbox/contacts/sight/publish-visibility'
import { viewersOf } from '../../inbox/contacts/sight/visibility'
import type { ConversationRow } from '../../inbox/conversations/row'
import { findConversation } from '../../inbox/conversations/service'
import { changeConversationIn, publishConversationIn } from '../../inbox/conversations/update'
import { EVENT_OF } from './events'
import { nextDueAtMs, sortKeyOf, type TransferRow } from './rules'
import { transferChanges, transfers, type TRANSFER_CHANGES } from './table'

/** A change to publish: its kind, the changed fields as the API calls them, and further facts. */
export interface PublishedChange {
  kind: (typeof TRANSFER_CHANGES)[number]
  changed: string[]
  details?: Record<string, unknown>
}

/** Columns of a transfer that can change. */
export type TransferFields = Partial<
  Omit<TransferRow, 'organizationId' | 'id' | 'dueAtMs' | 'sortKey'>
>

/**
 * Updates columns of a transfer without publishing the change. Keeps its next deadline and its
 * position in lists. Runs inside the caller's transaction. Returns the new row.
 */
export function updateTransferIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  set: TransferFields,
): TransferRow {
  const after = { ...before, ...set }
  const row = { ...after, dueAtMs: nextDueAtMs(after), sortKey: sortKeyOf(after) }
  const { organizationId: _organizationId, id: _id, ...columns } = row
  tx.update(transfers)
    .set(columns)
    .where(inOrganization(ctx, transfers, eq(transfers.id, before.id)))
    .run()
  return row
}

/**
 * Updates a transfer, adds the change to its history and publishes it. Runs inside the caller's
 * transaction. Returns the new row.
 */
export function changeTransferIn(
  tx: Tx,
  ctx: Ctx,
  before: TransferRow,
  set: TransferFields,
  change: PublishedChange,
): TransferRow {
  const after = updateTransferIn(tx, ctx, before, set)
  publishTransferIn(tx, ctx, after, change, before)
  return after
}

/** Adds a change to the history of a transfer and publishes it. `before` is absent for a new one. */
export function publishTransferIn(
  tx: Tx,
  ctx: Ctx,
  after: TransferRow,
  { kind, changed, details = {} }: PublishedChange,
  before: TransferRow | null = null,
): void {
  tx.insert(transferChanges)
    .values({
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      transferId: after.id,
      kind,
      userId: ctx.actor.userId,
      agentId: after.agentId,
      teamId: after.teamId,
      details: JSON.stringify(details),
      atMs: ctx.clock.nowMs(),
    })
    .run()
  emit(tx, ctx, EVENT_OF[kind], {
    contactId: after.contactId,
    payload: {
      transferId: after.id,
      contactId: after.contactId,
      changed,
      reason: kind,
      ...(before ? { before: { agentId: before.agentId, teamId: before.teamId } } : {}),
    },
  })
  const conversation = UNSEEN.has(kind) ? null : conversationOf(ctx, after)
  if (conversation) publishConversationIn(tx, ctx, conversation.id, ['transfer'])
}

/** Changes that conversations do not show. */
const UNSEEN = new Set(['escalated'])

/** Returns the conversation of a transfer: that of its contact and number. */
export const conversationOf = (
  ctx: Ctx,
  { contactId, accountId }: Pick<TransferRow, 'contactId' | 'accountId'>,
): ConversationRow | null => findConversation(ctx, { contactId, accountId })

/** Changes the conversation of a transfer along with it. Runs inside the caller's transaction. */
export function changeConversationOfIn(
  tx: Tx,
  ctx: Ctx,
  transfer: TransferRow,
  set: Partial<ConversationRow>,
): void {
  const conversation = conversationOf(ctx, transfer)
  if (conversation) changeConversationIn(tx, ctx, conversation, set)
}

/**
 * Runs a change that may give or take users the sight of a contact, and publishes it to those whom
 * it concerns. Runs inside the caller's transaction.
 */
export function changeSightIn<T>(tx: Tx, ctx: Ctx, contactId: string, change: () => T): T {
  const seenBefore = viewersOf(ctx, contactId)
  const result = change()
  publishVisibilityChangeIn(tx, ctx, contactId, seenBefore)
  return result
}
