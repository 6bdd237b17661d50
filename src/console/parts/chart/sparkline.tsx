const [WIDTH, HEIGHT] = [96, 28]

/** The course of a number as a line without axes. Decoration: the number stands beside it. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.map((value) => value ?? 0)
  if (known.length < 2) return null
  const [least, most] = [Math.min(0, ...known), Math.max(...known)]
  const height = most === least ? 1 : most - least
  const path = known.map((value, nth) => {
    const x = 1 + (nth / (known.length - 1)) * (WIDTH - 2)
    const y = HEIGHT - 2 - ((value - least) / height) * (HEIGHT - 4)
    return `${nth === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return (
    <svg
      className="sparkline"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path.join('')} />
    </svg>
  )
}
