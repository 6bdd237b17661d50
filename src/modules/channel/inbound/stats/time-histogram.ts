/** Upper bounds of the response time buckets, milliseconds. */
export const BOUNDS_MS = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750, 1_000,
  2_000, 5_000, 10_000, 60_000,
]

/** Number of responses per bucket, by upper bound in milliseconds. */
export type TimeHistogram = Record<string, number>

/** Adds the counts of two histograms. */
export const addHistograms = (a: TimeHistogram, b: TimeHistogram): TimeHistogram =>
  Object.fromEntries(
    Object.keys({ ...a, ...b }).map((bound) => [bound, (a[bound] ?? 0) + (b[bound] ?? 0)]),
  )

/**
 * Returns the response time within which a share of the responses was sent, rounded up to a bucket;
 * `null` without responses.
 */
export function percentileMs(acknowledgements: TimeHistogram, share: number): number | null {
  const counted = Object.entries(acknowledgements)
    .map(([bound, answers]) => ({ boundMs: Number(bound), answers }))
    .toSorted((a, b) => a.boundMs - b.boundMs)
  const total = counted.reduce((sum, { answers }) => sum + answers, 0)
  let seen = 0
  for (const { boundMs, answers } of counted) {
    seen += answers
    if (seen >= total * share) return boundMs
  }
  return null
}
