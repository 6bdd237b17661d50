import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { maskPhonesIn } from '../../../lib/phone'
import type { CallContent, CallView } from './model'
import type { CallRow } from './row'
import { isUnreadCall } from './rules'

/** Returns the content of a call as a list of messages shows it. */
export const callContent = (row: CallRow): CallContent => ({
  direction: row.direction,
  state: row.state,
  duration_seconds: row.durationSeconds,
  recording_media_id: row.recordingMediaId,
})

/** Returns the error of a call. With `isMasked`, phone numbers in its message are masked. */
function errorView({ error }: CallRow, isMasked: boolean): CallView['error'] {
  const read = error === null ? null : (JSON.parse(error) as NonNullable<CallView['error']>)
  return read?.message != null && isMasked ? { ...read, message: maskPhonesIn(read.message) } : read
}

/** A call without whose it is. */
export type NamelessCall = Omit<CallView, 'contact'>

/** Returns a call as the API shows it, without whose it is. */
export const namelessCall = (
  row: CallRow,
  conversationId: string | null,
  isMasked: boolean,
): NamelessCall => ({
  id: row.id,
  conversation_id: conversationId,
  contact_id: row.contactId,
  account_id: row.accountId,
  wa_call_id: row.waCallId,
  direction: row.direction,
  state: row.state,
  timestamp: isoTime(row.timestampMs),
  answered_at: isoTimeOrNull(row.acceptedAtMs ?? row.startedAtMs),
  ended_at: isoTimeOrNull(row.endedAtMs),
  duration_seconds: row.durationSeconds,
  recording_media_id: row.recordingMediaId,
  transcript_media_id: row.transcriptMediaId,
  unread: isUnreadCall(row),
  error: errorView(row, isMasked),
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
