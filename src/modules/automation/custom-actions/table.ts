import { Type } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, json, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { contacts } from '../../inbox/contacts/table'
import { organizations } from '../../organization/organizations/table'
import { users } from '../../organization/users/table'

/** Types of custom actions: a request that the server sends, or an address that the client opens. */
export const ACTION_TYPES = ['webhook', 'url'] as const

/** Methods of requests. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** What an action does, as it is stored: without the values of headers. */
export const StoredConfig = Type.Union([
  Type.Object({
    url: Type.String(),
    method: Type.Union(METHODS.map((method) => Type.Literal(method))),
    headers: Type.Array(Type.String()),
    body: Type.Union([Type.String(), Type.Null()]),
  }),
  Type.Object({ url: Type.String(), openInNewTab: Type.Boolean() }),
])

/** Actions that people run on a contact. */
export const customActions = tableWithoutPeople(
  'custom_actions',
  'settings of the organization',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents, for search and sorting. */
    nameKey: text('name_key').notNull(),
    icon: text('icon'),
    actionType: text('action_type', { enum: ACTION_TYPES }).notNull(),
    config: json('config', StoredConfig).notNull(),
    /** The headers of a webhook as encrypted JSON; `null` for none. */
    headersSealed: text('headers_sealed'),
    isActive: integer('is_active', { mode: 'boolean' }).notNull(),
    displayOrder: integer('display_order').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    check(
      'custom_actions_headers',
      sql`${table.actionType} = 'webhook' or ${table.headersSealed} is null`,
    ),
    index('custom_actions_listed').on(
      table.organizationId,
      table.displayOrder,
      table.nameKey,
      table.id,
    ),
  ],
)

/**
 * Tokens that each open the address of an action once. A row names what the address is made of, but
 * holds nothing of the contact.
 */
export const customActionRedirects = tableWithoutPeople(
  'custom_action_redirects',
  'a digest, ids and a time',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    /** SHA-256 of the token. */
    tokenHash: text('token_hash').notNull(),
    actionId: uuid('action_id').notNull(),
    contactId: uuid('contact_id').notNull(),
    /** The person who ran the action, or the owner of the API key. */
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** Whether phone numbers are masked for the caller. */
    isMasked: integer('is_masked', { mode: 'boolean' }).notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.actionId],
      foreignColumns: [customActions.organizationId, customActions.id],
    }).onDelete('cascade'),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    uniqueIndex('custom_action_redirects_token').on(table.tokenHash),
    index('custom_action_redirects_action').on(table.organizationId, table.actionId),
    index('custom_action_redirects_age').on(table.organizationId, table.expiresAtMs),
  ],
)
