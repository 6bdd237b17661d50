import { sql } from 'drizzle-orm'
import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { blob, integer, text } from '../../../infra/db/columns'
import { tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { hex } from '../../../infra/db/hex'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../accounts/table'

/**
 * Accepted deliveries as received, stored before the platform receives 200 and then moved into the
 * journal. One row without indexes per delivery, because the platform waits for this write.
 */
export const inboundStaging = tableWithPeople(
  'inbound_staging',
  { of: 'contacts', erased: 'mentions' },
  {
    id: integer('id').primaryKey().business(),
    receivedAtMs: integer('received_at_ms').notNull().business(),
    /** `app`, or the IDs of the accounts whose own secret signed, with spaces between them. */
    signedBy: text('signed_by').notNull().business(),
    /**
     * The places (`entry change`) of the changes that the signature speaks for, JSON; `null` when it
     * speaks for all.
     */
    trusted: text('trusted').business(),
    /** Address of the cell that passed it on; empty if it came from the platform. */
    cell: text('cell').notNull().default('').business(),
    /** The bytes. */
    body: blob('body', { mode: 'buffer' }).notNull().personal(),
  },
)

/**
 * Bodies of accepted webhook deliveries, compressed. A large body is stored in parts that can be
 * read separately, so that reading one change decompresses at most some dozens of others.
 */
export const inboundBodies = tableWithPeople(
  'inbound_bodies',
  { of: 'contacts', erased: 'mentions' },
  {
    /** Later deliveries have higher numbers. */
    id: integer('id').primaryKey({ autoIncrement: true }).business(),
    receivedAtMs: integer('received_at_ms').notNull().business(),
    /**
     * SHA-256 of all bytes of the delivery, and which secret signed them: a repeat signed with the
     * same secret is journaled once.
     */
    digest: hex('digest').notNull().business(),
    /** `app`, or the IDs of the accounts whose own secret signed, with spaces between them. */
    signedBy: text('signed_by').notNull().business(),
    /** Address of the cell that passed it on; empty if it came from the platform. */
    cell: text('cell').notNull().default('').business(),
    /** Which part of the delivery it is; 0 is the first, or the whole. */
    part: integer('part').notNull().default(0).business(),
    /** Bytes before compression. */
    sizeBytes: integer('size_bytes').notNull().business(),
    /** As `platform/webhook/pack-body.ts` packs it. */
    body: blob('body', { mode: 'buffer' }).notNull().personal(),
  },
  (table) => [
    uniqueIndex('inbound_bodies_part').on(table.digest, table.signedBy, table.cell, table.part),
  ],
)

/** One change of a delivery, routed to its organization and processed separately. */
export const inboundEvents = tableWithPeople(
  'inbound_events',
  { of: 'contacts', erased: 'mentions' },
  {
    id: uuid('id').primaryKey().business(),
    bodyId: integer('body_id')
      .notNull()
      .references(() => inboundBodies.id)
      .business(),
    entryIndex: integer('entry_index').notNull().business(),
    changeIndex: integer('change_index').notNull().business(),
    receivedAtMs: integer('received_at_ms').notNull().business(),
    field: text('field').business(),
    phoneNumberId: text('phone_number_id').business(),
    businessId: text('business_id').business(),
    /** Set when the change was routed; until then it is nobody's and no organization sees it. */
    organizationId: uuid('organization_id').business(),
    accountId: uuid('account_id').business(),
    state: text('state', {
      enum: ['pending', 'processing', 'done', 'partial', 'failed', 'unrouted', 'ignored'],
    })
      .notNull()
      .business(),
    /** Why it was ignored; or that an unrouted one came in at another cell. */
    reason: text('reason').business(),
    attempts: integer('attempts').notNull().default(0).business(),
    messages: integer('messages').notNull().default(0).business(),
    statuses: integer('statuses').notNull().default(0).business(),
    errors: integer('errors').notNull().default(0).business(),
    other: integer('other').notNull().default(0).business(),
    /** `[{kind, index, outcome, id}]` of items that did not simply take effect, JSON. */
    outcomes: text('outcomes').notNull().default('[]').personal(),
    lastError: text('last_error').personal(),
    processedAtMs: integer('processed_at_ms').business(),
  },
  (table) => [
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    index('inbound_events_body').on(table.bodyId),
    index('inbound_events_recent').on(table.organizationId, table.receivedAtMs),
    index('inbound_events_state')
      .on(table.state, table.receivedAtMs, table.id)
      .where(sql`${table.state} <> 'done'`),
    index('inbound_events_unrouted')
      .on(table.phoneNumberId, table.state)
      .where(sql`${table.state} <> 'done'`),
    index('inbound_events_parked')
      .on(table.receivedAtMs)
      .where(sql`instr(${table.outcomes}, '"parked"') > 0`),
  ],
)

/**
 * Matches the few changes that are not done. A query that asks for one of their states needs it
 * besides, because SQLite does not conclude it and would not use their index.
 */
export const isNotDone = sql`${inboundEvents.state} <> 'done'`

/** Changes per hour and organization (empty: unrouted), and response times of their deliveries. */
export const inboundHourlyStats = tableWithoutPeople(
  'inbound_hourly_stats',
  'counts',
  {
    organizationId: uuid('organization_id').notNull(),
    /** Start of the hour. */
    hourMs: integer('hour_ms').notNull(),
    received: integer('received').notNull().default(0),
    duplicates: integer('duplicates').notNull().default(0),
    unrouted: integer('unrouted').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    /** How many answers took how long, by upper bound in milliseconds; JSON. */
    acknowledgements: text('acknowledgements').notNull().default('{}'),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.hourMs] })],
)
