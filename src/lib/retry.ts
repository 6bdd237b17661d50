/**
 * Inputs of a backoff delay: attempt (1 = the first retry), base and maximum delay in ms, and a
 * random fraction in [0, 1).
 */
export interface JitterInput {
  attempt: number
  baseMs: number
  capMs: number
  random: () => number
}

/**
 * Returns the delay before a retry in milliseconds: random between 0 and `baseMs` doubled per
 * retry, at most `capMs` ("full jitter"). Callers that failed together do not retry together.
 */
export function fullJitterMs({ attempt, baseMs, capMs, random }: JitterInput): number {
  const ceilingMs = Math.min(capMs, baseMs * 2 ** (Math.max(1, attempt) - 1))
  return Math.floor(random() * ceilingMs)
}

/**
 * Returns the delay in milliseconds before retry number `attempt` (1 = the first) from a list of
 * seconds, with full jitter. Beyond the list its last value applies; an empty list means no delay.
 */
export function pauseFrom(listS: readonly number[], attempt: number, random: () => number): number {
  const pauseS = listS[Math.max(0, attempt - 1)] ?? listS.at(-1) ?? 0
  return Math.floor(random() * pauseS * 1000)
}
