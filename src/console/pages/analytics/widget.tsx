import type { ReactNode } from 'react'

import type { Widget } from '../../api/shapes'
import { Chart } from '../../parts/chart/chart'
import { formatValue, type Figures } from '../../parts/chart/figures'
import { Sparkline } from '../../parts/chart/sparkline'
import { sentenceOf } from '../../parts/state'
import { formatChange, pointName } from '../../texts/points'
import { t } from '../../texts/texts'
import { codeText, costKeyText } from './code-text'
import { Change } from './overview'
import { nameOr, RowsChart, type NamedValue } from './rows-chart'
import { BARS, betterOf, currencyIn, LINES, unitOf } from './widget-choices'
import { courseIn, metricIn, numberIn, useWidget, type WidgetData } from './widget-data'

type Row = Record<string, unknown>

/** The name of a row of any list. */
function rowName(row: Row, groupBy: string): string {
  const name = row['name'] ?? row['full_name'] ?? row['flow_name'] ?? row['keyword'] ?? null
  const key = typeof row['key'] === 'string' ? row['key'] : null
  return typeof name === 'string' || key === null
    ? nameOr(name as string | null, key)
    : costKeyText(groupBy, key)
}

/** What tells the rows of lists apart. */
const IDS = ['key', 'user_id', 'campaign_id', 'flow_id', 'keyword']

/** Returns the rows of a list as names and values; costs only in the currency of the report. */
function rowsOf(
  { report, filters }: Widget,
  list: unknown,
  currency: string | null,
): NamedValue[] | undefined {
  if (list === undefined) return undefined
  if (!Array.isArray(list))
    return Object.entries(list as Record<string, number>).map(([id, value]) => ({
      ...{ id, name: codeText('type', id), value },
    }))
  const field = BARS[report]?.field ?? 'count'
  const { group_by: chosen } = filters
  const groupBy = typeof chosen === 'string' ? chosen : 'category'
  // what has no price, and so no currency, costs nothing
  const rows = (list as Row[]).filter(({ currency: own = currency }) => own === currency)
  return rows.map((row, nth) => ({
    id: IDS.map((name) => row[name]).find((id) => typeof id === 'string') ?? String(nth),
    name: rowName(row, groupBy),
    value: Number(row[field] ?? row['count'] ?? 0),
  }))
}

function linesOf({ report }: Widget, list: unknown): Figures | undefined {
  const lines = LINES[report]
  if (!Array.isArray(list) || !lines) return undefined
  const points = list as (Row & { date: string })[]
  return {
    unit: lines.unit,
    pointName: t('analytics.point.day'),
    points: points.map(({ date }) => pointName(date, date.includes('T') ? 'hour' : 'day')),
    series: lines.fields.map(([id, text]) => ({
      id,
      label: t(text),
      values: points.map((point) =>
        lines.unit === 'seconds' && point[id] === 0 ? null : Number(point[id]),
      ),
    })),
  }
}

interface Props {
  widget: Widget
  actions: ReactNode
}

/** What a board shows in one of its places. */
export function WidgetView({ widget, actions }: Props) {
  const data = useWidget(widget)
  const { now, error } = data
  const { title, kind, metric, report, problem } = widget
  if (problem !== null) return <Card {...{ title, actions }} said={t('analytics.board.deleted')} />
  if (error !== null && now === undefined)
    return <Card {...{ title, actions }} said={sentenceOf(error)} />
  if (kind === 'number') return <NumberCard {...{ widget, data, actions }} />
  const told = now && metricIn(now, metric)
  const lines = kind === 'line' ? linesOf(widget, told) : undefined
  if (kind === 'line' && (lines !== undefined || !now))
    return <Chart title={title} kind="line" figures={lines} actions={actions} />
  return (
    <RowsChart
      title={title}
      unit={report === 'costs' && now ? unitOf('cost', now) : (BARS[report]?.unit ?? 'number')}
      rowName={t('analytics.board.row')}
      valueName={title}
      rows={now && rowsOf(widget, told, currencyIn(now))}
      actions={actions}
    />
  )
}

interface CardProps {
  title: string
  actions: ReactNode
  /** Said in place of a number. */
  said?: string
  children?: ReactNode
}

/** The place of a number. */
const Card = ({ title, actions, said, children }: CardProps) => (
  <section className="figure-card widget" aria-label={title}>
    <header className="chart-head">
      <h3 className="grow figure-name">
        <bdi>{title}</bdi>
      </h3>
      {actions}
    </header>
    {said === undefined ? children : <p className="muted">{said}</p>}
  </section>
)

/** A number with its change and its course. */
function NumberCard({ widget, data, actions }: Props & { data: WidgetData }) {
  const { title, metric, compare } = widget
  const { now, before } = data
  const unit = now ? unitOf(metric, now) : 'number'
  const course = now && courseIn(now, metric)
  return (
    <Card {...{ title, actions }}>
      <span className="figure-value">{now ? formatValue(numberIn(now, metric), unit) : '…'}</span>
      {compare && now && metric === 'contacts.new_in_period' ? (
        // the server compares these itself
        <span className="figure-change muted">
          {formatChange((numberIn(now, 'contacts.growth_percent') ?? 0) / 100)}
        </span>
      ) : (
        <Change
          value={now && numberIn(now, metric)}
          earlier={before && numberIn(before, metric)}
          unit={unit}
          better={betterOf(metric)}
        />
      )}
      {course && <Sparkline values={course} />}
    </Card>
  )
}
