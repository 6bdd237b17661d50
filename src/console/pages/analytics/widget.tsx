import type { ReactNode } from 'react'

import type { Widget } from '../../api/shapes'
import { Chart } from '../../parts/chart/chart'
import { formatValue, type Figures } from '../../parts/chart/figures'
import { sentenceOf } from '../../parts/state'
import { pointName } from '../../texts/points'
import { t } from '../../texts/texts'
import { codeText, costKeyText } from './code-text'
import { Change } from './overview'
import { nameOr, RowsChart, type NamedValue } from './rows-chart'
import { BARS, LINES, unitOf } from './widget-choices'
import { metricIn, useWidget } from './widget-data'

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

/** Returns the rows of a list as names and values. */
function rowsOf({ report, filters }: Widget, list: unknown): NamedValue[] | undefined {
  if (list === undefined) return undefined
  if (!Array.isArray(list))
    return Object.entries(list as Record<string, number>).map(([id, value]) => ({
      ...{ id, name: codeText('type', id), value },
    }))
  const field = BARS[report]?.field ?? 'count'
  const { group_by: chosen } = filters
  const groupBy = typeof chosen === 'string' ? chosen : 'category'
  return (list as Row[]).map((row, nth) => ({
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

/** What a board shows in one of its places. */
export function WidgetView({ widget, actions }: { widget: Widget; actions: ReactNode }) {
  const { now, before, error } = useWidget(widget)
  const { title, kind, metric, report, problem } = widget
  const told = now && metricIn(now, metric)
  const said =
    problem === null
      ? error !== null && now === undefined
        ? sentenceOf(error)
        : null
      : t('analytics.board.deleted')
  if (said !== null || kind === 'number') {
    const value = told === undefined || told === null ? null : Number(told)
    const unit = now ? unitOf(metric, now) : 'number'
    const earlier = before && metricIn(before, metric)
    return (
      <section className="figure-card widget" aria-label={title}>
        <header className="chart-head">
          <h3 className="grow figure-name">
            <bdi>{title}</bdi>
          </h3>
          {actions}
        </header>
        {said === null ? (
          <>
            <span className="figure-value">
              {now ? formatValue(unit === 'seconds' && value === 0 ? null : value, unit) : '…'}
            </span>
            <Change
              value={value}
              earlier={earlier === undefined ? undefined : Number(earlier)}
              unit={unit}
            />
          </>
        ) : (
          <p className="muted">{said}</p>
        )}
      </section>
    )
  }
  const lines = kind === 'line' ? linesOf(widget, told) : undefined
  if (kind === 'line' && (lines !== undefined || !now))
    return <Chart title={title} kind="line" figures={lines} actions={actions} />
  return (
    <RowsChart
      title={title}
      unit={report === 'costs' && now ? unitOf('cost', now) : (BARS[report]?.unit ?? 'number')}
      rowName={t('analytics.board.row')}
      valueName={title}
      rows={now && rowsOf(widget, told)}
      actions={actions}
    />
  )
}
