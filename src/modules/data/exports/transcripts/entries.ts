import { and, asc, eq, lt, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { isShownHistory } from '../../../inbox/contacts/sight/visible-history'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Permission } from '../../../../infra/permissions'
import { delegatedCtx, type RequestedBy } from '../../../organization/auth/delegated-ctx'
import { getVisibleConversation } from '../../../inbox/conversations/queries'
import { messagesOf, type ConversationRow } from '../../../inbox/conversations/row'
import { messages } from '../../../inbox/messages/table'
import { notes } from '../../../inbox/contacts/notes/table'
import { exportedMessages, type ExportedMessage } from '../messages'

/** Permissions needed to read a transcript. */
export const PERMISSIONS: Permission[] = ['contacts:export', 'messages:read']

/** Number of messages and notes read at once. */
const PAGE = 100

export type NoteRow = typeof notes.$inferSelect

/** An entry of a transcript with its time: a message or a note about the contact. */
export type Entry = { atMs: number } & ({ exported: ExportedMessage } | { note: NoteRow })

/** The requested section of a conversation. */
export interface TranscriptPart {
  conversationId: string
  contactId: string
  fromMs: number
  beforeMs: number
  hasNotes: boolean
}

interface Place {
  atMs: number
  id: string
}

/**
 * Yields the messages and notes of a conversation by time, in batches. Each batch uses the
 * requester's current permissions and visibility. Throws ForbiddenError and NotFoundError if they
 * are lost meanwhile.
 */
export function* entriesOf(ctx: Ctx, asker: RequestedBy, part: TranscriptPart): Generator<Entry[]> {
  let messagePosition: Place = { atMs: part.fromMs, id: '' }
  let notePosition: Place = messagePosition
  for (;;) {
    const delegated = delegatedCtx(ctx, asker, PERMISSIONS)
    const conversation = getVisibleConversation(delegated, part.conversationId)
    const messages = messagesAfter(delegated, conversation, part, messagePosition)
    const notes = part.hasNotes ? notesAfter(delegated, part, notePosition) : []
    // After a full page of one list, entries of the other list beyond its end must wait for the
    // next page.
    const until = Math.min(
      endOf(messages.map((row) => row.timestampMs)),
      endOf(notes.map((row) => row.createdAtMs)),
    )
    const messagesNow = messages.filter((row) => row.timestampMs <= until)
    const notesNow = notes.filter((row) => row.createdAtMs <= until)
    const entries: Entry[] = [
      ...exportedMessages(delegated, messagesNow, ctx.settings.baseUrl).map((exported) => ({
        atMs: Date.parse(exported.message.timestamp),
        exported,
      })),
      ...notesNow.map((note) => ({ atMs: note.createdAtMs, note })),
    ]
    if (entries.length > 0) yield entries.toSorted((a, b) => a.atMs - b.atMs)
    if (until === Infinity) return
    const [lastMessage, lastNote] = [messagesNow.at(-1), notesNow.at(-1)]
    if (lastMessage) messagePosition = { atMs: lastMessage.timestampMs, id: lastMessage.id }
    if (lastNote) notePosition = { atMs: lastNote.createdAtMs, id: lastNote.id }
  }
}

/**
 * Returns the time up to which a page is complete: its last time if it is full, otherwise infinity.
 */
const endOf = (times: number[]): number =>
  times.length < PAGE ? Infinity : (times.at(-1) ?? Infinity)

/**
 * Returns the condition that limits a list to entries after a position and before the end of the
 * section.
 */
const between = (
  at: { time: SQLiteColumn; id: SQLiteColumn },
  place: Place,
  beforeMs: number,
): SQL | undefined =>
  and(
    sql`(${at.time}, ${at.id}) > (${place.atMs}, ${sql.param(place.id, at.id)})`,
    lt(at.time, beforeMs),
  )

const messagesAfter = (
  ctx: Ctx,
  conversation: ConversationRow,
  { beforeMs }: TranscriptPart,
  place: Place,
) =>
  ctx.db.orm
    .select()
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          messagesOf(conversation),
          isShownHistory(ctx, { contactId: messages.contactId, atMs: messages.timestampMs }),
          between({ time: messages.timestampMs, id: messages.id }, place, beforeMs),
        ),
      ),
    )
    .orderBy(asc(messages.timestampMs), asc(messages.id))
    .limit(PAGE)
    .all()

const notesAfter = (ctx: Ctx, { contactId, beforeMs }: TranscriptPart, place: Place): NoteRow[] =>
  ctx.db.orm
    .select()
    .from(notes)
    .where(
      inOrganization(
        ctx,
        notes,
        and(
          eq(notes.contactId, contactId),
          between({ time: notes.createdAtMs, id: notes.id }, place, beforeMs),
        ),
      ),
    )
    .orderBy(asc(notes.createdAtMs), asc(notes.id))
    .limit(PAGE)
    .all()
