import { eq } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import { inOrganization } from '../../../../infra/ctx'
import { findActiveSession } from '../../../automation/chatbot/engine/production/store'
import { tagsOf } from '../../../inbox/contacts/tags'
import { windowEndMs } from '../../../inbox/contacts/view'
import { sharedSight } from '../../../inbox/contacts/sight/visible-history'
import { ConversationChanged } from '../../../inbox/conversations/events'
import { findConversationById } from '../../../inbox/conversations/row'
import { rowsWithRelations } from '../../../inbox/conversations/related-rows'
import { relatedView, type RelatedView } from '../../../inbox/conversations/related-view'
import { threadOwnerAt } from '../../../inbox/conversations/thread-owner'
import { NoteChanged } from '../../../inbox/contacts/notes/events'
import { notes } from '../../../inbox/contacts/notes/table'
import { liveContact } from './contact'
import { frame, type FrameEntry, type FrameScope } from './kind'
import { sizeOf } from './truncate'

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

/** Bytes of tags that a frame carries; more are cut off, because the rest of the contact counts more. */
const MAX_TAGS_BYTES = 4 * 1024

/** Returns the related parts with as many tags as fit, marked as truncated if some are missing. */
function withFewTags(related: RelatedView): RelatedView & { truncated?: true } {
  const { tags } = related.contact
  if (sizeOf(tags) <= MAX_TAGS_BYTES) return related
  const sizes = tags.map((tag) => sizeOf(tag) + 1)
  const kept = tags.filter(
    (_, nth) => sizes.slice(0, nth + 1).reduce((sum, size) => sum + size, 0) <= MAX_TAGS_BYTES,
  )
  return { ...related, contact: { ...related.contact, tags: kept }, truncated: true }
}

/** Frames about conversations and internal notes. */
export const conversationFrames: FrameEntry[] = [
  frame(ConversationChanged, {
    type: 'conversation:updated',
    resource: 'messages',
    audience: 'sight',
    render(scope, { conversationId, changed }, { isMasked, atMs }) {
      const [joined] = rowsWithRelations(scope, [conversationId])
      if (joined?.contact.deletedAtMs !== null) return null
      const { conversation: row, contact } = joined
      const isShared = joined.account.sharedAtMs !== null
      const thread = threadOwnerAt(row, { isShared, nowMs: atMs })
      const contactTags = tagsOf(scope, [contact.id]).get(contact.id) ?? []
      const sight = sharedSight(scope, isMasked)
      const related = relatedView(joined, { sight, contactTags })
      return {
        id: row.id,
        contact_id: row.contactId,
        account_id: row.accountId,
        state: row.state,
        assigned_to: row.assignedTo,
        team_id: row.teamId,
        unread_count: row.unreadCount,
        last_message_at: isoTimeOrNull(row.lastMessageAtMs),
        last_message_preview: related.last_message?.preview ?? null,
        window_expires_at: isoTimeOrNull(windowEndMs(row)),
        snoozed_until: isoTimeOrNull(row.snoozedUntilMs),
        changed,
        thread_owner: thread.owner,
        owner_since: isoTimeOrNull(thread.sinceMs),
        owner_role: thread.role,
        waiting_since: isoTimeOrNull(row.unansweredSinceMs),
        ...withFewTags(related),
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
