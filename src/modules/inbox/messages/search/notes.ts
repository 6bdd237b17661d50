import { and, desc, eq, isNull } from 'drizzle-orm'

import { foldText } from '../../../../lib/fold-text'
import { readCursor, writeCursor, type CursorKey } from '../../../../lib/page'
import { inOrganization } from '../../../../infra/ctx'
import { afterKey } from '../../../../infra/keyset-pagination'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { noteView } from '../../contacts/notes/view'
import { notes } from '../../contacts/notes/table'
import { isVisibleRow, masksNumbers } from '../../contacts/sight/visibility'
import { contacts } from '../../contacts/table'
import { contactView } from '../../contacts/view'
import type { FoundNotes } from './model'
import { parseSearch, type SearchQuery } from './parse-query'
import { snippetOf } from './snippet'

/** What is looked for, of which contact, and where the page begins. */
export interface NoteSearch {
  q: string
  limit: number
  cursor?: string | undefined
  contactId?: string | undefined
}

/** Time after which a search returns what it has, milliseconds. A read has two seconds. */
const MAX_SEARCH_MS = 1_200

/** Notes that are read and compared at a time. */
const AT_ONCE = 500

const KEY = { value: notes.createdAtMs, id: notes.id }

/**
 * Returns the notes that match, newest first, about contacts that the caller can see. Colleagues
 * write few notes, so they are compared one after the other instead of being kept in an index, where
 * words of an erased person could remain. Returns partial results after a second.
 */
export function searchNotes(ctx: ReadCtx, search: NoteSearch): FoundNotes {
  const query = parseSearch(search.q)
  if (!query) return { items: [], next_cursor: null, partial: false }
  const startedMs = performance.now()
  const found: FoundNotes['items'] = []
  let place = search.cursor === undefined ? null : readCursor(search.cursor)
  for (;;) {
    const rows = notesAfter(ctx, search, place)
    for (const row of rows) {
      place = { value: row.note.createdAtMs, id: row.note.id }
      if (!matches(query, row.note.content)) continue
      found.push(foundView(ctx, query, row))
      if (found.length === search.limit)
        return { items: found, next_cursor: writeCursor(place), partial: false }
    }
    if (rows.length < AT_ONCE || place === null)
      return { items: found, next_cursor: null, partial: false }
    if (performance.now() - startedMs >= MAX_SEARCH_MS)
      return { items: found, next_cursor: writeCursor(place), partial: true }
  }
}

function matches({ best, rest }: SearchQuery, content: string): boolean {
  const words = foldText(content)
  return best.matches(words) || rest?.matches(words) === true
}

type Row = ReturnType<typeof notesAfter>[number]

const notesAfter = (ctx: ReadCtx, { contactId }: NoteSearch, place: CursorKey | null) =>
  ctx.db.orm
    .select({ note: notes, contact: contacts })
    .from(notes)
    .innerJoin(
      contacts,
      and(eq(contacts.organizationId, notes.organizationId), eq(contacts.id, notes.contactId)),
    )
    .where(
      inOrganization(
        ctx,
        notes,
        contactId === undefined ? undefined : eq(notes.contactId, contactId),
        place === null ? undefined : afterKey(KEY, place, 'desc'),
        isNull(contacts.deletedAtMs),
        isVisibleRow(ctx),
      ),
    )
    .orderBy(desc(KEY.value), desc(KEY.id))
    .limit(AT_ONCE)
    .all()

function foundView(
  ctx: ReadCtx,
  { terms }: SearchQuery,
  { note, contact }: Row,
): FoundNotes['items'][number] {
  const { id, display_name, phone_number, avatar_url } = contactView(contact, {
    isMasked: masksNumbers(ctx),
    assignee: null,
  })
  return {
    note: noteView(note),
    contact: { id, display_name, phone_number, avatar_url },
    ...snippetOf(note.content, terms),
  }
}
