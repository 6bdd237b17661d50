import type { Item } from '../../../api/shapes'
import { Icon, type IconName } from '../../../parts/icons'
import { RichText } from '../../../parts/rich-text'
import { formatClock, formatMoney, formatNumber } from '../../../texts/format'
import { formatPhone } from '../../../texts/phone'
import { t } from '../../../texts/texts'
import { InteractiveContent } from './interactive'
import { FileContent, Playable } from './media'

type Of<T extends Item['type']> = Extract<Item, { type: T }>

/** The content of a message, by its type. */
export function Content({ item }: { item: Item }) {
  switch (item.type) {
    case 'text':
      return <RichText text={item.content.text ?? item.preview} />
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return <FileContent item={item} />
    case 'location':
      return <LocationContent item={item} />
    case 'contacts':
      return <ContactsContent item={item} />
    case 'interactive':
      return <InteractiveContent content={item.content} preview={item.preview} />
    case 'template':
      return <TemplateContent item={item} />
    case 'order':
      return <OrderContent item={item} />
    case 'call':
      return <CallContent item={item} />
    default:
      return <Card icon="question" title={t('inbox.type.unsupported')} hint={item.preview} />
  }
}

/** A small card with a sign, a title and a line below. */
function Card({ icon, title, hint }: { icon: IconName; title: string; hint?: string }) {
  return (
    <div className="message-card">
      <span className="message-card-icon">
        <Icon name={icon} />
      </span>
      <div className="grow">
        <p dir="auto">{title}</p>
        {hint !== undefined && hint !== '' && (
          <p className="muted small" dir="auto">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

function LocationContent({ item: { content } }: { item: Of<'location'> }) {
  const { latitude, longitude, name, address } = content
  const place = [latitude, longitude].map((one) => one?.toFixed(5) ?? '?').join(', ')
  return (
    <>
      <Card icon="location" title={name ?? t('inbox.type.location')} hint={address ?? place} />
      {latitude !== null && longitude !== null && (
        <a
          className="small"
          target="_blank"
          rel="noopener noreferrer"
          href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
        >
          {t('inbox.location.open')}
        </a>
      )}
    </>
  )
}

function ContactsContent({ item }: { item: Of<'contacts'> }) {
  return item.content.contacts.map(({ name, phones }, index) => (
    <Card
      key={index}
      icon="contact"
      title={name.formatted_name}
      hint={phones.map(({ phone }) => formatPhone(phone ?? '')).join(', ')}
    />
  ))
}

function TemplateContent({ item: { content, preview } }: { item: Of<'template'> }) {
  const { header, body, footer, buttons } = content
  return (
    <>
      {typeof header === 'string' && <b dir="auto">{header}</b>}
      <RichText text={body ?? preview} />
      {footer !== null && (
        <p className="muted small" dir="auto">
          {footer}
        </p>
      )}
      {buttons.map((button, index) => (
        <p key={index} className="message-button">
          {typeof button['text'] === 'string' ? button['text'] : ''}
        </p>
      ))}
      <p className="muted small">{t('inbox.type.template', { name: content.name })}</p>
    </>
  )
}

/** Returns an amount with its currency, which the customer's app names. */
const priceOf = (total: number, currency: string | null): string =>
  currency !== null && /^[A-Z]{3}$/.test(currency)
    ? formatMoney(total, currency)
    : `${formatNumber(total)} ${currency ?? ''}`

function OrderContent({ item: { content } }: { item: Of<'order'> }) {
  const { items, total, currency, text } = content
  const count = items.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0)
  const price = total === null ? '' : priceOf(total, currency)
  return (
    <>
      <Card icon="cart" title={t('inbox.type.order', { count })} hint={price} />
      <ul className="order-items small">
        {items.map((one, index) => (
          <li key={index}>
            {one.quantity} × <bdi>{one.product_retailer_id}</bdi>
          </li>
        ))}
      </ul>
      {text !== null && <RichText text={text} />}
    </>
  )
}

function CallContent({ item }: { item: Of<'call'> }) {
  const { state, duration_seconds: seconds, recording_media_id: recording } = item.content
  return (
    <>
      <Card
        icon="phone"
        title={t(`inbox.call.${state}`)}
        hint={seconds === null ? '' : formatClock(seconds * 1_000)}
      />
      {recording !== null && (
        <Playable
          type="audio"
          media={{
            id: recording,
            duration_ms: seconds === null ? null : seconds * 1_000,
            size_bytes: null,
            width: null,
            height: null,
          }}
        />
      )}
    </>
  )
}
