import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'

import { t } from '../../texts/texts'
import { Axes, Bars, BOTTOM, classOf, HEIGHT, Lines, scaleOf, TOP, type Kind } from './shapes'
import { formatValue, valuesText, type Figures } from './figures'
import { useWidth } from './use-width'

interface Props {
  title: string
  summaryId: string
  kind: Kind
  figures: Figures
  /** Opens what is behind a point. */
  onPoint?: ((nth: number) => void) | undefined
}

/** The keys that go from point to point, and by how many; infinity is the first or the last. */
const STEPS: Record<string, number> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 7,
  PageDown: -7,
  Home: -Infinity,
  End: Infinity,
}

/** The values of a point, beside it. */
function Values({
  figures,
  nth,
  x,
  width,
}: {
  figures: Figures
  nth: number
  x: number
  width: number
}) {
  const { unit, points, series } = figures
  return (
    <div
      className="chart-values"
      style={x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }}
    >
      <strong>{points[nth]?.label}</strong>
      {series.map(({ id, label, values, look }, order) => (
        <span key={id} className={classOf(look, order)}>
          <i aria-hidden="true" className="chart-key" />
          <span className="grow">{label}</span>
          <b>{formatValue(values[nth], unit)}</b>
        </span>
      ))}
    </div>
  )
}

/**
 * Values over time. Pointer and arrow keys tell the values of a point; a press or Enter opens what
 * is behind it.
 */
export function Plot({ title, summaryId, kind, figures, onPoint }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const [shown, setShown] = useState<number | null>(null)
  const { points } = figures
  const at = Math.min(shown ?? points.length - 1, points.length - 1)
  const scale = scaleOf(figures, kind, width)
  const onKey = (event: KeyboardEvent): void => {
    const sign = scale.isRight && /Left|Right/.test(event.key) ? -1 : 1
    const step = STEPS[event.key]
    if (step !== undefined) setShown(Math.min(points.length - 1, Math.max(0, at + step * sign)))
    else if (event.key === 'Enter') onPoint?.(at)
    else if (event.key === 'Escape') setShown(null)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={box}
      className={onPoint ? 'chart-plot opens' : 'chart-plot'}
      role="slider"
      tabIndex={0}
      aria-label={onPoint ? t('parts.chart.opens', { title }) : title}
      aria-describedby={summaryId}
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={at + 1}
      aria-valuetext={valuesText(figures, at)}
      onKeyDown={onKey}
      onFocus={({ currentTarget }) => {
        if (currentTarget.matches(':focus-visible')) setShown(at)
      }}
      onBlur={() => {
        setShown(null)
      }}
      onPointerMove={({ clientX, currentTarget }) => {
        setShown(scale.nearest(clientX - currentTarget.getBoundingClientRect().left))
      }}
      onPointerLeave={() => {
        setShown(null)
      }}
      onClick={({ clientX, currentTarget }) => {
        const nth = scale.nearest(clientX - currentTarget.getBoundingClientRect().left)
        setShown(nth)
        onPoint?.(nth)
      }}
    >
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          direction="ltr"
          aria-hidden="true"
        >
          <Axes figures={figures} scale={scale} width={width} />
          {kind === 'line' ? (
            <Lines figures={figures} scale={scale} />
          ) : (
            <Bars figures={figures} scale={scale} isStacked={kind === 'stacked'} />
          )}
          {shown !== null && (
            <line
              className="chart-here"
              x1={scale.x(at)}
              x2={scale.x(at)}
              y1={TOP}
              y2={HEIGHT - BOTTOM}
            />
          )}
        </svg>
      )}
      {shown !== null && width > 0 && (
        <Values figures={figures} nth={at} x={scale.x(at)} width={width} />
      )}
    </div>
  )
}
