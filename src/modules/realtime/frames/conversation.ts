import { eq } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { inOrganization } from '../../../infra/ctx'
import { callPreview } from '../../../platform/call-summary'
import { findCalls } from '../../calls/find'
import { findActiveSession } from '../../chatbot/engine/production/store'
import { numbersOfContact, windowEndMs, type ContactRow } from '../../contacts/view'
import { ConversationChanged } from '../../conversations/events'
import { findConversationById } from '../../conversations/row'
import { isSharedNumber, threadOwnerAt } from '../../conversations/thread-owner'
import { findMessages } from '../../messages/queries'
import { previewView } from '../../messages/view'
import { NoteChanged } from '../../contacts/notes/events'
import { notes } from '../../contacts/notes/table'
import { transferSummary } from '../../conversations/load-views'
import { transferOf } from '../../transfers/find'
import { liveContact } from './contact'
import { frame, type FrameEntry, type FrameScope } from './kind'

/** Returns the preview of the latest message or call. */
function previewIn(
  scope: FrameScope,
  messageId: string | null,
  at: { contact: ContactRow; isMasked: boolean },
): string | null {
  if (messageId === null) return null
  const [last] = findMessages(scope, [messageId])
  if (last) return previewView(last, at.isMasked, () => numbersOfContact(at.contact))
  const [call] = findCalls(scope, [messageId])
  return call ? callPreview(call.direction, call.state) : null
}

/** Returns what a message may have changed on its conversation. */
export function conversationSummary(scope: FrameScope, id: string) {
  const row = findConversationById(scope, id)
  return (
    row && {
      state: row.state,
      assigned_to: row.assignedTo,
      team_id: row.teamId,
      unread_count: row.unreadCount,
      last_message_at: isoTimeOrNull(row.lastMessageAtMs),
      window_expires_at: isoTimeOrNull(windowEndMs(row)),
      bot_active: findActiveSession(scope, row) !== null,
    }
  )
}

/** Frames about conversations and internal notes. */
export const conversationFrames: FrameEntry[] = [
  frame(ConversationChanged, {
    type: 'conversation:updated',
    resource: 'messages',
    audience: 'sight',
    render(scope, { conversationId, changed }, { isMasked, atMs }) {
      const row = findConversationById(scope, conversationId)
      const contact = row && liveContact(scope, row.contactId)
      if (!contact) return null
      const isShared = isSharedNumber(scope, row.accountId)
      const thread = threadOwnerAt(row, { isShared, nowMs: atMs })
      return {
        id: row.id,
        contact_id: row.contactId,
        account_id: row.accountId,
        state: row.state,
        assigned_to: row.assignedTo,
        team_id: row.teamId,
        unread_count: row.unreadCount,
        last_message_at: isoTimeOrNull(row.lastMessageAtMs),
        last_message_preview: previewIn(scope, row.lastMessageId, { contact, isMasked }),
        window_expires_at: isoTimeOrNull(windowEndMs(row)),
        snoozed_until: isoTimeOrNull(row.snoozedUntilMs),
        changed,
        thread_owner: thread.owner,
        owner_since: isoTimeOrNull(thread.sinceMs),
        bot_active: findActiveSession(scope, row) !== null,
        transfer: transferSummary(transferOf(scope, row)),
      }
    },
  }),
  frame(NoteChanged, {
    type: ({ change }) =>
      ({ created: 'note:new', updated: 'note:updated', deleted: 'note:deleted' })[change],
    resource: 'messages',
    audience: 'sight',
    render(scope, { noteId, contactId, change }) {
      if (change === 'deleted') return { id: noteId, contact_id: contactId }
      const row = scope.db.orm
        .select()
        .from(notes)
        .where(inOrganization(scope, notes, eq(notes.id, noteId)))
        .get()
      if (!row || !liveContact(scope, row.contactId)) return null
      return {
        id: row.id,
        contact_id: row.contactId,
        content: row.content,
        author: row.createdBy === null ? null : { id: row.createdBy, name: row.createdByName },
        created_at: isoTime(row.createdAtMs),
        updated_at: isoTime(row.updatedAtMs),
      }
    },
  }),
]
