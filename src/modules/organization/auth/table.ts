import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { apiKeys } from '../api-keys/table'
import { organizations } from '../organizations/table'
import { users } from '../users/table'

/** Sessions. A sign-in opens one; it lasts until it is ended or expires. */
export const sessions = tableWithPeople(
  'sessions',
  { of: 'users', kept: 'they are deleted a day after they end' },
  {
    id: uuid('id').primaryKey().business(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id)
      .business(),
    ipAddress: text('ip_address').notNull().personal(),
    userAgent: text('user_agent').notNull().personal(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    lastUsedAtMs: integer('last_used_at_ms').notNull().business(),
    expiresAtMs: integer('expires_at_ms').notNull().business(),
    endedAtMs: integer('ended_at_ms').business(),
    /** logout, token_reused … */
    endReason: text('end_reason').business(),
  },
  (table) => [
    index('sessions_of_user').on(table.userId, table.endedAtMs),
    index('sessions_age').on(table.expiresAtMs),
  ],
)

/**
 * Refresh tokens of a session. Each organization has a chain, in which every token is used once.
 */
export const refreshTokens = tableWithoutPeople(
  'refresh_tokens',
  'digests of tokens, with times',
  {
    /** The token's `jti`. */
    id: uuid('id').primaryKey(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    /** SHA-256 of the token. */
    tokenHash: text('token_hash').notNull(),
    /** The token it was exchanged for; null while it is unused. */
    successorId: uuid('successor_id'),
    issuedAtMs: integer('issued_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('refresh_tokens_hash').on(table.tokenHash),
    index('refresh_tokens_chain').on(table.sessionId, table.organizationId),
    index('refresh_tokens_age').on(table.expiresAtMs),
    index('refresh_tokens_organization').on(table.organizationId),
  ],
)

/** Password reset links. Each person has at most one that is valid. */
export const passwordResets = tableWithoutPeople(
  'password_resets',
  'digests of tokens, with times',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** SHA-256 of the token. */
    tokenHash: text('token_hash').notNull(),
    /**
     * Creator of the link and organization; null if the person requested it. The creator's
     * permissions are checked again when the link is used.
     */
    issuedBy: uuid('issued_by').references(() => users.id),
    issuedIn: uuid('issued_in').references(() => organizations.id),
    expiresAtMs: integer('expires_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('password_resets_token').on(table.tokenHash),
    index('password_resets_of_user').on(table.userId),
  ],
)

/** Backup codes. Each replaces a two-factor code once. */
export const backupCodes = tableWithoutPeople(
  'backup_codes',
  'digests of codes',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** HMAC of the code under a key of the server. */
    codeHmac: text('code_hmac').notNull(),
    usedAtMs: integer('used_at_ms'),
  },
  (table) => [uniqueIndex('backup_codes_code').on(table.userId, table.codeHmac)],
)

/**
 * Tickets that open one socket each, so that no token or key appears in a URL. A ticket belongs to
 * a session or to an API key.
 */
export const socketTickets = tableWithoutPeople(
  'socket_tickets',
  'digests of tickets, with times',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the ticket. */
    ticketHash: text('ticket_hash').notNull(),
    sessionId: uuid('session_id').references(() => sessions.id),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    apiKeyId: uuid('api_key_id'),
    /**
     * When the access token of the request expires; the socket closes then. Null for an API key,
     * which is read again instead.
     */
    accessExpiresAtMs: integer('access_expires_at_ms'),
    expiresAtMs: integer('expires_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
  },
  (table) => [
    uniqueIndex('socket_tickets_hash').on(table.ticketHash),
    index('socket_tickets_age').on(table.expiresAtMs),
    index('socket_tickets_organization').on(table.organizationId),
    foreignKey({
      columns: [table.organizationId, table.apiKeyId],
      foreignColumns: [apiKeys.organizationId, apiKeys.id],
    }).onDelete('cascade'),
    check(
      'socket_tickets_credential',
      sql`(${table.sessionId} is null) <> (${table.apiKeyId} is null)`,
    ),
    check(
      'socket_tickets_session',
      sql`(${table.sessionId} is null) = (${table.accessExpiresAtMs} is null)`,
    ),
  ],
)

/**
 * Minimum issue times of tokens of a person for an organization. Older tokens are revoked, in every
 * session.
 */
export const tokenCutoffs = tableWithoutPeople(
  'token_cutoffs',
  'ids and times',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    /** Unix seconds: the minimum `iat` of valid tokens. */
    notBeforeS: integer('not_before_s').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.userId] })],
)

/** One row with a counter. Triggers increment it when a row changes that affects permissions. */
export const rightsVersion = tableWithoutPeople('rights_version', 'a counter', {
  id: integer('id').primaryKey(),
  version: integer('version').notNull(),
})
