import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import type { OwnRole } from '../../../support/people'
import { Desk, pathOf } from '../../../support/transfers'

let desk: Desk
let admin: Client
let fast: OwnRole
let slow: OwnRole
let team: string
let tag: string

const PATH = '/api/analytics/quality'
const get = async (query = ''): Promise<Loose> => (await admin.get(`${PATH}?${query}`)).data
const groupsOf = async (query: string): Promise<Loose[]> => (await get(query))['groups'] as Loose[]
const byText = (one: string, other: string): number => (one < other ? -1 : 1)
/** The figures of a group or a point. */
const figuresIn = ({
  answers,
  avg_first_response_seconds: answer,
  transfers_handled: handled,
}: Loose) => ({
  ...{ answers, answer, handled },
})
const NOTHING = { answers: 0, avg_first_response_seconds: 0, transfers_handled: 0, sla_met_rate: 0 }

/** Takes a transfer after a while, answers after another one, and ends it. */
async function handle(who: OwnRole, nth: number, waits: { pickup: number; write: number }) {
  const { clock } = desk.world
  const transfer = await desk.transfer(nth)
  clock.advance({ seconds: waits.pickup })
  await who.client.post(pathOf(transfer, 'pickup'))
  clock.advance({ seconds: waits.write })
  await who.client.post(`/api/contacts/${await desk.contactId(nth)}/messages`, {
    ...{ type: 'text', text: 'Hello' },
  })
  await desk.world.settle()
  await who.client.put(pathOf(transfer, 'resume'))
}

beforeAll(async () => {
  desk = await Desk.create(3)
  await desk.settings({ sla_enabled: true, sla_response_minutes: 60, sla_resolution_minutes: 2 })
  fast = await desk.agent()
  slow = await desk.agent()
  team = await desk.team([fast])
  admin = await desk.world.as('admin')
  tag = (await admin.post('/api/tags', { name: 'Wholesale' })).data['id'] as string
  await admin.put(`/api/contacts/${await desk.contactId(2)}/tags`, { tag_ids: [tag] })
  await handle(fast, 0, { pickup: 10, write: 20 })
  await handle(fast, 1, { pickup: 30, write: 20 })
  await handle(slow, 2, { pickup: 100, write: 200 })
})

afterAll(() => desk[Symbol.asyncDispose]())

test('adds up the answers and transfers of everybody, as the report on agents does', async () => {
  const { summary, timeline, groups } = (await get()) as { summary: Loose } & Record<
    string,
    Loose[]
  >
  const agents = ((await admin.get('/api/analytics/agents')).data['summary'] ?? {}) as Loose
  for (const figure of [
    'avg_first_response_seconds',
    'median_first_response_seconds',
    'avg_queue_seconds',
    'avg_resolution_seconds',
    'transfers_handled',
    'sla_breached',
  ])
    expect([figure, summary[figure]]).toEqual([figure, agents[figure]])
  expect(summary).toMatchObject({
    answers: 3,
    transfers_handled: 3,
    sla_breached: 1,
    sla_met_rate: 66.7,
  })
  expect(Number(summary['avg_first_response_seconds'])).toBeGreaterThan(0)
  expect(timeline).toHaveLength(30)
  expect(timeline?.reduce((sum, { answers }) => sum + Number(answers), 0)).toBe(3)
  expect(groups).toEqual([])
})

test('compares hours and days of the week, those without work too', async () => {
  const today = 'start_date=2026-11-21&end_date=2026-11-21'
  const hours = await groupsOf(`group_by=hour&${today}`)
  expect(hours.map(({ key }) => key)).toEqual(Array.from({ length: 24 }, (_, hour) => String(hour)))
  const byHour = (await get(`granularity=hour&${today}`))['timeline'] as Loose[]
  expect(hours.map(figuresIn)).toEqual(byHour.map(figuresIn))
  expect(hours.reduce((sum, { answers }) => sum + Number(answers), 0)).toBe(3)
  const days = await groupsOf('group_by=weekday')
  expect(days.map(({ key, answers }) => [key, answers])).toEqual(
    ['1', '2', '3', '4', '5', '6', '7'].map((key) => [key, key === '6' ? 3 : 0]),
  )
})

test('compares teams, people, numbers and tags, the slowest first', async () => {
  const own = (rows: Loose[]) =>
    rows.map(({ key, answers, sla_breached }) => [key, answers, sla_breached])
  expect(own(await groupsOf('group_by=team'))).toEqual([
    [null, 1, 1],
    [team, 2, 0],
  ])
  expect(own(await groupsOf('group_by=agent'))).toEqual([
    [slow.userId, 1, 1],
    [fast.userId, 2, 0],
  ])
  const [account] = await groupsOf('group_by=account')
  const { summary } = await get()
  expect(account).toMatchObject({
    key: expect.any(String),
    name: expect.any(String),
    ...(summary as Loose),
  })
  const tags = await groupsOf('group_by=tag')
  expect(own(tags)).toEqual([
    [tag, 1, 1],
    [null, 2, 0],
  ])
  // what is added up from stored messages is what was counted
  const [wholesale] = tags
  const [slowest] = await groupsOf('group_by=agent')
  expect({ ...wholesale, key: '', name: '' }).toEqual({ ...slowest, key: '', name: '' })
  expect(wholesale?.['name']).toBe('Wholesale')
})

test('is limited to a number, a team and days', async () => {
  expect((await get(`team_id=${team}`))['summary']).toMatchObject({ answers: 2, sla_breached: 0 })
  expect(await groupsOf(`team_id=${team}&group_by=tag`)).toMatchObject([{ key: null, answers: 2 }])
  const { id } = ((await admin.get('/api/accounts')).data['items'] as Loose[])[0] ?? {}
  expect((await get(`account_id=${String(id)}`))['summary']).toMatchObject({ answers: 3 })
  const before = await get('start_date=2026-11-01&end_date=2026-11-20&group_by=weekday')
  expect(before['summary']).toMatchObject(NOTHING)
  for (const path of ['account_id', 'team_id', 'user_id', 'tag_id'])
    expect((await admin.get(`${PATH}?${path}=${crypto.randomUUID()}`)).status).toBe(404)
})

test('is limited to one person, also of a team, as what is compared by people', async () => {
  const [ofSlow, ofFast] = await groupsOf('group_by=agent')
  const bare = (group: Loose = {}): Loose =>
    Object.fromEntries(Object.entries(group).filter(([name]) => name !== 'key' && name !== 'name'))
  expect((await get(`user_id=${slow.userId}`))['summary']).toEqual(bare(ofSlow))
  expect((await get(`user_id=${fast.userId}`))['summary']).toEqual(bare(ofFast))
  expect((await get(`user_id=${fast.userId}&team_id=${team}`))['summary']).toEqual(bare(ofFast))
  expect((await get(`user_id=${slow.userId}&team_id=${team}`))['summary']).toMatchObject(NOTHING)
})

test('is limited to a tag, in every way in which it is compared', async () => {
  const tagged = await get(`tag_id=${tag}`)
  const [ofTag] = await groupsOf('group_by=tag')
  const { key: _, name: _name, ...figures } = ofTag ?? {}
  expect(tagged['summary']).toEqual(figures)
  // all work about the tag is that of the slow one, so it is what was counted of that person
  const counted = await get(`user_id=${slow.userId}`)
  expect(tagged['timeline']).toEqual(counted['timeline'])
  for (const by of ['hour', 'weekday', 'team', 'agent', 'account'])
    expect([by, await groupsOf(`group_by=${by}&tag_id=${tag}`)]).toEqual([
      by,
      await groupsOf(`group_by=${by}&user_id=${slow.userId}`),
    ])
  expect(await groupsOf(`group_by=tag&tag_id=${tag}`)).toEqual(ofTag ? [ofTag] : [])
  expect((await get(`tag_id=${tag}&user_id=${fast.userId}`))['summary']).toMatchObject(NOTHING)
  const long = await admin.get(`${PATH}?tag_id=${tag}&start_date=2026-10-01`)
  expect([long.status, long.body.errors]).toMatchObject([400, [{ path: 'query.start_date' }]])
})

test('refuses hours that are not kept and tags over too many days', async () => {
  for (const query of [
    'group_by=hour&start_date=2026-08-01',
    'group_by=tag&start_date=2026-10-01',
  ]) {
    const answer = await admin.get(`${PATH}?${query}`)
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input'])
    expect(answer.body.errors).toMatchObject([{ path: 'query.start_date' }])
  }
})

test('is a file of the groups, or of the points', async () => {
  const lines = async (query: string) =>
    (
      await (
        await fetch(`${desk.world.url}${PATH}?format=csv&${query}`, { headers: admin.headers })
      ).text()
    )
      .trim()
      .split('\r\n')
  const groups = await lines('group_by=team')
  expect(groups).toHaveLength(3)
  expect(groups[0]).toContain('key,name,answers')
  expect(await lines('')).toHaveLength(31)
})

test('leads to the conversations behind a point', async () => {
  const listed = async (query: string, client = admin) => {
    const { items, total } = (await client.get(`/api/conversations?${query}`)).data as {
      items: Loose[]
      total: number
    }
    expect(items).toHaveLength(total)
    return items.map(({ contact }) => String((contact as Loose)['id'])).toSorted(byText)
  }
  const ids = await Promise.all([0, 1, 2].map((nth) => desk.contactId(nth)))
  const day = 'answered_from=2026-11-21T00:00:00Z&answered_before=2026-11-22T00:00:00Z'
  expect(await listed(day)).toEqual(ids.toSorted(byText))
  expect(await listed(`${day}&answered_team_id=${team}`)).toEqual(ids.slice(0, 2).toSorted(byText))
  expect(await listed(`${day}&answered_user_id=${slow.userId}`)).toEqual(ids.slice(2))
  expect(await listed(`answered_user_id=${slow.userId}&answered_team_id=${team}`)).toEqual([])
  expect(await listed('answered_from=2026-11-22T00:00:00Z')).toEqual([])
  expect(await listed('answered_before=2026-11-21T00:00:00Z')).toEqual([])
  expect(await listed(`answered_team_id=${crypto.randomUUID()}`)).toEqual([])
  const counts = (await admin.get(`/api/conversations/counts?${day}`)).data
  expect(Number(counts['open']) + Number(counts['closed'])).toBe(3)
})

test('counts an answer on the day when its customer began to wait, by tag as well', async () => {
  await using late = await Desk.create(1, { startMs: Date.UTC(2026, 10, 21, 23, 50) })
  const who = await late.agent()
  const transfer = await late.transfer(0)
  await who.client.post(pathOf(transfer, 'pickup'))
  late.world.clock.advance({ minutes: 20 })
  await who.client.post(`/api/contacts/${await late.contactId(0)}/messages`, {
    ...{ type: 'text', text: 'Good morning' },
  })
  await late.world.settle()
  const client = await late.world.as('admin')
  const days = ['2026-11-21', '2026-11-22']
  const answers = (by: string): Promise<unknown[]> =>
    Promise.all(
      days.map(async (day) => {
        const query = `group_by=${by}&start_date=${day}&end_date=${day}`
        return ((await client.get(`${PATH}?${query}`)).data['groups'] as Loose[]).map(figuresIn)
      }),
    )
  const [counted] = await answers('agent')
  expect(counted).toMatchObject([{ answers: 1 }])
  expect(await answers('tag')).toEqual(await answers('agent'))
})

test('stays the same when customers are erased, also for who only ended a transfer', async () => {
  await using office = await Desk.create(2)
  const [writes, ends] = [await office.agent(), await office.agent()]
  const first = await office.transfer(0)
  await writes.client.post(pathOf(first, 'pickup'))
  await writes.client.post(`/api/contacts/${await office.contactId(0)}/messages`, {
    ...{ type: 'text', text: 'Hello' },
  })
  await office.world.settle()
  await writes.client.put(pathOf(first, 'resume'))
  const second = await office.transfer(1)
  await ends.client.post(pathOf(second, 'pickup'))
  await ends.client.put(pathOf(second, 'resume'))
  const read = async (): Promise<Loose> =>
    (await (await office.world.as('admin')).get(PATH)).data['summary'] as Loose
  const before = await read()
  expect(before).toMatchObject({ answers: 1, transfers_handled: 2 })
  const client = await office.world.as('admin')
  for (const nth of [0, 1]) {
    const id = await office.contactId(nth)
    expect((await client.post(`/api/contacts/${id}/erase`, { confirm: id })).status).toBe(201)
  }
  await office.world.settle()
  expect(office.world.rows('select id from transfers')).toEqual([])
  expect(await read()).toEqual(before)
  // and when everything is counted again, so that nothing live is left of them
  const admins = await office.world.as('admin')
  await admins.put('/api/organizations/settings', { timezone: 'Africa/Abidjan' }) // as UTC
  await office.world.settle()
  expect(await read()).toEqual(before)
})
