import type { Transfer } from '../../api/shapes'
import { useNow } from '../../live/use-now'
import { Icon } from '../../parts/icons'
import { formatDuration } from '../../texts/format'
import { t } from '../../texts/texts'

/** How often the clocks move, milliseconds. */
const STEP_MS = 10_000
/** Remaining time below which a deadline is marked, milliseconds. */
const SOON_MS = 15 * 60_000

/** Returns the next deadline of a transfer: of the first answer, then of the end. */
function nextOf(transfer: Transfer): { kind: 'answer' | 'end'; at: string } | null {
  const { sla_response_deadline: answer, sla_resolution_deadline: end } = transfer
  if (answer !== null && transfer.first_response_at === null) return { kind: 'answer', at: answer }
  return end === null ? null : { kind: 'end', at: end }
}

/** The clock of the next deadline. Nothing if there is none. */
export function Deadline({ transfer }: { transfer: Transfer }) {
  const now = useNow(STEP_MS)
  const next = transfer.status === 'active' ? nextOf(transfer) : null
  if (!next)
    return transfer.sla_breached ? (
      <span className="chip danger">{t('transfers.clock.missed')}</span>
    ) : null
  const leftMs = Date.parse(next.at) - now
  const isLate = leftMs <= 0
  const look = isLate ? ' danger' : leftMs < SOON_MS ? ' warn' : ''
  return (
    <span className={`chip${look}`}>
      <Icon name="clock" size={14} />
      {isLate
        ? t('transfers.clock.late', { time: formatDuration(-leftMs) })
        : t(`transfers.clock.${next.kind}`, { time: formatDuration(leftMs) })}
    </span>
  )
}

/** For how long a customer has waited. */
export function WaitingTime({ since }: { since: string }) {
  const now = useNow(STEP_MS)
  return t('transfers.row.waiting', { time: formatDuration(now - Date.parse(since)) })
}
