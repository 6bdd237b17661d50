import type { ReactNode } from 'react'

import { Chart } from '../../parts/chart/chart'
import type { Unit } from '../../parts/chart/figures'
import { t } from '../../texts/texts'

/** Something with a name and a value. */
export interface NamedValue {
  id: string
  name: string
  /** `null` if there is none, as for the mean of nothing. */
  value: number | null
}

interface Props {
  title: string
  unit: Unit
  /** What the rows are. */
  rowName: string
  valueName: string
  /** Absent while they are loaded. */
  rows: readonly NamedValue[] | undefined
  kind?: 'rows' | 'bar' | 'funnel'
  onPoint?: ((nth: number) => void) | undefined
  onCsv?: (() => void) | undefined
  actions?: ReactNode
}

/** Rows at most; a file has all of them. */
const MOST = 25

/** Values of things with names, as bars. */
export function RowsChart({ rows, unit, rowName, valueName, kind = 'rows', ...chart }: Props) {
  const shown = rows?.slice(0, kind === 'rows' ? MOST : rows.length)
  return (
    <Chart
      {...chart}
      kind={kind}
      figures={
        shown && {
          unit,
          pointName: rowName,
          points: shown.map(({ id, name }) => ({ id, label: name, short: name })),
          series: [{ id: 'value', label: valueName, values: shown.map(({ value }) => value) }],
        }
      }
    />
  )
}

/** The name of something that may have been deleted. */
export const nameOr = (name: string | null, key: string | null): string =>
  name ?? (key === null ? t('analytics.none') : t('analytics.deleted'))
