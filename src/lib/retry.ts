/**
 * What a growing pause depends on: which retry it is (1 = the first), first and longest pause in
 * ms, and chance (0 up to but not 1).
 */
export interface JitterInput {
  attempt: number
  baseMs: number
  capMs: number
  random: () => number
}

/**
 * Milliseconds to wait before a retry: anything from 0 to `baseMs` doubled per retry, never beyond
 * `capMs` ("full jitter"), so that callers who failed together do not come back together.
 */
export function fullJitterMs({ attempt, baseMs, capMs, random }: JitterInput): number {
  const ceilingMs = Math.min(capMs, baseMs * 2 ** (Math.max(1, attempt) - 1))
  return Math.floor(random() * ceilingMs)
}

/**
 * Milliseconds to wait before retry number `attempt` (1 = the first) by a list of seconds, with
 * full jitter; past the end of the list its last value holds, an empty list is no pause.
 */
export function pauseFrom(listS: readonly number[], attempt: number, random: () => number): number {
  const pauseS = listS[Math.max(0, attempt - 1)] ?? listS.at(-1) ?? 0
  return Math.floor(random() * pauseS * 1000)
}
