import type { ReactNode } from 'react'

import type { ContactDetails } from '../../api/shapes'
import { formatCountry, formatDate } from '../../texts/format'
import { t } from '../../texts/texts'
import { WRITTEN_FIELDS } from './written-fields'

interface Props {
  contact: ContactDetails
  /** Who has the contact, or the conversation beside which it is shown. */
  owner: { label: string; name: string }
  /** Tells how a field that the organization made is called and reads, where that is known. */
  own?: (key: string, value: unknown) => [label: string, value: ReactNode] | null
}

/** What is known about a contact, with the attributes that the organization added. */
export function Facts({ contact, owner, own }: Props) {
  const facts: [name: string, value: ReactNode][] = [
    [
      t('inbox.panel.profile'),
      contact.profile_name === contact.display_name ? null : contact.profile_name,
    ],
    [t('inbox.panel.username'), contact.username],
    ...WRITTEN_FIELDS.map((field): [string, ReactNode] => [
      t(`contact.field.${field}`),
      contact[field],
    ]),
    [t('inbox.panel.country'), contact.country === null ? null : formatCountry(contact.country)],
    [owner.label, owner.name],
    [t('inbox.panel.first-seen'), formatDate(contact.first_seen_at)],
    [t('inbox.panel.consent'), t(`inbox.consent.${contact.marketing_consent}`)],
    ...Object.entries(contact.attributes).map(([name, value]): [string, ReactNode] => {
      const known = own?.(name, value)
      return known ?? [name, typeof value === 'string' ? value : JSON.stringify(value)]
    }),
  ]
  return (
    <section className="panel-part" aria-label={t('inbox.panel.facts')}>
      <h3>{t('inbox.panel.facts')}</h3>
      <dl className="facts">
        {facts.map(([name, value]) =>
          value === null || value === '' ? null : (
            <div key={name}>
              <dt className="muted">{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
        )}
      </dl>
    </section>
  )
}
