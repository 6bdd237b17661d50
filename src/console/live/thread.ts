import { useInfiniteQuery, type QueryClient } from '@tanstack/react-query'

import { call } from '../api/client'
import type { Item, MessageList } from '../api/shapes'
import { changeData } from './change-data'
import { changeItem, findItem, hasItem, type Pages } from './pages-of'

const PAGE_SIZE = 50
const MAX_PAGES = 80

/** Where a page of a thread begins: at the newest message, or beside a known one. */
export type Place = null | { before: string } | { after: string } | { around: string }

/** A page of a thread: from old to new. */
export interface ThreadPage {
  items: Item[]
  hasOlder: boolean
  hasNewer: boolean
}

const THREAD = 'thread'
/** Returns the key of a thread in the cache. `anchor` is the message it was opened at. */
export const threadKey = (
  conversationId: string,
  anchor: string | null = null,
): readonly unknown[] => [THREAD, conversationId, anchor]

/** Returns a page of the API as a page of a thread. */
export function pageOf(page: MessageList, place: Place): ThreadPage {
  const items = page.items.toSorted(byTime)
  const isAfter = place !== null && 'after' in place
  return {
    items,
    hasOlder: page.has_more_before ?? (isAfter || page.has_more),
    hasNewer: page.has_more_after ?? (isAfter ? page.has_more : place !== null),
  }
}

const byTime = (one: Item, other: Item): number =>
  one.timestamp === other.timestamp
    ? one.id < other.id
      ? -1
      : 1
    : one.timestamp < other.timestamp
      ? -1
      : 1

/** Loads a thread, from its end or around a message. */
export const useThread = (conversationId: string, anchor: string | null, isNeeded: boolean) =>
  useInfiniteQuery({
    queryKey: threadKey(conversationId, anchor),
    queryFn: async ({ pageParam, signal }): Promise<ThreadPage> =>
      pageOf(
        await call('GET /api/conversations/{id}/messages', {
          params: { id: conversationId },
          query: { limit: PAGE_SIZE, ...pageParam },
          signal,
        }),
        pageParam,
      ),
    initialPageParam: (anchor === null ? null : { around: anchor }) as Place,
    // pages run from new to old
    getNextPageParam: (last: ThreadPage): Place | undefined => {
      const oldest = last.items[0]
      return last.hasOlder && oldest ? { before: oldest.id } : undefined
    },
    getPreviousPageParam: (first: ThreadPage): Place | undefined => {
      const newest = first.items.at(-1)
      return first.hasNewer && newest ? { after: newest.id } : undefined
    },
    maxPages: MAX_PAGES,
    enabled: isNeeded,
    // a change replaces only what changes; to compare all of it again takes longer than to show it
    structuralSharing: false,
  })

type Thread = Pages<ThreadPage>

/** Changes every loaded form of a thread. */
function changeThreads(
  client: QueryClient,
  conversationId: string,
  change: (thread: Thread) => Thread,
): void {
  const queryKey = [THREAD, conversationId]
  for (const [key] of client.getQueriesData({ queryKey })) changeData(client, key, change)
}

/**
 * Adds a message at the end of its thread, or changes it where it is. A thread that was opened at
 * an older message gets it when the person scrolls there.
 *
 * @param facts What is known of the message, if the rest of it is only made up for a new one.
 */
export function addItem(client: QueryClient, item: Item, facts: Partial<Item> = item): void {
  changeThreads(client, item.conversation_id, (thread) => {
    if (hasItem<Item>(thread, item.id))
      return changeItem<Item, ThreadPage>(thread, item.id, (known) => updated(known, facts))
    const [first, ...rest] = thread.pages
    if (!first || first.hasNewer) return thread
    const items = [...first.items, item]
    const before = first.items.at(-1)
    if (before && byTime(before, item) > 0) items.sort(byTime)
    return { ...thread, pages: [{ ...first, items }, ...rest] }
  })
}

const RANK = { unknown: 0, pending: 0, sent: 1, delivered: 2, read: 3, failed: 4 } as const

/** Whether a delivery state may follow another: it never goes back. */
export const mayFollow = (next: keyof typeof RANK, known: keyof typeof RANK): boolean =>
  RANK[next] >= RANK[known]

/**
 * Returns a message with other facts. Its delivery state never goes back: the answer to a request
 * may arrive after the events that followed.
 */
function updated(known: Item, facts: Partial<Item>): Item {
  const isOlder = facts.status !== undefined && !mayFollow(facts.status, known.status)
  const kept = isOlder ? { status: known.status, error: known.error } : {}
  // `Item` is a union by type, which the spread does not keep.
  return { ...known, ...facts, ...kept } as Item
}

/** Changes a message wherever it is loaded. Returns whether it is. */
export function changeMessage(
  client: QueryClient,
  messageId: string,
  change: (item: Item) => Item,
): boolean {
  let isFound = false
  for (const [key, thread] of client.getQueriesData<Thread>({ queryKey: [THREAD] }))
    if (thread && hasItem<Item>(thread, messageId)) {
      isFound = true
      changeData<Thread>(client, key, (known) =>
        changeItem<Item, ThreadPage>(known, messageId, change),
      )
    }
  return isFound
}

/** Whether a thread holds a message that was sent with this reference. */
export function hasReference(client: QueryClient, conversationId: string, ref: string): boolean {
  return client
    .getQueriesData<Thread>({ queryKey: [THREAD, conversationId] })
    .some(([, thread]) =>
      thread?.pages.some(({ items }) => items.some((item) => item.client_ref === ref)),
    )
}

/** Returns a loaded message. */
export function findMessage(client: QueryClient, messageId: string): Item | null {
  for (const [, thread] of client.getQueriesData<Thread>({ queryKey: [THREAD] })) {
    const found = thread ? findItem<Item>(thread, messageId) : null
    if (found) return found
  }
  return null
}

/** Returns the messages of a thread that are loaded, from old to new. */
export function itemsInThread(client: QueryClient, conversationId: string): Item[] {
  const threads = client.getQueriesData<Thread>({ queryKey: [THREAD, conversationId] })
  const [, thread] = threads.find(([, one]) => one !== undefined) ?? []
  return thread?.pages.toReversed().flatMap(({ items }) => items) ?? []
}
