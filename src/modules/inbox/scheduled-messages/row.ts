import type { scheduledMessages } from './table'

/** A scheduled message as stored. */
export type ScheduledRow = typeof scheduledMessages.$inferSelect

/** Why a scheduled message was not sent. */
export interface ScheduledError {
  code: string
  message: string
}
