import type { Item } from '../../../api/shapes'
import { RichText } from '../../../parts/rich-text'
import { roleName } from '../../../parts/role-name'
import { formatDateTime, formatTime } from '../../../texts/format'
import { t } from '../../../texts/texts'

/** What the former owner of the thread says about it, between the messages. A model wrote it. */
export function HandoverNote({ item }: { item: Extract<Item, { type: 'system' }> }) {
  const { text, old: role } = item.content
  const label =
    role === null ? t('inbox.handover.title') : t('inbox.handover.by', { role: roleName(role) })
  return (
    <div className="note-line handover" role="note" aria-label={label}>
      <p className="muted small">
        <b>{label}</b>
        {' · '}
        <time dateTime={item.timestamp} title={formatDateTime(item.timestamp)}>
          {formatTime(item.timestamp)}
        </time>
      </p>
      <RichText text={text ?? item.preview} />
    </div>
  )
}
