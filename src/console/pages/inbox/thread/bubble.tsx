import { memo } from 'react'

import type { Item } from '../../../api/shapes'
import { useMe } from '../../../live/me'
import { PlainButton } from '../../../parts/button'
import { RichLine } from '../../../parts/rich-text'
import { formatDateTime, formatTime } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'
import { StatusMark } from '../status-mark'
import { Content } from './content'
import { Failure } from './failure'
import { HandoverNote } from './handover-note'
import { MessageActions } from './message-actions'

interface Props {
  item: Item
  /** Whether it begins a group of messages of one side. */
  isFirst: boolean
  /** Whether a search or a link led to it. */
  isMarked: boolean
  contactName: string
  onReply: (messageId: string) => void
  /** Leads to another message of the conversation. */
  onJump: (messageId: string) => void
  /** Shows the templates, which can be sent at any time. */
  onTemplate: () => void
}

/** Returns who wrote an outgoing message. */
const authorOf = ({ sent_by: author, source }: Item): string =>
  author?.name ?? findText(`inbox.source.${source}`) ?? source

/** Returns what a system message tells. The platform's own text about a new ID shows the IDs only. */
const eventOf = ({ content, preview }: Extract<Item, { type: 'system' }>): string =>
  content.event === 'user_id_changed' ? t('inbox.message.new-id') : (content.text ?? preview)

/** A message. */
export const Bubble = memo(function Bubble({
  item,
  isFirst,
  isMarked,
  contactName,
  onReply,
  onJump,
  onTemplate,
}: Props) {
  if (item.type === 'system')
    return item.content.event === 'handover' ? (
      <HandoverNote item={item} />
    ) : (
      <p className="event">{eventOf(item)}</p>
    )
  const isOwn = item.direction === 'outgoing'
  const author = isOwn ? authorOf(item) : contactName
  return (
    <article
      className={`bubble-line ${item.direction}${isFirst ? ' first' : ''}${isMarked ? ' marked' : ''}`}
      aria-label={t('inbox.message.label', { name: author, time: formatTime(item.timestamp) })}
    >
      <div className={`bubble ${item.type} ${item.status}`}>
        {isFirst && isOwn && <p className="author">{author}</p>}
        {item.observed && <p className="author">{t('inbox.message.observed')}</p>}
        {item.reply_to && <Quote quoted={item.reply_to} onJump={onJump} />}
        {item.revoked_at === null ? (
          <Content item={item} />
        ) : (
          <p className="muted">{t('inbox.message.revoked')}</p>
        )}
        <footer>
          {item.ai_generated && <span>{t('inbox.message.ai')}</span>}
          {item.direct && <span>{t('inbox.message.direct')}</span>}
          {item.repeat_of !== null && <span>{t('inbox.message.repeated')}</span>}
          {item.edited_at !== null && <span>{t('inbox.message.edited')}</span>}
          <time dateTime={item.timestamp} title={formatDateTime(item.timestamp)}>
            {formatTime(item.timestamp)}
          </time>
          {isOwn && <StatusMark status={item.status} />}
        </footer>
        <Reactions item={item} contactName={contactName} />
      </div>
      <MessageActions item={item} onReply={onReply} />
      {(item.status === 'failed' || item.status === 'unknown') && (
        <Failure item={item} onTemplate={onTemplate} />
      )}
    </article>
  )
})

/** The message that was answered; it leads there. */
function Quote({
  quoted,
  onJump,
}: Pick<Props, 'onJump'> & { quoted: NonNullable<Item['reply_to']> }) {
  return (
    <PlainButton
      className="quote"
      onPress={() => {
        onJump(quoted.id)
      }}
    >
      <span className="visually-hidden">{t('inbox.message.show-quoted')} </span>
      <RichLine text={quoted.preview} />
    </PlainButton>
  )
}

/** The reactions of both sides, with who gave them. */
function Reactions({ item: { reactions }, contactName }: Pick<Props, 'item' | 'contactName'>) {
  const me = useMe()
  if (reactions.length === 0) return null
  const emojis = [...new Set(reactions.map(({ emoji }) => emoji))]
  const words = reactions.map(({ emoji, by, user_id: userId, user_name: name }) => {
    const own = userId === me.id ? t('inbox.message.you') : (name ?? t('inbox.source.phone_app'))
    return `${emoji} ${by === 'contact' ? contactName : own}`
  })
  return (
    <p className="reactions" title={words.join(', ')}>
      <span className="visually-hidden">
        {[t('inbox.message.reactions'), words.join(', ')].join(': ')}
      </span>
      <span aria-hidden="true">{emojis.join('')}</span>
      {reactions.length > 1 && <small aria-hidden="true">{reactions.length}</small>}
    </p>
  )
}
