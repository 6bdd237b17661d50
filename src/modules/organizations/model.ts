import { Type, type Static } from '@sinclair/typebox'

import { checkedText, nameText } from '../../lib/fields'
import { isCountry } from '../../lib/phone'
import { isTimezone } from '../../lib/timezone'
import { isDateFormat } from './settings/rules'

/** An organization (spec 2.2). */
export const OrganizationView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    slug: Type.String({
      description: 'Derived from the name, with a random suffix. Does not change with the name.',
    }),
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'Organization',
    examples: [
      {
        id: '019a52b0-1c00-7000-8000-000000000001',
        name: 'Acme Corp',
        slug: 'acme-corp-k3v9x2ab',
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  },
)
export type OrganizationView = Static<typeof OrganizationView>

/** A list of organizations. The three numbers are present if a page was requested (spec 4.2). */
export const OrganizationList = Type.Object({
  organizations: Type.Array(OrganizationView),
  total: Type.Optional(Type.Integer()),
  page: Type.Optional(Type.Integer()),
  limit: Type.Optional(Type.Integer()),
})
export type OrganizationList = Static<typeof OrganizationList>

const name = nameText(255)

/** Body of a new organization. */
export const NewOrganization = Type.Object(
  { name },
  { title: 'NewOrganization', examples: [{ name: 'Acme Corp' }] },
)
export type NewOrganization = Static<typeof NewOrganization>

const timezone = {
  maxLength: 64,
  description: 'IANA time zone (Region/City, in its exact spelling), or UTC.',
}
const dateFormat = {
  maxLength: 20,
  description: 'YYYY, MM and DD, each once, separated by one or two of - / . and space.',
}

const settings = {
  mask_phone_numbers: Type.Boolean({
    description:
      'Whether callers without `contacts:unmask` see only the last four digits of phone ' +
      'numbers.',
  }),
  timezone: Type.String(timezone),
  date_format: Type.String(dateFormat),
  registration_policy: Type.String({
    enum: ['open', 'invitation', 'closed'],
    description: 'Who may register: everyone, people with an invitation, or nobody.',
  }),
  default_country: Type.Union([Type.String({ maxLength: 2 }), Type.Null()], {
    description:
      'Country (ISO 3166-1 alpha-2) of phone numbers without a country code. `null` = ' +
      'numbers must have a country code.',
  }),
  message_activity_sharing: Type.Boolean({
    description:
      'Whether the platform may use what customers do with marketing messages, such as taps, for ' +
      'its optimization. Sent with every message on the path for marketing messages. Defaults to ' +
      '`false`.',
  }),
}

/** Settings of an organization (spec 2.3). */
export const OrganizationSettings = Type.Object(settings)
export type OrganizationSettings = Static<typeof OrganizationSettings>

/** Name and settings of an organization (spec 4.4). */
export const SettingsView = Type.Object(
  { name: Type.String(), settings: OrganizationSettings },
  { title: 'Settings' },
)
export type SettingsView = Static<typeof SettingsView>

/** Response of a change to the settings. */
export const SettingsChanged = Type.Object(
  { message: Type.String(), ...SettingsView.properties },
  { title: 'SettingsChanged' },
)

/** Changes to name and settings, all at the top level (spec 4.4). */
export const SettingsChanges = Type.Partial(
  Type.Object({
    name,
    ...settings,
    timezone: checkedText(
      'timezone',
      isTimezone,
      'must be UTC or an IANA time zone (Region/City) in its exact spelling',
      timezone,
    ),
    date_format: checkedText(
      'date-format',
      isDateFormat,
      'must contain YYYY, MM and DD, each once, separated by one or two of - / . and space',
      dateFormat,
    ),
    registration_policy: Type.Union([
      Type.Literal('open'),
      Type.Literal('invitation'),
      Type.Literal('closed'),
    ]),
    default_country: Type.Union([
      checkedText('country', isCountry, 'must be a country code such as BR, or null', {
        maxLength: 2,
      }),
      Type.Null(),
    ]),
  }),
  {
    title: 'SettingsChanges',
    minProperties: 1,
    examples: [{ mask_phone_numbers: true, timezone: 'Europe/Prague', date_format: 'DD.MM.YYYY' }],
  },
)
export type SettingsChanges = Static<typeof SettingsChanges>
