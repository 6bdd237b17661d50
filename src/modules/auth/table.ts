import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { apiKeys } from '../api-keys/table'
import { organizations } from '../organizations/table'
import { users } from '../users/table'

/** One sign-in of a person: lives until it is ended or its time is over. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    ipAddress: text('ip_address').notNull(),
    userAgent: text('user_agent').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    lastUsedAtMs: integer('last_used_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
    /** logout, token_reused … */
    endReason: text('end_reason'),
  },
  (table) => [
    index('sessions_of_user').on(table.userId, table.endedAtMs),
    index('sessions_age').on(table.expiresAtMs),
  ],
)

/** Refresh tokens of a session: in each organization a chain, in which every token is used once. */
export const refreshTokens = sqliteTable(
  'refresh_tokens',
  {
    /** The token's `jti`. */
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    /** SHA-256 of the token. */
    tokenHash: text('token_hash').notNull(),
    /** The token it was exchanged for, once it was used. */
    successorId: text('successor_id'),
    issuedAtMs: integer('issued_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('refresh_tokens_hash').on(table.tokenHash),
    index('refresh_tokens_chain').on(table.sessionId, table.organizationId),
    index('refresh_tokens_age').on(table.expiresAtMs),
  ],
)

/** Links by which a person chooses a new password; one lives at a time. */
export const passwordResets = sqliteTable(
  'password_resets',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** SHA-256 of the token. */
    tokenHash: text('token_hash').notNull(),
    /**
     * Who made it for the person, and in which organization; null when the person asked for it. The
     * right to do so is judged again when it is used.
     */
    issuedBy: text('issued_by').references(() => users.id),
    issuedIn: text('issued_in').references(() => organizations.id),
    expiresAtMs: integer('expires_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('password_resets_token').on(table.tokenHash),
    index('password_resets_of_user').on(table.userId),
  ],
)

/** Codes that each replace the second factor once. */
export const backupCodes = sqliteTable(
  'backup_codes',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** HMAC of the code under a key of the server. */
    codeHmac: text('code_hmac').notNull(),
    usedAtMs: integer('used_at_ms'),
  },
  (table) => [uniqueIndex('backup_codes_code').on(table.userId, table.codeHmac)],
)

/**
 * Tickets that each open one socket, so that no token or key stands in a URL. Each belongs to a
 * session or to an API key.
 */
export const socketTickets = sqliteTable(
  'socket_tickets',
  {
    id: text('id').primaryKey(),
    /** SHA-256 of the ticket. */
    ticketHash: text('ticket_hash').notNull(),
    sessionId: text('session_id').references(() => sessions.id),
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    apiKeyId: text('api_key_id'),
    /**
     * When the access token that asked for it ends; the socket ends with it. null for a key: the
     * key itself is read again.
     */
    accessExpiresAtMs: integer('access_expires_at_ms'),
    expiresAtMs: integer('expires_at_ms').notNull(),
    usedAtMs: integer('used_at_ms'),
  },
  (table) => [
    uniqueIndex('socket_tickets_hash').on(table.ticketHash),
    index('socket_tickets_age').on(table.expiresAtMs),
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
 * Since when tokens of a person for an organization count: those issued before were ended, in every
 * session.
 */
export const tokenCutoffs = sqliteTable(
  'token_cutoffs',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** Unix seconds: the least `iat` that is good. */
    notBeforeS: integer('not_before_s').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.userId] })],
)

/** One row: counted up by triggers with every change of a row that somebody's rights hang on. */
export const rightsVersion = sqliteTable('rights_version', {
  id: integer('id').primaryKey(),
  version: integer('version').notNull(),
})
