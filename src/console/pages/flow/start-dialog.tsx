import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { ApiError } from '../../api/error'
import type { BotFlowSummary } from '../../api/shapes'
import { useApi } from '../../live/query'
import { besideOf, nameOf } from '../../parts/contact/name'
import { Confirm, Dialog } from '../../parts/dialog'
import { Icon } from '../../parts/icons'
import { Picker } from '../../parts/picker'
import { notify, report } from '../../parts/toast'
import { useSearchText } from '../../parts/use-search-text'
import { t } from '../../texts/texts'

/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 150
/** Letters from which the server searches, and the most of them. */
const MIN_LETTERS = 2
const MAX_LETTERS = 100

/** Starts a flow with a contact that somebody finds by name or number. */
export function StartDialog({ flow, onClose }: { flow: BotFlowSummary; onClose: () => void }) {
  const [asked, setAsked] = useState('')
  const [typed, setTyped] = useSearchText('', PAUSE_MS, setAsked)
  const [busy, setBusy] = useState<string | null>(null)
  const isWanted = asked.length >= MIN_LETTERS
  const query = { q: asked.slice(0, MAX_LETTERS) }
  const { data, isFetching } = useApi('GET /api/suggest', { query }, isWanted)
  const contacts = isWanted ? (data?.contacts ?? []) : []
  const start = (contactId: string, replace: boolean): void => {
    const body = { contact_id: contactId, ...(replace ? { replace } : {}) }
    callOnce('POST /api/chatbot/flows/{id}/start', { params: { id: flow.id }, body })
      .then(() => {
        onClose()
        notify(t('flow.started'))
      })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'session_active') setBusy(contactId)
        else report(error)
      })
  }
  if (busy !== null)
    return (
      <Confirm
        isOpen
        isDangerous={false}
        title={t('flow.start-replace')}
        text={t('flow.start-replace-text')}
        action={t('flow.start-anyway')}
        onClose={onClose}
        onConfirm={() => {
          start(busy, true)
        }}
      />
    )
  return (
    <Dialog title={t('flow.start-title', { name: flow.name })} isOpen onClose={onClose}>
      <p className="muted">{t('flow.start-hint')}</p>
      <Picker
        label={t('flow.start-for')}
        placeholder={t('inbox.new.search')}
        isLoading={isFetching || typed.trim() !== asked || asked === ''}
        onSearch={setTyped}
        items={contacts.map((one) => ({
          id: one.id,
          label: nameOf(one),
          ...besideOf(one),
          mark: <Icon name="contact" size={18} />,
        }))}
        onPick={(id) => {
          start(id, false)
        }}
      />
    </Dialog>
  )
}
