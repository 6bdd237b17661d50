import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../../lib/shown-once'
import { Email, freeObject, FullName, LanguageTag, NewPassword } from '../../../../lib/fields'
import { OrganizationSettings } from '../../organizations/model'
import { PermissionKey } from '../../roles/model'
import { Code } from '../model'

const Uuid = Type.String({ format: 'uuid' })
const Password = Type.String({ minLength: 1, maxLength: 1_024 })

const language = { description: "BCP 47 language tag. `null` = the client's default." }
const ui = {
  description:
    'For the client to keep its own settings, such as layout and density. Up to 16 KiB as JSON, ' +
    'replaced as a whole.',
}
const settings = {
  email_notifications: Type.Boolean(),
  new_message_alerts: Type.Boolean(),
  campaign_updates: Type.Boolean(),
  language: Type.Union([Type.String({ maxLength: 35 }), Type.Null()], language),
  ui: Type.Record(Type.String(), Type.Unknown(), ui),
}

/** Personal settings of the caller. */
export const OwnSettings = Type.Object(settings, { title: 'OwnSettings' })
export type OwnSettings = Static<typeof OwnSettings>

/** The personal settings after a change. */
export const OwnSettingsSaved = Type.Object(
  { message: Type.String(), settings: OwnSettings },
  { title: 'OwnSettingsSaved' },
)

/** Changes to personal settings. Omitted fields stay unchanged. */
export const OwnSettingsChanges = Type.Partial(
  Type.Object({
    ...settings,
    language: Type.Union([LanguageTag, Type.Null()], language),
    ui: freeObject(ui),
  }),
  {
    title: 'OwnSettingsChanges',
    minProperties: 1,
    examples: [{ new_message_alerts: false, language: 'de-AT' }],
  },
)
export type OwnSettingsChanges = Static<typeof OwnSettingsChanges>

/** Changes to the caller's own user. A new email requires the password. */
export const MeChanges = Type.Object(
  {
    full_name: Type.Optional(FullName),
    email: Type.Optional(Email),
    current_password: Type.Optional(Password),
    default_organization_id: Type.Optional(Uuid),
  },
  { title: 'MeChanges', minProperties: 1, examples: [{ full_name: 'Ada Lovelace' }] },
)
export type MeChanges = Static<typeof MeChanges>

/** A new password and the current one. */
export const PasswordChange = Type.Object(
  { current_password: Password, new_password: NewPassword },
  {
    title: 'PasswordChange',
    examples: [
      {
        current_password: 'correct horse battery',
        new_password: 'a better horse, a better battery',
      },
    ],
  },
)

/** The caller's password as proof. */
export const PasswordProof = Type.Object(
  { current_password: Password },
  { title: 'PasswordProof', examples: [{ current_password: 'correct horse battery' }] },
)

/** Password and two-factor code as proof. */
export const FullProof = Type.Object(
  { current_password: Password, code: Code },
  { title: 'FullProof', examples: [{ current_password: 'correct horse battery', code: '123456' }] },
)
export type FullProof = Static<typeof FullProof>

/** A code of the authenticator app that is being set up. */
export const CodeProof = Type.Object(
  { code: Code },
  { title: 'CodeProof', examples: [{ code: '123456' }] },
)

/** Secret for an authenticator app. */
export const TotpSetup = Type.Object(
  {
    secret: Type.String({ ...SHOWN_ONCE, description: 'Base32.' }),
    otpauth_url: Type.String({
      ...SHOWN_ONCE,
      description: '`otpauth://` URL, to be shown as a QR code.',
    }),
  },
  { title: 'TotpSetup' },
)

/** Backup codes. Each replaces a two-factor code once. */
export const BackupCodes = Type.Object(
  {
    backup_codes: Type.Array(Type.String(), { ...SHOWN_ONCE, description: 'Returned only once.' }),
  },
  { title: 'BackupCodes' },
)

const Time = Type.String({ format: 'date-time' })

/** The caller with organization, role and permissions. */
export const MeView = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    full_name: Type.String(),
    role_id: Uuid,
    role: Type.Object({
      id: Uuid,
      name: Type.String(),
      description: Type.Union([Type.String(), Type.Null()]),
      is_system: Type.Boolean(),
    }),
    is_active: Type.Boolean(),
    is_available: Type.Boolean(),
    is_confirmed: Type.Boolean({
      description:
        'Whether an admin or an invitation vouches for the caller. Otherwise no customer is seen.',
    }),
    is_member: Type.Boolean({ description: 'Whether another organization manages the account.' }),
    is_super_admin: Type.Boolean(),
    membership_id: Type.Union([Uuid, Type.Null()]),
    organization_id: Uuid,
    organization: Type.Object({
      id: Uuid,
      name: Type.String(),
      slug: Type.String(),
      settings: OrganizationSettings,
      updated_at: Type.String({ format: 'date-time' }),
    }),
    permissions: Type.Array(PermissionKey),
    default_organization_id: Type.Union([Uuid, Type.Null()]),
    two_factor_enabled: Type.Boolean(),
    must_change_password: Type.Boolean({
      description: 'Whether the user must change a password that someone else set.',
    }),
    settings: OwnSettings,
    events: Type.Object(
      { log: Uuid, seq: Type.Integer() },
      {
        description:
          'The newest event of the organization. A socket that is opened with it as `log` and ' +
          '`since` receives everything that happens after this response.',
      },
    ),
    last_login_at: Type.Union([Time, Type.Null()]),
    created_at: Time,
    updated_at: Time,
    auth: Type.Object({
      type: Type.String({ enum: ['session', 'api_key'] }),
      id: Type.Union([Uuid, Type.Null()]),
    }),
  },
  { title: 'Me' },
)
export type MeView = Static<typeof MeView>

/** A session of the caller. */
export const SessionView = Type.Object(
  {
    id: Uuid,
    created_at: Time,
    last_used_at: Time,
    expires_at: Time,
    ip_address: Type.String(),
    user_agent: Type.String(),
    organization_id: Type.Union([Uuid, Type.Null()], {
      description: 'Organization in which the session was last used.',
    }),
    is_current: Type.Boolean(),
  },
  { title: 'Session' },
)
export type SessionView = Static<typeof SessionView>
