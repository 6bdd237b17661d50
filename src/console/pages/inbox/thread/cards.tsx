import { useNavigate } from '@tanstack/react-router'

import { callOnce } from '../../../api/call-once'
import { useCan } from '../../../live/me'
import { Button } from '../../../parts/button'
import { knownOf } from '../../../parts/contact/known'
import { OrderLines } from '../../../parts/contact/order'
import { Icon, type IconName } from '../../../parts/icons'
import { RichText } from '../../../parts/rich-text'
import { report } from '../../../parts/toast'
import { formatPhone } from '../../../texts/phone'
import { t } from '../../../texts/texts'
import type { Of } from './content'

/** A small card with a sign, a title and a line below. */
export function Card({ icon, title, hint }: { icon: IconName; title: string; hint?: string }) {
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

/** A place, which leads to a map. */
export function LocationContent({ item: { content } }: { item: Of<'location'> }) {
  const { latitude, longitude, name, address } = content
  const place = [latitude, longitude].map((one) => one?.toFixed(5) ?? '?').join(', ')
  const card = (
    <Card icon="location" title={name ?? t('inbox.type.location')} hint={address ?? place} />
  )
  if (latitude === null || longitude === null) return card
  return (
    <>
      <a
        className="map"
        target="_blank"
        rel="noopener noreferrer"
        href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
      >
        <Icon name="location" size={28} />
        <span className="small">{t('inbox.location.open')}</span>
      </a>
      {card}
    </>
  )
}

/** The people whom a customer shared; who may can save them. */
export function ContactsContent({ item }: { item: Of<'contacts'> }) {
  const maySave = useCan('contacts:create', 'contacts:read')
  return item.content.contacts.map(({ name, phones }, index) => {
    const numbers = phones.flatMap(({ phone }) => phone ?? [])
    const [number] = numbers
    return (
      <div key={index} className="shared-contact">
        <Card
          icon="contact"
          title={name.formatted_name}
          hint={numbers.map(formatPhone).join(', ')}
        />
        {maySave && number !== undefined && (
          <SaveContact name={name.formatted_name} number={number} />
        )}
      </div>
    )
  })
}

/** Makes a contact of a name and a number, or finds the one that has it, and shows it. */
function SaveContact({ name, number }: { name: string; number: string }) {
  const navigate = useNavigate()
  const save = async (): Promise<void> => {
    const contactId = await callOnce('POST /api/contacts', { body: { phone_number: number, name } })
      .then(({ id }) => id)
      .catch(knownOf)
    await navigate({ to: '/contacts/$contactId', params: { contactId } })
  }
  return (
    <Button
      icon="plus"
      onPress={() => {
        save().catch(report)
      }}
    >
      {t('inbox.contact.save')}
    </Button>
  )
}

/** An order, line by line, with what each costs and all together. */
export function OrderContent({ item: { content } }: { item: Of<'order'> }) {
  const { items, text } = content
  const count = items.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0)
  return (
    <>
      <Card icon="cart" title={t('inbox.type.order', { count })} />
      <OrderLines order={content} />
      {text !== null && <RichText text={text} />}
    </>
  )
}
