/**
 * Two requests that must not be told apart by the time they take: each gets the number of its
 * round.
 */
export interface Pair {
  what: string
  names: [string, string]
  ask: [(round: number) => Promise<void>, (round: number) => Promise<void>]
}

/** Times of one of the two, milliseconds. */
export interface Times {
  name: string
  p50Ms: number
  p95Ms: number
  meanMs: number
}

/**
 * What a comparison came to. The ratio is that of the second to the first, of the middle values.
 */
export interface Comparison {
  what: string
  times: [Times, Times]
  ratio: number
}

/** How far two middle values may lie apart. */
const TOLERANCE = 0.1
const WARM_UP = 10

/**
 * Measures both in one run, one request at a time, in turn and now the one, now the other first, so
 * that neighbours disturb both alike.
 */
export async function compare(pair: Pair, rounds: number): Promise<Comparison> {
  const took: [number[], number[]] = [[], []]
  const one = async (which: 0 | 1, round: number): Promise<void> => {
    const startedMs = performance.now()
    await pair.ask[which](round)
    if (round >= WARM_UP) took[which].push(performance.now() - startedMs)
  }
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    const first = Math.random() < 0.5 ? 0 : 1
    await one(first, round)
    await one(first === 0 ? 1 : 0, round)
  }
  const times: [Times, Times] = [timesOf(pair.names[0], took[0]), timesOf(pair.names[1], took[1])]
  return { what: pair.what, times, ratio: times[1].p50Ms / times[0].p50Ms }
}

function timesOf(name: string, took: number[]): Times {
  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0
  return {
    name,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    meanMs: took.reduce((sum, ms) => sum + ms, 0) / took.length,
  }
}

/** Those that lie further apart than they may, each as a sentence. */
export const tellingApart = (comparisons: Comparison[]): string[] =>
  comparisons
    .filter(({ ratio }) => Math.abs(ratio - 1) > TOLERANCE)
    .map(
      ({ what, ratio }) => `${what}: the middle values differ by a factor of ${ratio.toFixed(2)}`,
    )
