import { sql, type SQL } from 'drizzle-orm'
import { index, type SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../organizations/table'

/**
 * Returns the cost parameters of a PHC hash, between its third and its fourth `$`:
 * `m=65536,t=2,p=1`.
 */
export const costOf = (passwordHash: SQLiteColumn): SQL<string> =>
  sql<string>`substr(${passwordHash}, 16, instr(substr(${passwordHash}, 16), '$') - 1)`

/** Users of the whole installation. Their permissions depend on their memberships. */
export const users = tableWithPeople(
  'users',
  { of: 'users', erased: 'columns' },
  {
    id: uuid('id').primaryKey().business({ archived: 'everybody' }),
    /** Trimmed, lower case. */
    email: text('email')
      .notNull()
      .unique()
      .personal({ erased: sql`'former-' || lower(hex("id")) || '@erased.invalid'` }),
    /** Argon2id in PHC form. */
    passwordHash: text('password_hash').notNull().personal({ erased: '', archived: 'apart' }),
    fullName: text('full_name')
      .notNull()
      .personal({ erased: 'Former user', archived: 'everybody' }),
    isSuperAdmin: integer('is_super_admin', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(),
    isDisabled: integer('is_disabled', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business({ archived: 'everybody' }),
    /** Whether another person chose the password. */
    mustChangePassword: integer('must_change_password', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business({ archived: 'everybody' }),
    /** The organization that manages the user; null for none. */
    homeOrganizationId: uuid('home_organization_id')
      .references(() => organizations.id)
      .business(),
    /** Secret of two-factor authentication, encrypted; null while it is disabled. */
    totpSealed: text('totp_sealed').personal({ archived: 'apart' }),
    /** Encrypted secret of a setup that is not confirmed yet. */
    totpPendingSealed: text('totp_pending_sealed').personal({ archived: 'never' }),
    /** Time step of the last code used. Each code works once. */
    totpLastStep: integer('totp_last_step').personal({ archived: 'never' }),
    emailNotifications: integer('email_notifications', { mode: 'boolean' })
      .notNull()
      .default(true)
      .business({ archived: 'members' }),
    newMessageAlerts: integer('new_message_alerts', { mode: 'boolean' })
      .notNull()
      .default(true)
      .business({ archived: 'members' }),
    campaignUpdates: integer('campaign_updates', { mode: 'boolean' })
      .notNull()
      .default(true)
      .business({ archived: 'members' }),
    /** BCP 47; null for the client's language. */
    language: text('language').personal(),
    /** What the console keeps for the user, JSON. The server does not read it. */
    ui: text('ui').notNull().default('{}').personal(),
    lastLoginAtMs: integer('last_login_at_ms').personal({ archived: 'never' }),
    /** When the user lost the last membership; null for a user who has one or never had any. */
    orphanedAtMs: integer('orphaned_at_ms').business(),
    createdAtMs: integer('created_at_ms').notNull().business({ archived: 'everybody' }),
    updatedAtMs: integer('updated_at_ms').notNull().business({ archived: 'everybody' }),
  },
  (table) => [
    index('users_cost').on(costOf(table.passwordHash)),
    index('users_disabled')
      .on(table.id)
      .where(sql`${table.isDisabled} = 1`),
    index('users_orphaned')
      .on(table.orphanedAtMs)
      .where(sql`${table.orphanedAtMs} is not null`),
  ],
)
