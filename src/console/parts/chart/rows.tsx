import { useRef } from 'react'

import { formatPercent } from '../../texts/format'
import { formatValue, type Figures } from './figures'
import { isMirrored, useWidth } from './use-width'

const ROW = 44
/** Height of a bar, below its name. */
const BAR = 12
/** Room between a name and its value. */
const GAP = 16

/** Returns about how wide a text is: a usual letter, and one of the wide scripts of Asia. */
const widthOf = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (letter < '\u2E80' ? 7 : 13), 0)

/** Returns as much of a name as has room, as SVG cuts nothing. */
export function fitted(name: string, room: number): string {
  if (widthOf(name) <= room) return name
  const letters = [...name]
  while (letters.length > 1 && widthOf(letters.join('')) + 13 > room) letters.pop()
  return `${letters.join('').trimEnd()}…`
}

interface Props {
  title: string
  summaryId: string
  figures: Figures
  /** Whether each row is a part of the first one, as in a funnel. */
  isFunnel: boolean
  /** Opens what is behind a row. */
  onPoint?: ((nth: number) => void) | undefined
}

/** One bar for each point, from the longest name to the longest value on any screen. */
export function BarRows({ title, summaryId, figures, isFunnel, onPoint }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const { unit, points, series } = figures
  const values = series[0]?.values ?? []
  const largest = Math.max(0, ...values.map((one) => one ?? 0))
  const first = values[0] ?? 0
  const isRight = isMirrored()
  return (
    <div ref={box} className="chart-rows">
      {width > 0 && (
        <svg
          width={width}
          height={points.length * ROW}
          viewBox={`0 0 ${width} ${points.length * ROW}`}
          direction="ltr"
          {...(onPoint
            ? { 'aria-hidden': true }
            : { role: 'img', 'aria-label': title, 'aria-describedby': summaryId })}
        >
          {points.map(({ id, label }, nth) => {
            const value = values[nth] ?? 0
            const length =
              largest === 0 ? 0 : Math.max(value > 0 ? 2 : 0, (value / largest) * width)
            const share = isFunnel && first > 0 ? ` · ${formatPercent(value / first)}` : ''
            const told = formatValue(values[nth], unit) + share
            const y = nth * ROW
            return (
              <g key={id} className="series-1">
                <text
                  className="chart-name"
                  x={isRight ? width : 0}
                  y={y + 16}
                  textAnchor={isRight ? 'end' : 'start'}
                >
                  <title>{label}</title>
                  {fitted(label, width - widthOf(told) - GAP)}
                </text>
                <text
                  className="chart-name"
                  x={isRight ? 0 : width}
                  y={y + 16}
                  textAnchor={isRight ? 'start' : 'end'}
                >
                  {told}
                </text>
                <rect className="chart-track" x={0} y={y + 24} width={width} height={BAR} rx={3} />
                <rect
                  className="chart-bar"
                  x={isRight ? width - length : 0}
                  y={y + 24}
                  width={length}
                  height={BAR}
                  rx={3}
                />
              </g>
            )
          })}
        </svg>
      )}
      {onPoint &&
        points.map(({ id, label }, nth) => (
          <button
            key={id}
            type="button"
            className="chart-row"
            style={{ insetBlockStart: nth * ROW, blockSize: ROW }}
            aria-label={`${label}: ${formatValue(values[nth], unit)}`}
            onClick={() => {
              onPoint(nth)
            }}
          />
        ))}
    </div>
  )
}
