import { memo, useSyncExternalStore } from 'react'

import type { Conversation } from '../../../api/shapes'
import { onDrafts, wordsBegun } from '../../../live/drafts'
import { useOthers } from '../../../live/presence'
import { serverNow } from '../../../live/server-clock'
import { Avatar, hueOf, initialsOf } from '../../../parts/avatar'
import { Icon } from '../../../parts/icons'
import { RichLine } from '../../../parts/rich-text'
import { formatShort } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { nameOf } from '../../../parts/contact/name'
import { botWaitWords } from '../bot-words'
import { nameOfOwner } from '../owner'
import { StatusMark } from '../status-mark'

interface Props {
  item: Conversation
  /** Whose drafts are shown: organization and user. */
  owner: string
  isChosen: boolean
  onOpen: (id: string) => void
  /** Selects everything up to this conversation. */
  onExtend: (id: string) => void
}

/** Remaining window that is worth a mark, milliseconds. */
const CLOSING_MS = 2 * 3_600_000
const MAX_UNREAD = 9

const isClosing = ({ window_expires_at: end }: Conversation): boolean => {
  const leftMs = end === null ? 0 : Date.parse(end) - serverNow()
  return leftMs > 0 && leftMs < CLOSING_MS
}

/** A conversation in the list. */
export const Row = memo(function Row({ item, owner, isChosen, onOpen, onExtend }: Props) {
  const draft = useSyncExternalStore(onDrafts, () => wordsBegun(owner, item.id))
  const { last_message: last, contact, unread_count: unread } = item
  return (
    <a
      href={`/inbox/${item.id}`}
      className={unread > 0 ? 'row unread' : 'row'}
      aria-current={isChosen ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return
        event.preventDefault()
        if (event.shiftKey) onExtend(item.id)
        else onOpen(item.id)
      }}
    >
      <span className={isClosing(item) ? 'row-avatar closing' : 'row-avatar'}>
        <Avatar name={contact.display_name} />
      </span>
      <span className="row-top">
        <span className="row-name" dir="auto">
          {nameOf(contact)}
        </span>
        {contact.tags.slice(0, 3).map(({ id, name, color }) => (
          <span key={id} className={`tag-dot tag-${color}`} title={name} />
        ))}
        {last && (
          <time className="row-time" dateTime={last.timestamp}>
            {formatShort(last.timestamp)}
          </time>
        )}
      </span>
      <span className="row-bottom">
        <span className="row-preview">
          {draft !== null && draft !== '' && !isChosen ? (
            <>
              <b className="draft">{t('inbox.row.draft')}</b> <span dir="auto">{draft}</span>
            </>
          ) : (
            <>
              {last?.direction === 'outgoing' && <StatusMark status={last.status} />}
              <RichLine text={last?.preview ?? ''} />
            </>
          )}
        </span>
        <Eyes conversationId={item.id} />
        <Marks item={item} />
        {unread > 0 && (
          <span className="badge">
            <span aria-hidden="true">{unread > MAX_UNREAD ? `${MAX_UNREAD}+` : unread}</span>
            <span className="visually-hidden">{t('inbox.row.unread', { count: unread })}</span>
          </span>
        )}
      </span>
    </a>
  )
})

/** Who else looks at the conversation now. */
function Eyes({ conversationId }: { conversationId: string }) {
  const others = useOthers(conversationId)
  if (others.length === 0) return null
  const name = others.map((one) => one.full_name).join(', ')
  const isTyping = others.some(({ doing }) => doing === 'typing')
  const words = t(isTyping ? 'inbox.presence.answering' : 'inbox.presence.viewing', { name })
  return (
    <span className="live row-eyes" role="img" aria-label={words} title={words}>
      <Icon name={isTyping ? 'edit' : 'eye'} size={14} />
    </span>
  )
}

/** Small signs: the bot is talking, it is urgent, who it is assigned to. */
function Marks({ item }: { item: Conversation }) {
  const owner = nameOfOwner(item)
  const botWords = botWaitWords(item) ?? t('inbox.row.bot')
  return (
    <span className="row-marks">
      {item.bot_active && (
        <span role="img" aria-label={botWords} title={botWords}>
          <Icon name="chatbot" size={14} />
        </span>
      )}
      {(item.priority === 'high' || item.priority === 'urgent') && (
        <span className="urgent" title={t(`inbox.priority.${item.priority}`)}>
          <Icon name="bolt" size={14} />
        </span>
      )}
      {owner !== null && (
        <span
          className={`owner ${item.assigned_user ? hueOf(item.assigned_user.id) : 'team'}`}
          title={owner}
        >
          {item.assigned_user ? initialsOf(owner) : owner}
        </span>
      )}
    </span>
  )
}
