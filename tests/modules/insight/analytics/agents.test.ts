import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import type { OwnRole } from '../../../support/people'
import { approvedTemplate } from '../../../support/templates'
import { Desk, pathOf } from '../../../support/transfers'

let desk: Desk
let admin: Client
let fast: OwnRole
let slow: OwnRole
let team: string

const PATH = '/api/analytics/agents'

/** Fields of an agent's row that the stories below change. */
const WORK = [
  'messages_sent',
  'transfers_handled',
  'avg_queue_seconds',
  'avg_resolution_seconds',
  'avg_first_response_seconds',
  'sla_breached',
] as const

const workOf = (row: Loose): unknown[] => WORK.map((field) => row[field])
const get = async (path: string): Promise<Loose> => (await admin.get(path)).data
const rowOf = async (userId: string, query = ''): Promise<Loose> =>
  (await get(`${PATH}/${userId}?${query}`))['agent'] as Loose

/** Takes a transfer after a while, writes after another one, and ends it. */
async function handle(who: OwnRole, nth: number, waits: { pickup: number; write: number }) {
  const { clock } = desk.world
  const transfer = await desk.transfer(nth)
  clock.advance({ seconds: waits.pickup })
  await who.client.post(pathOf(transfer, 'pickup'))
  clock.advance({ seconds: waits.write })
  const contactId = await desk.contactId(nth)
  await who.client.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'Hello' })
  await desk.world.settle()
  await who.client.put(pathOf(transfer, 'resume'))
}

beforeAll(async () => {
  desk = await Desk.create(3)
  await desk.settings({ sla_enabled: true, sla_response_minutes: 60, sla_resolution_minutes: 2 })
  fast = await desk.agent()
  slow = await desk.agent()
  team = await desk.team([fast])
  await handle(fast, 0, { pickup: 10, write: 20 })
  await handle(fast, 1, { pickup: 30, write: 20 })
  await handle(slow, 2, { pickup: 100, write: 200 })
  admin = await desk.world.as('admin')
})

afterAll(() => desk[Symbol.asyncDispose]())

test('lists every member with the work of each, and the sums of all', async () => {
  const list = await get(`${PATH}?sort=messages_sent`)
  const items = list['items'] as Loose[]
  expect([list['total'], list['page'], list['total_pages']]).toEqual([items.length, 1, 1])
  expect(items[0]).toMatchObject({ user_id: fast.userId, messages_sent: 2, transfers_handled: 2 })
  expect(items[1]).toMatchObject({ user_id: slow.userId, messages_sent: 1, transfers_handled: 1 })
  expect(items.slice(2).every(({ messages_sent }) => messages_sent === 0)).toBe(true)
  expect(list['summary']).toMatchObject({
    messages_sent: 3,
    transfers_handled: 3,
    avg_queue_seconds: 46.7,
    sla_breached: 1,
  })
  expect(list).toMatchObject({ rebuilding: false, range: { granularity: 'day', timezone: 'UTC' } })
})

test('sorts by any figure or by name, a page at a time', async () => {
  const names = ((await get(PATH))['items'] as Loose[]).map(({ full_name }) => String(full_name))
  expect(names).toEqual(names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
  const slowest = await get(`${PATH}?sort=avg_queue_seconds&limit=1`)
  expect((slowest['items'] as Loose[])[0]).toMatchObject({ user_id: slow.userId })
  expect(slowest['total_pages']).toBe(names.length)
  const last = await get(`${PATH}?sort=avg_queue_seconds&order=asc&limit=1&page=${names.length}`)
  expect((last['items'] as Loose[])[0]).toMatchObject({ user_id: slow.userId })
})

test('limits the list to a team', async () => {
  const list = await get(`${PATH}?team_id=${team}`)
  expect((list['items'] as Loose[]).map(({ user_id }) => user_id)).toEqual([fast.userId])
  expect(list['summary']).toMatchObject({ messages_sent: 2 })
})

test('shows one agent with a timeline that adds up', async () => {
  const { agent, timeline } = (await get(`${PATH}/${fast.userId}`)) as {
    agent: Loose
    timeline: Loose[]
  }
  expect(timeline).toHaveLength(30)
  for (const field of ['messages_sent', 'transfers_handled', 'available_seconds'])
    expect(timeline.reduce((sum, point) => sum + Number(point[field]), 0)).toBe(
      Number(agent[field]),
    )
  const hours = await get(
    `${PATH}/${fast.userId}?granularity=hour&start_date=2026-11-21&end_date=2026-11-21`,
  )
  expect(hours['timeline'] as Loose[]).toHaveLength(24)
  expect(
    ((await get(`${PATH}/${fast.userId}?granularity=month`))['timeline'] as Loose[]).length,
  ).toBe(2)
})

test('is what the agents see about themselves', async () => {
  const own = (await fast.client.get('/api/me/report')).data
  const seen = await get(`${PATH}/${fast.userId}`)
  expect(own).toEqual({ ...seen, as_of: own['as_of'] })
})

test('compares two to ten members in the order of the question', async () => {
  const { agents } = await get(`${PATH}/comparison?user_ids=${slow.userId},${fast.userId}`)
  expect((agents as Loose[]).map(workOf)).toEqual([
    workOf(await rowOf(slow.userId)),
    workOf(await rowOf(fast.userId)),
  ])
  const status = async (ids: string): Promise<number> =>
    (await admin.get(`${PATH}/comparison?user_ids=${ids}`)).status
  expect(await status(fast.userId)).toBe(400)
  expect(await status(`${fast.userId},${fast.userId}`)).toBe(400)
  expect(await status(`${fast.userId},somebody`)).toBe(400)
  expect(await status(`${fast.userId},${desk.world.other.userIds.agent}`)).toBe(404)
})

test('is a file with every member, or with every point', async () => {
  const list = await fetch(`${desk.world.url}${PATH}?format=csv&limit=1`, {
    headers: admin.headers,
  })
  const text = await list.text()
  expect(list.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(text.trimEnd().split('\r\n').length - 1).toBe(Number((await get(PATH))['total']))
  expect(text).toContain('user_id,full_name,is_available,active_transfers')
  const one = await fetch(`${desk.world.url}${PATH}/${fast.userId}?format=csv`, {
    headers: admin.headers,
  })
  expect((await one.text()).trimEnd().split('\r\n')).toHaveLength(31)
})

test('is for holders of analytics:read, about members of their organization', async () => {
  expect((await fast.client.get(PATH)).status).toBe(403)
  expect((await admin.get(`${PATH}/${desk.world.other.userIds.agent}`)).status).toBe(404)
  expect((await admin.get(`${PATH}?team_id=${desk.world.other.userIds.agent}`)).status).toBe(404)
  expect((await admin.get(`${PATH}?sort=luck`)).status).toBe(400)
})

test('does not count tests of templates', async () => {
  const { world } = desk
  const { id } = await approvedTemplate(world, { components: [{ type: 'BODY', text: 'Hello' }] })
  const answer = await admin.post(`/api/templates/${id}/test`, { phone_number: '+15550109990' })
  expect(answer.status).toBe(201)
  await world.settle()
  expect((await get(PATH))['summary']).toMatchObject({ messages_sent: 3 })
})

test('stays the same when customers are erased', async () => {
  const before = [workOf(await rowOf(fast.userId)), workOf(await rowOf(slow.userId))]
  expect(before[0]).toEqual([2, 2, 20, 40, expect.any(Number), 0])
  for (const nth of [0, 1, 2]) {
    const id = await desk.contactId(nth)
    expect((await admin.post(`/api/contacts/${id}/erase`, { confirm: id })).status).toBe(201)
  }
  await desk.world.settle()
  expect(desk.world.rows('select id from transfers')).toEqual([])
  admin = await desk.world.as('admin')
  expect([workOf(await rowOf(fast.userId)), workOf(await rowOf(slow.userId))]).toEqual(before)
})

test('has the work of each day at its day', async () => {
  const { world } = desk
  const { manager } = world.tenant.userIds
  const contactId = String((await world.contactOf())['id'])
  for (const hours of [0, 15]) {
    world.clock.advance({ hours })
    const client = await world.as('manager')
    await client.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'Hello' })
    await world.settle()
  }
  admin = await world.as('admin')
  const { timeline } = await get(`${PATH}/${manager}`)
  expect(
    (timeline as Loose[]).slice(-2).map(({ date, messages_sent }) => [date, messages_sent]),
  ).toEqual([
    ['2026-11-21', 1],
    ['2026-11-22', 1],
  ])
})
