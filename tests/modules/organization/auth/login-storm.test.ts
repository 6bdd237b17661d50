import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'

import { HASHING } from '../../../../src/modules/organization/users/password'
import { Client, type Answer, type Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { shownOf } from '../../../support/shown'
import { PASSWORD, World } from '../../../support/world'

/** Hashes at once: all cores but one, four at most, and one of them kept for known callers. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1) - 1)
/** Hashes take long enough for others to wait meanwhile. */
const MIB = 8
/** So many sign in at the same moment; enough for most of them to wait. */
const STORM = 24

let world: World

beforeAll(async () => {
  world = await World.create({
    isConnected: false,
    passwordMib: MIB,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
  })
})

afterAll(() => world.stop())

beforeEach(() => world.clock.advance({ minutes: 16 }))

let addresses = 0

/** A client with an address nobody had before, so that no counter holds it back. */
const stranger = (): Client => {
  addresses += 1
  return world.anyone.with({ 'x-forwarded-for': `10.3.${addresses >> 8}.${addresses & 255}` })
}

const login = (email: string, password = PASSWORD, from = stranger()): Promise<Answer<Loose>> =>
  from.post('/api/auth/login', { email, password })

/** Waits for a state of the server, letting it work meanwhile. */
async function until(holds: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 20_000
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error('waited in vain')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Who is at the hashes, and who waits there. */
const hashing = () => world.program.signInLimiter.load(HASHING)
const statusesOf = (answers: Answer<unknown>[]): Record<number, number> => {
  const counted: Record<number, number> = {}
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

/** Whatever asks for a hash of a password. */
const HASHED: [what: string, ask: (nth: number) => Promise<Answer<Loose>>, good: number][] = [
  ['POST /api/auth/login, right', () => login(world.emailOf('agent', world.tenant)), 200],
  ['POST /api/auth/login, unknown', (nth) => login(`nobody-${nth}@example.com`), 401],
  [
    'POST /api/auth/register',
    (nth) =>
      stranger().post('/api/auth/register', {
        email: `new-${addresses}-${nth}@example.com`,
        password: PASSWORD,
        full_name: 'New',
        organization_id: world.tenant.id,
      }),
    201,
  ],
  [
    'PUT /api/me/password',
    async (nth) =>
      (await world.as('manager'))
        .with({ 'x-forwarded-for': `10.4.0.${nth}` })
        .put('/api/me/password', { current_password: PASSWORD, new_password: PASSWORD }),
    400,
  ],
]

describe('many sign-ins at the same moment', () => {
  for (const [what, ask, good] of HASHED)
    test(`${what}: without a slot within five seconds the answer is 503 with Retry-After, otherwise as always`, async () => {
      await world.as('manager')
      const storm = Array.from({ length: STORM }, (_, nth) => ask(nth))
      await until(() => hashing().waiting >= 3)
      world.clock.advance({ ms: 4_999 })
      const { waiting } = hashing()
      expect(waiting).toBeGreaterThanOrEqual(3)
      world.clock.advance({ ms: 1 })
      expect(hashing().waiting).toBe(0)
      const answers = await Promise.all(storm)
      const refused = answers.filter(({ status }) => status === 503)
      expect(refused.length).toBeGreaterThanOrEqual(waiting)
      expect(statusesOf(answers)).toEqual({ [good]: STORM - refused.length, 503: refused.length })
      for (const { headers, body } of refused) {
        expect([headers.get('retry-after'), body.status, body.data]).toEqual(['5', 'error', null])
        expect(body.message).toBe(
          'The server is busy with other sign-ins. Try again in a few seconds.',
        )
      }
      // the turns are given back
      expect((await login(world.emailOf('admin', world.tenant))).status).toBe(200)
    })

  test('are hashed a few at once and all answered if it does not take long', async () => {
    const email = world.emailOf('agent', world.tenant)
    const most = { underWay: 0, waiting: 0 }
    let isOver = false
    const storm = Promise.all(Array.from({ length: STORM }, () => login(email))).finally(
      () => (isOver = true),
    )
    await until(() => {
      const { underWay, waiting } = hashing()
      most.underWay = Math.max(most.underWay, underWay)
      most.waiting = Math.max(most.waiting, waiting)
      return isOver
    })
    expect(statusesOf(await storm)).toEqual({ 200: STORM })
    expect(most.underWay).toBe(AT_ONCE)
    expect(most.waiting).toBeGreaterThan(0)
  })

  test('wait five seconds in all, for their account and then for the hash', async () => {
    const { email } = await personWith(world, [])
    const from = world.anyone.with({ 'x-forwarded-for': '10.4.0.1' })
    const limiter = world.program.signInLimiter
    // Nobody is answered before all have come.
    const release = await limiter.enter(
      Array.from({ length: AT_ONCE }, () => ({ name: HASHING, room: () => AT_ONCE })),
    )
    const storm = Array.from({ length: STORM }, () => login(email, PASSWORD, from))
    const account = () => limiter.load(`login:account-address ${email} 10.4.0.1`)
    await until(() => account().underWay + account().waiting === STORM)
    const waitedFirst = account().waiting
    world.clock.advance({ seconds: 4 })
    release()
    await until(() => account().waiting < waitedFirst)
    expect(hashing().waiting).toBeGreaterThan(0) // there it waits now, behind the others
    world.clock.advance({ seconds: 1 })
    expect(hashing().waiting).toBe(0)
    expect(statusesOf(await Promise.all(storm))[503]).toBeGreaterThan(0)
  })

  test('do not delay other requests', async () => {
    const admin = await world.as('admin')
    const storm = Array.from({ length: STORM }, () => login(world.emailOf('agent', world.tenant)))
    await until(() => hashing().waiting >= 3)
    expect((await admin.get('/api/me')).status).toBe(200)
    expect(hashing().underWay).toBe(AT_ONCE)
    await Promise.all(storm)
  })

  test('do not count as failures if they were not processed', async () => {
    const { email } = await personWith(world, [])
    const failures = () => world.rows('select count(*) as failures from throttle_failures')
    const before = failures()
    for (let round = 0; round < 3; round += 1) {
      const storm = Array.from({ length: STORM }, () => login(email))
      await until(() => hashing().waiting >= 3)
      world.clock.advance({ seconds: 5 })
      expect(statusesOf(await Promise.all(storm))[503]).toBeGreaterThanOrEqual(3)
    }
    expect((await login(email)).status).toBe(200)
    expect(failures()).toEqual(before)
  })
})

describe('a wrong password and an unknown email', () => {
  /** How often each work was done since the counts were `before`. */
  const doneSince = (at: World, before: Map<string, number>): Record<string, number> =>
    Object.fromEntries(
      [...at.program.auth.hasher.done]
        .map(([what, times]) => [what, times - (before.get(what) ?? 0)] as const)
        .filter(([, times]) => times > 0),
    )

  const ONE = { 'verify m=8192,t=2,p=1': 1 }
  const attempts: [what: string, email: () => string, password?: string][] = [
    ['a wrong password', () => world.emailOf('agent', world.tenant)],
    ['a wrong password of a super admin', () => 'super@example.com'],
    ['an unknown e-mail', () => 'nobody@example.com'],
    ['what is no e-mail', () => 'no address at all'],
    ['a password too short to be one', () => world.emailOf('agent', world.tenant), ' '],
    ['a password too short to be one, of nobody', () => 'nobody@example.com', ' '],
  ]
  for (const [what, emailOf, password = 'wrong password'] of attempts)
    test(`${what}: costs one hash of the current cost`, async () => {
      const before = new Map(world.program.auth.hasher.done)
      const { status, body } = await login(emailOf(), password)
      expect([status, body.code, doneSince(world, before)]).toEqual([
        401,
        'invalid_credentials',
        ONE,
      ])
    })

  for (const [what, email] of [
    ['unknown e-mail', 'nobody@example.com'],
    ['wrong password', 'agent@acme.example.com'],
  ] as const)
    test(`the first ${what} after a start costs no more than later ones`, async () => {
      await using fresh = await World.create({ isConnected: false, tenants: 1, passwordMib: MIB })
      const { status } = await fresh.anyone.post('/api/auth/login', {
        email,
        password: 'wrong password',
      })
      expect([status, doneSince(fresh, new Map())]).toEqual([401, ONE])
    })

  describe('after a change of PASSWORD_MEMORY_MIB', () => {
    let changed: World

    beforeAll(async () => {
      changed = await World.create({
        isConnected: false,
        passwordMib: MIB,
        env: { TRUSTED_PROXIES: '127.0.0.1', PASSWORD_MEMORY_MIB: '9' },
      })
    })

    afterAll(() => changed.stop())

    const [OLD, PRESENT] = ['verify m=8192,t=2,p=1', 'verify m=9216,t=2,p=1']
    const costOf = async (email: string): Promise<Record<string, number>> => {
      const before = new Map(changed.program.auth.hasher.done)
      const from = new Client(changed.url, {
        'x-forwarded-for': stranger().headers['x-forwarded-for'] ?? '',
      })
      expect(
        (await from.post('/api/auth/login', { email, password: 'wrong password' })).status,
      ).toBe(401)
      return doneSince(changed, before)
    }
    const nobodies = Array.from({ length: 24 }, (_, nth) => `nobody-${nth}@example.com`)
    const costsOfNobodies = async (): Promise<string[]> => {
      const costs: string[] = []
      for (const email of nobodies) costs.push(...Object.keys(await costOf(email)))
      return costs
    }

    test('an unknown email costs the same as accounts: the old cost, then both, then the new one', async () => {
      using _stay = changed.stays('the keys of the server')
      expect([
        await costOf(changed.emailOf('agent', changed.tenant)),
        new Set(await costsOfNobodies()),
      ]).toEqual([{ [OLD]: 1 }, new Set([OLD])])
      const people = (['admin', 'manager', 'agent'] as const).map((person) =>
        changed.emailOf(person, changed.tenant),
      )
      for (const email of people) await changed.signIn(email) // hashes three of seven anew
      const mixed = await costsOfNobodies()
      expect(new Set(mixed)).toEqual(new Set([OLD, PRESENT]))
      expect(await costsOfNobodies()).toEqual(mixed) // an e-mail always costs the same
      expect([
        await costOf(people[0] ?? ''),
        await costOf(changed.emailOf('agent', changed.other)),
      ]).toEqual([{ [PRESENT]: 1 }, { [OLD]: 1 }])
      for (const person of ['admin', 'manager', 'agent'] as const)
        await changed.signIn(changed.emailOf(person, changed.other))
      await changed.signIn('super@example.com')
      expect(new Set(await costsOfNobodies())).toEqual(new Set([PRESENT]))
    })
  })

  test('get the same response, headers included', async () => {
    const shown = async (email: string): Promise<unknown> =>
      shownOf(await login(email, 'wrong password'))
    const known = await shown(world.emailOf('agent', world.tenant))
    expect(known).toMatchObject({ status: 401, headers: { 'cache-control': 'no-store' } })
    expect(await shown('nobody@example.com')).toEqual(known)
  })
})
