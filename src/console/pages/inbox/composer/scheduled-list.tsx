import type { ScheduledMessage } from '../../../api/shapes'
import { IconButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'

interface Props {
  items: readonly ScheduledMessage[]
  onSendNow: (item: ScheduledMessage) => void
  onCancel: (item: ScheduledMessage) => void
}

/** Returns the words of a scheduled message. */
const wordsOf = ({ message }: ScheduledMessage): string =>
  typeof message['text'] === 'string' ? message['text'] : t('inbox.scheduled.other')

/** The messages that are sent later, above the field. */
export function ScheduledList({ items, onSendNow, onCancel }: Props) {
  if (items.length === 0) return null
  return (
    <ul className="scheduled" aria-label={t('inbox.scheduled.title')}>
      {items.map((item) => (
        <li key={item.id}>
          <Icon name="clock" size={16} />
          <time dateTime={item.send_at}>{formatDateTime(item.send_at)}</time>
          <span className="grow" dir="auto">
            {wordsOf(item)}
          </span>
          <IconButton
            icon="send"
            size={16}
            label={t('inbox.scheduled.now')}
            onPress={() => {
              onSendNow(item)
            }}
          />
          <IconButton
            icon="trash"
            size={16}
            label={t('inbox.scheduled.cancel')}
            onPress={() => {
              onCancel(item)
            }}
          />
        </li>
      ))}
    </ul>
  )
}
