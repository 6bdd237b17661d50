import type { Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Sparkline } from '../../parts/chart/sparkline'
import { Loaded } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { formatBytes, formatNumber } from '../../texts/format'
import { formatSeconds } from '../../texts/points'
import { t } from '../../texts/texts'
import { figureOf, type Summing } from './rules'

type Noted = Data<'GET /api/admin/figures'>['items'][number]

/** A figure: how it is summed up over the day, and how it reads. */
interface Figure {
  id: Exclude<keyof Noted, 'at'>
  sum: Summing
  format: (value: number) => string
}

const SECOND_MS = 1_000
/** A wait is too short for seconds. */
const formatWait = (seconds: number): string =>
  seconds < 1
    ? t('server.figure.milliseconds', { count: Math.round(seconds * SECOND_MS) })
    : formatSeconds(seconds)

const FIGURES: readonly Figure[] = [
  { id: 'messages_in', sum: 'total', format: formatNumber },
  { id: 'messages_out', sum: 'total', format: formatNumber },
  { id: 'messages_failed', sum: 'total', format: formatNumber },
  { id: 'jobs_waiting', sum: 'now', format: formatNumber },
  { id: 'jobs_failed', sum: 'now', format: formatNumber },
  { id: 'webhook_lag_seconds', sum: 'most', format: formatWait },
  { id: 'loop_wait_seconds', sum: 'most', format: formatWait },
  { id: 'memory_bytes', sum: 'now', format: formatBytes },
]

/** A day of figures, each with its course. */
export function FigureCards() {
  const result = useApi('GET /api/admin/figures', {})
  return (
    <Section title={t('server.figures.title')} hint={t('server.figures.hint')}>
      <Loaded result={result}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">{t('server.figures.none')}</p>
          ) : (
            <ul className="figures" aria-label={t('server.figures.title')}>
              {FIGURES.map(({ id, sum, format }) => {
                const values = items.map((one) => one[id])
                return (
                  <li key={id}>
                    <div className="figure-card" data-figure={id}>
                      <span className="figure-name">{t(`server.figure.${id}`)}</span>
                      <span className="figure-value">{format(figureOf(sum, values))}</span>
                      <span className="muted small">{t(`server.figure.${sum}`)}</span>
                      <Sparkline values={values} />
                    </div>
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}
