import { useState } from 'react'

import { Chart } from '../../parts/chart/chart'
import type { Figures } from '../../parts/chart/figures'
import { Sparkline } from '../../parts/chart/sparkline'
import { Section } from '../../parts/page'
import { Select } from '../../parts/select'

const KINDS = ['line', 'bar', 'stacked', 'rows', 'funnel', 'loading', 'empty', 'old'] as const

const DAYS = Array.from({ length: 30 }, (_, nth) => ({
  id: String(nth),
  label: `Day ${nth + 1}`,
  short: String(nth + 1),
}))
const FIGURES: Figures = {
  unit: 'number',
  pointName: 'Point',
  points: DAYS,
  series: [
    {
      id: 'a',
      label: 'values',
      values: DAYS.map((_, nth) => (nth === 7 ? null : 40 + ((nth * 37) % 60))),
    },
    { id: 'b', label: 'more values', values: DAYS.map((_, nth) => (nth * nth) % 45) },
    { id: 'before', label: 'before', look: 'before', values: DAYS.map((_, nth) => 30 + nth) },
    { id: 'limit', label: 'limit', look: 'limit', values: DAYS.map(() => 90) },
  ],
}
const STEPS: Figures = {
  unit: 'number',
  pointName: 'Step',
  points: ['sent', 'delivered', 'read', 'a step with a name that is rather long'].map((label) => ({
    id: label,
    label,
    short: label,
  })),
  series: [{ id: 'people', label: 'people', values: [12_345, 11_870, 4_400, 0] }],
}

/** Charts in all their kinds and states, for those who develop the console. */
export function ChartsSection() {
  const [kind, setKind] = useState<(typeof KINDS)[number]>('line')
  const [opened, setOpened] = useState('none')
  const isRows = kind === 'rows' || kind === 'funnel'
  const figures = isRows ? STEPS : kind === 'empty' ? { ...FIGURES, points: [] } : FIGURES
  return (
    <Section title="Chart">
      <div className="filter-bar">
        <Select
          label="Kind"
          choices={KINDS.map((id) => ({ id, label: id }))}
          value={kind}
          onChange={setKind}
        />
        <Sparkline values={FIGURES.series[1]?.values ?? []} />
        <output aria-label="opened">{opened}</output>
      </div>
      <Chart
        title="Chart"
        kind={kind === 'loading' || kind === 'empty' || kind === 'old' ? 'line' : kind}
        figures={kind === 'loading' ? undefined : figures}
        isOld={kind === 'old'}
        onPoint={(nth) => {
          setOpened(figures.points[nth]?.label ?? '')
        }}
        onCsv={() => {
          setOpened('csv')
        }}
      />
    </Section>
  )
}
