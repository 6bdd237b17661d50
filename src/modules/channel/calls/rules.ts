import type { calls } from './table'

type CallRow = typeof calls.$inferSelect

/** The stages of a call that decide its state. */
export type CallFacts = Pick<
  CallRow,
  | 'direction'
  | 'acceptedAtMs'
  | 'rejectedAtMs'
  | 'endedAtMs'
  | 'endStatus'
  | 'startedAtMs'
  | 'durationSeconds'
  | 'recordingMediaId'
  | 'transcriptMediaId'
>

/** End status of a call that kept ringing, because the platform never reported its end. */
export const UNREPORTED_END = 'UNREPORTED'

/**
 * Derives the state of a call from the reported stages, in any order of arrival. Only calls that
 * were picked up have a start or a duration at their end, whatever status the platform gives: an
 * unanswered outgoing call ends as COMPLETED (platform documentation).
 */
export function callStateOf(facts: CallFacts): CallRow['state'] {
  const { rejectedAtMs, endedAtMs, durationSeconds } = facts
  const wasAnswered =
    (durationSeconds ?? 0) > 0 ||
    [facts.acceptedAtMs, facts.startedAtMs].some((atMs) => atMs !== null) ||
    [facts.recordingMediaId, facts.transcriptMediaId].some((mediaId) => mediaId !== null)
  if (endedAtMs === null) {
    if (rejectedAtMs !== null) return 'rejected'
    if (wasAnswered) return 'accepted'
    return facts.endStatus === UNREPORTED_END ? 'missed' : 'ringing'
  }
  if (wasAnswered)
    return facts.endStatus === 'FAILED' && durationSeconds === null ? 'failed' : 'ended'
  if (rejectedAtMs !== null) return 'rejected'
  // A customer's call that nobody answered is missed, even if the connection failed.
  return facts.direction === 'outgoing' && facts.endStatus === 'FAILED' ? 'failed' : 'missed'
}

/** Whether a call waits for a person to read that it was missed. */
export const isUnreadCall = (row: Pick<CallRow, 'direction' | 'state' | 'readAtMs'>): boolean =>
  row.direction === 'incoming' && row.state === 'missed' && row.readAtMs === null
