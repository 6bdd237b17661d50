import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { personWith, type OwnRole } from '../../../support/people'
import { codeAt, codeOf, switchOn } from '../../../support/second-factor'
import { auditOf } from '../../../support/tokens'
import { PASSWORD, World } from '../../../support/world'

let world: World
let person: OwnRole
let me: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

beforeEach(async () => {
  world.clock.advance({ minutes: 16 })
  person = await personWith(world, ['messages:read'])
  me = person.client
})

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const login = (code?: string, password = PASSWORD): Promise<Answer<Loose>> =>
  world.anyone.post('/api/auth/login', {
    email: person.email,
    password,
    ...(code === undefined ? {} : { code }),
  })

test('codes match the vectors of RFC 6238', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' // 12345678901234567890, appendix B
  const seconds = [59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000]
  expect(seconds.map((at) => codeAt(secret, Math.floor(at / 30)))).toEqual([
    '287082',
    '081804',
    '050471',
    '005924',
    '279037',
    '353130',
  ])
})

describe('enabling two-factor authentication', () => {
  test('requires the password and then a code of the app, and has no effect before', async () => {
    expect(
      verdict(await me.post('/api/me/2fa/setup', { current_password: 'not it at all' })),
    ).toEqual([400, 'wrong_password'])
    const { data } = await me.post('/api/me/2fa/setup', { current_password: PASSWORD })
    expect(data['secret']).toMatch(/^[A-Z2-7]{32}$/)
    const url = new URL(data['otpauth_url'] as string)
    expect([
      url.protocol,
      url.host,
      url.searchParams.get('secret'),
      url.searchParams.get('algorithm'),
    ]).toEqual(['otpauth:', 'totp', data['secret'], 'SHA1'])
    expect([url.searchParams.get('digits'), url.searchParams.get('period')]).toEqual(['6', '30'])
    expect((await me.get('/api/me')).data['two_factor_enabled']).toBe(false)
    expect((await login()).status).toBe(200)
    expect(verdict(await me.post('/api/me/2fa/enable', { code: '000000' }))).toEqual([
      400,
      'two_factor_invalid',
    ])
    const enabled = await me.post('/api/me/2fa/enable', {
      code: codeOf(world, data['secret'] as string),
    })
    expect([enabled.status, new Set(enabled.data['backup_codes'] as string[]).size]).toEqual([
      200, 10,
    ])
    expect((await me.get('/api/me')).data['two_factor_enabled']).toBe(true)
    expect(auditOf(world, 'two_factor_enabled').at(-1)).toMatchObject({ user_id: person.userId })
  })

  test('twice is a conflict, as is a code without a setup', async () => {
    expect(verdict(await me.post('/api/me/2fa/enable', { code: '123456' }))).toEqual([
      409,
      'no_setup_pending',
    ])
    const { secret } = await switchOn(world, me)
    expect(verdict(await me.post('/api/me/2fa/setup', { current_password: PASSWORD }))).toEqual([
      409,
      'two_factor_enabled',
    ])
    expect(verdict(await me.post('/api/me/2fa/enable', { code: codeOf(world, secret) }))).toEqual([
      409,
      'no_setup_pending',
    ])
  })

  test('stores secret and codes nowhere in plain text', async () => {
    const { secret, backupCodes } = await switchOn(world, me)
    const stored = JSON.stringify(
      ['users', 'backup_codes', 'audit_logs', 'jobs'].map((table) =>
        world.rows(`select * from ${table}`),
      ),
    )
    for (const hidden of [
      secret,
      ...backupCodes,
      ...backupCodes.map((code) => code.replace('-', '')),
    ]) {
      expect(stored).not.toContain(hidden)
      expect(world.logLines.join('\n')).not.toContain(hidden)
    }
  })
})

describe('signing in with two-factor authentication', () => {
  test('requires the code only after the right password', async () => {
    await switchOn(world, me)
    expect(verdict(await login(undefined, 'not the password'))).toEqual([
      401,
      'invalid_credentials',
    ])
    expect(verdict(await login('000000', 'not the password'))).toEqual([401, 'invalid_credentials'])
    expect(verdict(await login())).toEqual([401, 'two_factor_required'])
    expect(verdict(await login('000000'))).toEqual([401, 'two_factor_invalid'])
  })

  test('accepts each code of the app once', async () => {
    const { secret } = await switchOn(world, me)
    const code = codeOf(world, secret)
    expect((await login(`${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200)
    expect(verdict(await login(code))).toEqual([401, 'two_factor_invalid'])
    world.clock.advance({ seconds: 30 })
    expect((await login(codeOf(world, secret))).status).toBe(200)
  })

  test('accepts a code one step early or late, but none before the last one used', async () => {
    const { secret } = await switchOn(world, me)
    world.clock.advance({ minutes: 2 })
    expect((await login(codeOf(world, secret, -2))).status).toBe(401)
    expect((await login(codeOf(world, secret, 2))).status).toBe(401)
    expect((await login(codeOf(world, secret, -1))).status).toBe(200)
    expect((await login(codeOf(world, secret, 1))).status).toBe(200)
    expect(verdict(await login(codeOf(world, secret)))).toEqual([401, 'two_factor_invalid'])
  })

  test('twice with the same code at the same moment succeeds once', async () => {
    const { secret } = await switchOn(world, me)
    const answers = await Promise.all(Array.from({ length: 4 }, () => login(codeOf(world, secret))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 401, 401, 401,
    ])
  })

  test('accepts each backup code once, in any case, with or without the dash', async () => {
    using _stay = world.stays('sign-ins')
    const { backupCodes } = await switchOn(world, me)
    const [first = '', second = ''] = backupCodes
    expect((await login(first)).status).toBe(200)
    expect(verdict(await login(first))).toEqual([401, 'two_factor_invalid'])
    expect((await login(second.replace('-', '').toUpperCase())).status).toBe(200)
  })

  test('rejects the backup code of another person', async () => {
    const { backupCodes } = await switchOn(world, me)
    person = await personWith(world, [])
    await switchOn(world, person.client)
    expect(verdict(await login(backupCodes[0]))).toEqual([401, 'two_factor_invalid'])
  })

  test('counts wrong codes like wrong passwords, but no missing code', async () => {
    using _stay = world.stays('sign-ins')
    const { secret } = await switchOn(world, me)
    for (let round = 0; round < 12; round += 1) expect((await login()).status).toBe(401)
    for (let round = 0; round < 5; round += 1)
      expect(verdict(await login('000000'))).toEqual([401, 'two_factor_invalid'])
    for (let round = 0; round < 5; round += 1) await login(undefined, 'not the password')
    expect(verdict(await login(codeOf(world, secret)))).toEqual([429, 'too_many_failures'])
  })
})

describe('backup codes and disabling', () => {
  test('new backup codes replace the old ones', async () => {
    using _stay = world.stays('sign-ins')
    const { secret, backupCodes } = await switchOn(world, me)
    const { status, data } = await me.post('/api/me/2fa/backup-codes', {
      current_password: PASSWORD,
      code: codeOf(world, secret),
    })
    expect([status, (data['backup_codes'] as string[]).length]).toEqual([200, 10])
    expect(verdict(await login(backupCodes[0]))).toEqual([401, 'two_factor_invalid'])
    expect((await login((data['backup_codes'] as string[])[0])).status).toBe(200)
  })

  test('once disabled, no code is required, and it can be set up again', async () => {
    const { secret, backupCodes } = await switchOn(world, me)
    const { status } = await me.post('/api/me/2fa/disable', {
      current_password: PASSWORD,
      code: backupCodes[3],
    })
    expect(status).toBe(200)
    expect((await login()).status).toBe(200)
    expect((await me.get('/api/me')).data['two_factor_enabled']).toBe(false)
    expect(auditOf(world, 'two_factor_disabled').at(-1)).toMatchObject({ user_id: person.userId })
    expect((await switchOn(world, me)).secret).not.toBe(secret)
  })

  for (const path of ['/api/me/2fa/backup-codes', '/api/me/2fa/disable'])
    test(`${path} requires password, code, and that it is enabled`, async () => {
      const ask = (password: string, code: string) =>
        me.post(path, { current_password: password, code })
      expect(verdict(await ask(PASSWORD, '123456'))).toEqual([409, 'two_factor_not_enabled'])
      const { secret } = await switchOn(world, me)
      expect(verdict(await ask('not it at all', codeOf(world, secret)))).toEqual([
        400,
        'wrong_password',
      ])
      expect(verdict(await ask(PASSWORD, '000000'))).toEqual([400, 'two_factor_invalid'])
      expect((await me.get('/api/me')).data['two_factor_enabled']).toBe(true)
    })
})
