import { useSearch } from '@tanstack/react-router'

import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { formatDate, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'

/** Numbers whose free messages are shown; each of them is asked for. */
const MOST = 10

/** How many messages of each number are still free this month. */
export function Allowance() {
  const { account } = useSearch({ from: '/analytics' })
  const mayRead = useCan('accounts:read')
  const { data } = useApi('GET /api/accounts', { query: { limit: MOST } }, mayRead)
  const numbers = (data?.items ?? []).filter(({ id }) => account === undefined || id === account)
  if (numbers.length === 0) return null
  return (
    <ul className="report-facts" aria-label={t('analytics.costs.free')}>
      {numbers.map(({ id, name }) => (
        <OfNumber key={id} id={id} name={name} />
      ))}
    </ul>
  )
}

function OfNumber({ id, name }: { id: string; name: string }) {
  const { data } = useApi('GET /api/accounts/{id}/health', { params: { id } })
  const free = data?.service_allowance ?? null
  if (free === null) return null
  return (
    <li>
      <bdi>
        {t('analytics.costs.free-left', {
          name,
          left: formatNumber(Math.max(0, free.free - free.used)),
          free: formatNumber(free.free),
          day: formatDate(free.resets_at),
        })}
      </bdi>
    </li>
  )
}
