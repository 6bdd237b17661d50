import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import type { Segment } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { IconButton } from '../../parts/button'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { report } from '../../parts/toast'
import { useHasViews, useViewHere } from './view-model'
import { ViewTabs } from './views'

/** Segments that are tabs; the others are found in their list. */
const MOST_TABS = 8

const useSegments = (isNeeded: boolean) =>
  useApi('GET /api/segments', { query: { limit: 100 } }, isNeeded)

/** Returns a segment: `undefined` while it is loaded, `null` for none, or one that the user may not use. */
export function useSegment(id: string | undefined): Segment | null | undefined {
  const mayRead = useCan('contacts:read')
  const { data, isError } = useApi(
    'GET /api/segments/{id}',
    { params: { id: id ?? '' } },
    mayRead && id !== undefined,
  )
  return id === undefined || isError ? null : data
}

/** Everybody, and the segments as tabs. */
export function SegmentTabs() {
  const search = useSearch({ from: '/contacts' })
  const view = useViewHere(search)
  const chosen = view ? undefined : search.segment
  const navigate = useNavigate()
  const { data } = useSegments(useCan('contacts:read'))
  const segments = data?.items ?? []
  const hasViews = useHasViews()
  if (segments.length === 0 && !hasViews) return null
  const first = segments.slice(0, MOST_TABS)
  const other = segments.find(({ id }) => id === chosen)
  const tabs = other && !first.includes(other) ? [...first, other] : first
  return (
    <nav className="tabs" aria-label={t('contacts.tabs')}>
      <Link
        to="/contacts"
        search={{}}
        aria-current={chosen === undefined && !view ? 'page' : undefined}
      >
        {t('contacts.tab.all')}
      </Link>
      {tabs.map(({ id, name, last_count: count }) => (
        <Link
          key={id}
          to="/contacts"
          search={{ segment: id }}
          aria-current={chosen === id ? 'page' : undefined}
        >
          <bdi>{name}</bdi>
          {count !== null && <span className="muted small"> {formatNumber(count)}</span>}
        </Link>
      ))}
      <ViewTabs search={search} />
      {chosen !== undefined && (
        <IconButton
          icon="edit"
          size={18}
          label={t('contacts.segment.edit')}
          onPress={() => {
            navigate({
              to: '/contacts/segments/$segmentId',
              params: { segmentId: chosen },
            }).catch(report)
          }}
        />
      )}
    </nav>
  )
}
