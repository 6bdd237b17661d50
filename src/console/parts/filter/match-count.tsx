import { useQuery } from '@tanstack/react-query'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { t } from '../../texts/texts'
import type { Filter } from './model'

/**
 * Counts the people that match a filter, and shows ten of them, to users who may see people. Events
 * keep it fresh.
 */
export const usePreview = (filter: Filter | null) =>
  useQuery({
    queryKey: ['POST /api/segments/preview', filter],
    queryFn: ({ signal }) =>
      call('POST /api/segments/preview', { body: { filter: filter ?? {} }, signal }),
    enabled: useCan('contacts:read') && filter !== null,
    placeholderData: (before) => before,
    retry: false,
  })

/** How many people match, and whom of them marketing does not reach. */
export function MatchCount({ preview }: { preview: ReturnType<typeof usePreview> }) {
  const { data, isFetching, isError } = preview
  if (isError) return null
  return (
    <p role="status" className="filter-count" aria-busy={isFetching}>
      {data === undefined ? (
        isFetching && t('filter.counting')
      ) : (
        <>
          <b>{t('filter.count', { count: data.count })}</b>
          {Object.values(data.excluded).some((count) => count > 0) && (
            <span className="muted small"> {t('filter.excluded', data.excluded)}</span>
          )}
        </>
      )}
    </p>
  )
}
