import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { handIn } from '../../../support/imports'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { Receiver } from '../../../support/receiver'
import { TestSocket } from '../../../support/socket'
import { World } from '../../../support/world'

let world: World
let receiver: Receiver
let admin: Client

beforeAll(async () => {
  receiver = new Receiver()
  world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  admin = await world.as('admin')
})

afterAll(async () => {
  await world.stop()
  await receiver[Symbol.asyncDispose]()
})

const worksOf = async (client: Client, query = ''): Promise<Loose[]> =>
  (await client.get(`/api/me/work${query}`)).data['items'] as Loose[]

/** What a socket heard of work: state and counts, oldest first. */
const toldOf = async (socket: TestSocket, id: unknown): Promise<unknown[]> =>
  (await socket.caughtUp())
    .filter(({ type, payload }) => type === 'work:progress' && payload['id'] === id)
    .map(({ payload: { state, done, total } }) => [state, done, total])

const people = (count: number): string =>
  ['phone_number', ...Array.from({ length: count }, (_, at) => `+4915131${at + 100_000}`)].join(
    '\n',
  )

async function contact(): Promise<string> {
  const body = { phone_number: `+4915140${(contactCount += 1) + 100_000}` }
  return String((await admin.post('/api/contacts', body)).data['id'])
}
let contactCount = 0

describe('work under way', () => {
  test('is told to the person who started it, from its begin to its end', async () => {
    const [own, other] = [await world.socket('manager'), await world.socket('admin')]
    const manager = await world.as('manager')
    const { data } = await handIn(manager, { file: people(3) })
    const begun = {
      ...{ kind: 'import', id: data['id'], title: 'people.csv', state: 'running' },
      ...{ done: 0, total: 3, link: `/imports/${String(data['id'])}` },
      ...{ started_at: expect.any(String), ended_at: null },
    }
    expect(await worksOf(manager, '?running=true')).toEqual([begun])
    expect(await worksOf(admin)).toEqual([])
    await world.settle()
    expect(await toldOf(own, data['id'])).toEqual([
      ['running', 0, 3],
      ['completed', 3, 3],
    ])
    expect(await toldOf(other, data['id'])).toEqual([])
    expect(await worksOf(manager, '?running=true')).toEqual([])
    expect(await worksOf(manager)).toEqual([
      { ...begun, state: 'completed', done: 3, ended_at: expect.any(String) },
    ])
    await manager.post(`/api/imports/${String(data['id'])}/undo`)
    expect(await worksOf(manager, '?running=true')).toMatchObject([{ kind: 'import', done: 0 }])
    await world.settle()
    expect((await worksOf(manager))[0]).toMatchObject({ id: data['id'], state: 'undone' })
  })

  test('is an export, a change of many, or a privacy export', async () => {
    const client = admin
    const socket = await world.socket('admin')
    const [one, two] = [await contact(), await contact()]
    await world.settle()
    const change = { contact_ids: [one, two], action: 'add_tags', value: ['Guest'] }
    const ids = [
      (await client.post('/api/export', { table: 'contacts' })).data['id'],
      (await client.post('/api/contacts/bulk', change)).data['id'],
      (await client.post(`/api/contacts/${one}/privacy-export`, {})).data['id'],
    ]
    await world.settle()
    expect(await worksOf(client)).toMatchObject([
      { kind: 'privacy_export', id: ids[2], title: '', link: `/contacts/${one}` },
      { kind: 'contacts', id: ids[1], title: 'add_tags', done: 2, total: 2, link: '/contacts' },
      { kind: 'export', id: ids[0], title: 'contacts', link: `/exports/${String(ids[0])}` },
    ])
    const { rows } = (await client.get(`/api/exports/${String(ids[0])}`)).data
    expect(await toldOf(socket, ids[0])).toEqual([
      ['running', 0, null],
      ['completed', rows, rows],
    ])
    expect((await toldOf(socket, ids[2])).at(-1)).toEqual([
      'completed',
      expect.any(Number),
      expect.any(Number),
    ])
    const { items } = (await client.get('/api/me/notifications')).data as { items: Loose[] }
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'export_done', link: `/contacts/${one}` }),
    )
  })

  test('is a replay of webhooks, whose counts are told once a second', async () => {
    const input = { name: 'CRM', url: receiver.url, events: ['contact.created'] }
    const endpoint = String((await admin.post('/api/webhooks', input)).data['id'])
    const from = new Date(world.clock.nowMs()).toISOString()
    world.clock.advance({ seconds: 1 })
    await contact()
    await contact()
    await world.settle()
    world.clock.advance({ seconds: 1 })
    const socket = await world.socket('admin')
    receiver.reply = () => {
      world.clock.advance({ seconds: 2 })
      return new Response('thanks')
    }
    const body = { from, only_failed: false }
    const { data } = await admin.post(`/api/webhooks/${endpoint}/replay`, body)
    await world.settle()
    expect(await toldOf(socket, data['replay_id'])).toEqual([
      ['running', 0, 2],
      ['running', 1, 2],
      ['completed', 2, 2],
    ])
    expect((await worksOf(admin))[0]).toMatchObject({ kind: 'webhook_replay', title: 'CRM' })
  })

  test('is cancelled with the endpoint that it was for', async () => {
    const input = { name: 'Gone', url: receiver.url, events: ['contact.created'] }
    const endpoint = String((await admin.post('/api/webhooks', input)).data['id'])
    const from = new Date(world.clock.nowMs()).toISOString()
    await contact()
    await world.settle()
    world.clock.advance({ seconds: 1 })
    const body = { from, only_failed: false }
    const { data } = await admin.post(`/api/webhooks/${endpoint}/replay`, body)
    await admin.delete(`/api/webhooks/${endpoint}`)
    await world.settle()
    expect((await worksOf(admin)).find(({ id }) => id === data['replay_id'])).toMatchObject({
      state: 'cancelled',
      ended_at: expect.any(String),
    })
  })

  test('has failed when its person may no longer do it', async () => {
    const person = await personWith(world, [
      ...['contacts:read', 'contacts:read_all', 'contacts:update', 'tags:create'],
    ])
    const id = await contact()
    const change = { contact_ids: [id], action: 'add_tags', value: ['Never'] }
    await person.client.post('/api/contacts/bulk', change)
    person.may('contacts:read')
    await world.settle()
    expect(await worksOf(person.client)).toMatchObject([{ state: 'failed', done: 0, total: 1 }])
  })

  test('of an API key is told to nobody, and a key may not ask', async () => {
    const key = await keyOf(world)
    const before = await worksOf(admin)
    const socket = await world.socket('admin')
    const { data, status } = await key.client.post('/api/export', { table: 'tags' })
    await world.settle()
    expect([status, await worksOf(admin), await toldOf(socket, data['id'])]).toEqual([
      201,
      before,
      [],
    ])
    expect((await key.client.get('/api/me/work')).status).toBe(403)
  })

  test('is not told to an API key of the person who started it', async () => {
    const key = await keyOf(world, {}, admin)
    const { ticket } = (await key.client.post('/api/auth/ws-ticket')).data
    const socket = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?ticket=${String(ticket)}`,
    )
    const { data } = await admin.post('/api/export', { table: 'tags' })
    await world.settle()
    expect([data['id'], await toldOf(socket, data['id'])]).toEqual([expect.any(String), []])
    await socket.close()
  })

  test('is paged, and nobody sees that of another organization', async () => {
    const first = (await admin.get('/api/me/work?limit=1')).data
    expect(first).toMatchObject({ page: 1, limit: 1, items: [{ kind: 'export', title: 'tags' }] })
    expect((await admin.get('/api/me/work?limit=101')).status).toBe(400)
    expect((await admin.get('/api/me/work?running=maybe')).status).toBe(400)
    const elsewhere = await world.as('admin', world.other)
    expect(await worksOf(elsewhere)).toEqual([])
  })

  test('is kept for seven days', async () => {
    world.clock.advance({ hours: 24 * 7 - 1 })
    await world.settle()
    expect(await worksOf(await world.as('manager'))).toHaveLength(1)
    world.clock.advance({ hours: 26 })
    await world.settle()
    expect(await worksOf(await world.as('manager'))).toEqual([])
  })
})

describe('files and erasures of the whole organization', () => {
  beforeAll(async () => {
    admin = await world.as('admin') // some days have passed
  })

  test('an archive is under way until it can be downloaded, and only for who asked for it', async () => {
    const [own, other] = [await world.socket('admin'), await world.socket('manager')]
    const { data } = await admin.post(`/api/organizations/${world.tenant.id}/archive`, {})
    expect((await worksOf(admin))[0]).toMatchObject({
      ...{ kind: 'archive', id: data['id'], state: 'running', total: null },
      link: '/settings/archives',
    })
    await world.settle()
    const told = await toldOf(own, data['id'])
    expect(told[0]).toEqual(['running', 0, null])
    const { counts } = (
      await admin.get(`/api/organizations/${world.tenant.id}/archives/${String(data['id'])}`)
    ).data as { counts: { rows: number } }
    expect(counts.rows).toBeGreaterThan(0)
    expect(told.at(-1)).toEqual(['completed', counts.rows, counts.rows])
    expect(await toldOf(other, data['id'])).toEqual([])
  })

  test('an erasure is under way until its receipt is written', async () => {
    const socket = await world.socket('admin')
    const id = await contact()
    const erased = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
    const request = String(erased.data['id'])
    expect((await worksOf(admin))[0]).toMatchObject({
      ...{ kind: 'erasure', id: request, state: 'running' },
      link: `/settings/privacy/${request}`,
    })
    await world.settle()
    const { receipt } = (await admin.get(`/api/privacy/requests/${request}`)).data as {
      receipt: { counts: Record<string, number> }
    }
    const sum = Object.values(receipt.counts).reduce((all, count) => all + count, 0)
    expect((await toldOf(socket, request)).at(-1)).toEqual(['completed', sum, sum])
  })
})
