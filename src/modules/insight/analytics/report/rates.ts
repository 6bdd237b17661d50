/** Rounds to one decimal. */
const oneDecimal = (value: number): number => Math.round(value * 10) / 10

/** Returns a share in percent with one decimal; 0 if the whole is 0. */
export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : oneDecimal((part / whole) * 100)

/** Returns the change from an earlier to a later number in percent; 100 if only the later is not 0. */
export const growthOf = (now: number, before: number): number =>
  before === 0 ? (now === 0 ? 0 : 100) : oneDecimal(((now - before) / before) * 100)

/** Returns the mean of a sum with one decimal; 0 for none. */
export const meanOf = (sum: number, count: number): number =>
  count === 0 ? 0 : oneDecimal(sum / count)

/** Converts milliseconds to seconds with one decimal. */
export const secondsOf = (ms: number): number => Math.round(ms / 100) / 10

/** Returns the mean of a sum of milliseconds, in seconds with one decimal; 0 for none. */
export const meanSeconds = (sumMs: number, count: number): number =>
  count === 0 ? 0 : secondsOf(sumMs / count)
