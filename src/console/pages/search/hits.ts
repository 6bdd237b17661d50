import { useInfiniteQuery } from '@tanstack/react-query'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { isSearched, queryOf, type MessageFilter } from './filter'

const PAGE_SIZE = 30
const MAX_PAGES = 20
const MAX_CONTACTS = 8
/** Age above which found messages are searched again, milliseconds. */
const STALE_MS = 60_000

/** Finds messages by their words, page by page. An empty text finds nothing. */
export const useFoundMessages = (text: string, filter: MessageFilter) =>
  useInfiniteQuery({
    queryKey: ['GET /api/messages/search', text, filter],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/messages/search', {
        query: {
          q: text,
          limit: PAGE_SIZE,
          ...queryOf(filter),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    maxPages: MAX_PAGES,
    enabled: useCan('messages:read') && text !== '' && isSearched(filter, 'messages'),
    staleTime: STALE_MS,
  })

/** Finds notes about contacts by their words, page by page. */
export const useFoundNotes = (text: string, filter: MessageFilter) =>
  useInfiniteQuery({
    queryKey: ['GET /api/messages/search/notes', text],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/messages/search/notes', {
        query: { q: text, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    maxPages: MAX_PAGES,
    enabled: useCan('messages:read') && text !== '' && isSearched(filter, 'notes'),
    staleTime: STALE_MS,
  })

/** Finds contacts by name or number. An empty text finds nothing. */
export const useFoundContacts = (text: string, filter: MessageFilter) => {
  const mayRead = useCan('contacts:read') && isSearched(filter, 'contacts')
  return useApi(
    'GET /api/contacts',
    { query: { search: text, limit: MAX_CONTACTS } },
    mayRead && text !== '',
  )
}
