import { Link } from '@tanstack/react-router'

import type { Contact, ContactAttribute } from '../../api/shapes'
import { Avatar } from '../../parts/avatar'
import { nameOf, numberBeside } from '../../parts/contact/name'
import { ownValue } from '../../parts/contact/own-value'
import type { Column } from '../../parts/table'
import { formatCountry, formatShort } from '../../texts/format'
import { t } from '../../texts/texts'

const Name = ({ contact }: { contact: Contact }) => (
  <span className="named">
    <Avatar name={contact.display_name} size="small" />
    <Link to="/contacts/$contactId" params={{ contactId: contact.id }} dir="auto">
      {nameOf(contact)}
    </Link>
    {contact.blocked && <span className="chip danger">{t('contact.blocked')}</span>}
  </span>
)

/** What the table of contacts shows; each field of the organization can be a column, too. */
export const columns = (own: readonly ContactAttribute[]): Column<Contact>[] => [
  {
    ...{ id: 'name', label: t('contact.name'), width: 2.6, sorts: 'asc' },
    cell: (contact) => <Name contact={contact} />,
  },
  {
    ...{ id: 'number', label: t('contacts.number'), width: 2.6 },
    cell: (contact) => {
      const number = numberBeside(contact)
      return number !== null && <bdi dir="ltr">{number}</bdi>
    },
  },
  {
    ...{ id: 'tags', label: t('inbox.tags.title'), width: 2 },
    cell: ({ tags }) =>
      tags.map(({ id, name, color }) => (
        <span key={id} className="chip" title={name}>
          <span className={`tag-dot tag-${color}`} />
          <bdi>{name}</bdi>
        </span>
      )),
  },
  {
    ...{ id: 'owner', label: t('contacts.owner'), width: 1.6, isExtra: true },
    cell: ({ assigned_user: user }) => user && <bdi>{user.full_name}</bdi>,
  },
  {
    ...{ id: 'consent', label: t('inbox.panel.consent'), width: 1.2, isExtra: true },
    cell: ({ marketing_consent: consent }) =>
      consent !== 'unknown' && t(`inbox.consent.${consent}`),
  },
  {
    ...{ id: 'last_message_at', label: t('contacts.last'), width: 1.5, sorts: 'desc' },
    isNumber: true,
    cell: ({ last_message_at: at }) => at !== null && <time dateTime={at}>{formatShort(at)}</time>,
  },
  ...PLAIN.map((id): Column<Contact> => ({
    ...{ id, label: t(`filter.fields.${id}`), width: 1.2, isOptional: true, isExtra: true },
    cell: (contact) => shownOf(id, contact[id]),
  })),
  ...own.map(({ key, label, type }): Column<Contact> => ({
    ...{ id: `attributes.${key}`, label, width: 1.4, isOptional: true, isExtra: true },
    isNumber: type === 'number',
    cell: ({ attributes }) => ownValue(type, attributes[key]),
  })),
]

/** Columns that who wants them chooses. */
const PLAIN = ['country', 'language', 'created_at', 'last_inbound_at'] as const

function shownOf(id: (typeof PLAIN)[number], value: string | null) {
  if (value === null) return null
  if (id === 'country') return formatCountry(value)
  return id === 'language' ? value : <time dateTime={value}>{formatShort(value)}</time>
}
