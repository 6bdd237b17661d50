/** A measured figure beside its budget. */
export interface Figure {
  what: string
  value: number
  unit: string
  /** The largest allowed value; `null` for figures without a budget. */
  limit: number | null
}

/** Returns a value as people read it. */
export const shown = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 })

/** Returns the figures as a table; those above their budget are marked. */
export const tableOf = (figures: readonly Figure[]): string =>
  [
    '| what | measured | budget |',
    '| --- | ---: | ---: |',
    ...figures.map(({ what, value, unit, limit }) => {
      const budget = limit === null ? '–' : `${shown(limit)} ${unit}`
      const isOver = limit !== null && value > limit
      return `| ${what} | ${shown(value)} ${unit}${isOver ? ' (over)' : ''} | ${budget} |`
    }),
  ].join('\n')
