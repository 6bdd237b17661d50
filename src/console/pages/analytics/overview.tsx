import { useSearch } from '@tanstack/react-router'

import { Chart } from '../../parts/chart/chart'
import { formatValue, type Figures, type Unit } from '../../parts/chart/figures'
import { Sparkline } from '../../parts/chart/sparkline'
import { useShow } from '../../parts/list-page'
import { Problem } from '../../parts/state'
import { formatDays } from '../../texts/format'
import { formatChange, pointName } from '../../texts/points'
import { t, type TextKey } from '../../texts/texts'
import { useSpan } from './span'

/** One number of a report, and where it stands. */
export interface FigureSpec {
  /** Its field in the summary. */
  id: string
  text: TextKey
  unit: Unit
  /** Its field in the points of the timeline; absent if they have none. */
  point?: string
  /** Whether it is good (`up`) or bad (`down`) that it grows; absent if it is neither. */
  better?: 'up' | 'down'
}

/** What all reports have in common. Amounts of money are text. */
export interface ReportData {
  summary: object
  timeline: readonly { date: string }[]
}

/** Returns a value; `null` if there is none, as the API says 0 for the mean of nothing. */
const fieldOf = (holder: object, name: string, unit: Unit): number | null => {
  const value = (holder as Record<string, unknown>)[name]
  if (value === null || value === undefined) return null
  return unit === 'seconds' && value === 0 ? null : Number(value)
}

interface Props {
  /** How the report is called. */
  name: TextKey
  specs: readonly FigureSpec[]
  now: ReportData | undefined
  before: ReportData | undefined
  error: unknown
  onRetry: () => void
  onCsv?: (() => void) | undefined
  /** Opens what is behind a point. */
  onPoint?: ((date: string) => void) | undefined
  /** Whether the points are days, however long the range is. */
  isByDay?: boolean
  /** A line that should not be exceeded, by the figure it belongs to. */
  limit?: { of: string; label: string; value: number } | undefined
}

/**
 * The numbers of a report, each with its change against as many days before, and the course of the
 * one that is chosen.
 */
export function Overview(props: Props) {
  const { specs, now, before, error, onRetry } = props
  const search = useSearch({ from: '/analytics' })
  const show = useShow<{ figure?: string | undefined }>()
  const drawn = specs.filter(({ point }) => point !== undefined)
  const chosen = drawn.find(({ id }) => id === search.figure) ?? drawn[0]
  if (error !== null && now === undefined) return <Problem error={error} onRetry={onRetry} />
  return (
    <>
      <ul className="figures" aria-busy={now === undefined}>
        {specs.map((spec) => (
          <FigureCard
            key={spec.id}
            {...{ spec, now, before }}
            isChosen={spec === chosen}
            onChoose={() => {
              show({ figure: spec.id })
            }}
          />
        ))}
      </ul>
      {chosen && <Course {...props} spec={chosen} />}
    </>
  )
}

/** A number with its change and its course. */
function FigureCard({
  spec,
  now,
  before,
  isChosen,
  onChoose,
}: Pick<Props, 'now' | 'before'> & { spec: FigureSpec; isChosen: boolean; onChoose: () => void }) {
  const { id, text, unit, point, better } = spec
  const value = now && fieldOf(now.summary, id, unit)
  const earlier = before && fieldOf(before.summary, id, unit)
  const body = (
    <>
      <span className="figure-name">{t(text)}</span>
      <span className="figure-value" data-figure={id}>
        {now ? formatValue(value, unit) : '…'}
      </span>
      <Change value={value} earlier={earlier} unit={unit} better={better} />
      {point !== undefined && now && (
        <Sparkline values={now.timeline.map((one) => fieldOf(one, point, unit))} />
      )}
    </>
  )
  return (
    <li>
      {point === undefined ? (
        <div className="figure-card">{body}</div>
      ) : (
        <button type="button" className="figure-card" aria-pressed={isChosen} onClick={onChoose}>
          {body}
        </button>
      )}
    </li>
  )
}

/** How much a number changed against the days before. */
export function Change({
  value,
  earlier,
  unit,
  better,
}: {
  value: number | null | undefined
  earlier: number | null | undefined
  unit: Unit
  better?: 'up' | 'down' | undefined
}) {
  if (value === null || value === undefined || earlier === null || earlier === undefined)
    return <span className="figure-change muted" />
  const change = earlier === 0 ? null : (value - earlier) / Math.abs(earlier)
  const isGood = better === 'up' ? value > earlier : value < earlier
  const look =
    change === null || better === undefined || value === earlier ? 'muted' : isGood ? 'good' : 'bad'
  return (
    <span className={`figure-change ${look}`}>
      {change === null
        ? t('analytics.change.from', { value: formatValue(earlier, unit) })
        : t('analytics.change.to', {
            change: formatChange(change),
            value: formatValue(earlier, unit),
          })}
    </span>
  )
}

function Course({
  name,
  spec,
  now,
  before,
  onCsv,
  onPoint,
  limit,
  isByDay = false,
}: Omit<Props, 'specs' | 'error' | 'onRetry'> & { spec: FigureSpec }) {
  const { before: days, granularity: usual } = useSpan()
  const granularity = isByDay ? 'day' : usual
  const { point = '', unit, text } = spec
  const figures: Figures | undefined = now && {
    unit,
    pointName: t(`analytics.point.${granularity}`),
    points: now.timeline.map(({ date }) => pointName(date, granularity)),
    series: [
      { id: spec.id, label: t(text), values: now.timeline.map((one) => fieldOf(one, point, unit)) },
      ...(before
        ? [
            {
              ...{ id: 'before', look: 'before' as const, label: formatDays(days) },
              values: now.timeline.map((_, nth) => {
                const one = before.timeline[nth]
                return one === undefined ? null : fieldOf(one, point, unit)
              }),
            },
          ]
        : []),
      ...(limit?.of === spec.id
        ? [
            {
              ...{ id: 'limit', look: 'limit' as const, label: limit.label },
              values: now.timeline.map(() => limit.value),
            },
          ]
        : []),
    ],
  }
  return (
    <Chart
      title={t('analytics.course', { report: t(name), figure: t(text) })}
      kind="line"
      figures={figures}
      onCsv={onCsv}
      onPoint={
        onPoint &&
        ((nth) => {
          const date = now?.timeline[nth]?.date
          if (date !== undefined) onPoint(date)
        })
      }
    />
  )
}
