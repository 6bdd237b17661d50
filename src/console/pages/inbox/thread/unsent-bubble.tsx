import type { Outgoing } from '../../../live/outbox'
import { useOutbox } from '../../../live/outbox-context'
import { PlainButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { RichText } from '../../../parts/rich-text'
import { formatTime } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'
import { StatusMark } from '../status-mark'

/** A message that the server has not accepted yet, or has refused. */
export function UnsentBubble({ entry }: { entry: Outgoing }) {
  const outbox = useOutbox()
  const isWaiting = entry.state === 'waiting'
  const trouble =
    entry.state === 'expired'
      ? t('inbox.unsent.expired')
      : (findText(`inbox.failure.${entry.code}`) ?? entry.trouble)
  return (
    <article className="bubble-line outgoing" aria-label={t('inbox.unsent.label')}>
      <div className={`bubble ${isWaiting ? 'pending' : 'failed'}`}>
        <RichText text={entry.preview} />
        <footer>
          <time>{formatTime(entry.createdMs)}</time>
          <StatusMark status={isWaiting ? 'pending' : 'failed'} />
        </footer>
      </div>
      {!isWaiting && (
        <div className="failure" role="alert">
          <Icon name="warning" size={14} />
          <span>{trouble}</span>
          <PlainButton
            className="link"
            onPress={() => {
              outbox.retry(entry.ref)
            }}
          >
            {t('inbox.message.resend')}
          </PlainButton>
          <PlainButton
            className="link"
            onPress={() => {
              outbox.discard(entry.ref)
            }}
          >
            {t('inbox.unsent.discard')}
          </PlainButton>
        </div>
      )}
    </article>
  )
}
