import type { QueryClient } from '@tanstack/react-query'

import { currentSession } from '../api/session'
import type { Conversation, ConversationPage } from '../api/shapes'
import { changeData } from './change-data'
import { conversationKey } from './conversation'
import { belongsTo, loadedLists, setList, type ListFilter } from './conversation-list'
import type { Effect } from './effect'
import { changeItem, findItem, putFirst, removeItem, type Pages } from './pages-of'
import { invalidateSoon, recountSoon, refreshListsSoon } from './refresh'

type Change = (known: Conversation) => Conversation

const ownId = (): string => {
  const session = currentSession()
  return session.phase === 'signed-in' ? session.me.id : ''
}

/** Applies a change to a conversation of a list: it moves up, stays, or leaves the list. */
function changeInList(
  [filter, pages]: [ListFilter, Pages<ConversationPage>],
  known: Conversation,
  change: Change,
): Pages<ConversationPage> {
  const next = change(known)
  if (next === known) return pages
  if (!belongsTo(filter, next, ownId())) return removeItem(pages, known.id)
  const isMoved =
    filter.sort !== 'oldest_unanswered' && next.last_message?.id !== known.last_message?.id
  return isMoved ? putFirst(pages, next) : changeItem(pages, known.id, () => next)
}

/** Returns the first conversation of a list that meets a condition. */
function findIn(
  { pages }: Pages<ConversationPage>,
  isIt: (one: Conversation) => boolean,
): Conversation | undefined {
  for (const { items } of pages) {
    const found = items.find(isIt)
    if (found) return found
  }
  return undefined
}

/**
 * Changes a conversation wherever it is loaded, by its ID or by a condition. A list that should
 * have it and has not is loaded again.
 */
export function changeConversations(
  client: QueryClient,
  which: string | ((known: Conversation) => boolean),
  change: Change,
): void {
  const isIt = typeof which === 'string' ? ({ id }: Conversation) => id === which : which
  let wasListed = false
  for (const [filter, pages] of loadedLists(client)) {
    const known = findIn(pages, isIt)
    if (!known) continue
    wasListed = true
    setList(client, filter, changeInList([filter, pages], known, change))
  }
  for (const [key, known] of client.getQueriesData<Conversation>({ queryKey: ['conversation'] }))
    if (known && isIt(known)) changeData(client, key, change)
  if (typeof which !== 'string') return
  if (!wasListed) refreshListsSoon(client)
  recountSoon(client)
}

type Update = Partial<Conversation> & { id: string; changed?: string[] }

/** Changes that stand in the timeline of a conversation. */
const TOLD = new Set([
  'state',
  'assigned_to',
  'team_id',
  'snoozed_until',
  'priority',
  'bot_active',
  'transfer',
])
const TIMELINE = 'GET /api/conversations/{id}/timeline'

const onUpdated: Effect = (client, payload) => {
  // Events are not in the OpenAPI document that the types come from; `Update` is what is sent.
  const update = payload as unknown as Update
  const { contact, last_message: last, ...facts } = update
  const end = update.window_expires_at
  if (update.changed?.some((name) => TOLD.has(name))) invalidateSoon(client, TIMELINE)
  changeConversations(client, update.id, (known) => ({
    ...known,
    ...factsOf(facts),
    ...(end === undefined ? {} : { window_open: end !== null }),
    ...(last ? { last_message: { ...known.last_message, ...last } } : {}),
    ...(contact ? { contact: { ...known.contact, ...contact } } : {}),
  }))
  for (const [filter] of loadedLists(client)) {
    const known = client.getQueryData<Conversation>(conversationKey(update.id))
    if (known && belongsTo(filter, known, ownId()) && !isIn(client, filter, update.id))
      refreshListsSoon(client)
  }
}

const isIn = (client: QueryClient, filter: ListFilter, id: string): boolean =>
  loadedLists(client).some(([one, pages]) => one === filter && findItem(pages, id) !== null)

const FACTS = [
  'state',
  'assigned_to',
  'assigned_user',
  'team_id',
  'team',
  'unread_count',
  'window_expires_at',
  'snoozed_until',
  'waiting_since',
  'priority',
  'bot_active',
  'bot_waits_until',
  'transfer',
  'thread_owner',
  'owner_role',
  'can_take',
  'can_call',
] as const

/** The facts of an update that a conversation has, as far as the event has them. */
function factsOf(update: Partial<Conversation>): Partial<Conversation> {
  return Object.fromEntries(
    FACTS.filter((name) => update[name] !== undefined).map((name) => [name, update[name]]),
  )
}

/** Someone who looks at a conversation or types in it. */
export interface Presence {
  id: string
  full_name: string
  doing: 'viewing' | 'typing'
}

/** Who looks at which conversation. */
export type Present = Readonly<Record<string, readonly Presence[]>>
/** Its key in the cache: one for all, as each event looks through all keys. */
export const PRESENCE = ['presence'] as const

const onPresence: Effect = (client, payload) => {
  // As in `onUpdated`, the type is what is sent.
  const { conversation_id: id, users } = payload as unknown as {
    conversation_id: string
    users: Presence[]
  }
  client.setQueryData<Present>(PRESENCE, (known) => {
    const { [id]: _, ...others } = known ?? {}
    return users.length === 0 ? others : { ...others, [id]: users }
  })
}

/** Effects of events about conversations. */
export const CONVERSATION_EFFECTS: Record<string, Effect> = {
  'conversation:updated': onUpdated,
  'conversation:presence': onPresence,
}
