import { serverNow } from '../../../live/server-clock'
import { IconButton } from '../../../parts/button'
import { Menu, MenuItem } from '../../../parts/menu'
import { dayOf, formatShort, formatTime, momentOf } from '../../../texts/format'
import { t } from '../../../texts/texts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MONDAY = 1

/** The moments that are offered, by the clock of the organization. */
function choices(): { id: 'hour' | 'later' | 'tomorrow' | 'week'; atMs: number }[] {
  const now = serverNow()
  const at = (days: number, time: string): number =>
    momentOf(`${dayOf(now + days * DAY_MS)}T${time}`)
  const today = new Date(`${dayOf(now)}T00:00:00Z`).getUTCDay()
  const evening = at(0, '18:00:00')
  return [
    { id: 'hour', atMs: now + HOUR_MS },
    ...(evening - now > HOUR_MS ? [{ id: 'later' as const, atMs: evening }] : []),
    { id: 'tomorrow', atMs: at(1, '09:00:00') },
    { id: 'week', atMs: at((MONDAY - today + 7) % 7 || 7, '09:00:00') },
  ]
}

interface Props {
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  /** Gets the time, or `reply` for the customer's next message. */
  onSnooze: (until: string) => void
}

/** Hides a conversation until later, or until the customer writes. */
export function SnoozeMenu({ onSnooze, ...props }: Props) {
  return (
    <Menu
      {...props}
      label={t('inbox.snooze.title')}
      button={<IconButton icon="snooze" label={t('inbox.snooze.title')} shortcut="S" />}
    >
      <MenuItem
        id="reply"
        label={t('inbox.snooze.reply')}
        onAction={() => {
          onSnooze('reply')
        }}
      />
      {choices().map(({ id, atMs }) => (
        <MenuItem
          key={id}
          id={id}
          label={t(`inbox.snooze.${id}`)}
          detail={id === 'week' ? formatShort(atMs) : formatTime(atMs)}
          onAction={() => {
            onSnooze(new Date(atMs).toISOString())
          }}
        />
      ))}
    </Menu>
  )
}
