import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { HASHING, RESERVED_HASHING } from '../../../../src/modules/organization/users/password'
import type { Answer, Loose } from '../../../support/client'
import { PASSWORD, World } from '../../../support/world'

let world: World

beforeAll(async () => {
  world = await World.create({
    isConnected: false,
    passwordMib: 8,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
  })
})
afterAll(() => world.stop())
beforeEach(() => world.clock.advance({ minutes: 16 }))

let addresses = 0
const newAddress = (): string => {
  addresses += 1
  return `10.7.${addresses >> 8}.${addresses & 255}`
}

const login = (
  email: string,
  { from = newAddress(), password = PASSWORD } = {},
): Promise<Answer<Loose>> =>
  world.anyone.with({ 'x-forwarded-for': from }).post('/api/auth/login', { email, password })

const queue = () => world.program.signInLimiter

/** Takes all slots for good, so that callers wait. */
async function crowded(names: string[]): Promise<() => void> {
  const leaves: (() => void)[] = []
  for (const name of names)
    for (let nth = 0; nth < 10; nth += 1)
      leaves.push(await queue().enter([{ name, room: () => Infinity }]))
  return () => {
    for (const leave of leaves) leave()
  }
}

describe('slots of password hashes', () => {
  test('go to organizations in turn, however many sign-ins of one wait', async () => {
    using _stay = world.stays('the memory of a process')
    const free = await crowded([HASHING])
    const order: string[] = []
    const [busy, calm] = [world.emailOf('agent', world.tenant), world.emailOf('agent', world.other)]
    const one = (email: string) => login(email).finally(() => order.push(email))
    const storm = Array.from({ length: 12 }, () => one(busy))
    await world.eventually(() => queue().load(HASHING).waiting === 12)
    const last = one(calm)
    await world.eventually(() => queue().load(HASHING).waiting === 13)
    free()
    expect((await last).status).toBe(200)
    await Promise.all(storm)
    expect(order.indexOf(calm)).toBeLessThan(6)
  })

  test('are kept for accounts that signed in from the same address before', async () => {
    using _stay = world.stays('the memory of a process')
    const [email, home] = [world.emailOf('manager', world.tenant), newAddress()]
    expect((await login(email, { from: home })).status).toBe(200)
    const free = await crowded([HASHING])
    const strangers = Array.from({ length: 5 }, (_, nth) => login(`nobody${nth}@example.com`))
    await world.eventually(() => queue().load(HASHING).waiting === 5)
    expect((await login(email, { from: home })).status).toBe(200)
    const elsewhere = login(email)
    await world.eventually(() => queue().load(HASHING).waiting === 6)
    expect(queue().load(RESERVED_HASHING)).toEqual({ underWay: 0, waiting: 0 })
    free()
    await Promise.all([...strangers, elsewhere])
  })

  test('are free again when a hash takes too long, and its caller gets 503', async () => {
    using _stay = world.stays('the memory of a process')
    const email = world.emailOf('admin', world.other)
    const [row] = world.rows<{ hash: string }>(
      'select password_hash as hash from users where email = ?',
      email,
    )
    const slow = row?.hash.replace('t=2', 't=400') ?? '' // some seconds
    world.rows('update users set password_hash = ? where email = ?', slow, email)
    const asked = login(email)
    await world.eventually(() => queue().load(HASHING).underWay === 1)
    world.clock.advance({ seconds: 10 })
    const { status, headers } = await asked
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(queue().load(HASHING).underWay).toBe(0)
    world.rows('update users set password_hash = ? where email = ?', row?.hash ?? '', email)
    expect((await login(email)).status).toBe(200)
  })
})

describe('a costly hash in the database', () => {
  test('makes no failure of an unknown email more costly', async () => {
    const { hasher } = world.program.auth
    world.rows(
      "update users set password_hash = replace(password_hash, 'm=8192,t=2', 'm=8192,t=9')",
    )
    const before = new Map(hasher.done)
    for (let nth = 0; nth < 8; nth += 1) await login(`unknown${nth}@example.com`)
    const done = [...hasher.done].filter(([what, times]) => times !== (before.get(what) ?? 0))
    expect(done.map(([what]) => what)).toEqual(['verify m=8192,t=2,p=1'])
  })
})
