import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { ContactDetails } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { invalidateSoon } from '../../live/refresh'
import { Button, IconButton } from '../../parts/button'
import { besideOf, nameOf } from '../../parts/contact/name'
import { Confirm, Dialog } from '../../parts/dialog'
import { TextField } from '../../parts/field'
import { Menu, MenuItem } from '../../parts/menu'
import { Picker } from '../../parts/picker'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

interface Props {
  contact: ContactDetails
}

/** Merges a contact with a duplicate, writes all about a person into a file, and erases it all. */
export function MoreActions({ contact }: Props) {
  const mayErase = useCan('contacts:delete')
  const mayExport = useCan('contacts:export')
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'merge' | 'delete' | 'erase' | null>(null)
  const close = (): void => {
    setDialog(null)
  }
  return (
    <>
      <Menu
        label={t('parts.action.more')}
        button={<IconButton icon="more" label={t('parts.action.more')} />}
      >
        <MenuItem
          icon="contacts"
          label={t('contact.merge')}
          onAction={() => {
            setDialog('merge')
          }}
        />
        {mayExport && (
          <MenuItem
            icon="download"
            label={t('contact.export')}
            onAction={() => {
              callOnce('POST /api/contacts/{id}/privacy-export', {
                params: { id: contact.id },
                body: {},
              })
                .then(() => {
                  invalidateSoon(client, 'GET /api/privacy/requests')
                  notify(t('contact.export-begun'))
                })
                .catch(report)
            }}
          />
        )}
        {mayErase && (
          <MenuItem
            icon="trash"
            isDangerous
            label={t('contact.delete')}
            onAction={() => {
              setDialog('delete')
            }}
          />
        )}
        {mayErase && (
          <MenuItem
            icon="trash"
            isDangerous
            label={t('contact.erase')}
            onAction={() => {
              setDialog('erase')
            }}
          />
        )}
      </Menu>
      {dialog === 'merge' && <Merge contact={contact} onClose={close} />}
      {dialog === 'erase' && <Erase contact={contact} onClose={close} />}
      {dialog === 'delete' && <Deletion contact={contact} onClose={close} />}
    </>
  )
}

/** Chooses the other entry of the same person, which is merged into this one. */
function Merge({ contact: { id }, onClose }: Props & { onClose: () => void }) {
  const [words, setWords] = useState('')
  const isAsked = words.trim().length > 1
  const { data } = useApi('GET /api/suggest', { query: { q: words.trim().slice(0, 100) } }, isAsked)
  const people = (data?.contacts ?? []).filter((one) => one.id !== id)
  const merge = (otherId: string): void => {
    const other = people.find((one) => one.id === otherId)
    onClose()
    call('POST /api/contacts/{id}/merge', { params: { id }, body: { source_id: otherId } })
      .then(({ merge_id: mergeId }) => {
        notify(t('contact.merged', { name: other ? nameOf(other) : '' }), () => {
          call('POST /api/contacts/merges/{id}/undo', { params: { id: mergeId } }).catch(report)
        })
      })
      .catch(report)
  }
  return (
    <Dialog title={t('contact.merge')} isOpen onClose={onClose}>
      <p className="muted">{t('contact.merge-hint')}</p>
      <Picker
        label={t('contact.merge')}
        placeholder={t('inbox.list.search')}
        items={people.map((one) => ({
          ...{ id: one.id, label: nameOf(one) },
          ...besideOf(one),
        }))}
        isLoading={isAsked && data === undefined}
        onSearch={setWords}
        onPick={merge}
      />
    </Dialog>
  )
}

/** Takes a contact out of the lists; it comes back if the person writes again. */
function Deletion({ contact, onClose }: Props & { onClose: () => void }) {
  const navigate = useNavigate()
  const { id } = contact
  const name = nameOf(contact)
  const remove = async (): Promise<void> => {
    await call('DELETE /api/contacts/{id}', { params: { id } })
    notify(t('contact.deleted', { name }))
    await navigate({ to: '/contacts', search: {} })
  }
  return (
    <Confirm
      isOpen
      title={t('contact.delete-title', { name })}
      text={t('contact.delete-text')}
      action={t('contact.delete-action', { name })}
      onClose={onClose}
      onConfirm={() => {
        remove().catch(report)
      }}
    />
  )
}

/** Says what an erasure takes and what remains, and then asks once more. */
function Erase({ contact, onClose }: Props & { onClose: () => void }) {
  const navigate = useNavigate()
  const [isSure, setSure] = useState(false)
  const [reason, setReason] = useState('')
  const { id } = contact
  const name = nameOf(contact)
  const erase = async (): Promise<void> => {
    await call('POST /api/contacts/{id}/erase', {
      params: { id },
      body: { confirm: id, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) },
    })
    notify(t('contact.erased', { name }))
    await navigate({ to: '/contacts', search: {} })
  }
  return (
    <Dialog title={t('contact.erase-title', { name })} isOpen onClose={onClose}>
      {isSure ? (
        <TextField
          label={t('contact.erase-reason')}
          maxLength={1_000}
          autoFocus
          value={reason}
          onChange={setReason}
        />
      ) : (
        <>
          <p>{t('contact.erase-goes')}</p>
          <p className="muted">{t('contact.erase-stays')}</p>
        </>
      )}
      <footer className="actions">
        <Button onPress={onClose}>{t('parts.action.cancel')}</Button>
        {isSure ? (
          <Button
            look="danger"
            onPress={() => {
              onClose()
              erase().catch(report)
            }}
          >
            {t('contact.erase-action', { name })}
          </Button>
        ) : (
          <Button
            onPress={() => {
              setSure(true)
            }}
          >
            {t('contact.erase-next')}
          </Button>
        )}
      </footer>
    </Dialog>
  )
}
