import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { Desk, pathOf } from '../../../support/transfers'

let desk: Desk
let manager: Client
let agent: Loose

const board = async (query = '?limit=100', client = manager): Promise<Loose> =>
  (await client.get(`/api/team-board${query}`)).data

const rowOf = ({ items }: Loose, id: unknown): Loose | undefined =>
  (items as Loose[]).find((row) => row['user_id'] === id)

const give = async (nth: number, to: Loose): Promise<unknown> =>
  (await manager.put(`${await desk.inbox.path(nth)}/owner`, to)).data

/** When a customer's message began to wait. */
const sinceOf = async (nth: number): Promise<unknown> =>
  ((await desk.inbox.of(nth))['last_message'] as Loose)['timestamp']

beforeAll(async () => {
  desk = await Desk.create(3)
  manager = desk.manager
  agent = (await (await desk.world.as('agent')).get('/api/me')).data
})

afterAll(() => desk.world.stop())

describe('the board', () => {
  test('says who has how many, and whose customers wait longest', async () => {
    const before = await board()
    expect(before['summary']).toMatchObject({ open: 3, waiting: 3 })
    expect((before['summary'] as Loose)['oldest_waiting_at']).toBe(await sinceOf(0))
    await give(1, { to: 'user', id: agent['id'] })
    await give(2, { to: 'user', id: agent['id'] })
    const after = await board()
    expect(after['items']).toHaveLength(before['total'] as number)
    expect((after['items'] as Loose[])[0]).toEqual({
      ...{ user_id: agent['id'], full_name: agent['full_name'], is_available: true },
      ...{ away_since: null, open: 2, waiting: 2, oldest_waiting_at: await sinceOf(1) },
    })
    expect((after['items'] as Loose[])[1]).toMatchObject({ open: 0, oldest_waiting_at: null })
    await manager.post(`${await desk.inbox.path(1)}/messages`, { type: 'text', text: 'Hello' })
    await desk.world.settle()
    // who was answered waits no more
    expect(rowOf(await board(), agent['id'])).toMatchObject({ open: 2, waiting: 1 })
  })

  test('counts neither closed conversations nor those of deleted contacts', async () => {
    await desk.inbox.says(3, 'Gone soon')
    await desk.inbox.says(4, 'Closed soon')
    expect((await board())['summary']).toMatchObject({ open: 5 })
    await manager.put(await desk.inbox.path(4), { state: 'closed' })
    await (await desk.world.as('admin')).delete(await desk.inbox.contactPath(3))
    await desk.world.settle()
    expect((await board())['summary']).toMatchObject({ open: 3 })
  })

  test('says who is away, and since when', async () => {
    const worker = await desk.world.as('agent')
    const now = new Date(desk.world.clock.nowMs()).toISOString()
    expect((await worker.put('/api/me/availability', { is_available: false })).status).toBe(200)
    const { summary, items } = await board()
    expect(rowOf({ items }, agent['id'])).toMatchObject({ is_available: false, away_since: now })
    expect(summary).toMatchObject({ away: 1, available: (items as Loose[]).length - 1 })
    await worker.put('/api/me/availability', { is_available: true })
  })

  test('has the general queue and each team with those who wait there', async () => {
    const team = await desk.team([{ userId: String(agent['id']) }], { name: 'Counter' })
    await give(0, { to: 'queue' })
    const nobody = { waiting: 0, oldest_waiting_at: null }
    expect((await board())['queues']).toMatchObject([
      { team_id: null, name: null, waiting: 1, oldest_waiting_at: expect.any(String) },
      { team_id: team, name: 'Counter', available: 1, ...nobody },
    ])
    // who was taken waits there no more
    const [transfer] = (await manager.get('/api/chatbot/transfers?status=active')).data[
      'transfers'
    ] as Loose[]
    await manager.put(pathOf(transfer ?? {}, 'assign'), { agent_id: agent['id'] })
    expect(((await board())['queues'] as Loose[])[0]).toMatchObject(nobody)
  })

  test('is paged', async () => {
    const all = (await board())['items'] as Loose[]
    const second = await board('?page=2&limit=2')
    expect(second).toMatchObject({ page: 2, limit: 2, total: all.length })
    expect(second['items']).toEqual(all.slice(2, 4))
    expect((await manager.get('/api/team-board?limit=101')).status).toBe(400)
  })

  test('is for those who read figures or assign, also keys, and of one organization', async () => {
    const { world } = desk
    expect((await (await world.as('agent')).get('/api/team-board')).status).toBe(403)
    expect((await world.anyone.get('/api/team-board')).status).toBe(401)
    const supervisor = await personWith(world, ['transfers:assign'])
    expect(await board('?limit=100', supervisor.client)).toMatchObject({ summary: { open: 3 } })
    const key = await keyOf(world, { permissions: ['analytics:read'] })
    expect((await key.client.get('/api/team-board')).status).toBe(200)
    const elsewhere = await board('?limit=100', await world.as('manager', world.other))
    expect(elsewhere).toMatchObject({ summary: { open: 0, waiting: 0 } })
    expect(rowOf(elsewhere, agent['id'])).toBeUndefined()
  })
})

describe('sockets that watch the board', () => {
  const watch = { type: 'subscribe', payload: { topics: ['board'] } }

  test('get what changed, at most once a second, and without a number', async () => {
    const { world } = desk
    const socket = await world.socket('manager')
    expect(await socket.ask(watch)).toMatchObject({ payload: { topics: ['board'] } })
    const frames = () => socket.frames.filter(({ type }) => type === 'team:board')
    await desk.inbox.says(5, 'Anybody there?')
    await world.settle()
    world.clock.advance({ seconds: 1 })
    await world.eventually(() => frames().length === 1)
    expect(frames()[0]).toMatchObject({ seq: null, payload: { reload: true, people: [] } })
    await give(5, { to: 'user', id: agent['id'] })
    const worker = await world.as('agent')
    await worker.put('/api/me/availability', { is_available: false })
    await world.settle()
    await socket.caughtUp()
    expect(frames()).toHaveLength(1)
    world.clock.advance({ seconds: 1 })
    await world.eventually(() => frames().length === 2)
    const now = await board()
    const payload = frames()[1]?.payload
    expect(payload).toEqual({
      ...{ people: [rowOf(now, agent['id'])], reload: false },
      ...{ summary: now['summary'], queues: payload?.['queues'] },
    })
    expect(JSON.stringify(frames())).not.toContain('Anybody')
  })

  test('are told to load again when somebody has gone', async () => {
    const { world } = desk
    const person = await personWith(world, ['messages:read'])
    const socket = await world.socket('manager')
    await socket.ask(watch)
    const frames = () => socket.frames.filter(({ type }) => type === 'team:board')
    const next = async (count: number): Promise<void> => {
      await world.settle()
      world.clock.advance({ seconds: 1 })
      await world.eventually(() => frames().length === count)
    }
    await desk.inbox.says(6, 'First')
    await next(1)
    expect(rowOf(await board(), person.userId)).toBeDefined()
    const admin = await world.as('admin')
    expect((await admin.put(`/api/users/${person.userId}`, { is_active: false })).status).toBe(200)
    expect(rowOf(await board(), person.userId)).toBeUndefined()
    await desk.inbox.says(7, 'Second')
    await next(2)
    expect(frames()[1]?.payload).toMatchObject({ reload: true, people: [] })
  })

  test('need a permission, and lose it with the permission', async () => {
    const { world } = desk
    const denied = await (await world.socket('agent')).ask(watch)
    expect(denied).toMatchObject({ type: 'error', payload: { code: 'forbidden' } })
    const supervisor = await desk.inbox.colleague('transfers:assign')
    expect(await supervisor.socket.ask(watch)).toMatchObject({ type: 'subscribed' })
    supervisor.may('contacts:read')
    world.program.realtime.sockets.sweep()
    await supervisor.socket.next('the end', ({ type }) => type === 'unsubscribed')
  })
})
