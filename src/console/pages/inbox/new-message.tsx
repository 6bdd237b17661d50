import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { usePageCommands } from '../../parts/commands'
import { knownOf } from '../../parts/contact/known'
import { besideOf, nameOf } from '../../parts/contact/name'
import { Dialog } from '../../parts/dialog'
import { Icon } from '../../parts/icons'
import { useKeys } from '../../parts/keys'
import { Picker } from '../../parts/picker'
import { report } from '../../parts/toast'
import { useSearchText } from '../../parts/use-search-text'
import { t } from '../../texts/texts'

/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 150
/** Letters from which the server searches. */
const MIN_LETTERS = 2
const MAX_LETTERS = 100

/** A whole number in any format. */
const NUMBER = /^\+?(?:[\s().-]*\d){7,15}$/

/** Opens the window for a new message by its key and from the palette, for who may write one. */
export function useNewMessage() {
  const [isOpen, setOpen] = useState(false)
  const isAllowed = useCan('messages:create', 'contacts:read')
  const onNew = isAllowed
    ? () => {
        setOpen(true)
      }
    : null
  useKeys(onNew ? { c: onNew } : {})
  usePageCommands(
    onNew
      ? [{ id: 'new', label: t('inbox.new.title'), icon: 'edit', shortcut: 'C', run: onNew }]
      : [],
  )
  return { isOpen, setOpen, onNew }
}

interface Props {
  /** Shows the conversation, where the message is written. */
  onOpen: (conversationId: string) => void
  onClose: () => void
}

/** Finds whom to write to: a contact, or a number that nobody has yet. */
export function NewMessage({ onOpen, onClose }: Props) {
  const [asked, setAsked] = useState('')
  const [typed, setTyped] = useSearchText('', PAUSE_MS, setAsked)
  const mayCreate = useCan('contacts:create')
  const isWanted = asked.length >= MIN_LETTERS
  const query = { q: asked.slice(0, MAX_LETTERS) }
  const { data, isFetching } = useApi('GET /api/suggest', { query }, isWanted)
  const contacts = isWanted ? (data?.contacts ?? []) : []
  const number = typed.trim()
  const isNew = mayCreate && NUMBER.test(number) && contacts.length === 0 && number === asked
  const write = async (contactId: string): Promise<void> => {
    const { id } = await callOnce('POST /api/conversations', { body: { contact_id: contactId } })
    onClose()
    onOpen(id)
  }
  const create = async (): Promise<void> => {
    const id = await callOnce('POST /api/contacts', { body: { phone_number: number } })
      .then((contact) => contact.id)
      .catch(knownOf)
    await write(id)
  }
  return (
    <Dialog title={t('inbox.new.title')} isOpen onClose={onClose}>
      <Picker
        label={t('inbox.new.title')}
        placeholder={t('inbox.new.search')}
        isLoading={isFetching || number !== asked || number === ''}
        onSearch={setTyped}
        items={[
          ...contacts.map((one) => ({
            id: one.id,
            label: nameOf(one),
            ...besideOf(one),
            mark: <Icon name="contact" size={18} />,
          })),
          ...(isNew && !isFetching
            ? [
                {
                  id: 'new',
                  label: t('inbox.new.number', { number }),
                  mark: <Icon name="plus" size={18} />,
                },
              ]
            : []),
        ]}
        onPick={(id) => {
          ;(id === 'new' ? create() : write(id)).catch(report)
        }}
      />
    </Dialog>
  )
}
