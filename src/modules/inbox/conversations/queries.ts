import { eq, isNull } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import { contacts } from '../contacts/table'
import { isVisibleIn, seesGeneralQueue } from '../contacts/sight/visibility'
import { activeTeamsOf } from '../teams/find'
import type { ConversationView } from './model'
import { type ConversationRow, contactOf, findConversationById } from './row'
import { queueOf } from './service'
import { conversations } from './table'
import { viewOf } from './load-views'

/** Returns the row of a conversation whose contact the caller can see. Throws NotFoundError. */
export function getVisibleConversation(ctx: Ctx, id: string): ConversationRow {
  const found = ctx.db.orm
    .select({ conversation: conversations })
    .from(conversations)
    .innerJoin(contacts, contactOf)
    .where(
      inOrganization(
        ctx,
        conversations,
        eq(conversations.id, id),
        isNull(contacts.deletedAtMs),
        isVisibleIn(ctx, conversations.contactId),
      ),
    )
    .get()
  if (!found) throw new NotFoundError('Conversation')
  return found.conversation
}

/**
 * Returns the row of a conversation whose contact the caller can see, or saw in a queue until
 * somebody else took it, so that a person who claims it too late learns who was first. Throws
 * NotFoundError.
 */
export function getClaimableConversation(ctx: Ctx, id: string): ConversationRow {
  const row = findConversationById(ctx, id)
  const isTaken = row?.assignedTo != null && wasInOwnQueue(ctx, row.contactId)
  return isTaken ? row : getVisibleConversation(ctx, id)
}

/** Whether the contact's active transfer came from a queue that the caller sees. */
function wasInOwnQueue(ctx: Ctx, contactId: string): boolean {
  const queue = queueOf(ctx, contactId)
  if (queue === null || !hasPermission(ctx.actor, 'contacts:read')) return false
  return queue.teamId === null
    ? seesGeneralQueue(ctx)
    : activeTeamsOf(ctx, ctx.actor.userId ?? '').includes(queue.teamId)
}

/** Returns a conversation whose contact the caller can see. Throws NotFoundError. */
export const getConversation = (ctx: Ctx, id: string): ConversationView =>
  viewOf(ctx, getVisibleConversation(ctx, id).id)
