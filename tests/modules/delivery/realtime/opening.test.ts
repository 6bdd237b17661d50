import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { RawSocket } from '../../../support/raw-socket'
import { claimsOf, forge, pairOf } from '../../../support/tokens'
import { World } from '../../../support/world'

let world: World
let token: string

beforeAll(async () => {
  world = await World.create()
  world.stays('sign-ins')
  token = (await world.as('manager')).token
})
afterAll(() => world.stop())

const refusalOf = async (path: string, headers: Record<string, string> = {}) =>
  (await RawSocket.ask(world.url, path, headers)).answer

describe('before the upgrade', () => {
  type Case = [
    what: string,
    query: () => string | Promise<string>,
    status: number,
    code: string | undefined,
  ]
  const cases: Case[] = [
    ['no query at all', () => '', 401, 'unauthorized'],
    ['an empty token', () => '?token=', 401, 'unauthorized'],
    ['an empty ticket', () => '?ticket=', 401, 'invalid_token'],
    ['a ticket nobody gave out', () => '?ticket=abc', 401, 'invalid_token'],
    ['garbage for a token', () => '?token=garbage', 401, 'invalid_token'],
    [
      'a token with a changed signature',
      () => `?token=${token.slice(0, -4)}AAAA`,
      401,
      'invalid_token',
    ],
    ['an API key for a token', () => '?token=sk_0123456789abcdef', 401, 'invalid_token'],
    [
      'a refresh token',
      async () => `?token=${(await pairOf(world)).refresh_token}`,
      401,
      'invalid_token',
    ],
    [
      'a token that expired a second ago',
      async () =>
        `?token=${await forge({ ...claimsOf(token), exp: world.clock.nowMs() / 1_000 - 1 })}`,
      401,
      'token_expired',
    ],
    [
      'a token of a session nobody has',
      async () => `?token=${await forge({ ...claimsOf(token), sid: crypto.randomUUID() })}`,
      401,
      'session_ended',
    ],
    [
      'a token for another organization',
      async () => `?token=${await forge({ ...claimsOf(token), org: world.other.id })}`,
      401,
      'membership_ended',
    ],
    ['both token and ticket', () => `?token=${token}&ticket=abc`, 400, 'invalid_input'],
    ['a since that is no number', () => `?token=${token}&since=abc`, 400, 'invalid_input'],
    ['an empty since', () => `?token=${token}&since=`, 400, 'invalid_input'],
    ['a negative since', () => `?token=${token}&since=-1`, 400, 'invalid_input'],
    ['a since with a fraction', () => `?token=${token}&since=1.5`, 400, 'invalid_input'],
    ['a since above 2^53', () => `?token=${token}&since=9007199254740993`, 400, 'invalid_input'],
    [
      'a since of many digits',
      () => `?token=${token}&since=${'9'.repeat(40)}`,
      400,
      'invalid_input',
    ],
    ['a log that is no UUID', () => `?token=${token}&since=0&log=abc`, 400, 'invalid_input'],
    ['a bad since and no token', () => '?since=abc', 401, 'unauthorized'],
    ['a bad since and a bad token', () => '?since=abc&token=garbage', 401, 'invalid_token'],
    ['a since of many digits and no token', () => `?since=${'9'.repeat(40)}`, 401, 'unauthorized'],
    ['a token too long for any', () => `?token=${'x'.repeat(9_000)}`, 401, 'invalid_token'],
  ]
  test.each(cases)('%s is rejected with an envelope', async (_, query, status, code) => {
    const answer = await refusalOf(`/ws${await query()}`)
    expect(answer).toMatchObject({
      status,
      body: { status: 'error', data: null, message: expect.any(String) },
    })
    expect(answer.body?.code).toBe(code)
    expect(answer.headers.get('content-type')).toContain('application/json')
  })

  test.each(cases.filter(([, , status]) => status === 401))(
    '%s is rejected in the same way without an upgrade',
    async (_, query, status, code) => {
      const answer = await world.anyone.get(`/ws${await query()}`)
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
    },
  )

  test('a credential in a header opens no socket', async () => {
    expect((await refusalOf('/ws', { authorization: `Bearer ${token}` })).status).toBe(401)
    expect((await refusalOf('/ws', { 'x-api-key': 'sk_0123456789abcdef' })).status).toBe(401)
  })

  test('a plain request with a valid token is told to upgrade', async () => {
    const answer = await world.anyone.get(`/ws?token=${token}`)
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'upgrade_required',
    })
  })

  test('no token reaches the log', async () => {
    await refusalOf(`/ws?token=${token}x`)
    await refusalOf('/ws?ticket=a-secret-ticket')
    expect(
      world.logLines.filter((line) => line.includes(token) || line.includes('a-secret-ticket')),
    ).toEqual([])
  })
})

describe('the origin', () => {
  test.each([
    ['its own', 'http://localhost:8080', 101],
    ['one on the list', 'https://app.example.com', 101],
    ['a foreign one', 'https://evil.example.com', 403],
    ['one that only begins alike', 'https://app.example.com.evil.example', 403],
    ['an opaque one', 'null', 403],
  ])('%s: %s is answered %d', async (_, origin, status) => {
    await using own = await World.create({
      env: { CORS_ORIGINS: 'https://app.example.com' },
      isConnected: false,
    })
    const { socket, answer } = await RawSocket.ask(
      own.url,
      `/ws?token=${(await own.as('agent')).token}`,
      { origin },
    )
    expect(answer.status).toBe(status)
    if (status === 403)
      expect(answer.body).toMatchObject({ status: 'error', code: 'origin_not_allowed' })
    socket.end()
  })

  test('the address that the request itself names opens a socket', async () => {
    const { socket, answer } = await RawSocket.ask(world.url, `/ws?token=${token}`, {
      origin: world.url,
    })
    expect(answer.status).toBe(101)
    socket.end()
  })

  test('an invalid token is rejected before the origin is checked', async () => {
    expect(
      (await refusalOf('/ws?token=garbage', { origin: 'https://evil.example.com' })).status,
    ).toBe(401)
  })
})

describe('socket limits', () => {
  const open = async (at: World, bearer: string): Promise<number> => {
    const { socket, answer } = await RawSocket.ask(at.url, `/ws?token=${bearer}`)
    opened.push(socket)
    return answer.status
  }
  const opened: RawSocket[] = []
  const endAll = (): void => {
    for (const socket of opened.splice(0)) socket.end()
  }

  test("a user's eleventh socket is rejected, and other users still connect", async () => {
    await using own = await World.create({ isConnected: false })
    const agent = (await own.as('agent')).token
    const statuses = []
    for (let nth = 0; nth < 11; nth += 1) statuses.push(await open(own, agent))
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 101), 429])
    const { answer } = await RawSocket.ask(own.url, `/ws?token=${agent}`)
    expect(answer.body).toMatchObject({ status: 'error', code: 'too_many_sockets' })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(opened.filter((socket) => socket.isClosed)).toHaveLength(1)
    expect(await open(own, (await own.as('manager')).token)).toBe(101)
    endAll()
  })

  test('hold for many at the same moment', async () => {
    await using own = await World.create({ isConnected: false })
    const agent = (await own.as('agent')).token
    const statuses = await Promise.all(Array.from({ length: 40 }, () => open(own, agent)))
    expect(statuses.filter((status) => status === 101)).toHaveLength(10)
    endAll()
  })

  test('exist per organization and per process', async () => {
    await using own = await World.create({
      isConnected: false,
      env: { WS_PER_ORG: '2', WS_MAX: '3' },
    })
    expect(await open(own, (await own.as('agent')).token)).toBe(101)
    expect(await open(own, (await own.as('manager')).token)).toBe(101)
    expect(await open(own, (await own.as('admin')).token)).toBe(429)
    expect(await open(own, (await own.as('agent', own.other)).token)).toBe(101)
    expect(await open(own, (await own.as('manager', own.other)).token)).toBe(503)
    endAll()
  })

  test('a stopping server rejects sockets and asks clients to reconnect', async () => {
    await using own = await World.create({ isConnected: false })
    const socket = await own.socket('agent')
    own.program.realtime.sockets.stop()
    await socket.until('the close', () => socket.closed !== null)
    expect(socket.closed?.code).toBe(1012)
    expect(await open(own, (await own.as('manager')).token)).toBe(503)
    endAll()
  })
})

test('an open socket is silent until an event or a frame', async () => {
  const socket = await world.socket('manager')
  const pong = await socket.ask({ type: 'ping' })
  expect(socket.frames).toEqual([pong])
  await socket.close()
})

test('a closed socket frees its slot', async () => {
  await using own = await World.create({ isConnected: false, env: { WS_PER_USER: '1' } })
  const first = await own.socket('agent')
  const refusal = await own.socket('agent').then(
    () => 'opened',
    (error: Error) => error.message,
  )
  expect(refusal).toBe('the upgrade was refused')
  await first.close()
  const second = await own.socket('agent')
  expect((await second.ask({ type: 'ping' })).type).toBe('pong')
})
