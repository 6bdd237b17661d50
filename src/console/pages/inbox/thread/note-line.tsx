import type { Note } from '../../../api/shapes'
import { RichText } from '../../../parts/rich-text'
import { formatDateTime, formatTime } from '../../../texts/format'
import { t } from '../../../texts/texts'

/** What a colleague noted, between the messages. The customer never sees it. */
export function NoteLine({ note }: { note: Note }) {
  const label = t('inbox.notes.by', { name: note.created_by_name ?? t('inbox.event.gone') })
  return (
    <div className="note-line" role="note" aria-label={label}>
      <RichText text={note.content} />
      <p className="muted small">
        <bdi>{label}</bdi>
        {' · '}
        <time dateTime={note.created_at} title={formatDateTime(note.created_at)}>
          {formatTime(note.created_at)}
        </time>
      </p>
    </div>
  )
}
