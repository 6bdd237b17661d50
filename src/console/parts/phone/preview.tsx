import { useState, type ReactNode } from 'react'

import { usePreferences } from '../../live/me'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { IconButton, PlainButton } from '../button'
import { Icon, type IconName } from '../icons'
import { RichLine, RichText } from '../rich-text'
import {
  isFromRight,
  type PhoneButton,
  type PhoneCard,
  type PhoneHeader,
  type PhoneMessage,
} from './message'

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
        <Message message={message} />
        {children}
      </div>
    </figure>
  )
}

const DARK = '(prefers-color-scheme: dark)'

/** The message on the wall: its bubble, its buttons, its cards. */
function Message({ message }: { message: PhoneMessage }) {
  const { header, body, footer, offer, buttons, list, cards = [], language = '' } = message
  const isEmpty = header === null && body.trim() === ''
  return (
    <div className="phone-message" dir={isFromRight(language) ? 'rtl' : 'ltr'}>
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
            {NOON}
          </span>
        </div>
        {list && <List list={list} />}
        <Buttons buttons={buttons} />
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

const HEADER_ICONS = { image: 'image', video: 'video', document: 'file' } as const

function Header({ header }: { header: PhoneHeader }) {
  if (header.kind === 'text')
    return (
      <p className="phone-title" dir="auto">
        <RichLine text={header.text} />
      </p>
    )
  if (header.kind === 'location')
    return (
      <div className="phone-media place">
        <span className="phone-map">
          <Icon name="location" size={28} />
        </span>
        <span className="phone-file">
          <b dir="auto">{header.name || t('parts.phone.location')}</b>
          {header.address && (
            <span className="small" dir="auto">
              {header.address}
            </span>
          )}
        </span>
      </div>
    )
  if (header.kind === 'product') return <Placeholder icon="cart" label={t('parts.phone.product')} />
  const { kind, file, name } = header
  if (kind === 'document')
    return (
      <div className="phone-media">
        <span className="phone-file">
          <Icon name="file" size={28} />
          <bdi>{name || t('parts.phone.document')}</bdi>
        </span>
      </div>
    )
  return <Picture key={file} kind={kind} file={file} />
}

/** A picture or film; a sign while there is none, or if it cannot be shown. */
function Picture({ kind, file }: { kind: 'image' | 'video'; file: string | null }) {
  const [isBroken, setBroken] = useState(false)
  if (file === null || isBroken)
    return <Placeholder icon={HEADER_ICONS[kind]} label={t(`parts.phone.${kind}`)} />
  const fail = (): void => {
    setBroken(true)
  }
  return (
    <div className="phone-media">
      {kind === 'image' ? (
        <img src={file} alt="" onError={fail} />
      ) : (
        <video src={file} muted preload="metadata" onError={fail} />
      )}
      {kind === 'video' && (
        <span className="phone-play">
          <Icon name="play" size={22} />
        </span>
      )}
    </div>
  )
}

const Placeholder = ({ icon, label }: { icon: IconName; label: string }) => (
  <div className="phone-media empty-media">
    <Icon name={icon} size={32} />
    <span className="small">{label}</span>
  </div>
)

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

const BUTTON_ICONS: Record<PhoneButton['kind'], IconName> = {
  reply: 'reply',
  link: 'link',
  phone: 'phone',
  copy: 'copy',
  form: 'list',
  products: 'cart',
  call: 'phone',
  contact: 'contact',
}

/** With more buttons than this, WhatsApp shows the first two and leads to the others. */
const MOST_SHOWN = 3

function Buttons({ buttons }: { buttons: readonly PhoneButton[] }) {
  const [isWhole, setWhole] = useState(false)
  const isShort = buttons.length > MOST_SHOWN && !isWhole
  return (
    <>
      {(isShort ? buttons.slice(0, MOST_SHOWN - 1) : buttons).map(({ kind, text }, index) => (
        <p key={index} className="phone-button">
          <Icon name={BUTTON_ICONS[kind]} size={16} />
          <bdi>{text || t(`parts.phone.button.${kind}`)}</bdi>
        </p>
      ))}
      {isShort && (
        <PlainButton
          className="phone-button"
          onPress={() => {
            setWhole(true)
          }}
        >
          <Icon name="list" size={16} />
          {t('parts.phone.all-buttons')}
        </PlainButton>
      )}
    </>
  )
}

/** The button of a list; it opens the rows from which a customer chooses one. */
function List({ list: { button, sections } }: { list: NonNullable<PhoneMessage['list']> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <PlainButton
        className="phone-button"
        aria-expanded={isOpen}
        onPress={() => {
          setOpen(!isOpen)
        }}
      >
        <Icon name="list" size={16} />
        <bdi>{button}</bdi>
      </PlainButton>
      {isOpen &&
        sections.map(({ title, rows }, index) => (
          <div key={index} className="phone-section">
            {title !== '' && (
              <p className="phone-section-title small" dir="auto">
                {title}
              </p>
            )}
            {rows.map((row, nth) => (
              <p key={nth} className="phone-row">
                <span dir="auto">{row.title}</span>
                {row.description !== '' && (
                  <span className="small" dir="auto">
                    {row.description}
                  </span>
                )}
              </p>
            ))}
          </div>
        ))}
    </>
  )
}
