import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { uuid } from '../db/uuid'

/** All events in commit order: the outbox of the relay, and the log that sockets resume from. */
export const events = sqliteTable(
  'events',
  {
    /** Position in the commit order of the whole installation. */
    position: integer('position').primaryKey({ autoIncrement: true }),
    organizationId: uuid('organization_id').notNull(),
    /** Number in the organization's own log, which grows by one, and jumps only with an import. */
    seq: integer('seq').notNull(),
    /** Name of the event, for example `message.received`. */
    type: text('type').notNull(),
    /** The contact of the event, which decides who may see it; `null` if it concerns none. */
    contactId: uuid('contact_id'),
    /** IDs and facts that never change, JSON; without the contact's if it stands in the row. */
    payload: text('payload').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    uniqueIndex('events_seq').on(table.organizationId, table.seq),
    index('events_contact').on(table.organizationId, table.contactId),
  ],
)

/** The newest number of each organization's log, and the oldest one still stored. */
export const eventHeads = sqliteTable('event_heads', {
  organizationId: uuid('organization_id').primaryKey(),
  seq: integer('seq').notNull(),
  oldestSeq: integer('oldest_seq').notNull().default(1),
})

/**
 * A single row: the relayed position and the ID of the log, which changes when a database is
 * restored.
 */
export const relayState = sqliteTable('relay_state', {
  id: integer('id').primaryKey(),
  position: integer('position').notNull(),
  logId: text('log_id').notNull(),
})
