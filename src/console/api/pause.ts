import type { ApiError } from './error'

/** When the server takes requests again, on the clock of this page, milliseconds. */
let endsMs = 0
const listeners = new Set<() => void>()

/** Whether an error says that this person asked too often. */
export const isTooOften = ({ code }: ApiError): boolean => code === 'rate_limited'

/** Notes how long the server refuses requests. */
export function notePause(error: ApiError): void {
  const { retryAfterS } = error.more
  if (!isTooOften(error) || retryAfterS === null) return
  endsMs = Math.max(endsMs, performance.now() + retryAfterS * 1_000)
  for (const listener of listeners) listener()
}

/** Returns the whole seconds until the server takes requests again; 0 if it takes them. */
export const pauseLeftS = (): number => Math.max(0, Math.ceil((endsMs - performance.now()) / 1_000))

/** Calls `listener` when a pause begins or becomes longer. Returns a function that stops it. */
export const onPause = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
