import { Type, type Static } from '@sinclair/typebox'

import { checkedText, LanguageTag, nameText, oneOf, patternText } from '../../../lib/fields'
import { microsOf } from '../../../lib/money'
import { isCountry } from '../../../lib/phone'
import { isTimezone } from '../../../lib/timezone'
import { isDateFormat } from './settings/rules'

/** An organization (spec 2.2). */
export const OrganizationView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    slug: Type.String({
      description: 'Derived from the name, with a random suffix. Does not change with the name.',
    }),
    deletes_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When it is erased unless it is restored. Present only while it is being deleted. Until ' +
          'then its members can sign in and, with `organizations:delete`, restore it; nothing else.',
      }),
    ),
    state: Type.Optional(
      oneOf(['active', 'deleting', 'erasing', 'importing', 'moving', 'moved'], {
        description: 'Present in lists with `all`.',
      }),
    ),
    moved_to: Type.Optional(
      Type.String({ description: 'Address of the server on which it works. Only with `all`.' }),
    ),
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

/** Fields of a page of organizations. Absent where the whole list is answered. */
export const pageTotals = {
  total: Type.Optional(Type.Integer()),
  page: Type.Optional(Type.Integer()),
  limit: Type.Optional(Type.Integer()),
}

/** A list of organizations. The three numbers are present if a page was requested (spec 4.2). */
export const OrganizationList = Type.Object({
  organizations: Type.Array(OrganizationView),
  ...pageTotals,
})
export type OrganizationList = Static<typeof OrganizationList>

const name = nameText(255)

/** Body of a new organization. */
export const NewOrganization = Type.Object(
  { name },
  { title: 'OrganizationInput', examples: [{ name: 'Acme Corp' }] },
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

/** What the opt-out of changes to marketing templates means, for descriptions of the API. */
export const CREATIVE_OPT_OUT =
  'WhatsApp may change how marketing messages look: it brightens, retouches and animates pictures, makes ' +
  'new backgrounds, writes on pictures, adds banners, products and promotion tags, and formats texts, links ' +
  'and buttons. With the opt-out, customers get the template as it was written.'

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
  language: Type.Union([Type.String({ maxLength: 35 }), Type.Null()], {
    description:
      'BCP 47 language tag. The language of the console for members who chose none, and of our texts to ' +
      'customers whose language is not known. `null` = that of the oldest member.',
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
  creative_opt_out: Type.Boolean({
    description:
      `Whether marketing templates are opted out of changes by WhatsApp. ${CREATIVE_OPT_OUT} Counts ` +
      'for templates that are published from then on and do not choose otherwise, and for the ' +
      'business accounts themselves. Turning it off again does not opt business accounts in: do that ' +
      'in WhatsApp Manager. Defaults to `false`.',
  }),
  template_max_price: Type.Boolean({
    description:
      'Whether marketing templates may have a highest price (`max_price`). First, an admin of the ' +
      "Meta business has to sign Meta's Max Price Beta Agreement in WhatsApp Manager, once for the " +
      'business. This server never signs it. Defaults to `false`.',
  }),
  push_shows_content: Type.Boolean({
    description:
      "Whether push notifications contain the contact's name and the beginning of the message, " +
      'with numbers masked as for the person who gets them. Otherwise they only say that there is ' +
      'a new message. Defaults to `false`.',
  }),
}

const newConversations =
  'Where conversations wait that no person or team has: `nobody` (they stay unassigned, which members ' +
  'with `contacts:read_unassigned` see), `general` (the general queue, ' +
  'which members with `transfers:pickup` see), or the ID of an active team. Independent of the bot: ' +
  'a conversation that the bot answers waits once the bot transfers it. Defaults to `general`.'

const monthly = 'Budget of a calendar month as a decimal number with up to six decimals.'
const warnAt = 'Percentages of the budget at which members who may change settings are notified.'
const atLimit =
  'What happens when the budget is used up: nothing (`warn`), no automatic messages ' +
  '(`stop_bots`), or no marketing templates by campaigns and API keys (`stop_marketing`, 409 ' +
  '`budget_reached`). People are never stopped.'
const AT_LIMIT = ['warn', 'stop_bots', 'stop_marketing'] as const

/** Monthly budget in API responses. */
export const SpendView = Type.Object(
  {
    monthly: Type.String({ description: monthly }),
    currency: Type.String(),
    warn_at: Type.Array(Type.Integer(), { description: warnAt }),
    at_limit: Type.Unsafe<(typeof AT_LIMIT)[number]>(
      Type.String({ enum: [...AT_LIMIT], description: atLimit }),
    ),
  },
  { title: 'Spend' },
)
export type SpendView = Static<typeof SpendView>

/** Most percentages at which members are notified. */
export const MAX_WARNINGS = 20

/** New monthly budget. */
const SpendChange = Type.Object(
  {
    monthly: checkedText(
      'amount',
      (text) => (microsOf(text) ?? 0) > 0,
      'must be a decimal number above 0 with up to six decimals',
      { maxLength: 20, description: monthly },
    ),
    currency: patternText('^[A-Z]{3}$', 'must be a code of three capital letters', {
      description: 'Currency of the price list.',
    }),
    warn_at: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
        maxItems: MAX_WARNINGS,
        description: `${warnAt} Each above the one before it. Defaults to 50, 80 and 100.`,
      }),
    ),
    at_limit: Type.Optional(oneOf(AT_LIMIT, { description: `${atLimit} Defaults to \`warn\`.` })),
  },
  { title: 'SpendInput' },
)
export type SpendChange = Static<typeof SpendChange>

/** Settings of an organization (spec 2.3). */
export const OrganizationSettings = Type.Object({
  ...settings,
  new_conversations: Type.String({ description: newConversations }),
  spend: Type.Union([SpendView, Type.Null()], { description: '`null` = no monthly budget.' }),
})
export type OrganizationSettings = Static<typeof OrganizationSettings>

/** Name and settings of an organization (spec 4.4). */
export const SettingsView = Type.Object(
  {
    name: Type.String(),
    settings: OrganizationSettings,
    updated_at: Type.String({ format: 'date-time' }),
  },
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
    language: Type.Union([LanguageTag, Type.Null()]),
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
    new_conversations: Type.Union(
      [
        Type.Literal('nobody'),
        Type.Literal('general'),
        Type.String({ format: 'uuid', description: 'ID of an active team.' }),
      ],
      { description: newConversations },
    ),
    spend: Type.Union([SpendChange, Type.Null()], { description: '`null` removes the budget.' }),
  }),
  {
    title: 'SettingsChanges',
    minProperties: 1,
    examples: [{ mask_phone_numbers: true, timezone: 'Europe/Prague', date_format: 'DD.MM.YYYY' }],
  },
)
export type SettingsChanges = Static<typeof SettingsChanges>
