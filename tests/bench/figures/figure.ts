/** One line of the report: what was measured, beside its yardstick in the same run. */
export interface Figure {
  name: string
  ours: string
  yardstick: string
  /** Ours as a share of the yardstick; `null` where the figure stands for itself. */
  ratio: number | null
  /** What is to be reached, as it is shown. */
  target: string
  isReached: boolean
}

/** A number as people read it: whole from a hundred on. */
export const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2)

/** A figure that is to be at least a share of its yardstick. */
export const compared = (
  name: string,
  unit: string,
  ours: number,
  yardstick: { value: number; what: string; least: number },
): Figure => ({
  name,
  ours: `${shown(ours)} ${unit}`,
  yardstick: `${shown(yardstick.value)} ${unit}, ${yardstick.what}`,
  ratio: ours / yardstick.value,
  target: `≥ ${Math.round(yardstick.least * 100)} %`,
  isReached: ours / yardstick.value >= yardstick.least,
})

/** A figure that is to stay below a limit. */
export const bounded = (name: string, unit: string, ours: number, most: number): Figure => ({
  name,
  ours: `${shown(ours)} ${unit}`,
  yardstick: '–',
  ratio: null,
  target: `< ${shown(most)} ${unit}`,
  isReached: ours < most,
})

/** The middle one of several. */
export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
