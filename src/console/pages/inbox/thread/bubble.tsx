import { memo } from 'react'

import { call } from '../../../api/client'
import type { Item } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { PlainButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { RichLine } from '../../../parts/rich-text'
import { report } from '../../../parts/toast'
import { formatDateTime, formatTime } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'
import { StatusMark } from '../status-mark'
import { Content } from './content'
import { MessageActions } from './message-actions'

interface Props {
  item: Item
  /** Whether it begins a group of messages of one side. */
  isFirst: boolean
  /** Whether a search or a link led to it. */
  isMarked: boolean
  contactName: string
  onReply: (messageId: string) => void
}

/** Returns who wrote an outgoing message. */
const authorOf = ({ sent_by: author, source }: Item): string =>
  author?.name ?? findText(`inbox.source.${source}`) ?? source

/** A message. */
export const Bubble = memo(function Bubble({
  item,
  isFirst,
  isMarked,
  contactName,
  onReply,
}: Props) {
  if (item.type === 'system') return <p className="event">{item.content.text ?? item.preview}</p>
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
        {item.reply_to && (
          <blockquote className="quote" dir="auto">
            <RichLine text={item.reply_to.preview} />
          </blockquote>
        )}
        {item.revoked_at === null ? (
          <Content item={item} />
        ) : (
          <p className="muted">{t('inbox.message.revoked')}</p>
        )}
        <footer>
          {item.ai_generated && <span>{t('inbox.message.ai')}</span>}
          {item.edited_at !== null && <span>{t('inbox.message.edited')}</span>}
          <time dateTime={item.timestamp} title={formatDateTime(item.timestamp)}>
            {formatTime(item.timestamp)}
          </time>
          {isOwn && <StatusMark status={item.status} />}
        </footer>
        <Reactions item={item} />
      </div>
      <MessageActions item={item} onReply={onReply} />
      {item.error && <Failure item={item} />}
    </article>
  )
})

function Reactions({ item: { reactions } }: { item: Item }) {
  if (reactions.length === 0) return null
  const emojis = [...new Set(reactions.map(({ emoji }) => emoji))]
  return (
    <p className="reactions" aria-label={t('inbox.message.reactions')}>
      {emojis.join('')}
      {reactions.length > 1 && <small>{reactions.length}</small>}
    </p>
  )
}

/** Why a message failed, and what can be done. */
function Failure({ item }: { item: Item }) {
  const mayWrite = useCan('messages:create')
  return (
    <div className="failure">
      <Icon name="warning" size={14} />
      <span dir="auto">{findText(`inbox.failure.${item.error?.code}`) ?? item.error?.message}</span>
      {mayWrite && (
        <PlainButton
          className="link"
          onPress={() => {
            call('POST /api/messages/{id}/resend', {
              params: { id: item.id },
              body: {},
              idempotencyKey: crypto.randomUUID(),
            }).catch(report)
          }}
        >
          {t('inbox.message.resend')}
        </PlainButton>
      )}
    </div>
  )
}
