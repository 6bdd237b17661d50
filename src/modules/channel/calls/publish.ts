import { eq, or } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { CallEnded, CallMissed, CallReceived, CallUpdated } from './events'
import type { CallRow } from './row'
import { UNREPORTED_END } from './rules'
import { calls } from './table'

/** Fields of the API, by the column they are made of. */
const FIELDS = {
  state: 'state',
  timestampMs: 'timestamp',
  acceptedAtMs: 'answered_at',
  startedAtMs: 'answered_at',
  endedAtMs: 'ended_at',
  durationSeconds: 'duration_seconds',
  error: 'error',
  recordingMediaId: 'recording_media_id',
  transcriptMediaId: 'transcript_media_id',
} as const satisfies Partial<Record<keyof CallRow, string>>

const isOver = (row: CallRow | null): boolean =>
  row !== null && row.state !== 'ringing' && row.state !== 'accepted'

/** Publishes a call that was stored or changed, in the same transaction. */
export function publishCallIn(
  tx: Tx,
  ctx: Ctx,
  { before, after, isLate }: { before: CallRow | null; after: CallRow; isLate: boolean },
): void {
  const columns = Object.keys(FIELDS) as (keyof typeof FIELDS)[]
  const changed = [
    ...new Set(
      columns
        .filter((column) => after[column] !== (before?.[column] ?? null))
        .map((column) => FIELDS[column]),
    ),
    ...(before !== null && before.direction !== after.direction ? ['direction'] : []),
  ]
  const begun = before === null ? CallReceived : CallUpdated
  const ended = after.state === 'missed' ? CallMissed : CallEnded
  // The real end of a call that was taken for missed.
  const isCorrected = before?.endStatus === UNREPORTED_END && after.state !== before.state
  emit(tx, ctx, isOver(after) && (!isOver(before) || isCorrected) ? ended : begun, {
    contactId: after.contactId,
    payload: {
      callId: after.id,
      contactId: after.contactId,
      changed,
      ...(isLate ? { isLate } : {}),
    },
  })
}

/**
 * Publishes that the recording or transcript of a call is available, failed or expired, in the
 * transaction of the file.
 */
export function publishCallFileIn(tx: Tx, ctx: Ctx, mediaId: string): void {
  const carriers = tx
    .select({ id: calls.id, contactId: calls.contactId, recording: calls.recordingMediaId })
    .from(calls)
    .where(
      inOrganization(
        ctx,
        calls,
        or(eq(calls.recordingMediaId, mediaId), eq(calls.transcriptMediaId, mediaId)),
      ),
    )
    .all()
  for (const { id, contactId, recording } of carriers)
    emit(tx, ctx, CallUpdated, {
      contactId,
      payload: {
        callId: id,
        contactId,
        changed: [recording === mediaId ? 'recording_media_id' : 'transcript_media_id'],
      },
    })
}
