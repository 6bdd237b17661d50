import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * Everything that happened, in commit order: outbox of the relay and log that sockets resume from.
 */
export const events = sqliteTable(
  'events',
  {
    /** Place in the commit order of the whole installation. */
    position: integer('position').primaryKey({ autoIncrement: true }),
    organizationId: text('organization_id').notNull(),
    /** Place in the organization's own log: 1, 2, 3 … without a gap. */
    seq: integer('seq').notNull(),
    /** Name of the event, for example `message.received`. */
    type: text('type').notNull(),
    /** The contact it is about, which decides who may see it; null when it is about none. */
    contactId: text('contact_id'),
    /** Ids and unchanging facts, JSON. */
    payload: text('payload').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('events_seq').on(table.organizationId, table.seq),
    index('events_contact').on(table.organizationId, table.contactId),
    index('events_age').on(table.atMs),
  ],
)

/** The newest number of each organization's log, and the oldest one still kept. */
export const eventHeads = sqliteTable('event_heads', {
  organizationId: text('organization_id').primaryKey(),
  seq: integer('seq').notNull(),
  oldestSeq: integer('oldest_seq').notNull().default(1),
})

/**
 * One row: how far the relay has come, and the identity of this log (a restored database gets a new
 * one).
 */
export const relayState = sqliteTable('relay_state', {
  id: integer('id').primaryKey(),
  position: integer('position').notNull(),
  logId: text('log_id').notNull(),
})
