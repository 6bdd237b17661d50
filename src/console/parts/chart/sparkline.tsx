const [WIDTH, HEIGHT] = [96, 28]

/**
 * Returns the line of a course, which is interrupted where nothing is known; a value alone is a dash.
 * `null` if there is no line.
 */
export function lineOf(values: readonly (number | null)[]): string | null {
  const known = values.filter((value) => value !== null)
  if (values.length < 2 || known.length === 0) return null
  const [least, most] = [Math.min(0, ...known), Math.max(...known)]
  const height = most === least ? 1 : most - least
  const isKnown = (nth: number): boolean => (values[nth] ?? null) !== null
  const steps = values.map((value, nth) => {
    if (value === null) return ''
    const x = (1 + (nth / (values.length - 1)) * (WIDTH - 2)).toFixed(1)
    const y = (HEIGHT - 2 - ((value - least) / height) * (HEIGHT - 4)).toFixed(1)
    if (isKnown(nth - 1)) return `L${x} ${y}`
    return `M${x} ${y}${isKnown(nth + 1) ? '' : 'h1'}`
  })
  return steps.join('')
}

/** The course of a number as a line without axes. Decoration: the number stands beside it. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const line = lineOf(values)
  if (line === null) return null
  return (
    <svg
      className="sparkline"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={line} />
    </svg>
  )
}
