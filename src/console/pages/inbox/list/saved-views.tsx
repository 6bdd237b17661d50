import type { View } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { FIRST } from '../../../live/start'

/** The server counts so many views at once. */
const MAX_COUNTED = 10

/** Returns the saved views of the inbox, own and shared, when they are needed. */
export const useSavedViews = (isNeeded: boolean) => useApi('GET /api/views', FIRST.views, isNeeded)

/**
 * Returns the saved view with this ID: `undefined` while it is loaded, `null` if the user sees no
 * such view.
 */
export function useSavedView(id: string | undefined): View | null | undefined {
  const { data, isError } = useSavedViews(id !== undefined)
  if (id === undefined || isError) return null
  return data && (data.items.find((one) => one.id === id) ?? null)
}

/** Returns how many conversations the first saved views have, by their IDs. */
export function useViewCounts(views: readonly View[], isNeeded: boolean) {
  const ids = views.slice(0, MAX_COUNTED).map(({ id }) => id)
  const { data } = useApi(
    'GET /api/views/counts',
    { query: { ids: ids.join(',') } },
    isNeeded && ids.length > 0,
  )
  return data ?? {}
}

/** Whether the user may change or delete a view. */
export function useMayChange(): (view: View) => boolean {
  const me = useMe()
  const mayShare = useCan('contacts:update')
  return (view) => (view.is_shared ? mayShare : view.owner.id === me.id)
}
