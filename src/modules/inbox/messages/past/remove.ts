import { and, gt, inArray, or } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { findContact, restoreTimesIn } from '../../contacts/service'
import { recomputeContactIn } from '../../contacts/activity/recompute'
import { recountConversationIn } from '../../conversations/recount'
import { findConversationById } from '../../conversations/row'
import { eraseTheseMessagesIn } from '../contact-changes/erase'
import { messageReactions } from '../reactions/table'
import { messages } from '../table'

/**
 * Removes messages that were stored as history, with their files, and counts their conversations and
 * contacts again, in the caller's transaction. Those that somebody edited, deleted, quoted or reacted
 * to since a time stay. Returns their IDs.
 */
export function removePastMessagesIn(tx: Tx, ctx: Ctx, ids: string[], sinceMs: number): string[] {
  const rows = tx
    .select()
    .from(messages)
    .where(inOrganization(ctx, messages, inArray(messages.id, ids)))
    .all()
  const used = usedSince(tx, ctx, ids, sinceMs)
  const removed = rows.filter(
    ({ id, editedAtMs, revokedAtMs }) =>
      !used.has(id) && Math.max(editedAtMs ?? 0, revokedAtMs ?? 0) <= sinceMs,
  )
  eraseTheseMessagesIn(
    tx,
    ctx,
    removed.map(({ id }) => id),
  )
  for (const id of new Set(removed.map((row) => row.conversationId))) {
    const conversation = findConversationById(ctx, id)
    if (conversation) recountConversationIn(tx, ctx, conversation)
  }
  for (const id of new Set(removed.map((row) => row.contactId))) {
    const changedAtMs = findContact(ctx, id)?.updatedAtMs
    if (changedAtMs === undefined) continue
    recomputeContactIn(tx, ctx, id)
    restoreTimesIn(tx, ctx, id, { updatedAtMs: changedAtMs })
  }
  return rows.filter((row) => !removed.includes(row)).map(({ id }) => id)
}

/** Returns the messages to which somebody reacted, or which a later one quotes or repeats. */
function usedSince(tx: Tx, ctx: Ctx, ids: string[], sinceMs: number): Set<string | null> {
  const reacted = tx
    .select({ id: messageReactions.messageId })
    .from(messageReactions)
    .where(
      inOrganization(
        ctx,
        messageReactions,
        and(inArray(messageReactions.messageId, ids), gt(messageReactions.receivedAtMs, sinceMs)),
      ),
    )
    .all()
  const quoted = tx
    .select({ replyToId: messages.replyToId, resendOfId: messages.resendOfId })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          or(inArray(messages.replyToId, ids), inArray(messages.resendOfId, ids)),
          gt(messages.createdAtMs, sinceMs),
        ),
      ),
    )
    .all()
  return new Set([
    ...reacted.map(({ id }) => id),
    ...quoted.flatMap(({ replyToId, resendOfId }) => [replyToId, resendOfId]),
  ])
}
