import type { Call } from '../../api/shapes'
import { formatClock } from '../../texts/format'
import { t } from '../../texts/texts'

const LOOKS: Partial<Record<Call['state'], string>> = {
  ended: 'good',
  missed: 'warn',
  failed: 'danger',
}

/** What became of a call; of one that failed also why. */
export function CallOutcome({ call: { state, error } }: { call: Call }) {
  const why = error?.message ?? null
  return (
    <>
      <span className={`chip ${LOOKS[state] ?? ''}`}>{t(`records.call.${state}`)}</span>
      {why !== null && (
        <span className="second small" dir="auto" title={why}>
          {why}
        </span>
      )}
    </>
  )
}

/** How long people spoke; `null` if they did not, or still do. */
export const lengthOf = ({ duration_seconds: seconds }: Call): string | null =>
  seconds === null ? null : formatClock(seconds * 1_000)

/** The recording of a call and its transcript, each to be saved. */
export function CallFiles({ call }: { call: Call }) {
  const files = { recording: call.recording_media_id, transcript: call.transcript_media_id }
  const kinds = (['recording', 'transcript'] as const).filter((kind) => files[kind] !== null)
  if (kinds.length === 0) return null
  return (
    <span className="call-files">
      {kinds.map((kind) => (
        <a key={kind} href={`/api/media/${files[kind]}?download=1`} download>
          {t(`records.calls.${kind}`)}
        </a>
      ))}
    </span>
  )
}
