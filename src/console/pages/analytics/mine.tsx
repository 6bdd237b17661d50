import { useSearch } from '@tanstack/react-router'

import { useApi } from '../../live/query'
import { report } from '../../parts/toast'
import { Overview } from './overview'
import { PERSON_SPECS } from './people-figures'
import { useSpan } from './span'

/** The figures of the person who looks, for which nobody needs a permission. */
export function Mine() {
  const { days, before: earlier } = useSpan()
  const { compare } = useSearch({ from: '/analytics' })
  const wish = ({ from, to }: typeof days) => ({ query: { start_date: from, end_date: to } })
  const now = useApi('GET /api/me/report', wish(days))
  const before = useApi('GET /api/me/report', wish(earlier), compare !== 'no')
  return (
    <Overview
      name="analytics.tab.mine"
      specs={PERSON_SPECS}
      isByDay
      now={now.data && { summary: now.data.agent, timeline: now.data.timeline }}
      before={before.data && { summary: before.data.agent, timeline: before.data.timeline }}
      error={now.error}
      onRetry={() => {
        now.refetch().catch(report)
      }}
    />
  )
}
