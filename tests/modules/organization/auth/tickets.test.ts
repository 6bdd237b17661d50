import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { Client } from '../../../support/client'
import { TestSocket } from '../../../support/socket'
import { pairOf, type Pair } from '../../../support/tokens'
import { World } from '../../../support/world'

let world: World
let pair: Pair
const open: TestSocket[] = []

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(async () => {
  await Promise.all(open.map((socket) => socket.close()))
  await world.stop()
})

beforeEach(async () => {
  pair = await pairOf(world)
})

const caller = (): Client => new Client(world.url, { authorization: `Bearer ${pair.access_token}` })

async function ticketOf(): Promise<string> {
  return (await caller().post('/api/auth/ws-ticket')).data['ticket'] as string
}

async function connect(ticket: string): Promise<TestSocket> {
  const socket = await TestSocket.open(`${world.url.replace('http', 'ws')}/ws?ticket=${ticket}`)
  open.push(socket)
  return socket
}

/** Who a socket is, as it says itself. */
async function readyOf(socket: TestSocket): Promise<Record<string, unknown>> {
  socket.socket.send(JSON.stringify({ type: 'hello' }))
  await socket.until('it is ready', () => socket.frames.some(({ type }) => type === 'ready'))
  return socket.frames.find(({ type }) => type === 'ready')?.payload ?? {}
}

const refused = async (ticket: string): Promise<[number, string | undefined]> => {
  const { status, body } = await world.anyone.get(`/ws?ticket=${ticket}`)
  return [status, body.code]
}

describe('a socket ticket', () => {
  test('is 32 random bytes and opens one socket of its person until the access token ends', async () => {
    const issuedAtMs = world.clock.nowMs()
    const { status, data } = await caller().post('/api/auth/ws-ticket')
    expect([status, data['expires_in'], Object.keys(data).length]).toEqual([201, 30, 2])
    expect(Buffer.from(data['ticket'] as string, 'base64url')).toHaveLength(32)
    world.clock.advance({ seconds: 20 })
    const ready = await readyOf(await connect(data['ticket'] as string))
    expect(ready).toMatchObject({
      user_id: world.tenant.userIds.agent,
      organization_id: world.tenant.id,
      expires_at: new Date(Math.floor(issuedAtMs / 1_000) * 1_000 + 3_600_000).toISOString(),
    })
  })

  test('works once', async () => {
    const ticket = await ticketOf()
    await connect(ticket)
    expect(await refused(ticket)).toEqual([401, 'invalid_token'])
  })

  test('is valid for 29 seconds, and not for 30', async () => {
    const [old, young] = [await ticketOf(), await ticketOf()]
    world.clock.advance({ seconds: 29 })
    expect(await refused(young)).toEqual([400, 'upgrade_required'])
    world.clock.advance({ seconds: 1 })
    expect(await refused(old)).toEqual([401, 'invalid_token'])
  })

  test('ends with its session', async () => {
    const ticket = await ticketOf()
    await caller().post('/api/auth/logout')
    expect(await refused(ticket)).toEqual([401, 'session_ended'])
  })

  test('ends with the tokens of its organization', async () => {
    const ticket = await ticketOf()
    await (await world.as('admin')).delete(`/api/users/${world.tenant.userIds.agent}/sessions`)
    expect(await refused(ticket)).toEqual([401, 'invalid_token'])
  })

  test('is rejected if unknown, beside a token, and in place of a token', async () => {
    const ticket = await ticketOf()
    expect(await refused('nobody-knows-it')).toEqual([401, 'invalid_token'])
    expect((await world.anyone.get(`/ws?ticket=${ticket}&token=${pair.access_token}`)).status).toBe(
      400,
    )
    expect(
      (await new Client(world.url, { authorization: `Bearer ${ticket}` }).get('/api/me')).status,
    ).toBe(401)
    expect((await world.anyone.post('/api/auth/refresh', { refresh_token: ticket })).status).toBe(
      401,
    )
  })

  test('is stored in plain text neither in the database nor in the log', async () => {
    const ticket = await ticketOf()
    await connect(ticket)
    const rows = JSON.stringify(world.rows('select * from socket_tickets'))
    expect(rows).not.toContain(ticket)
    expect(world.logLines.join('\n')).not.toContain(ticket)
  })

  test('that is unused is deleted later', async () => {
    await ticketOf()
    world.clock.advance({ hours: 1 })
    await world.settle()
    expect(world.rows('select id from socket_tickets')).toEqual([])
  })
})
