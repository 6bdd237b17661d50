import { sql } from 'drizzle-orm'
import { check, foreignKey, primaryKey } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { organizations } from '../../organization/organizations/table'

/**
 * Chatbot settings: one row per organization, and one per phone number that differs from it. An
 * organization without a row has the defaults.
 */
export const chatbotSettings = tableWithPeople(
  'chatbot_settings',
  { of: 'contacts', erased: 'mentions' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    /** The phone number; the nil UUID for the organization's own row. */
    accountId: uuid('account_id').notNull().business(),
    /** The fields that were set, JSON. All others follow the organization, or the defaults. */
    fields: text('fields').notNull().personal(),
    /** Key of the AI provider, encrypted; null if it is not set. */
    aiApiKeySealed: text('ai_api_key_sealed').business(),
    /** New at each change, so that kept settings are known to be old. */
    revision: uuid('revision').notNull().business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    updatedAtMs: integer('updated_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId] }),
    check('chatbot_settings_fields', sql`json_type(${table.fields}) = 'object'`),
  ],
)

/** The number of messages that the chatbot got, by phone number. A trigger counts them. */
export const chatbotCounts = tableWithoutPeople(
  'chatbot_counts',
  'counts',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    messages: integer('messages').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)
