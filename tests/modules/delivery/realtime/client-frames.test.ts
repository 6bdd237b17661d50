import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { RawSocket } from '../../../support/raw-socket'
import type { Frame, TestSocket } from '../../../support/socket'
import { forge, claimsOf, pairOf } from '../../../support/tokens'
import { World } from '../../../support/world'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const head = (): number =>
  world.rows<{ seq: number }>(
    'select seq from event_heads where organization_id = ?',
    world.tenant.id,
  )[0]?.seq ?? 0

const closing = async (socket: TestSocket): Promise<number | undefined> => {
  await socket.until('the close', () => socket.closed !== null)
  return socket.closed?.code
}

describe('client frames', () => {
  test('ping is answered with the newest sequence number after all events up to it', async () => {
    const socket = await world.socket('manager')
    await world.contactOf()
    const pong = await socket.ask({ type: 'ping' })
    expect(Object.keys(pong)).toEqual(['type', 'payload', 'seq', 'at', 'reply_to'])
    expect(pong).toMatchObject({
      type: 'pong',
      payload: { seq: head() },
      seq: null,
      at: expect.stringMatching(ISO),
    })
    expect(socket.frames.at(-1)).toBe(pong)
    expect(socket.events().at(-1)?.seq).toBe(head())
  })

  test('hello is answered with the caller, the expiry and the permissions', async () => {
    const manager = await world.socket('manager')
    const ready = await manager.ask({ type: 'hello' })
    expect(Object.keys(ready.payload)).toEqual([
      ...[
        'connection_id',
        'user_id',
        'api_key_id',
        'organization_id',
        'log',
        'seq',
        'oldest_seq',
        'expires_at',
      ],
      ...['visibility', 'masked', 'topics', 'presence'],
    ])
    expect(ready.payload).toEqual({
      connection_id: expect.stringMatching(UUID),
      user_id: world.tenant.userIds.manager,
      api_key_id: null,
      organization_id: world.tenant.id,
      log: expect.stringMatching(UUID),
      seq: head(),
      oldest_seq: 1,
      expires_at: new Date(claimsOf((await world.as('manager')).token).exp * 1_000).toISOString(),
      visibility: 'all',
      masked: false,
      topics: [],
      presence: [],
    })
    const agent = await world.socket('agent')
    const other = (await agent.ask({ type: 'hello' })).payload
    expect(other).toMatchObject({ visibility: 'assigned', user_id: world.tenant.userIds.agent })
    expect(other['connection_id']).not.toBe(ready.payload['connection_id'])
  })

  test('a response repeats the ID of its frame; without a valid one it has none', async () => {
    const socket = await world.socket('agent')
    for (const id of ['x', 'x'.repeat(64), '', 'x'.repeat(65), 7, null, undefined])
      socket.say({ type: 'ping', id })
    await socket.until('seven pongs', () => socket.frames.length === 7)
    expect(socket.frames.map((frame) => frame.reply_to ?? null)).toEqual([
      'x',
      'x'.repeat(64),
      null,
      null,
      null,
      null,
      null,
    ])
  })
})

describe('the auth frame', () => {
  test('extends the socket with a new token', async () => {
    const socket = await world.socket('agent')
    world.clock.advance({ minutes: 59 })
    const fresh = (await pairOf(world)).access_token
    const answer = await socket.ask({ type: 'auth', payload: { token: fresh } })
    expect(answer).toMatchObject({
      type: 'authenticated',
      payload: { expires_at: new Date(claimsOf(fresh).exp * 1_000).toISOString() },
    })
    world.clock.advance({ minutes: 59 })
    world.program.realtime.sockets.sweep()
    expect((await socket.ask({ type: 'ping' })).type).toBe('pong')
    world.clock.advance({ minutes: 2 })
    world.program.realtime.sockets.sweep()
    expect(await closing(socket)).toBe(4401)
  })

  test.each([
    ['another user', 'auth_mismatch', async () => (await world.as('manager')).token],
    [
      'another organization',
      'auth_mismatch',
      async () => (await world.as('agent', world.other)).token,
    ],
    ['nobody', 'auth_failed', () => Promise.resolve('garbage')],
    ['no token', 'auth_failed', () => Promise.resolve(undefined)],
    ['a number', 'auth_failed', () => Promise.resolve(7)],
    ['a refresh token', 'auth_failed', async () => (await pairOf(world)).refresh_token],
    [
      'one that has expired',
      'auth_failed',
      async () =>
        forge({
          ...claimsOf((await world.as('agent')).token),
          exp: world.clock.nowMs() / 1_000 - 1,
        }),
    ],
  ])('with a token of %s is rejected as %s and keeps the expiry', async (_, code, token) => {
    const socket = await world.socket('agent')
    const { expires_at: before } = (await socket.ask({ type: 'hello' })).payload
    world.clock.advance({ minutes: 5 })
    const refusal = await socket.ask({ type: 'auth', payload: { token: await token() } })
    expect(refusal).toMatchObject({
      type: 'error',
      payload: { code, type: 'auth', message: expect.any(String) },
    })
    expect((await socket.ask({ type: 'hello' })).payload).toMatchObject({
      expires_at: before,
      user_id: world.tenant.userIds.agent,
    })
  })
})

describe('invalid frames', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) })
  const next = async (socket: TestSocket): Promise<Frame | undefined> => {
    const heard = socket.frames.length
    await socket.until('an answer', () => socket.frames.length > heard)
    return socket.frames.at(-1)
  }

  test.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['half of JSON', '{"type":"ping"'],
    ['a number', '7'],
    ['true', 'true'],
    ['null', 'null'],
    ['a text', '"ping"'],
    ['a frame inside of a text', JSON.stringify('{"type":"ping"}')],
    ['a list', '[{"type":"ping"}]'],
    ['an object without a type', '{"payload":{}}'],
    ['an empty type', '{"type":""}'],
    ['a type that is no text', '{"type":7}'],
    ['nesting beyond ten levels', JSON.stringify({ type: 'ping', payload: deep(10) })],
  ])('%s is answered with bad_json and the socket stays open', async (_, text) => {
    const socket = await world.socket('agent')
    socket.say(text)
    expect(await next(socket)).toMatchObject({
      type: 'error',
      seq: null,
      payload: { code: 'bad_json', message: expect.any(String), type: null },
    })
    expect((await socket.ask({ type: 'ping' })).type).toBe('pong')
  })

  test.each([
    ['white space around it', ' \n {"type":"ping"} '],
    ['nesting of ten levels', JSON.stringify({ type: 'ping', payload: deep(9) })],
    ['keys nobody knows', '{"type":"ping","extra":[1,2],"payload":{"a":1}}'],
    [
      'a key that is a prototype',
      '{"type":"ping","__proto__":{"type":"x","isAdmin":true},"constructor":{"prototype":{}}}',
    ],
  ])('a frame with %s is accepted', async (_, text) => {
    const socket = await world.socket('agent')
    socket.say(text)
    expect((await next(socket))?.type).toBe('pong')
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined()
  })

  test('an unknown type is named in the error, with the ID of the frame', async () => {
    const socket = await world.socket('agent')
    const answer = await socket.ask({ type: 'dance' })
    expect(answer).toMatchObject({
      type: 'error',
      payload: { code: 'unknown_type', type: 'dance' },
    })
    expect(Object.keys(answer.payload)).toEqual(['code', 'message', 'type'])
    expect((await socket.ask({ type: 'ping' })).type).toBe('pong')
  })

  test('ten invalid or unknown frames within a minute close the socket', async () => {
    const socket = await world.socket('agent')
    for (let nth = 0; nth < 9; nth += 1) socket.say(nth % 2 === 0 ? 'nonsense' : { type: 'dance' })
    expect((await socket.ask({ type: 'ping' })).type).toBe('pong')
    socket.say('nonsense')
    expect(await closing(socket)).toBe(4400)
    expect(socket.frames.filter(({ type }) => type === 'error').length).toBeGreaterThanOrEqual(9)
  })

  test('ten over a longer time do not', async () => {
    const socket = await world.socket('agent')
    for (let nth = 0; nth < 20; nth += 1) {
      await socket.ask({ type: 'dance' })
      world.clock.advance({ seconds: 7 })
    }
    expect((await socket.ask({ type: 'ping' })).type).toBe('pong')
  })

  test('of too many frames at once forty are answered, and the third rejection closes the socket', async () => {
    const socket = await world.socket('agent')
    for (let nth = 0; nth < 40; nth += 1) socket.say({ type: 'ping' })
    socket.say({ type: 'ping', id: 'too-many' })
    await socket.until('the refusal', () => socket.frames.length === 41)
    expect(socket.frames.slice(0, 40).every(({ type }) => type === 'pong')).toBe(true)
    expect(socket.frames[40]).toMatchObject({
      type: 'error',
      payload: { code: 'rate_limited', type: 'ping' },
      reply_to: 'too-many',
    })
    socket.say({ type: 'ping' })
    socket.say({ type: 'ping' })
    expect(await closing(socket)).toBe(4429)
  })

  test('twenty frames a second are accepted', async () => {
    const socket = await world.socket('agent')
    for (let second = 0; second < 5; second += 1) {
      for (let nth = 0; nth < 20; nth += 1) socket.say({ type: 'ping' })
      await socket.until('the pongs', () => socket.frames.length === (second + 1) * 20)
      world.clock.advance({ seconds: 1 })
    }
    expect(socket.frames.every(({ type }) => type === 'pong')).toBe(true)
  })

  const raw = async (): Promise<RawSocket> => {
    const { socket, answer } = await RawSocket.ask(
      world.url,
      `/ws?token=${(await world.as('agent')).token}`,
    )
    expect(answer.status).toBe(101)
    return socket
  }

  test('a binary frame closes the socket with 1003', async () => {
    const socket = await raw()
    socket.send('binary', '{"type":"ping"}')
    expect(await socket.closeCode()).toBe(1003)
    socket.end()
  })

  test('a frame over 16 KiB closes the socket with 1009; one of 16 KiB is accepted', async () => {
    const fits = await world.socket('agent')
    const frame = (size: number): string =>
      JSON.stringify({ type: 'ping', payload: { pad: 'x'.repeat(size - 36) } }).padEnd(size, ' ')
    fits.say(frame(16 * 1024))
    expect((await next(fits))?.type).toBe('pong')
    const over = await world.socket('agent')
    over.say(frame(16 * 1024 + 1))
    expect(await closing(over)).toBe(1009)
  })
})
