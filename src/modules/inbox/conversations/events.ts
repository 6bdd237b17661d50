import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'
import { defineHook } from '../../../infra/transaction-hooks'
import type { conversations } from './table'

type ConversationRow = typeof conversations.$inferSelect

/**
 * A field in conversation lists changed. `changed` names the fields. Changes in quick succession
 * are combined into one event.
 */
export const ConversationChanged = defineEvent(
  'conversation.changed',
  Type.Object({
    conversationId: Type.String(),
    contactId: Type.String(),
    changed: Type.Array(Type.String()),
  }),
)

/**
 * The owner of a conversation's thread changed on a number that is shared with another app or the
 * platform's own agent.
 */
export const ConversationHandedOver = defineEvent(
  'conversation.handover',
  Type.Object({
    conversationId: Type.String(),
    contactId: Type.String(),
    from: Type.String(),
    to: Type.String(),
  }),
)

/**
 * A conversation is about to come into another state. Handlers can refuse it by throwing; `before`
 * is the conversation until then.
 */
export const ConversationMoving = defineHook<{
  before: ConversationRow
  state: ConversationRow['state']
}>('conversation.moving')

/** The assignee or the team of a conversation changed. */
export const ConversationAssigned = defineHook<{
  before: ConversationRow
  after: ConversationRow
  how: 'claimed' | 'released' | 'assigned'
}>('conversation.assigned')

/** The open and snoozed conversations of many contacts were assigned at once. */
export const ConversationsAssigned = defineHook<{
  contactIds: string[]
  /** The new member and team; omitted ones stay as they are. */
  assignment: { assignedTo?: string | null; teamId?: string | null }
}>('conversations.assigned')

/** A message changed who waits for whom: the customer for an answer, or we for the customer. */
export const AnswerStateChanged = defineHook<{ conversation: ConversationRow }>(
  'conversation.answer_state_changed',
)
