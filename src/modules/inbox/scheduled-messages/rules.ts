import { DAY_MS, MINUTE_MS } from '../../../lib/clock'
import { ConflictError, fieldSentence, InvalidError } from '../../../lib/errors'
import type { scheduledMessages } from './table'

type ScheduledRow = typeof scheduledMessages.$inferSelect

/** How many scheduled messages may wait at a time. */
export const MAX_OPEN = { contact: 20, organization: 5_000 }

const EARLIEST_MS = MINUTE_MS
const LATEST_MS = 30 * DAY_MS

/** Returns the time to send at, epoch milliseconds. Throws InvalidError `invalid_input`. */
export function sendTime(written: string, nowMs: number): number {
  const atMs = Date.parse(written)
  if (atMs >= nowMs + EARLIEST_MS && atMs <= nowMs + LATEST_MS) return atMs
  const [path, message] = ['body.send_at', 'must be in one minute to 30 days'] as const
  throw new InvalidError(fieldSentence(path, message), { errors: [{ path, message }] })
}

/** Returns a message that has not ended. Throws ConflictError `not_scheduled`. */
export function requireOpen(row: ScheduledRow): ScheduledRow {
  if (row.state === 'scheduled') return row
  const ended = { sent: 'was already sent', failed: 'has failed', cancelled: 'was cancelled' }
  throw new ConflictError(`This scheduled message ${ended[row.state]}.`, {
    code: 'not_scheduled',
    details: { state: row.state, message_id: row.messageId },
  })
}
