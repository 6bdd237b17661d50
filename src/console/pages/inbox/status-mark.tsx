import type { Status } from '../../api/shapes'
import { Icon, type IconName } from '../../parts/icons'
import { t } from '../../texts/texts'

const ICONS: Record<Status, IconName> = {
  pending: 'clock',
  sent: 'check',
  delivered: 'checks',
  read: 'checks',
  failed: 'warning',
  unknown: 'question',
}

/** The delivery state of a message as a sign with a name. */
export function StatusMark({ status }: { status: Status }) {
  return (
    <span className={`status ${status}`} role="img" aria-label={t(`inbox.status.${status}`)}>
      <Icon name={ICONS[status]} size={15} />
    </span>
  )
}
