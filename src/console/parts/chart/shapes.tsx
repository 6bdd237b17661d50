import { formatValue, largestOf, ticksOf, type Figures } from './figures'
import { isMirrored } from './use-width'

/** Height of a chart, and of the room above and below the values, pixels. */
export const [HEIGHT, TOP, BOTTOM] = [240, 12, 26]
/** Room for the numbers of the axis, and at the other end. */
const [START, END] = [64, 12]
/** Room for the name of a point on the axis. */
const LABEL = 76

/** How values are drawn. */
export type Kind = 'line' | 'bar' | 'stacked'

/** Where things are: from left to right, or mirrored for languages that are read that way. */
export function scaleOf(figures: Figures, kind: Kind, width: number) {
  const { points, unit } = figures
  const ticks = ticksOf(largestOf(figures, kind === 'stacked'), unit)
  const top = ticks.at(-1) ?? 1
  const inner = Math.max(1, width - START - END)
  const isRight = isMirrored()
  const flip = (x: number): number => (isRight ? width - x : x)
  const slot = inner / Math.max(1, points.length)
  const isLine = kind === 'line' && points.length > 1
  const across = isLine ? inner / (points.length - 1) : slot
  return {
    ...{ ticks, slot, flip, isRight },
    x: (nth: number): number => flip(START + (isLine ? nth * across : (nth + 0.5) * across)),
    y: (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM),
    nearest: (x: number): number => {
      const at = (flip(x) - START) / across - (isLine ? 0 : 0.5)
      return Math.min(points.length - 1, Math.max(0, Math.round(at)))
    },
    every: Math.max(1, Math.ceil((LABEL * points.length) / inner)),
  }
}
/** Where things are. */
export type Scale = ReturnType<typeof scaleOf>

/** Lines and names of the axes. */
export function Axes({ figures, scale, width }: { figures: Figures; scale: Scale; width: number }) {
  const { ticks, y, x, flip, every, isRight } = scale
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            className="chart-line"
            x1={flip(START)}
            x2={flip(width - END)}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text
            className="chart-label"
            x={flip(START - 8)}
            y={y(tick) + 4}
            textAnchor={isRight ? 'start' : 'end'}
          >
            {formatValue(tick, figures.unit)}
          </text>
        </g>
      ))}
      {figures.points.map(
        ({ id, short }, nth) =>
          nth % every === 0 && (
            <text key={id} className="chart-label" x={x(nth)} y={HEIGHT - 6} textAnchor="middle">
              {short}
            </text>
          ),
      )}
    </>
  )
}

/** The class that gives a series its color. */
export const classOf = (look: string | undefined, nth: number): string =>
  `series-${look ?? (nth % 6) + 1}`

/** One line for each series; a gap where there is no value, a dot where it stands alone. */
export function Lines({ figures, scale: { x, y } }: { figures: Figures; scale: Scale }) {
  return figures.series.map(({ id, values, look }, order) => {
    const path = values
      .map((value, nth) =>
        value === null
          ? ''
          : `${typeof values[nth - 1] === 'number' ? 'L' : 'M'}${x(nth)} ${y(value)}`,
      )
      .join('')
    return (
      <g key={id} className={classOf(look, order)}>
        <path className="chart-path" d={path} />
        {values.map(
          (value, nth) =>
            value !== null &&
            typeof values[nth - 1] !== 'number' &&
            typeof values[nth + 1] !== 'number' && (
              <circle key={nth} className="chart-dot" cx={x(nth)} cy={y(value)} r={3} />
            ),
        )}
      </g>
    )
  })
}

/** Bars beside or on each other. A series of the time before stands behind, as a line. */
export function Bars({
  figures,
  scale,
  isStacked,
}: {
  figures: Figures
  scale: Scale
  isStacked: boolean
}) {
  const { x, y, slot } = scale
  const bars = figures.series.filter(({ look }) => look === undefined)
  const whole = Math.min(48, slot * 0.7)
  const each = isStacked ? whole : whole / Math.max(1, bars.length)
  const rest = figures.series.filter(({ look }) => look !== undefined)
  return (
    <>
      {figures.points.map((point, nth) => {
        let below = 0
        return bars.map(({ id, values }, order) => {
          const value = values[nth] ?? 0
          const from = isStacked ? below : 0
          below += value
          const middle = isStacked ? 0 : (order - (bars.length - 1) / 2) * each
          return (
            <rect
              key={`${point.id} ${id}`}
              className={`chart-bar ${classOf(undefined, order)}`}
              x={x(nth) + middle - each / 2}
              y={y(from + value)}
              width={Math.max(1, each - 1)}
              height={Math.max(0, y(from) - y(from + value))}
            />
          )
        })
      })}
      <Lines figures={{ ...figures, series: rest }} scale={scale} />
    </>
  )
}
