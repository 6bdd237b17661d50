import {
  hashKey,
  useQuery,
  useQueryClient,
  type Query,
  type QueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

import { call } from '../api/client'
import type { Conversation } from '../api/shapes'
import { loadedLists } from './conversation-list'
import { findItem } from './pages-of'
import { keyOf } from './query'
import { pageOf, threadKey } from './thread'

/** Returns the key of a conversation in the cache. */
export const conversationKey = (id: string): readonly unknown[] => ['conversation', id]

/** Threads that stay in the cache when they are not shown. */
const MAX_THREADS = 8

/** Loads a conversation with its newest messages, contact and notes in one request. */
async function openConversation(
  client: QueryClient,
  id: string,
  signal: AbortSignal,
): Promise<Conversation> {
  const { messages, notes, contact, timeline, ...rest } = await call(
    'GET /api/conversations/{id}',
    {
      params: { id },
      query: { include: 'messages,contact,notes,timeline' },
      signal,
    },
  )
  if (messages)
    client.setQueryData(threadKey(id), { pages: [pageOf(messages, null)], pageParams: [null] })
  if (timeline)
    client.setQueryData(keyOf('GET /api/conversations/{id}/timeline', { params: { id } }), timeline)
  const params = { id: contact.id }
  client.setQueryData(keyOf('GET /api/contacts/{id}', { params }), contact)
  if (notes) client.setQueryData(keyOf('GET /api/contacts/{id}/notes', { params }), notes)
  dropOldThreads(client)
  return { ...rest, contact }
}

const isUnused = (query: Query): boolean =>
  query.getObserversCount() === 0 && query.state.fetchStatus === 'idle'

function dropOldThreads(client: QueryClient): void {
  const cache = client.getQueryCache()
  const idle = cache
    .findAll({ queryKey: ['thread'] })
    .filter((query) => query.getObserversCount() === 0)
    .toSorted((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
  // by hash: a removal by key compares with every key of the cache
  for (const query of idle.slice(MAX_THREADS)) {
    const conversation = cache.get(hashKey(conversationKey(String(query.queryKey[1]))))
    cache.remove(query)
    if (conversation) cache.remove(conversation)
  }
  // those that somebody only passed by hold nothing, and each event looks through all keys
  for (const query of cache.getAll())
    if (query.state.status === 'pending' && isUnused(query)) cache.remove(query)
}

/** Time someone must stay at a conversation before it is loaded, milliseconds. */
const STAY_MS = 120

/** Whether the part that asks has been on the page for a moment. */
function useHasStayed(): boolean {
  const [hasStayed, setStayed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      setStayed(true)
    }, STAY_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [])
  return hasStayed
}

/** Returns a conversation: what the list knows at once, the rest when it is loaded. */
export const useConversation = (id: string) => {
  const client = useQueryClient()
  const hasStayed = useHasStayed()
  // It stays on the page when it leaves the lists before it is loaded, with what is typed in it.
  const listed = useRef<Conversation>(undefined)
  return useQuery({
    queryKey: conversationKey(id),
    // A person who holds an arrow key down in the list loads only the conversation they stop at.
    enabled: hasStayed,
    queryFn: ({ signal }) => openConversation(client, id, signal),
    placeholderData: () => {
      for (const [, pages] of loadedLists(client)) {
        const found = findItem<Conversation>(pages, id)
        if (found) return (listed.current = found)
      }
      return listed.current?.id === id ? listed.current : undefined
    },
  })
}
