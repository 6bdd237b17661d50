import { Link } from '@tanstack/react-router'

import type { Conversation } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Avatar } from '../../../parts/avatar'
import { IconButton } from '../../../parts/button'
import { CustomActions } from '../../../parts/contact/actions'
import { Consents } from '../../../parts/contact/consents'
import { Conversations } from '../../../parts/contact/conversations'
import { Facts } from '../../../parts/contact/facts'
import { nameOf, numberBeside } from '../../../parts/contact/name'
import { Notes } from '../../../parts/contact/notes'
import { SessionData } from '../../../parts/contact/session-data'
import { Tags } from '../../../parts/contact/tags'
import { Disclosure } from '../../../parts/disclosure'
import { Splitter } from '../../../parts/splitter'
import { t } from '../../../texts/texts'
import { ownerWords } from '../owner'
import { SharedMedia } from './shared-media'
import type { PanelState } from './use-panel'

interface Props {
  conversation: Conversation
  /** Whether contact and notes arrived with the conversation. */
  isLoaded: boolean
  state: PanelState
}

/** Width of the contact unless somebody changes it, pixels. */
const USUAL_PX = 304

/**
 * The contact beside the thread. What came with the conversation is shown at once; the rest is
 * loaded when somebody opens it.
 */
export function Panel({ conversation, isLoaded, state }: Props) {
  const { id } = conversation.contact
  const mayRead = useCan('contacts:read')
  const number = numberBeside(conversation.contact)
  const { data: contact } = useApi(
    'GET /api/contacts/{id}',
    { params: { id } },
    isLoaded && mayRead,
  )
  return (
    <aside
      className={state.isToggled ? 'panel opening' : 'panel'}
      aria-label={t('inbox.panel.title')}
    >
      <Splitter label={t('inbox.panel.width')} pane="after" of="panelPx" usual={USUAL_PX} />
      <header className="panel-head">
        <h2 className="grow">{t('inbox.panel.title')}</h2>
        <IconButton icon="close" size={18} label={t('inbox.panel.hide')} onPress={state.toggle} />
      </header>
      <div className="panel-body">
        <div className="panel-person">
          <Avatar name={conversation.contact.display_name} size="large" />
          <h3>
            <bdi>{nameOf(conversation.contact)}</bdi>
          </h3>
          {number !== null && (
            <p className="muted">
              <bdi dir="ltr">{number}</bdi>
            </p>
          )}
          {mayRead && (
            <Link to="/contacts/$contactId" params={{ contactId: id }}>
              {t('inbox.panel.open-profile')}
            </Link>
          )}
        </div>
        <Tags contact={conversation.contact} />
        {contact && (
          <Facts
            contact={contact}
            owner={{ label: t('inbox.panel.owner'), name: ownerWords(conversation) }}
          />
        )}
        <CustomActions contactId={id} />
        <Notes contactId={id} isLoaded={isLoaded} />
        <Disclosure title={t('inbox.panel.media')}>
          {() => <SharedMedia contactId={id} />}
        </Disclosure>
        {contact && (
          <Disclosure title={t('parts.contact.consents')}>
            {() => <Consents contact={contact} />}
          </Disclosure>
        )}
        {mayRead && (
          <Disclosure title={t('parts.contact.session')}>
            {() => <SessionData contactId={id} />}
          </Disclosure>
        )}
        <Disclosure title={t('inbox.panel.others')}>
          {() => <Conversations contactId={id} except={conversation.id} />}
        </Disclosure>
      </div>
    </aside>
  )
}
