import type { Contact, ContactAttribute } from '../../api/shapes'
import { WRITTEN_FIELDS } from '../../parts/contact/written-fields'
import { formatCountry, formatDate, formatList, formatShort } from '../../texts/format'
import { formatPhone } from '../../texts/phone'
import { t } from '../../texts/texts'

interface Field {
  label: string
  read: (contact: Contact) => string | null
}

/** A field in which two contacts differ, and what each of them has. */
export interface Difference {
  field: string
  values: [string | null, string | null]
}

const mapped = (value: string | null, say: (known: string) => string): string | null =>
  value === null ? null : say(value)

const fields = (own: readonly ContactAttribute[]): Field[] => [
  { label: t('contact.name'), read: ({ name }) => name },
  { label: t('contacts.number'), read: ({ phone_number: one }) => mapped(one, formatPhone) },
  { label: t('inbox.panel.profile'), read: ({ profile_name: name }) => name },
  { label: t('inbox.panel.username'), read: ({ username }) => username },
  ...WRITTEN_FIELDS.map((field) => ({
    label: t(`contact.field.${field}`),
    read: (contact: Contact) => contact[field],
  })),
  { label: t('inbox.panel.country'), read: ({ country }) => mapped(country, formatCountry) },
  {
    label: t('inbox.tags.title'),
    read: ({ tags }) => (tags.length === 0 ? null : formatList(tags.map(({ name }) => name))),
  },
  { label: t('contacts.owner'), read: ({ assigned_user: user }) => user?.full_name ?? null },
  {
    label: t('inbox.panel.consent'),
    read: ({ marketing_consent: consent }) => t(`inbox.consent.${consent}`),
  },
  ...own.map(({ key, label }) => ({
    label,
    read: ({ attributes: { [key]: value } }: Contact) =>
      value === undefined || value === null
        ? null
        : typeof value === 'string'
          ? value
          : JSON.stringify(value),
  })),
  { label: t('inbox.panel.first-seen'), read: ({ first_seen_at: at }) => formatDate(at) },
  { label: t('contacts.last'), read: ({ last_message_at: at }) => mapped(at, formatShort) },
]

/** Returns the fields in which two contacts differ, in words. */
export const differencesOf = (
  one: Contact,
  other: Contact,
  own: readonly ContactAttribute[],
): Difference[] =>
  fields(own)
    .map(({ label, read }): Difference => ({ field: label, values: [read(one), read(other)] }))
    .filter(({ values: [left, right] }) => left !== right)
