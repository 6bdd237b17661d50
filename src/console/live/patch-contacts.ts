import type { QueryClient } from '@tanstack/react-query'

import { currentSession } from '../api/session'
import type { ContactDetails, Conversation } from '../api/shapes'
import { changeData } from './change-data'
import { conversationKey } from './conversation'
import { loadedLists, setList } from './conversation-list'
import { dropDrafts } from './drafts'
import type { Effect } from './effect'
import { itemsOf, removeItem } from './pages-of'
import { changeConversations } from './patch-conversations'
import { keyOf } from './query'
import { invalidateSoon, recountSoon, refreshListsSoon, refreshRowsSoon } from './refresh'
import { changeRow, removeRow } from './rows'

interface Note {
  id: string
  contact_id: string
}
interface Notes {
  items: Note[]
}

const contactKey = (id: string) => keyOf('GET /api/contacts/{id}', { params: { id } })
const notesKey = (id: string) => keyOf('GET /api/contacts/{id}/notes', { params: { id } })

/** Removes the conversations of a contact that the user may not see anymore. */
function removeContact(client: QueryClient, contactId: string): void {
  for (const [filter, pages] of loadedLists(client))
    for (const { id, contact } of itemsOf<Conversation>(pages))
      if (contact.id === contactId) setList(client, filter, removeItem(pages, id))
  removeRow(client, 'POST /api/contacts/search', contactId)
  client.removeQueries({ queryKey: contactKey(contactId) })
  recountSoon(client)
}

const onUpdated: Effect = (client, payload) => {
  const contact = payload as Partial<ContactDetails> & { id: string; visible?: boolean }
  if (contact.visible === false) {
    removeContact(client, contact.id)
    return
  }
  changeData<ContactDetails>(client, contactKey(contact.id), (known) => ({ ...known, ...contact }))
  for (const id of conversationsOf(client, contact.id))
    changeConversations(client, id, (one) => ({ ...one, contact: shownOf(one.contact, contact) }))
  changeRow(client, 'POST /api/contacts/search', contact.id, (known) => {
    const fields = Object.entries(contact).filter(([name]) => name in known)
    return { ...known, ...Object.fromEntries(fields) }
  })
  reloadContacts(client)
}

/** Loads lists of contacts again: what changed may have moved a contact into or out of them. */
function reloadContacts(client: QueryClient): void {
  invalidateSoon(client, 'GET /api/contacts')
  refreshRowsSoon(client, 'POST /api/contacts/search')
}

/** Returns the loaded conversations of a contact: one for each number of the organization. */
function conversationsOf(client: QueryClient, contactId: string): Set<string> {
  const listed = loadedLists(client).flatMap(([, pages]) => itemsOf<Conversation>(pages))
  const opened = client
    .getQueriesData<Conversation>({ queryKey: ['conversation'] })
    .flatMap(([, one]) => (one ? [one] : []))
  const all = [...listed, ...opened].filter(({ contact }) => contact.id === contactId)
  return new Set(all.map(({ id }) => id))
}

/** The part of a contact that a list shows. */
function shownOf(
  known: Conversation['contact'],
  contact: Partial<ContactDetails>,
): Conversation['contact'] {
  return {
    ...known,
    display_name: contact.display_name ?? known.display_name,
    phone_number: contact.phone_number ?? known.phone_number,
    tags: contact.tags ?? known.tags,
    blocked: contact.blocked ?? known.blocked,
  }
}

/** Deletes what was begun for a contact that is gone. A conversation that is open says so now. */
function forgetConversations(client: QueryClient, contactId: string): void {
  const session = currentSession()
  for (const conversationId of conversationsOf(client, contactId)) {
    if (session.phase === 'signed-in')
      dropDrafts(`${session.me.organization_id}/${session.me.id}`, conversationId)
    client.invalidateQueries({ queryKey: conversationKey(conversationId) }).catch(() => undefined)
  }
}

const onDeleted: Effect = (client, payload) => {
  const id = String(payload['id'])
  // the conversations of a contact that was merged into another one go on there
  if (payload['reason'] !== 'merged') forgetConversations(client, id)
  else invalidateSoon(client, 'GET /api/contacts/duplicates')
  removeContact(client, id)
  reloadContacts(client)
}

/** What a change of many contacts may have changed. */
const CHANGED_IN_BULK = [
  'GET /api/contacts',
  'GET /api/contacts/duplicates',
  'GET /api/contacts/{id}',
  'GET /api/segments',
  'POST /api/segments/preview',
]

const onBulk: Effect = (client) => {
  for (const route of CHANGED_IN_BULK) invalidateSoon(client, route)
  invalidateSoon(client, 'rows')
  refreshListsSoon(client)
}

/** Puts a note into the loaded notes of its contact: changed where it is, otherwise first. */
const onNote: Effect = (client, payload) => {
  // Events are not in the OpenAPI document that the types come from; the payload is the API's note.
  const { author, ...facts } = payload as unknown as Note & {
    author?: { id: string; name: string }
  }
  const note = {
    mentions: [],
    pinned: false,
    created_by: author?.id ?? null,
    created_by_name: author?.name ?? null,
    ...facts,
  }
  changeData<Notes>(client, notesKey(note.contact_id), (notes) => {
    const isKnown = notes.items.some(({ id }) => id === note.id)
    const items = isKnown
      ? notes.items.map((one) => (one.id === note.id ? { ...one, ...facts } : one))
      : [note, ...notes.items]
    return { ...notes, items }
  })
}

const onNoteDeleted: Effect = (client, payload) => {
  changeData<Notes>(client, notesKey(String(payload['contact_id'])), (notes) => ({
    ...notes,
    items: notes.items.filter(({ id }) => id !== payload['id']),
  }))
}

/** Effects of events about contacts and notes. */
export const CONTACT_EFFECTS: Record<string, Effect> = {
  'contact:new': reloadContacts,
  'contact:updated': onUpdated,
  'contact:deleted': onDeleted,
  'contact:bulk': onBulk,
  'note:new': onNote,
  'note:updated': onNote,
  'note:deleted': onNoteDeleted,
}
