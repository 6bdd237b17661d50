import { isoTime } from '../../lib/clock'
import { InvalidError } from '../../lib/errors'
import { windowEndMs } from '../contacts/view'

/** Whether a customer who last wrote then may be sent any message at `nowMs` (platform documentation: 24-hour customer service window). */
export function isWindowOpen(lastInboundAtMs: number | null, nowMs: number): boolean {
  const endMs = windowEndMs(lastInboundAtMs)
  return endMs !== null && nowMs < endMs
}

const inWords = (seconds: number): string => {
  if (seconds < 120) return `${seconds} seconds`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} minutes`
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} hours` : `${Math.floor(seconds / 86_400)} days`
}

/** Refuses a message that is no template outside the window. Throws InvalidError `window_closed`, which says since when. */
export function requireOpenWindow(lastInboundAtMs: number | null, nowMs: number): void {
  if (isWindowOpen(lastInboundAtMs, nowMs)) return
  const endMs = windowEndMs(lastInboundAtMs)
  const closedForS = endMs === null ? null : Math.floor((nowMs - endMs) / 1_000)
  const since =
    closedForS === null ? 'This contact has not written to this number yet' : `The 24-hour window closed ${inWords(closedForS)} ago`
  throw new InvalidError(`${since}. Send a template instead.`, {
    code: 'window_closed',
    details: { window_expires_at: endMs === null ? null : isoTime(endMs), closed_for_seconds: closedForS },
  })
}
