/** Width of a step: 2 percent. */
const STEP = 1.02

/** The number of values in a step. Step n holds values from 1.02^n up to 1.02^(n+1). */
export interface HistogramBin {
  bin: number
  count: number
}

/** Returns the value that stands for a step, at most 1 percent from all its values. */
const valueOf = (bin: number): number => STEP ** (bin + 0.5)

/** Returns the median of a histogram whose steps are in ascending order; 0 for no values. */
export function medianOf(bins: readonly HistogramBin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  if (total <= 0) return 0
  const [lower, upper] = [Math.floor((total - 1) / 2), Math.floor(total / 2)]
  return (valueAt(bins, lower) + valueAt(bins, upper)) / 2
}

/** Returns the value at a position, from 0, in ascending order. */
function valueAt(bins: readonly HistogramBin[], position: number): number {
  let before = 0
  for (const { bin, count } of bins) {
    before += count
    if (position < before) return valueOf(bin)
  }
  return 0
}
