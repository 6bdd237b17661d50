import { useState, type ReactNode } from 'react'

import { usePreferences } from '../../live/me'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { IconButton } from '../button'
import { Icon } from '../icons'
import { RichText } from '../rich-text'
import { Buttons, List } from './buttons'
import { Header } from './header'
import { isFromRight, type PhoneCard, type PhoneMessage } from './message'

type Look = 'light' | 'dark'

interface Props {
  message: PhoneMessage
  /** Whose message it is, for those who hear the page. */
  label?: string
  /** Shown below the message, on the wall of the phone. */
  children?: ReactNode
}

/**
 * A message exactly as it is on the phone of a customer. It is as light or dark as the page until
 * somebody wants to see the other look.
 */
export function PhonePreview({ message, label = t('parts.phone.title'), children }: Props) {
  const [look, setLook] = useState<Look | null>(null)
  const { theme } = usePreferences()
  const isPageDark = theme === 'dark' || (theme === 'auto' && matchMedia(DARK).matches)
  const isDark = look === null ? isPageDark : look === 'dark'
  return (
    <figure className="phone" aria-label={label} data-look={look ?? undefined}>
      <div className="phone-bar">
        <span className="grow" />
        <IconButton
          icon={isDark ? 'sun' : 'moon'}
          size={16}
          label={t(isDark ? 'parts.phone.light' : 'parts.phone.dark')}
          onPress={() => {
            setLook(isDark ? 'light' : 'dark')
          }}
        />
      </div>
      <div className="phone-wall" tabIndex={0} role="group" aria-label={label}>
        <PhoneBubble message={message} />
        {children}
      </div>
    </figure>
  )
}

const DARK = '(prefers-color-scheme: dark)'

interface BubbleProps {
  message: PhoneMessage
  /** Called with the number of a button or row that was tapped. Without it none can be. */
  onTap?: ((index: number) => void) | undefined
  /** Whether the customer wrote it: it stands at the other side. */
  isOwn?: boolean
  /** When it was sent. */
  time?: string
}

/** The message on the wall: its bubble, its buttons, its cards. */
export function PhoneBubble({ message, onTap, isOwn = false, time = NOON }: BubbleProps) {
  const { header, body, footer, offer, buttons, list, cards = [], language = '' } = message
  const isEmpty = header === null && body.trim() === ''
  return (
    <div
      className={isOwn ? 'phone-message own' : 'phone-message'}
      dir={isFromRight(language) ? 'rtl' : 'ltr'}
    >
      <div className="phone-bubble">
        {header && <Header header={header} />}
        {offer && <Offer offer={offer} />}
        <div className="phone-words">
          {isEmpty ? <p className="muted">{t('parts.phone.empty')}</p> : <RichText text={body} />}
          {footer !== '' && (
            <p className="phone-footer" dir="auto">
              {footer}
            </p>
          )}
          <span className="phone-time" aria-hidden="true">
            {time}
          </span>
        </div>
        {list && <List list={list} onTap={onTap} />}
        <Buttons buttons={buttons} onTap={onTap} />
      </div>
      {cards.length > 0 && (
        <ul className="phone-cards" tabIndex={0} aria-label={t('parts.phone.cards')}>
          {cards.map((card, index) => (
            <li key={index}>
              <Card card={card} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The hour on the phone. It says nothing, and the same everywhere. */
const NOON = '12:00'

function Card({ card: { header, body, buttons } }: { card: PhoneCard }) {
  return (
    <div className="phone-bubble">
      {header && <Header header={header} />}
      {body !== '' && (
        <div className="phone-words">
          <RichText text={body} />
        </div>
      )}
      <Buttons buttons={buttons} />
    </div>
  )
}

function Offer({
  offer: { text, expiresAt, code },
}: {
  offer: NonNullable<PhoneMessage['offer']>
}) {
  return (
    <div className="phone-offer">
      <Icon name="tag" size={22} />
      <div>
        <b dir="auto">{text}</b>
        {expiresAt !== null && (
          <p className="small">
            {t('parts.phone.offer-ends', { time: formatDateTime(expiresAt) })}
          </p>
        )}
        {code !== null && code !== '' && (
          <p className="small">{t('parts.phone.offer-code', { code })}</p>
        )}
      </div>
    </div>
  )
}
