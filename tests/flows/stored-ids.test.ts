import { afterAll, beforeAll, expect, test } from 'bun:test'

import { enliven } from '../support/lively-organization'
import { Receiver } from '../support/receiver'
import { World } from '../support/world'

/** A column of the database, and the type of the column that it refers to, if any. */
interface Column {
  table: string
  column: string
  type: string
  to: string | null
}

/** Columns named like ids that hold a text of the platform or of a client. */
const TEXT_IDS = new Set([
  'inbound_events.body_id', // a number of the journal
  ...['app_id', 'business_id', 'catalog_id', 'funding_id', 'meta_flow_id', 'parent_user_id'],
  ...['messaging_account_id', 'phone_id', 'phone_number_id', 'platform_id', 'platform_media_id'],
  ...['platform_template_id', 'portfolio_id', 'target_wa_message_id', 'trace_id'],
  ...['wa_call_id', 'wa_id', 'wa_message_id'],
  ...['contacts.user_id', 'campaign_recipients.user_id', 'message_statuses.template_id'],
  ...['request_id', 'relay_state.log_id', 'root_keys.key_id'],
  // what another product calls a thing
  'product_import_items.source_id',
])

/** Columns of bytes that are no id. */
const BYTES = new Set(['inbound_bodies.digest', 'inbound_bodies.body', 'inbound_staging.body'])

let world: World

const receiver = new Receiver()

beforeAll(async () => {
  world = await World.create({
    env: { SMTP_URL: 'smtp://127.0.0.1:9', EGRESS_ALLOW: new URL(receiver.url).host },
  })
  await enliven(world, receiver.url)
}, 120_000)
afterAll(async () => {
  await world.stop()
  await receiver[Symbol.asyncDispose]()
})

const nameOf = ({ table, column }: Column): string => `${table}.${column}`

const columns = (): Column[] =>
  world.rows<Column & Record<string, unknown>>(
    `select t.name as "table", c.name as "column", c.type, target.type as "to"
     from pragma_table_list as t, pragma_table_xinfo(t.name) as c
     left join pragma_foreign_key_list(t.name) as f on f."from" = c.name
     left join pragma_table_info(f."table") as target on target.name = f."to"
     where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'`,
  )

const isText = (column: Column): boolean =>
  TEXT_IDS.has(column.column) || TEXT_IDS.has(nameOf(column))

const idColumns = (): Column[] =>
  columns().filter(
    ({ column, type }) => (column === 'id' && type !== 'INTEGER') || column.endsWith('_id'),
  )

test('every id of ours is stored as bytes, and every other one as what it is', () => {
  const ids = idColumns()
  expect(ids.filter(({ type }) => type === 'BLOB').length).toBeGreaterThan(150)
  expect(ids.filter((one) => (one.type === 'BLOB') === isText(one))).toEqual([])
})

test('columns that are joined have one type', () => {
  expect(columns().filter(({ to, type }) => to !== null && to !== type)).toEqual([])
  const types = new Map<string, Set<string>>()
  for (const { table, column, type } of idColumns()) {
    // The platform calls its ids as we call ours.
    const name = TEXT_IDS.has(`${table}.${column}`) ? `${table}.${column}` : column
    types.set(name, (types.get(name) ?? new Set()).add(type))
  }
  expect([...types].filter(([, of]) => of.size > 1)).toEqual([])
})

test('every stored id has the 16 bytes of a UUID', () => {
  const counted = columns()
    .filter((column) => column.type === 'BLOB' && !BYTES.has(nameOf(column)))
    .map((column) => {
      const [counts] = world.rows<{ stored: number; wrong: number }>(
        `select count("${column.column}") as stored,
           count(*) filter (where length("${column.column}") <> 16) as wrong from "${column.table}"`,
      )
      return { name: nameOf(column), ...counts }
    })
  expect(counted.filter(({ wrong }) => wrong !== 0)).toEqual([])
  expect(counted.filter(({ stored }) => Number(stored) > 0).length).toBeGreaterThan(200)
})
