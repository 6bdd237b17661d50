import { useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import type { ContactDetails } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { CustomActions } from '../../parts/contact/actions'
import { Consents } from '../../parts/contact/consents'
import { Conversations } from '../../parts/contact/conversations'
import { Facts } from '../../parts/contact/facts'
import { nameOf, numberBeside } from '../../parts/contact/name'
import { Notes } from '../../parts/contact/notes'
import { ownValue } from '../../parts/contact/own-value'
import { SessionData } from '../../parts/contact/session-data'
import { Tags } from '../../parts/contact/tags'
import { Confirm } from '../../parts/dialog'
import { useCustomFields } from '../../parts/filter/fields'
import { Guarded, Loaded } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { Calls } from './calls'
import { Campaigns } from './campaigns'
import { EditDialog } from './edit-dialog'
import { Messages } from './messages'
import { MoreActions } from './more-actions'
import { Orders } from './orders'
import { PrivacyFiles } from './privacy'
import { Scheduled } from './scheduled'

/** Everything about one contact: who it is, what was agreed, and what happened. */
export function Contact() {
  const { contactId } = useParams({ from: '/contacts/$contactId' })
  const mayRead = useCan('contacts:read')
  const result = useApi('GET /api/contacts/{id}', { params: { id: contactId } }, mayRead)
  const loaded = (
    <Loaded result={result} outline={<Outline />}>
      {(contact) => <Profile key={contactId} contact={contact} />}
    </Loaded>
  )
  // the page of a contact has its own head
  if (mayRead && (result.data !== undefined || !result.error)) return loaded
  return (
    <Page title={t('inbox.panel.title')}>
      <Guarded needs="contacts:read">{loaded}</Guarded>
    </Page>
  )
}

/** The outline of a contact while it is loaded: head and cards stand where they will be. */
const Outline = () => (
  <main id="content" className="page wide" aria-busy="true">
    <header className="page-head">
      <span className="avatar large skeleton" />
    </header>
    <div className="contact-columns">
      <div className="contact-side contact-outline" />
      <div className="section contact-outline" />
      <div className="section contact-outline contact-more" />
    </div>
  </main>
)

function Profile({ contact }: { contact: ContactDetails }) {
  const mayReadMessages = useCan('messages:read')
  const mayReadCampaigns = useCan('campaigns:read')
  const mayExport = useCan('contacts:export')
  const mayWrite = useCan('messages:create')
  const fields = useCustomFields().data?.items ?? []
  const number = numberBeside(contact)
  return (
    <Page
      title={nameOf(contact)}
      {...(number === null ? {} : { hint: number })}
      mark={<Avatar name={contact.display_name} size="large" />}
      actions={<Actions contact={contact} />}
      isWide
    >
      <div className="contact-columns">
        <div className="contact-side">
          <Tags contact={contact} />
          <Facts
            contact={contact}
            owner={{
              label: t('parts.contact.owner'),
              name: contact.assigned_user?.full_name ?? t('parts.contact.nobody'),
            }}
            own={(key, value) => {
              const field = fields.find((one) => one.key === key)
              return field ? [field.label, ownValue(field.type, value)] : null
            }}
          />
          <CustomActions contactId={contact.id} />
          <Notes contactId={contact.id} isLoaded />
        </div>
        {mayReadMessages && (
          <div>
            <Section title={t('contact.conversations')}>
              <Conversations contactId={contact.id} />
            </Section>
            <Section title={t('contact.history')}>
              <Messages contactId={contact.id} />
            </Section>
          </div>
        )}
        <div className="contact-more">
          {mayExport && <PrivacyFiles contactId={contact.id} />}
          {mayReadMessages && (
            <>
              <Section title={t('contact.orders')}>
                <Orders contactId={contact.id} />
              </Section>
              <Section title={t('records.calls.title')}>
                <Calls contactId={contact.id} />
              </Section>
            </>
          )}
          {mayWrite && (
            <Section title={t('records.scheduled.title')}>
              <Scheduled contactId={contact.id} />
            </Section>
          )}
          {mayReadCampaigns && (
            <Section title={t('campaigns.title')}>
              <Campaigns contactId={contact.id} />
            </Section>
          )}
          <Section title={t('parts.contact.consents')}>
            <Consents contact={contact} />
          </Section>
          <Section title={t('parts.contact.session')}>
            <SessionData contactId={contact.id} />
          </Section>
        </div>
      </div>
    </Page>
  )
}

/** Renames a contact, and keeps it from writing. */
function Actions({ contact }: { contact: ContactDetails }) {
  const mayChange = useCan('contacts:update')
  const [dialog, setDialog] = useState<'edit' | 'block' | null>(null)
  const params = { id: contact.id }
  const name = nameOf(contact)
  if (!mayChange) return contact.blocked && <Blocked />
  const close = (): void => {
    setDialog(null)
  }
  return (
    <>
      {contact.blocked && <Blocked />}
      <Button
        icon="edit"
        onPress={() => {
          setDialog('edit')
        }}
      >
        {t('contact.edit')}
      </Button>
      <Button
        onPress={() => {
          if (contact.blocked) call('DELETE /api/contacts/{id}/block', { params }).catch(report)
          else setDialog('block')
        }}
      >
        {t(contact.blocked ? 'contact.unblock' : 'contact.block')}
      </Button>
      <MoreActions contact={contact} />
      {dialog === 'edit' && <EditDialog contact={contact} onClose={close} />}
      <Confirm
        isOpen={dialog === 'block'}
        title={t('contact.block-title', { name })}
        text={t('contact.block-text')}
        action={t('contact.block-action', { name })}
        onClose={close}
        onConfirm={() => {
          call('POST /api/contacts/{id}/block', { params }).catch(report)
        }}
      />
    </>
  )
}

const Blocked = () => <span className="chip danger">{t('contact.blocked')}</span>
