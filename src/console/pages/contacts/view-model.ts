import type { View } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'

/** What the address of the list says. */
export interface ContactsSearch {
  q?: string | undefined
  tag?: string | undefined
  owner?: string | undefined
  segment?: string | undefined
  filter?: Record<string, unknown> | undefined
  sort?: 'name' | undefined
  order?: 'asc' | 'desc' | undefined
}

/** What a view keeps of the address: everything but conditions, which are a segment's. */
export const filterOf = ({
  q,
  tag,
  owner,
  segment,
  sort,
  order,
}: ContactsSearch): View['filter'] => ({
  ...(q === undefined ? {} : { search: q }),
  ...(tag === undefined ? {} : { tags: tag }),
  ...(owner === undefined ? {} : { assigned_to: owner }),
  ...(segment === undefined ? {} : { segment_id: segment }),
  ...(sort === undefined ? {} : { sort }),
  ...(order === undefined ? {} : { order }),
})

const ADDRESS = {
  search: 'q',
  tags: 'tag',
  assigned_to: 'owner',
  segment_id: 'segment',
  sort: 'sort',
  order: 'order',
} as const

/** What the address says to show a view; the route checks it. */
export const searchOf = ({ filter }: Pick<View, 'filter'>): ContactsSearch =>
  Object.fromEntries(
    Object.entries(ADDRESS).flatMap(([name, word]) =>
      filter[name] === undefined ? [] : [[word, filter[name]]],
    ),
  )

const isSame = (view: View, search: ContactsSearch): boolean =>
  search.filter === undefined &&
  Object.values(ADDRESS).every((word) => searchOf(view)[word] === search[word])

/** Returns the saved views of contacts. */
export const useViews = (isNeeded: boolean) =>
  useApi('GET /api/views', { query: { resource: 'contacts', limit: 50 } }, isNeeded)

/** Whether there are saved views. */
export const useHasViews = (): boolean => (useViews(useCan('contacts:read')).data?.total ?? 0) > 0

/** Returns the view that the address shows, or `null`. */
export function useViewHere(search: ContactsSearch): View | null {
  const { data } = useViews(useCan('contacts:read'))
  return data?.items.find((view) => isSame(view, search)) ?? null
}

/** Whether the address says something that a view can keep and a segment cannot. */
export const canBeView = (search: ContactsSearch): boolean =>
  search.filter === undefined &&
  [search.q, search.sort, search.order, search.segment && (search.tag ?? search.owner)].some(
    (one) => one !== undefined,
  )
