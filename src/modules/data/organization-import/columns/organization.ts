import { Type, type TSchema } from '@sinclair/typebox'

import { Email, LanguageTag, nameText, oneOf, patternText } from '../../../../lib/fields'
import { NewAccount } from '../../../channel/accounts/model'
import { SettingsChanges } from '../../../organization/organizations/model'
import { RetentionChanges } from '../../../organization/organizations/retention/service'
import { PERMISSIONS } from '../../../organization/roles/catalog'
import { NewRole } from '../../../organization/roles/model'
import { jsonRule, numberRule, textRule, type ColumnRule } from './rule'
import { anObject, codedError, listOf, numberOrNull, textOrNull, timeInJson } from './shapes'

const settings = SettingsChanges.properties
const account = NewAccount.properties
const limits = RetentionChanges.properties

const [firstPermission = '', ...otherPermissions] = PERMISSIONS
const permission = textRule(
  oneOf([firstPermission, ...otherPermissions], {
    error: 'must be a permission that this version knows',
  }),
)

const Slug = patternText('^[a-z0-9]+(?:-[a-z0-9]+)*$', 'must be lower-case words with hyphens', {
  maxLength: 100,
})

/** A text that is only searched or sorted by, such as the hash of a token. */
const key = (length: number): ColumnRule => textRule(null, length)

/** Most characters that become of one when case and accents are removed: U+FDFA is 18 letters. */
const FOLDED = 18

/** The folded form of a name with so many characters. */
const nameKey = (length: number): ColumnRule => key(length * FOLDED)

const days = (schema: TSchema): ColumnRule => {
  const rule = numberRule(schema)
  return { ...rule, problemOf: (value) => (rule.problemOf(value) === null ? null : DAYS) }
}
const DAYS = 'must be a number of days that the API allows'

/** Columns that the whole installation reads, or that decide what people may do. */
export const ORGANIZATION_RULES: Record<string, Record<string, ColumnRule>> = {
  users: {
    email: textRule(Email),
    full_name: textRule(nameText(255)),
    language: textRule(LanguageTag),
    ui: jsonRule(anObject, 64 * 1_024),
  },
  organizations: {
    name: textRule(settings.name),
    name_key: nameKey(255),
    slug: textRule(Slug),
    timezone: textRule(settings.timezone),
    date_format: textRule(settings.date_format),
    default_country: textRule(settings.default_country),
    spend: jsonRule(
      Type.Object({
        monthlyMicros: Type.Integer({ minimum: 1 }),
        currency: Type.String({ pattern: '^[A-Z]{3}$' }),
        // Earlier versions took other percentages. What is refused now is left out.
        warnAt: Type.Array(Type.Number(), { maxItems: 1_000 }),
        atLimit: oneOf(['warn', 'stop_bots', 'stop_marketing']),
      }),
    ),
    spend_warned: jsonRule(Type.Object({ month: Type.Integer(), percent: Type.Number() })),
    moves: numberRule(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    moved_to: textRule(Type.String({ maxLength: 2_000 })),
  },
  retention_settings: {
    messages_days: days(limits.messages_days),
    media_days: days(limits.media_days),
    notes_days: days(limits.notes_days),
    journal_days: days(limits.journal_days),
    contacts_inactive_days: days(limits.contacts_inactive_days),
    former: jsonRule(Type.Record(Type.String(), numberOrNull, { additionalProperties: false })),
    last_run_day: textRule(
      patternText('^\\d{4}-\\d{2}-\\d{2}$', 'must be a day YYYY-MM-DD', { maxLength: 10 }),
    ),
  },
  roles: {
    name: textRule(NewRole.properties.name),
    name_key: nameKey(100),
    description: textRule(Type.String({ maxLength: 500, error: 'must have up to 500 characters' })),
    words: nameKey(601),
  },
  role_permissions: { permission },
  memberships: { words: key(2_000) },
  invitations: { email: textRule(Email), token_hash: key(128) },
  api_keys: {
    name: textRule(nameText(255)),
    name_key: nameKey(255),
    key_hash: key(128),
    key_prefix: key(32),
    last_used_ip: key(100),
  },
  api_key_permissions: { permission },
  accounts: {
    name: textRule(account.name),
    name_key: nameKey(100),
    phone_id: textRule(account.phone_id),
    business_id: textRule(account.business_id),
    app_id: textRule(account.app_id),
    api_version: textRule(account.api_version),
    billing_timezone: textRule(settings.timezone),
    last_error: jsonRule(codedError),
    platform_updates: jsonRule(anObject),
    registrations: jsonRule(listOf(timeInJson)),
    routing: jsonRule(
      Type.Object({
        roles: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 }),
        isStandby: Type.Boolean(),
      }),
    ),
    template_sync: jsonRule(
      Type.Object({
        runs: Type.Optional(Type.Number()),
        at_ms: Type.Union([timeInJson, Type.Null()]),
        synced: numberOrNull,
        new: numberOrNull,
        updated: numberOrNull,
        removed: numberOrNull,
        unchanged: numberOrNull,
        error: textOrNull,
      }),
    ),
  },
  account_unknown_fields: {
    hours: jsonRule(listOf(Type.Tuple([timeInJson, Type.Integer()]))),
  },
}
