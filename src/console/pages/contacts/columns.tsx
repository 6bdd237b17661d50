import { Link } from '@tanstack/react-router'

import type { Contact } from '../../api/shapes'
import { Avatar } from '../../parts/avatar'
import { nameOf } from '../../parts/contact/name'
import type { Column } from '../../parts/table'
import { formatShort } from '../../texts/format'
import { formatPhone } from '../../texts/phone'
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

/** What the table of contacts shows. */
export const columns = (): Column<Contact>[] => [
  {
    ...{ id: 'name', label: t('contact.name'), width: 3, sorts: 'asc' },
    cell: (contact) => <Name contact={contact} />,
  },
  {
    ...{ id: 'number', label: t('contacts.number'), width: 1.8 },
    cell: ({ phone_number: number }) =>
      number !== null && <bdi dir="ltr">{formatPhone(number)}</bdi>,
  },
  {
    ...{ id: 'tags', label: t('inbox.tags.title'), width: 2.4 },
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
    ...{ id: 'last_message_at', label: t('contacts.last'), width: 1.2, sorts: 'desc' },
    isNumber: true,
    cell: ({ last_message_at: at }) => at !== null && <time dateTime={at}>{formatShort(at)}</time>,
  },
]
