import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Answer, Loose } from '../../../support/client'
import { Client } from '../../../support/client'
import {
  claimsOf,
  forge,
  headerOf,
  pairOf,
  unsigned,
  type Claims,
  type Pair,
} from '../../../support/tokens'
import { World } from '../../../support/world'

let world: World
let pair: Pair

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  world.stays('the keys of the server')
})

afterAll(() => world.stop())

beforeEach(async () => {
  pair = await pairOf(world)
})

const ask = (token: string): Promise<Answer<Loose>> =>
  new Client(world.url, { authorization: `Bearer ${token}` }).get('/api/me')
const refresh = (token: string): Promise<Answer<Loose>> =>
  world.anyone.post('/api/auth/refresh', { refresh_token: token })
const verdict = ({ status, body }: Answer): [number, string | undefined] => [status, body.code]

describe('the claims of a token', () => {
  test('of access contain user, organization, session, lifetime and menu', () => {
    const { iat, ...claims } = claimsOf(pair.access_token)
    expect(headerOf(pair.access_token)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(iat).toBe(Math.floor(world.clock.nowMs() / 1_000))
    expect(claims).toEqual({
      iss: 'switchboard',
      aud: 'switchboard-api',
      typ: 'access',
      sub: world.tenant.userIds.agent,
      org: world.tenant.id,
      sid: expect.any(String) as never,
      jti: expect.any(String) as never,
      exp: iat + 3_600,
      role: { id: world.tenant.roleIds.agent, name: 'agent' },
      permissions: expect.arrayContaining(['messages:create', 'contacts:read']) as never,
    })
  })

  test('of refresh contain the same without the menu, for seven days', () => {
    const { iat, ...claims } = claimsOf(pair.refresh_token)
    expect(claims).toEqual({
      iss: 'switchboard',
      aud: 'switchboard-api',
      typ: 'refresh',
      sub: world.tenant.userIds.agent,
      org: world.tenant.id,
      sid: claimsOf(pair.access_token).sid,
      jti: expect.any(String) as never,
      exp: iat + 7 * 24 * 3_600,
    })
  })

  test('follow the configured lifetimes', async () => {
    await using short = await World.create({
      isConnected: false,
      tenants: 1,
      env: { ACCESS_TOKEN_MINUTES: '5', REFRESH_TOKEN_DAYS: '1' },
    })
    const { access_token, refresh_token, expires_in } = await pairOf(short)
    const [access, kept] = [claimsOf(access_token), claimsOf(refresh_token)]
    expect([expires_in, access.exp - access.iat, kept.exp - kept.iat]).toEqual([
      300,
      300,
      24 * 3_600,
    ])
  })

  test('of refresh are stored only as a hash', () => {
    const rows = JSON.stringify(world.rows('select * from refresh_tokens'))
    expect(rows).not.toContain(pair.refresh_token)
    expect(rows).not.toContain(pair.refresh_token.split('.')[2] ?? '')
    expect(world.logLines.join('')).not.toContain(pair.refresh_token)
  })

  test('for the menu grant nothing', async () => {
    const permissions = ['jobs:read', 'accounts:create']
    const token = await forge({
      ...claimsOf(pair.access_token),
      permissions,
      role: { id: world.tenant.roleIds.admin, name: 'admin' },
    })
    const client = new Client(world.url, { authorization: `Bearer ${token}` })
    expect((await client.get('/api/jobs')).status).toBe(403)
    expect((await client.get('/api/me')).data['role']).toMatchObject({ name: 'agent' })
  })
})

describe('a token is rejected', () => {
  const without = (claims: Claims, name: string): Record<string, unknown> =>
    Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))

  const wrong: [what: string, make: (claims: Claims) => Promise<string> | string][] = [
    ['without signature, alg none', (claims) => unsigned(claims)],
    [
      'with alg none and the signature of a good one',
      (claims) => unsigned(claims, pair.access_token.split('.')[2]),
    ],
    ['signed with HS512 and the right key', (claims) => forge(claims, { alg: 'HS512' })],
    ['signed with HS384 and the right key', (claims) => forge(claims, { alg: 'HS384' })],
    ['signed with another key', (claims) => forge(claims, { root: Buffer.alloc(32, 8) })],
    ['signed with the key of the other kind', (claims) => forge(claims, { kind: 'refresh' })],
    ['of another issuer', (claims) => forge({ ...claims, iss: 'other' })],
    ['for another audience', (claims) => forge({ ...claims, aud: 'other' })],
    ['of type refresh under the access key', (claims) => forge({ ...claims, typ: 'refresh' })],
    ['of an unknown type', (claims) => forge({ ...claims, typ: 'session' })],
    ['with a number for a user', (claims) => forge({ ...claims, sub: 1 })],
    ...['iss', 'aud', 'sub', 'org', 'sid', 'jti', 'typ', 'iat', 'exp'].map(
      (name): [string, (claims: Claims) => Promise<string>] => [
        `without ${name}`,
        (claims) => forge(without(claims, name)),
      ],
    ),
    ['cut off', () => pair.access_token.slice(0, -3)],
    ['with a part too many', () => `${pair.access_token}.x`],
    [
      'with a changed claim',
      () => {
        const [head = '', , signature = ''] = pair.access_token.split('.')
        return [
          head,
          Buffer.from(
            JSON.stringify({ ...claimsOf(pair.access_token), org: world.other.id }),
          ).toString('base64url'),
          signature,
        ].join('.')
      },
    ],
    ['that is a refresh token', () => pair.refresh_token],
    ['that is no token', () => 'x.y.z'],
  ]
  for (const [what, make] of wrong)
    test(what, async () => {
      expect(verdict(await ask(await make(claimsOf(pair.access_token))))).toEqual([
        401,
        'invalid_token',
      ])
    })

  test('but accepted with the same claims under the right key', async () => {
    expect((await ask(await forge(claimsOf(pair.access_token)))).status).toBe(200)
  })

  test('one second after its expiry, not one second before', async () => {
    world.clock.advance({ minutes: 59, seconds: 59 })
    expect((await ask(pair.access_token)).status).toBe(200)
    world.clock.advance({ seconds: 1 })
    expect(verdict(await ask(pair.access_token))).toEqual([401, 'token_expired'])
    world.clock.advance({ seconds: 1 })
    expect(verdict(await ask(pair.access_token))).toEqual([401, 'token_expired'])
  })

  test("if its session is another person's", async () => {
    const token = await forge({ ...claimsOf(pair.access_token), sub: world.tenant.userIds.admin })
    expect(verdict(await ask(token))).toEqual([401, 'session_ended'])
  })

  test('if it names an organization the person does not belong to', async () => {
    const token = await forge({ ...claimsOf(pair.access_token), org: world.other.id })
    expect(verdict(await ask(token))).toEqual([401, 'membership_ended'])
  })

  test('for refreshing if it is an access token or forged', async () => {
    const claims = claimsOf(pair.refresh_token)
    for (const token of [
      pair.access_token,
      unsigned(claims),
      await forge(claims),
      await forge(claims, { kind: 'refresh', alg: 'HS512' }),
      await forge({ ...claims, typ: 'access' }, { kind: 'refresh' }),
      await forge({ ...claims, jti: 'never-given-out' }, { kind: 'refresh' }),
      'garbage',
    ])
      expect(verdict(await refresh(token))).toEqual([401, 'invalid_token'])
    expect((await refresh(pair.refresh_token)).status).toBe(200)
  })
})

test('the previous root key verifies tokens but signs none', async () => {
  await using rotated = await World.create({ isConnected: false, tenants: 1 })
  const before = await pairOf(rotated)
  const { createTokens } = await import('../../../../src/modules/organization/auth/tokens')
  const { ROOT_KEY } = await import('../../../support/world')
  const tokens = createTokens({ current: Buffer.alloc(32, 9), previous: ROOT_KEY }, rotated.clock)
  expect((await tokens.readAccess(before.access_token)).sub).toBe(claimsOf(before.access_token).sub)
  expect((await tokens.readRefresh(before.refresh_token)).sid).toBe(
    claimsOf(before.refresh_token).sid,
  )
  const stranger = createTokens({ current: Buffer.alloc(32, 9), previous: null }, rotated.clock)
  expect(stranger.readAccess(before.access_token)).rejects.toThrow('is invalid')
})
