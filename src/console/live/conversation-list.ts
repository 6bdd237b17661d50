import {
  infiniteQueryOptions,
  useInfiniteQuery,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query'

import { call, type Query } from '../api/client'
import type { Conversation, ConversationPage } from '../api/shapes'
import { changeData } from './change-data'
import type { Pages } from './pages-of'
import { serverNow } from './server-clock'

/** Filters and order of a list of conversations, as the API takes them. */
export type ListFilter = Omit<
  NonNullable<Query<'GET /api/conversations'>>,
  'page' | 'limit' | 'cursor'
>

const PAGE_SIZE = 50
/** A list begins with as many as most screens show, which a slow line brings sooner. */
const FIRST_SIZE = 25
/** Some 2,000 rows are loaded at most; changing more of them would take too long. */
const MAX_PAGES = 40
/** Part of the window that counts as its end, milliseconds. */
const CLOSING_MS = 2 * 3_600_000

const LIST = ['conversations', 'list'] as const

/** Returns the key of a list in the cache. */
export const listKey = (filter: ListFilter): readonly unknown[] => [...LIST, filter]

const loadPage = (
  filter: ListFilter,
  cursor: string | null,
  { limit = PAGE_SIZE, signal }: { limit?: number; signal?: AbortSignal } = {},
): Promise<ConversationPage> =>
  call('GET /api/conversations', {
    query: { ...filter, limit, ...(cursor === null ? {} : { cursor }) },
    ...(signal ? { signal } : {}),
  })

const listOptions = (filter: ListFilter) =>
  infiniteQueryOptions({
    queryKey: listKey(filter),
    queryFn: ({ pageParam, signal }) =>
      loadPage(filter, pageParam, { limit: pageParam === null ? FIRST_SIZE : PAGE_SIZE, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: ConversationPage, pages: ConversationPage[]) =>
      pages.length < MAX_PAGES ? last.next_cursor : null,
    // a change replaces only what changes; to compare all of it again takes longer than to show it
    structuralSharing: false,
  })

/** Keeps the beginning of the list of open conversations, which came with the session. */
export const keepFirstList = (client: QueryClient, page: ConversationPage): void => {
  client.setQueryData(listOptions({ state: 'open' }).queryKey, {
    pages: [page],
    pageParams: [null],
  })
}

/** Loads a list of conversations page by page; `null` waits. */
export const useConversations = (filter: ListFilter | null) =>
  useInfiniteQuery({ ...listOptions(filter ?? {}), enabled: filter !== null })

/** Loads the beginning of a list that will be shown, unless it is loaded. */
export const prefetchConversations = (client: QueryClient, filter: ListFilter): Promise<void> =>
  client.prefetchInfiniteQuery(listOptions(filter))

/** Returns how many rows are loaded if no more of the list are, although there are more. */
export const cappedAt = (pages: Pages<ConversationPage> | undefined): number | null =>
  pages && pages.pages.length >= MAX_PAGES && pages.pages.at(-1)?.next_cursor != null
    ? pages.pages.reduce((sum, { items }) => sum + items.length, 0)
    : null

type Lists = [filter: ListFilter, pages: Pages<ConversationPage>][]

/** Returns the loaded lists with their filters. */
export const loadedLists = (client: QueryClient): Lists =>
  client
    .getQueriesData<InfiniteData<ConversationPage>>({ queryKey: LIST })
    .flatMap(([key, pages]) => (pages ? [[key[2] as ListFilter, pages]] : [])) as Lists

/** Replaces a loaded list. */
export const setList = (
  client: QueryClient,
  filter: ListFilter,
  pages: Pages<ConversationPage>,
): void => {
  changeData(client, listKey(filter), () => pages)
}

const isId = (assignee: string | undefined): boolean => assignee?.includes('-') ?? false

/**
 * Whether a conversation belongs to a list, as far as the page can tell. A search, tags, mentions and
 * whose queues are the caller's are decided by the server.
 */
export function belongsTo(filter: ListFilter, one: Conversation, userId: string): boolean {
  const { state, assigned_to: assignee, window: span, waiting } = filter
  if (state !== undefined && !state.split(',').includes(one.state)) return false
  if (assignee === 'me' && one.assigned_to !== userId) return false
  if (assignee === 'none' && one.assigned_to !== null) return false
  if (isId(assignee) && one.assigned_to !== assignee) return false
  if (waiting !== undefined && one.transfer?.agent_id !== null) return false
  if (filter.team_id !== undefined && one.team_id !== filter.team_id) return false
  if (filter.account_id !== undefined && one.account_id !== filter.account_id) return false
  if (filter.contact_id !== undefined && one.contact.id !== filter.contact_id) return false
  // Someone who opens an unread conversation wants to see it stay in the list.
  if (span === undefined) return true
  const leftMs =
    one.window_expires_at === null ? 0 : Date.parse(one.window_expires_at) - serverNow()
  return span === 'closed' ? leftMs <= 0 : leftMs > 0 && (span === 'open' || leftMs < CLOSING_MS)
}

/**
 * Loads the beginning of each list again and joins it with what is loaded, for conversations that
 * an event named and no list has.
 */
export async function refreshTops(client: QueryClient): Promise<void> {
  const isShown = (filter: ListFilter): boolean =>
    (client
      .getQueryCache()
      .find({ queryKey: listKey(filter) })
      ?.getObserversCount() ?? 0) > 0
  for (const [filter, pages] of loadedLists(client)) {
    if (isShown(filter))
      // a query, so that events that come meanwhile are applied to the answer too
      await client.fetchQuery({
        queryKey: ['conversations', 'top', filter],
        queryFn: async () => {
          const top = await loadPage(filter, null)
          const now = client.getQueryData<Pages<ConversationPage>>(listKey(filter)) ?? pages
          setList(client, filter, joinTop(now, top))
          return null
        },
        staleTime: 0,
        gcTime: 0,
      })
    else client.removeQueries({ queryKey: listKey(filter) })
  }
}

/** Puts a fresh first page in front of loaded pages, each conversation once. */
export function joinTop(
  pages: Pages<ConversationPage>,
  top: ConversationPage,
): Pages<ConversationPage> {
  const fresh = new Set(top.items.map(({ id }) => id))
  const [first, ...rest] = pages.pages
  if (!first || rest.length === 0) return { pages: [top], pageParams: [null] }
  if (!first.items.some(({ id }) => fresh.has(id))) return { pages: [top], pageParams: [null] }
  const isOld = ({ id }: Conversation): boolean => !fresh.has(id)
  return {
    ...pages,
    pages: [
      { ...first, items: [...top.items, ...first.items.filter(isOld)] },
      ...rest.map((page) => ({ ...page, items: page.items.filter(isOld) })),
    ],
  }
}
