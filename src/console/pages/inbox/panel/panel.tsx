import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import type { ContactDetails, Conversation } from '../../../api/shapes'
import { useApi } from '../../../live/query'
import { Avatar } from '../../../parts/avatar'
import { IconButton, PlainButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { formatDate, formatShort } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { dialed, nameOf } from '../name'
import { Notes } from './notes'
import { Tags } from './tags'

interface Props {
  conversation: Conversation
  /** Whether contact and notes arrived with the conversation. */
  isLoaded: boolean
  onClose: () => void
}

/** The contact beside the thread: who it is, tags, notes, other conversations. */
export function Panel({ conversation, isLoaded, onClose }: Props) {
  const { id } = conversation.contact
  const { data: contact } = useApi('GET /api/contacts/{id}', { params: { id } }, isLoaded)
  return (
    <aside className="panel" aria-label={t('inbox.panel.title')}>
      <header className="panel-head">
        <h2 className="grow">{t('inbox.panel.title')}</h2>
        <IconButton icon="close" size={18} label={t('inbox.panel.hide')} onPress={onClose} />
      </header>
      <div className="panel-body">
        <div className="panel-person">
          <Avatar name={conversation.contact.display_name} size="large" />
          <h3>
            <bdi>{nameOf(conversation.contact)}</bdi>
          </h3>
          <p className="muted">
            <bdi dir="ltr">{dialed(conversation.contact.phone_number ?? '')}</bdi>
          </p>
        </div>
        <Tags conversation={conversation} />
        {contact && <Facts contact={contact} />}
        <Notes contactId={id} isLoaded={isLoaded} />
        <Others conversation={conversation} />
      </div>
    </aside>
  )
}

function Facts({ contact }: { contact: ContactDetails }) {
  const facts: [name: string, value: string | null][] = [
    [t('inbox.panel.profile'), contact.profile_name],
    [t('inbox.panel.username'), contact.username],
    [t('inbox.panel.country'), contact.country],
    [t('inbox.panel.first-seen'), formatDate(contact.first_seen_at)],
    [t('inbox.panel.consent'), t(`inbox.consent.${contact.marketing_consent}`)],
    ...Object.entries(contact.attributes).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ]
  return (
    <section className="panel-part" aria-label={t('inbox.panel.facts')}>
      <h3>{t('inbox.panel.facts')}</h3>
      <dl className="facts">
        {facts.map(([name, value]) =>
          value === null || value === '' ? null : (
            <div key={name}>
              <dt className="muted">{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
        )}
      </dl>
    </section>
  )
}

/** Conversations of the same person on other numbers, loaded when someone asks for them. */
function Others({ conversation }: { conversation: Conversation }) {
  const [isOpen, setOpen] = useState(false)
  const phone = conversation.contact.phone_number
  const { data } = useApi(
    'GET /api/conversations',
    { query: { search: phone ?? '', limit: 10 } },
    isOpen && phone !== null,
  )
  const others = (data?.items ?? []).filter(
    ({ id, contact }) => id !== conversation.id && contact.id === conversation.contact.id,
  )
  if (phone === null || !/\d{2}/.test(phone)) return null
  return (
    <section className="panel-part" aria-label={t('inbox.panel.others')}>
      <PlainButton
        className="disclosure"
        aria-expanded={isOpen}
        onPress={() => {
          setOpen(!isOpen)
        }}
      >
        <Icon name={isOpen ? 'down' : 'right'} size={16} />
        {t('inbox.panel.others')}
      </PlainButton>
      {isOpen && data && others.length === 0 && (
        <p className="muted small">{t('inbox.panel.no-others')}</p>
      )}
      <ul>
        {others.map(({ id, last_message: last }) => (
          <li key={id}>
            <Link to="/inbox/$conversationId" params={{ conversationId: id }} search={{}}>
              {last?.preview ?? t('inbox.panel.others')}
            </Link>
            {last && <span className="muted small"> {formatShort(last.timestamp)}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
