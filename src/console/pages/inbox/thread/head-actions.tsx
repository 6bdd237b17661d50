import { useState } from 'react'

import { saveFile } from '../../../api/save-file'
import type { Conversation } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { Button, IconButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { useKeys } from '../../../parts/keys'
import { AskToCall } from '../../../parts/contact/ask-to-call'
import { Menu, MenuItem, MenuSection } from '../../../parts/menu'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { mayClaim, mayHandOver } from '../owner'
import type { Actions } from './actions'
import { AssignPicker } from '../../../parts/assign-picker'
import { useHeadCommands } from './head-commands'
import { SnoozeMenu } from './snooze-menu'

interface Props {
  conversation: Conversation
  actions: Actions
  isPanelOpen: boolean
  onPanel: () => void
}

/** What can be done with a conversation, in its head. */
export function HeadActions({ conversation, actions, isPanelOpen, onPanel }: Props) {
  const [open, setOpen] = useState<'assign' | 'snooze' | 'call' | null>(null)
  const isClosed = conversation.state === 'closed'
  const isHandOver = mayHandOver(useMe(), conversation)
  const openAssign = (): void => {
    setOpen('assign')
  }
  useKeys({
    e: isClosed
      ? actions.reopen
      : () => {
          actions.closeAndNext()
        },
    ...(isHandOver ? { a: openAssign, h: openAssign } : {}),
    s: () => {
      setOpen('snooze')
    },
    u: actions.markUnread,
  })
  useHeadCommands(conversation, actions, setOpen)
  return (
    <>
      {isHandOver && (
        <AssignPicker
          label={t('inbox.assign.title')}
          shortcut="A"
          assignedTo={conversation.assigned_to ?? conversation.team_id}
          isOpen={open === 'assign'}
          onOpenChange={(isOpen) => {
            setOpen(isOpen ? 'assign' : null)
          }}
          onPick={actions.handOver}
        />
      )}
      <SnoozeMenu
        isOpen={open === 'snooze'}
        onOpenChange={(isOpen) => {
          setOpen(isOpen ? 'snooze' : null)
        }}
        onSnooze={actions.snooze}
      />
      <span className="only-wide">
        <Button onPress={isClosed ? actions.reopen : actions.close}>
          <Icon name={isClosed ? 'refresh' : 'check'} size={16} />
          {t(isClosed ? 'inbox.action.reopen' : 'inbox.action.close')}
        </Button>
      </span>
      <HeadMenu
        {...{ conversation, actions, isPanelOpen, onPanel }}
        onCall={() => {
          setOpen('call')
        }}
      />
      {open === 'call' && (
        <AskToCall
          contactId={conversation.contact.id}
          accountId={conversation.account_id}
          onClose={() => {
            setOpen(null)
          }}
        />
      )}
    </>
  )
}

/** Saves a conversation as a page that can be read and printed anywhere. */
function SaveItem({ conversation: { id, contact } }: Pick<Props, 'conversation'>) {
  if (!useCan('contacts:export', 'messages:read')) return null
  const file = `${contact.display_name ?? contact.phone_number ?? id}.html`
  return (
    <MenuItem
      id="save"
      icon="download"
      label={t('inbox.action.save')}
      onAction={() => {
        saveFile('GET /api/conversations/{id}/transcript', { params: { id } }, file).catch(report)
      }}
    />
  )
}

/** What is done less often, and on phones all that has no room. */
function HeadMenu({
  conversation,
  actions,
  isPanelOpen,
  onPanel,
  onCall,
}: Props & { onCall: () => void }) {
  const me = useMe()
  const isClosed = conversation.state === 'closed'
  return (
    <Menu
      label={t('parts.action.more')}
      button={<IconButton icon="more" label={t('parts.action.more')} />}
    >
      <MenuItem
        id="panel"
        icon="panel"
        label={t(isPanelOpen ? 'inbox.panel.hide' : 'inbox.panel.show')}
        onAction={onPanel}
      />
      <MenuItem
        id="close"
        icon={isClosed ? 'refresh' : 'check'}
        {...(isClosed ? { shortcut: 'E' } : {})}
        label={t(isClosed ? 'inbox.action.reopen' : 'inbox.action.close')}
        onAction={isClosed ? actions.reopen : actions.close}
      />
      {!isClosed && (
        <MenuItem
          id="close-next"
          icon="checks"
          shortcut="E"
          label={t('inbox.action.close-next')}
          onAction={() => {
            actions.closeAndNext()
          }}
        />
      )}
      <MenuItem
        id="unread"
        icon="inbox"
        shortcut="U"
        label={t('inbox.action.unread')}
        onAction={actions.markUnread}
      />
      {mayClaim(me, conversation) && (
        <MenuItem
          id="claim"
          icon="assign"
          label={t('inbox.action.claim')}
          onAction={actions.claim}
        />
      )}
      {conversation.can_call && (
        <MenuItem id="call" icon="phone" label={t('inbox.call.ask')} onAction={onCall} />
      )}
      <SaveItem conversation={conversation} />
      <MenuSection title={t('inbox.priority.title')}>
        {(['low', 'normal', 'high', 'urgent'] as const).map((priority) => (
          <MenuItem
            key={priority}
            id={priority}
            label={t(`inbox.priority.${priority}`)}
            detail={conversation.priority === priority ? '✓' : ''}
            onAction={() => {
              actions.setPriority(priority)
            }}
          />
        ))}
      </MenuSection>
    </Menu>
  )
}
