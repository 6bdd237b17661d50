import { useEffect } from 'react'

import { serverNow } from '../../../live/server-clock'
import { useApi } from '../../../live/query'
import { Loaded } from '../../../parts/loaded'
import { report } from '../../../parts/toast'
import { formatAhead } from '../../../texts/format'
import { t } from '../../../texts/texts'

/** A timer waits no longer, milliseconds. */
const MAX_WAIT_MS = 86_400_000

/** Says whether it is open now, and until when. */
export function Now() {
  const result = useApi('GET /api/chatbot/hours', { query: {} })
  const { data, refetch } = result
  const nextChange = data?.closes_at ?? data?.opens_at ?? null
  useEffect(() => {
    if (nextChange === null) return undefined
    const timer = setTimeout(
      () => {
        refetch().catch(report)
      },
      Math.min(MAX_WAIT_MS, Math.max(1_000, Date.parse(nextChange) - serverNow())),
    )
    return () => {
      clearTimeout(timer)
    }
  }, [nextChange, refetch])
  return (
    <Loaded result={result} rows={1}>
      {({ open: isOpen }) => {
        const word = isOpen ? 'open' : 'closed'
        return (
          <p className={isOpen ? 'hours-now open' : 'hours-now'} role="status">
            {nextChange === null
              ? t(`settings.hours.now.${word}`)
              : t(`settings.hours.now.${word}-until`, { time: formatAhead(nextChange) })}
          </p>
        )
      }}
    </Loaded>
  )
}
