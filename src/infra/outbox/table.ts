import { index, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../db/columns'
import { tableWithPeople, tableWithoutPeople } from '../db/define-table'
import { uuid } from '../db/uuid'

/** All events in commit order: the outbox of the relay, and the log that sockets resume from. */
export const events = tableWithPeople(
  'events',
  { of: 'contacts', erased: 'rows' },
  {
    /** Position in the commit order of the whole installation. */
    position: integer('position').primaryKey({ autoIncrement: true }).business(),
    organizationId: uuid('organization_id').notNull().business(),
    /** Number in the organization's own log, which grows by one, and jumps only with an import. */
    seq: integer('seq').notNull().business(),
    /** Name of the event, for example `message.received`. */
    type: text('type').notNull().business(),
    /** The contact of the event, which decides who may see it; `null` if it concerns none. */
    contactId: uuid('contact_id').business(),
    /** IDs and facts that never change, JSON; without the contact's if it stands in the row. */
    payload: text('payload').notNull().personal(),
    atMs: integer('at_ms').notNull().business(),
  },
  (table) => [
    uniqueIndex('events_seq').on(table.organizationId, table.seq),
    index('events_contact').on(table.organizationId, table.contactId),
  ],
)

/** The newest number of each organization's log, and the oldest one still stored. */
export const eventHeads = tableWithoutPeople('event_heads', 'numbers of the event log', {
  organizationId: uuid('organization_id').primaryKey(),
  seq: integer('seq').notNull(),
  oldestSeq: integer('oldest_seq').notNull().default(1),
})

/**
 * A single row: the relayed position and the ID of the log, which changes when a database is
 * restored.
 */
export const relayState = tableWithoutPeople('relay_state', 'a position in the event log', {
  id: integer('id').primaryKey(),
  position: integer('position').notNull(),
  logId: text('log_id').notNull(),
})
