import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import { callOnce } from '../../../api/call-once'
import { useCan } from '../../../live/me'
import { Button, IconButton } from '../../../parts/button'
import { knownOf } from '../../../parts/contact/known'
import { OrderLines } from '../../../parts/contact/order'
import { copyText } from '../../../parts/copy'
import { Icon, type IconName } from '../../../parts/icons'
import { RichText } from '../../../parts/rich-text'
import { report } from '../../../parts/toast'
import { formatPhone } from '../../../texts/phone'
import { t } from '../../../texts/texts'
import type { Of } from './content'

interface CardProps {
  icon: IconName
  title: string
  hint?: string
  /** What can be done with it, at its end. */
  action?: ReactNode
}

/** A small card with a sign, a title and a line below. */
export function Card({ icon, title, hint, action }: CardProps) {
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
      {action}
    </div>
  )
}

/** A place, which leads to a map, and whose address can be copied. */
export function LocationContent({ item: { content } }: { item: Of<'location'> }) {
  const { latitude, longitude, name, address } = content
  const isMapped = latitude !== null && longitude !== null
  const coordinates = isMapped ? `${latitude.toFixed(5)}, ${longitude.toFixed(5)}` : ''
  const words = address ?? coordinates
  const label = t(address === null ? 'inbox.location.copy-coordinates' : 'inbox.location.copy')
  const card = (
    <Card
      icon="location"
      title={name ?? t('inbox.type.location')}
      hint={words}
      action={
        words !== '' && (
          <IconButton
            icon="copy"
            label={label}
            onPress={() => {
              copyText(words)
            }}
          />
        )
      }
    />
  )
  if (!isMapped) return card
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
    // the card may have a number without its country; WhatsApp's own has it
    const numbers = phones.flatMap(({ phone, wa_id: waId }) => waId ?? phone ?? [])
    const number = phones.find(({ wa_id: waId }) => waId !== null)?.wa_id ?? numbers[0]
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
