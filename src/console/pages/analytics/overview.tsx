import { useSearch } from '@tanstack/react-router'

import { Chart } from '../../parts/chart/chart'
import { formatValue, type Unit } from '../../parts/chart/figures'
import { Sparkline } from '../../parts/chart/sparkline'
import { useShow } from '../../parts/list-page'
import { Problem } from '../../parts/state'
import { formatDays } from '../../texts/format'
import { formatChange } from '../../texts/points'
import { t, type TextKey } from '../../texts/texts'
import {
  changeOf,
  courseOf,
  hasCourse,
  totalOf,
  valuesOf,
  type FigureSpec,
  type Limit,
  type ReportData,
} from './figures-of'
import { useSpan } from './span'

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
  limit?: Limit | undefined
}

/**
 * The numbers of a report, each with its change against as many days before, and the course of the
 * one that is chosen.
 */
export function Overview(props: Props) {
  const { specs, now, before, error, onRetry } = props
  const search = useSearch({ from: '/analytics' })
  const show = useShow<{ figure?: string | undefined }>()
  const drawn = specs.filter(hasCourse)
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
      {chosen && now && now.timeline.length > 0 && <Course {...props} now={now} spec={chosen} />}
      {chosen && !now && <Chart title={t(props.name)} kind="line" figures={undefined} />}
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
  const { id, text, unit, better } = spec
  const value = totalOf(spec, now)
  const isDrawn = hasCourse(spec) && now?.timeline.length !== 0
  const body = (
    <>
      <span className="figure-name">{t(text)}</span>
      <span className="figure-value" data-figure={id}>
        {value === undefined ? '…' : formatValue(value, unit)}
      </span>
      <Change value={value} earlier={totalOf(spec, before)} unit={unit} better={better} />
      {isDrawn && now && <Sparkline values={valuesOf(spec, now)} />}
    </>
  )
  return (
    <li>
      {isDrawn ? (
        <button type="button" className="figure-card" aria-pressed={isChosen} onClick={onChoose}>
          {body}
        </button>
      ) : (
        <div className="figure-card">{body}</div>
      )}
    </li>
  )
}

interface ChangeProps {
  value: number | null | undefined
  earlier: number | null | undefined
  unit: Unit
  better?: 'up' | 'down' | undefined
}

/** How much a number changed against the days before. */
export function Change({ value, earlier, unit, better }: ChangeProps) {
  const change = changeOf(value, earlier, better)
  if (change === null) return <span className="figure-change muted" />
  const before = formatValue(earlier, unit)
  return (
    <span className={`figure-change ${change.look}`}>
      {change.share === null
        ? t('analytics.change.from', { value: before })
        : t('analytics.change.to', { change: formatChange(change.share), value: before })}
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
}: Omit<Props, 'specs' | 'error' | 'onRetry'> & { spec: FigureSpec; now: ReportData }) {
  const { before: days, granularity: usual } = useSpan()
  const granularity = isByDay ? 'day' : usual
  return (
    <Chart
      title={t('analytics.course', { report: t(name), figure: t(spec.text) })}
      kind="line"
      figures={courseOf({
        ...{ spec, now, before, limit, granularity },
        beforeName: formatDays(days),
      })}
      onCsv={onCsv}
      onPoint={
        onPoint &&
        ((nth) => {
          const date = now.timeline[nth]?.date
          if (date !== undefined) onPoint(date)
        })
      }
    />
  )
}
