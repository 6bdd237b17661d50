import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { createConcurrencyLimiter } from '../../../../src/infra/throttle/concurrency-limit'
import { systemClock } from '../../../../src/lib/clock'
import { createPasswordHasher } from '../../../../src/modules/organization/users/password'
import type { Answer, Loose } from '../../../support/client'
import { personWith, type OwnRole } from '../../../support/people'
import { stayInAll } from '../../../support/staying'
import { PASSWORD, World } from '../../../support/world'

let world: World
let person: OwnRole

beforeAll(async () => {
  world = await World.create({ isConnected: false, env: { TRUSTED_PROXIES: '127.0.0.1' } })
})

afterAll(() => world.stop())

beforeEach(async () => {
  world.clock.advance({ minutes: 16 })
  person = await personWith(world, [])
})

let addresses = 0

/** A client with an address nobody had before. */
const stranger = () => {
  addresses += 1
  return world.anyone.with({ 'x-forwarded-for': `10.1.${addresses >> 8}.${addresses & 255}` })
}

/** The address that {@link person} sits at. */
const HERE = { 'x-forwarded-for': '10.2.0.1' }
const atHome = () => world.anyone.with(HERE)

const login = (password: string, from = stranger()): Promise<Answer<Loose>> =>
  from.post('/api/auth/login', { email: person.email, password })
const codesOf = (answers: Answer<unknown>[]): Record<string, number> => {
  const counted: Record<string, number> = {}
  for (const { status, body } of answers)
    counted[`${status} ${body.code}`] = (counted[`${status} ${body.code}`] ?? 0) + 1
  return counted
}

describe('all routes that verify a person share one failure counter per address', () => {
  stayInAll(() => world, 'sign-ins')
  const others: [what: string, fail: () => Promise<Answer<Loose>>][] = [
    [
      'PUT /api/me/password',
      () =>
        person.client
          .with(HERE)
          .put('/api/me/password', { current_password: 'wrong', new_password: 'long enough' }),
    ],
    [
      'PUT /api/me',
      () =>
        person.client
          .with(HERE)
          .put('/api/me', { email: 'x@example.com', current_password: 'wrong' }),
    ],
    [
      'POST /api/me/2fa/setup',
      () => person.client.with(HERE).post('/api/me/2fa/setup', { current_password: 'wrong' }),
    ],
  ]
  for (const [what, fail] of others)
    test(`${what} and login`, async () => {
      for (let round = 0; round < 5; round += 1)
        expect([401, 400]).toContain((await login('wrong', atHome())).status)
      for (let round = 0; round < 5; round += 1)
        expect((await fail()).body.code).toBe('wrong_password')
      const closed = await fail()
      expect([closed.status, closed.headers.get('retry-after')]).toEqual([429, '900'])
      expect((await login(PASSWORD, atHome())).status).toBe(429)
      world.clock.advance({ minutes: 15, ms: 1 })
      expect((await login(PASSWORD, atHome())).status).toBe(200)
    })

  test('guessing link tokens blocks only the address', async () => {
    const guesser = stranger()
    const guess = () =>
      guesser.post('/api/auth/password/reset', { token: 'guessed', new_password: 'long enough' })
    const answers: Answer<unknown>[] = []
    for (let round = 0; round < 32; round += 1) answers.push(await guess())
    expect(codesOf(answers)).toEqual({ '400 reset_invalid': 30, '429 too_many_failures': 2 })
    expect((await login(PASSWORD, guesser)).status).toBe(429)
    expect((await login(PASSWORD)).status).toBe(200)
  })
})

describe('parallel attempts never exceed the limit', () => {
  stayInAll(() => world, 'sign-ins')
  test('ten of twenty wrong passwords from one address are checked', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => login('wrong', atHome())))
    expect(codesOf(answers)).toEqual({ '401 invalid_credentials': 10, '429 too_many_failures': 10 })
  })

  test('a hundred of 120 wrong passwords from as many addresses are checked', async () => {
    const answers = await Promise.all(Array.from({ length: 120 }, () => login('wrong')))
    expect(codesOf(answers)).toEqual({
      '401 invalid_credentials': 100,
      '429 too_many_failures': 20,
    })
  })

  test('twenty correct ones all succeed', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(PASSWORD)))
    expect(codesOf(answers)).toEqual({ '200 undefined': 20 })
  })

  test('thirty of forty unknown emails from one address are checked', async () => {
    const from = stranger()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        from.post('/api/auth/login', { email: `nobody${at}@example.com`, password: 'wrong' }),
      ),
    )
    expect(codesOf(answers)).toEqual({ '401 invalid_credentials': 30, '429 too_many_failures': 10 })
  })
})

describe('a password hash with other cost parameters', () => {
  const hashOf = (): string =>
    world.rows<{ hash: string }>(
      'select password_hash as hash from users where id = ?',
      person.userId,
    )[0]?.hash ?? ''

  test('is renewed at the next successful sign-in only', async () => {
    const former = await createPasswordHasher(
      9,
      createConcurrencyLimiter(systemClock),
      systemClock,
    ).hash(PASSWORD, { organizationId: null })
    world.rows('update users set password_hash = ? where id = ?', former, person.userId)
    await login('wrong')
    expect(hashOf()).toBe(former)
    expect((await login(PASSWORD)).status).toBe(200)
    expect(hashOf()).toStartWith('$argon2id$v=19$m=1024,t=2,p=1$')
    expect((await login(PASSWORD)).status).toBe(200)
  })
})
