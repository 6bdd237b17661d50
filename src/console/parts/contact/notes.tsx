import { call } from '../../api/client'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { IconButton } from '../button'
import { RichText } from '../rich-text'
import { report } from '../toast'
import { formatShort } from '../../texts/format'
import { t } from '../../texts/texts'

/** What colleagues noted about the contact. The customer never sees it. */
export function Notes({ contactId, isLoaded }: { contactId: string; isLoaded: boolean }) {
  const me = useMe()
  const params = { id: contactId }
  const mayRead = useCan('contacts:read')
  const mayPin = useCan('contacts:update')
  const { data } = useApi('GET /api/contacts/{id}/notes', { params }, mayRead && isLoaded)
  const notes = (data?.items ?? []).toSorted((one, other) =>
    one.pinned === other.pinned
      ? other.created_at.localeCompare(one.created_at)
      : Number(other.pinned) - Number(one.pinned),
  )
  return (
    <section className="panel-part" aria-label={t('inbox.notes.title')}>
      <h3>{t('inbox.notes.title')}</h3>
      {data && notes.length === 0 && <p className="muted small">{t('inbox.notes.none')}</p>}
      <ul className="notes">
        {notes.map((note) => (
          <li key={note.id} className="note">
            <RichText text={note.content} />
            <footer className="muted small">
              <span className="grow">
                <bdi>{note.created_by_name}</bdi> · {formatShort(note.created_at)}
              </span>
              {note.pinned && <span className="visually-hidden">{t('parts.contact.pinned')}</span>}
              {mayPin && (
                <IconButton
                  icon="star"
                  size={14}
                  aria-pressed={note.pinned}
                  label={t(note.pinned ? 'parts.contact.unpin' : 'parts.contact.pin')}
                  onPress={() => {
                    call('PUT /api/contacts/{id}/notes/{note_id}', {
                      params: { ...params, note_id: note.id },
                      body: { pinned: !note.pinned },
                    }).catch(report)
                  }}
                />
              )}
              {note.created_by === me.id && (
                <IconButton
                  icon="trash"
                  size={14}
                  label={t('inbox.notes.delete')}
                  onPress={() => {
                    call('DELETE /api/contacts/{id}/notes/{note_id}', {
                      params: { ...params, note_id: note.id },
                    }).catch(report)
                  }}
                />
              )}
            </footer>
          </li>
        ))}
      </ul>
    </section>
  )
}
