import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { keyOf } from '../../../support/keys'
import type { TestSocket } from '../../../support/socket'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

const TARGET = 'https://b.example.com'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

const run = (sql: string): void => {
  changeRows(world.program.http.db.sqlite, sql, [world.tenant.id])
}
/** What the move does to an organization, step by step. */
const freeze = (): void => run("update organizations set state = 'moving' where id = ?")
const handOver = (): void => {
  run(`update accounts set moved_at_ms = ${world.clock.nowMs()} where organization_id = ?`)
  run(`update organizations set state = 'moved', moved_to = '${TARGET}',
       deletes_at_ms = ${world.clock.nowMs() + 30 * 24 * 3_600_000} where id = ?`)
}
const closing = async (socket: TestSocket): Promise<number | undefined> => {
  world.program.realtime.sockets.sweep()
  await socket.until('the close', () => socket.closed !== null)
  return socket.closed?.code
}
const socketUrl = (token: string): string => `${world.url.replace('http', 'ws')}/ws?token=${token}`

describe('while an organization moves to another server', () => {
  test('its people can read, and every change is refused with the time to try again', async () => {
    const admin = await world.as('admin')
    const { client: key } = await keyOf(world)
    freeze()
    for (const caller of [admin, key]) {
      expect((await caller.get('/api/contacts')).status).toBe(200)
      const refused = await caller.post('/api/contacts', { phone_number: '+491701234567' })
      expect([refused.status, refused.body.code]).toEqual([503, 'organization_moving'])
      expect(refused.headers.get('retry-after')).toBe('10')
    }
    expect(world.rows('select 1 from contacts')).toEqual([])
    const other = await world.as('admin', world.other)
    expect((await other.post('/api/tags', { name: 'VIP' })).status).toBe(201)
  })

  test('its sockets close with 4409, and none is opened', async () => {
    const socket = await world.socket('agent')
    freeze()
    expect(await closing(socket)).toBe(4409)
    const { token } = await world.as('agent')
    const answer = await fetch(socketUrl(token).replace('ws', 'http'), {
      headers: {
        ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      503,
      'organization_moving',
    ])
  })

  test('what customers write is stored, and nothing is sent', async () => {
    const { id: contact } = await world.contactOf()
    const agent = await world.as('admin')
    freeze()
    const before = world.simulator.messages.length
    await world.simulator.customer({ phone: world.tenant.phoneId }).says('Anybody there?')
    await world.settle()
    expect(world.rows('select distinct state from inbound_events')).toEqual([{ state: 'done' }])
    const sent = await agent.post(`/api/contacts/${contact}/messages`, { type: 'text', text: 'Hi' })
    expect(sent.status).toBe(503)
    expect(world.simulator.messages.length).toBe(before)
  })

  test('nobody joins it', async () => {
    const admin = await world.as('admin')
    const { data } = await admin.post('/api/organizations/invitations', {
      email: 'new@example.com',
    })
    freeze()
    const joined = await world.anyone.post('/api/auth/register', {
      email: 'new@example.com',
      full_name: 'New',
      password: 'correct horse battery',
      organization_id: world.tenant.id,
      invitation_token: data['token'],
    })
    expect([joined.status, joined.body.code]).toEqual([503, 'organization_moving'])
    expect(world.rows("select 1 from users where email = 'new@example.com'")).toEqual([])
  })
})

describe('an organization that has moved', () => {
  test('answers with the address of the server that has it', async () => {
    const admin = await world.as('admin')
    const socket = await world.socket('agent')
    freeze()
    handOver()
    expect(await closing(socket)).toBe(4409)
    for (const answer of [
      await admin.get('/api/contacts'),
      await admin.post('/api/contacts', { phone_number: '+491701234567' }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'moved'])
      expect(answer.body.details).toEqual({ address: TARGET })
    }
    const { status, body } = await world.anyone.post('/api/auth/login', {
      email: world.emailOf('agent', world.tenant),
      password: 'correct horse battery',
    })
    expect([status, body.code, body.details]).toEqual([409, 'moved', { address: TARGET }])
  })

  test('has no numbers here: its webhooks are unrouted', async () => {
    handOver()
    await world.simulator.customer({ phone: world.tenant.phoneId }).says('Anybody there?')
    await world.settle()
    expect(world.rows('select state from inbound_events')).toEqual([{ state: 'unrouted' }])
    expect(world.rows('select 1 from messages')).toEqual([])
  })
})
