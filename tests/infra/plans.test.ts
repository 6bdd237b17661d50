import { expect, test } from 'bun:test'
import { and, desc, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization } from '../../src/infra/ctx'
import { wrapDb, type Db } from '../../src/infra/db/connection'
import { atMost, place } from '../../src/infra/db/compiled'
import { distinctValues } from '../../src/infra/db/planner-stats'
import { contacts } from '../../src/modules/inbox/contacts/table'
import { roles } from '../../src/modules/organization/roles/table'
import { freshDatabase } from '../support/world'
import { type Value } from '../support/sql'
import { idNamed } from '../support/ids'
import { uuidToBytes } from '../../src/infra/db/uuid'
import { inboundEvents, isNotDone } from '../../src/modules/channel/inbound/table'

const openDatabase = () => wrapDb(freshDatabase(), { synchronous: 'normal', cacheMib: 8 })

/** A statement before it runs, as Drizzle builds it. */
interface Built {
  toSQL: () => { sql: string }
}

/** How SQLite runs a statement with these values. */
const planOf = (db: Db, built: Built, ...values: Value[]): string =>
  db.sqlite
    .query<{ detail: string }, Value[]>(`explain query plan ${built.toSQL().sql}`)
    .all(...values)
    .map(({ detail }) => detail)
    .join()

test('a bound value selects its partial index', () => {
  const db = openDatabase()
  const byDefault = db.orm
    .select({ id: roles.id })
    .from(roles)
    .where(and(eq(roles.organizationId, idNamed('a')), eq(roles.isDefault, true)))
  expect(planOf(db, byDefault, uuidToBytes(idNamed('a')), 1)).toContain('roles_default')
})

test('a change that is not done is found by the index of such changes', () => {
  const db = openDatabase()
  const unrouted = db.orm
    .select({ id: inboundEvents.id })
    .from(inboundEvents)
    .where(and(isNotDone, eq(inboundEvents.state, 'unrouted')))
  expect(planOf(db, unrouted, 'unrouted')).toContain('inbound_events_state')
})

test('the plan of a hot statement does not depend on the values it is run with', () => {
  const db = openDatabase()
  const id = uuidToBytes(idNamed('a'))
  const page = db.orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        sql`${contacts.createdAtMs} >= ${place(contacts.createdAtMs, 'createdAtMs')}`,
      ),
    )
    .orderBy(desc(contacts.lastMessageAtMs))
    .limit(atMost('limit'))
  expect(page.toSQL().sql).toContain('"organization_id" = +?')
  expect(page.toSQL().sql).toContain('limit +?')
  expect(planOf(db, page, id, 1, 20)).toBe(planOf(db, page, id, 1, 1_000_000))
  const first = db.orm.select({ id: contacts.id }).from(contacts).limit(atMost(1))
  expect(first.toSQL()).toEqual({ sql: 'select "id" from "contacts" limit 1', params: [] })
})

test('every figure for the query planner belongs to a column of an index', () => {
  const indexed = freshDatabase()
    .query<{ column: string }, []>(
      `select t.name || '.' || c.name as "column" from pragma_table_list as t, pragma_index_list(t.name) as i, pragma_index_info(i.name) as c`,
    )
    .all()
    .map(({ column }) => column)
  const named = Object.entries(distinctValues()).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((column) => !indexed.includes(column))).toEqual([])
})

test.each([
  ['messages', 'messages_of_contact', 'contact_id = ?', 'timestamp_ms desc, id desc'],
  [
    'conversations',
    'conversations_recent_in',
    "state = 'open'",
    'last_message_at_ms desc, id desc',
  ],
  [
    'conversations',
    'conversations_recent_of',
    'assigned_to = ?',
    'last_message_at_ms desc, id desc',
  ],
  [
    'conversations',
    'conversations_unassigned',
    'assigned_to is null',
    'last_message_at_ms desc, id desc',
  ],
  ['conversations', 'conversations_unread', 'unread_count > 0', 'last_message_at_ms desc, id desc'],
  [
    'conversations',
    'conversations_waiting',
    "state = 'open' and unanswered_since_ms is not null",
    'unanswered_since_ms, id',
  ],
  ['inbound_events', 'inbound_events_recent', '1', 'received_at_ms desc, id desc'],
])('a page of %s along %s sorts only the rows of one time', (table, index, filter, order) => {
  const plan = openDatabase()
    .sqlite.query<{ detail: string }, []>(
      `explain query plan select id from ${table} where organization_id = ? and ${filter} order by ${order} limit 50`,
    )
    .all()
    .map(({ detail }) => detail)
  expect(plan).toEqual([
    expect.stringContaining(`USING INDEX ${index} `),
    'USE TEMP B-TREE FOR LAST TERM OF ORDER BY',
  ])
})
