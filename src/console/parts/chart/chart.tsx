import { useId, useRef, useState, type ReactNode } from 'react'

import { download } from '../../api/save-file'
import { t } from '../../texts/texts'
import { IconButton } from '../button'
import { Menu, MenuItem } from '../menu'
import { Skeleton } from '../state'
import { report } from '../toast'
import { csvOf } from './csv'
import type { Kind } from './shapes'
import { formatValue, summaryOf, type Figures } from './figures'
import { Plot } from './plot'
import { BarRows } from './rows'
import { saveImage } from './save-image'

interface Props {
  title: string
  /** `rows` are bars with long names, `funnel` those of which each is a part of the first. */
  kind: Kind | 'rows' | 'funnel'
  /** Absent while they are loaded. */
  figures: Figures | undefined
  /** Whether they are those of another choice, while the new ones are loaded. */
  isOld?: boolean
  /** Opens what is behind a point. */
  onPoint?: ((nth: number) => void) | undefined
  /** Saves more than the chart shows, as a file of the server; otherwise its figures are saved. */
  onCsv?: (() => void) | undefined
  /** Fields of the chart, such as what its figures are grouped by. */
  actions?: ReactNode
}

/**
 * Figures as a drawing, or as a table with the same values. The drawing tells its values to the
 * pointer, to the arrow keys and to screen readers, and can be saved as a picture.
 */
export function Chart({ title, kind, figures, isOld = false, onPoint, onCsv, actions }: Props) {
  const [isTable, setTable] = useState(false)
  const figure = useRef<HTMLElement>(null)
  const summaryId = useId()
  const isEmpty =
    figures !== undefined && (figures.points.length === 0 || figures.series.length === 0)
  const isDrawn = figures !== undefined && !isEmpty && !isTable
  const save = (type: 'png' | 'svg') => () => {
    if (figure.current) saveImage(figure.current, title, type).catch(report)
  }
  return (
    <figure ref={figure} className="chart" aria-label={title} aria-busy={isOld || !figures}>
      <figcaption className="chart-head">
        <h3>{title}</h3>
        <div className="grow" />
        {actions}
        <IconButton
          icon={isTable ? 'analytics' : 'table'}
          label={t(isTable ? 'parts.chart.as-chart' : 'parts.chart.as-table')}
          size={18}
          isDisabled={!figures || isEmpty}
          onPress={() => {
            setTable(!isTable)
          }}
        />
        <Menu
          label={t('parts.chart.save')}
          button={
            <IconButton
              icon="download"
              label={t('parts.chart.save')}
              size={18}
              isDisabled={!figures || isEmpty}
            />
          }
        >
          {isDrawn && <MenuItem label={t('parts.chart.png')} onAction={save('png')} />}
          {isDrawn && <MenuItem label={t('parts.chart.svg')} onAction={save('svg')} />}
          {figures && (
            <MenuItem
              label={t('parts.chart.csv')}
              onAction={() => {
                if (onCsv) onCsv()
                else download(new Blob([csvOf(figures)], { type: 'text/csv' }), `${title}.csv`)
              }}
            />
          )}
        </Menu>
      </figcaption>
      {!figures && (
        <div className="chart-space">
          <Skeleton rows={4} shape="line" />
        </div>
      )}
      {isEmpty && <p className="chart-space muted">{t('parts.chart.empty')}</p>}
      {figures && !isEmpty && isTable && <FigureTable title={title} figures={figures} />}
      {isDrawn && (
        <>
          <p id={summaryId} className="visually-hidden">
            {summaryOf(figures)}
          </p>
          {kind === 'rows' || kind === 'funnel' ? (
            <BarRows {...{ title, summaryId, figures, onPoint }} isFunnel={kind === 'funnel'} />
          ) : (
            <>
              <Plot {...{ title, summaryId, kind, figures, onPoint }} />
              {figures.series.length > 1 && <Legend figures={figures} />}
            </>
          )}
        </>
      )}
    </figure>
  )
}

/** What the colors stand for. */
const Legend = ({ figures: { series } }: { figures: Figures }) => (
  <p className="chart-legend small">
    {series.map(({ id, label, look }, nth) => (
      <span key={id} className={`series-${look ?? (nth % 6) + 1}`}>
        <i aria-hidden="true" className="chart-key" />
        {label}
      </span>
    ))}
  </p>
)

/** The same figures as numbers. */
function FigureTable({ title, figures }: { title: string; figures: Figures }) {
  const { unit, pointName, points, series } = figures
  return (
    <div className="chart-table" role="region" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{pointName}</th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ id, label }, nth) => (
            <tr key={id}>
              <th scope="row">
                <bdi>{label}</bdi>
              </th>
              {series.map((one) => (
                <td key={one.id}>{formatValue(one.values[nth], unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
