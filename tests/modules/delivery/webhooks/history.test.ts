import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { changeRows } from '../../../support/sql'
import type { Client, Loose } from '../../../support/client'
import { Receiver } from '../../../support/receiver'
import { World } from '../../../support/world'

const ROWS = 6_000
/** One row in so many is of another event, failed, and belongs to a contact. */
const RARE = 1_500

let world: World
let receiver: Receiver
let admin: Client
let id: string

beforeAll(async () => {
  receiver = new Receiver()
  world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  admin = await world.as('admin')
  const input = { name: 'CRM', url: receiver.url, events: ['message.received'] }
  id = String((await admin.post('/api/webhooks', input)).data['id'])
  await world.contactOf()
  const kept = 'organization_id, endpoint_id, payload_id, attempts'
  changeRows(
    world.program.http.db.sqlite,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
     insert into webhook_deliveries (${kept}, id, seq, event, contact_id, state, last_status_code, created_at_ms, delivered_at_ms)
     select ${kept}, unhex(printf('%032x', i)), seq + i,
       iif(i % ${RARE} = 0, 'order.created', event), iif(i % ${RARE} = 0, contact_id, null),
       iif(i % ${RARE} = 0, 'exhausted', 'delivered'), iif(i % ${RARE} = 0, 404, 200),
       created_at_ms - 10000000 + i * 1000, iif(i % ${RARE} = 0, null, created_at_ms)
     from webhook_deliveries, n`,
  )
})
afterAll(async () => {
  await world.stop()
  await receiver[Symbol.asyncDispose]()
})

/** All deliveries of a list, page by page. */
async function all(query: string): Promise<Loose[]> {
  const found: Loose[] = []
  let cursor = ''
  for (let page = 0; page < 200; page += 1) {
    const { status, data } = await admin.get(
      `/api/webhooks/${id}/deliveries?limit=100${query}${cursor}`,
    )
    expect(status).toBe(200)
    found.push(...(data['items'] as Loose[]))
    if (data['next_cursor'] === null) return found
    cursor = `&cursor=${String(data['next_cursor'])}`
  }
  throw new Error('the list has no end')
}

describe('the history', () => {
  test.each(['nope', 'message.*', '*', ''])('has no event type %p', async (event) => {
    const { status, body } = await admin.get(`/api/webhooks/${id}/deliveries?event=${event}`)
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: 'query.event',
          message: 'must be an event type; `GET /api/webhooks/events` lists them',
        },
      ],
    ])
  })

  test.each([
    ['', ROWS + 1],
    ['&state=exhausted', ROWS / RARE],
    ['&state=delivered', ROWS + 1 - ROWS / RARE],
    ['&event=order.created', ROWS / RARE],
    ['&status_code=404', ROWS / RARE],
    ['&status_code=500', 0],
    ['&event=order.created&state=delivered', 0],
    ['&state=held', 0],
    ['&state=missed', 0],
  ])(
    'with the filter %p has each of its %d deliveries once, newest first',
    async (query, count) => {
      const found = await all(query)
      expect(found).toHaveLength(count)
      expect(new Set(found.map((one) => one['id'])).size).toBe(count)
      const times = found.map((one) => String(one['created_at']))
      expect(times).toEqual(times.toSorted().toReversed())
    },
  )

  test('is limited by times, the later one excluded', async () => {
    const newest = (await all(''))[0]
    const atMs = Date.parse(String(newest?.['created_at']))
    const at = (ms: number): string => new Date(atMs + ms).toISOString()
    const [from, to] = [at(-10_000_000 + 101_000), at(-10_000_000 + 201_000)]
    expect(await all(`&from=${from}&to=${to}`)).toHaveLength(100)
    expect(await all(`&from=${from}&to=${to}&event=order.created`)).toHaveLength(0)
  })

  test('of a contact has its deliveries only', async () => {
    const [contact] = world.rows<{ id: string }>('select id from contacts limit 1')
    expect(await all(`&contact_id=${contact?.id}`)).toHaveLength(1 + ROWS / RARE)
  })

  test('is read by ranges of its indexes', () => {
    const plan = (where: string): string =>
      world
        .rows<{ detail: string }>(
          `explain query plan select * from webhook_deliveries where organization_id = zeroblob(16) and endpoint_id = zeroblob(16)
             and ${where} order by created_at_ms desc, id desc limit 20`,
        )
        .map(({ detail }) => detail)
        .join()
    for (const [where, index] of [
      ['created_at_ms >= 1', 'recent'],
      ["state = 'exhausted' and state <> 'delivered'", 'undelivered'],
      ['contact_id = zeroblob(16)', 'of_contact'],
    ] as const) {
      expect(plan(where)).toContain(`webhook_deliveries_${index}`)
      expect(plan(where)).not.toContain('TEMP B-TREE')
    }
  })
})
