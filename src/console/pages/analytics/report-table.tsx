import type { ReactNode } from 'react'

import { IconButton } from '../../parts/button'
import { Skeleton } from '../../parts/state'
import { t } from '../../texts/texts'

interface Column<T> {
  id: string
  label: string
  cell: (row: T) => ReactNode
}

interface Props<T> {
  title: string
  /** Absent while they are loaded. */
  rows: readonly T[] | undefined
  keyOf: (row: T) => string
  columns: readonly Column<T>[]
  onCsv: () => void
  /** Fields of the table, such as what its rows are. */
  actions?: ReactNode
}

/** The rows of a report. */
export function ReportTable<T>({ title, rows, keyOf, columns, onCsv, actions }: Props<T>) {
  return (
    <section className="chart" aria-label={title}>
      <header className="chart-head">
        <h3 className="grow">{title}</h3>
        {actions}
        <IconButton icon="download" label={t('parts.chart.csv')} size={18} onPress={onCsv} />
      </header>
      {!rows && <Skeleton rows={4} />}
      {rows?.length === 0 && <p className="muted">{t('parts.chart.empty')}</p>}
      {rows && rows.length > 0 && (
        <div className="chart-table" role="region" aria-label={title} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {columns.map(({ id, label }) => (
                  <th key={id} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={keyOf(row)}>
                  {columns.map(({ id, cell }, nth) =>
                    nth === 0 ? (
                      <th key={id} scope="row">
                        {cell(row)}
                      </th>
                    ) : (
                      <td key={id}>{cell(row)}</td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
