import { useState } from 'react'

import { call } from '../../api/client'
import type { Note } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { IconButton } from '../button'
import { TextArea, textOf } from '../field'
import { FormDialog } from '../form-dialog'
import { RichText } from '../rich-text'
import { report } from '../toast'
import { formatShort } from '../../texts/format'
import { t } from '../../texts/texts'

interface DialogProps {
  note: Note
  contactId: string
  onClose: () => void
}

/** The window in which a note is changed. */
const NoteDialog = ({ note, contactId, onClose }: DialogProps) => (
  <FormDialog
    title={t('inbox.notes.edit')}
    submit={t('parts.action.save')}
    onClose={onClose}
    onSave={(data) =>
      call('PUT /api/contacts/{id}/notes/{note_id}', {
        params: { id: contactId, note_id: note.id },
        body: { content: textOf(data, 'content') },
      })
    }
  >
    <TextArea
      name="content"
      label={t('inbox.composer.note')}
      defaultValue={note.content}
      maxLength={4_096}
      isRequired
      autoFocus
    />
  </FormDialog>
)

interface ButtonProps {
  note: Note
  contactId: string
}

/** Keeps a note on top, or no longer. */
function PinButton({ note, contactId }: ButtonProps) {
  const mayPin = useCan('messages:create', 'contacts:update')
  return (
    mayPin && (
      <IconButton
        icon="star"
        size={14}
        aria-pressed={note.pinned}
        label={t(note.pinned ? 'parts.contact.unpin' : 'parts.contact.pin')}
        onPress={() => {
          call('PUT /api/contacts/{id}/notes/{note_id}', {
            params: { id: contactId, note_id: note.id },
            body: { pinned: !note.pinned },
          }).catch(report)
        }}
      />
    )
  )
}

/** What its author can do with a note. */
function OwnButtons({ note, contactId, onEdit }: ButtonProps & { onEdit: () => void }) {
  const mayWrite = useCan('messages:create')
  if (!mayWrite) return null
  return (
    <>
      <IconButton icon="edit" size={14} label={t('inbox.notes.edit')} onPress={onEdit} />
      <IconButton
        icon="trash"
        size={14}
        label={t('inbox.notes.delete')}
        onPress={() => {
          call('DELETE /api/contacts/{id}/notes/{note_id}', {
            params: { id: contactId, note_id: note.id },
          }).catch(report)
        }}
      />
    </>
  )
}

/** What colleagues noted about the contact. The customer never sees it. */
export function Notes({ contactId, isLoaded }: { contactId: string; isLoaded: boolean }) {
  const me = useMe()
  const [edited, setEdited] = useState<Note | null>(null)
  const params = { id: contactId }
  const mayRead = useCan('contacts:read')
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
              <PinButton note={note} contactId={contactId} />
              {note.created_by === me.id && (
                <OwnButtons
                  note={note}
                  contactId={contactId}
                  onEdit={() => {
                    setEdited(note)
                  }}
                />
              )}
            </footer>
          </li>
        ))}
      </ul>
      {edited && (
        <NoteDialog
          note={edited}
          contactId={contactId}
          onClose={() => {
            setEdited(null)
          }}
        />
      )}
    </section>
  )
}
