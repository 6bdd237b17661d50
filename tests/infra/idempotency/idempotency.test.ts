import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { transact } from '../../../src/infra/db/transact'
import {
  createIdempotency,
  type Attempt,
  type Idempotency,
} from '../../../src/infra/idempotency/store'
import { eraseResponsesIn, type ResponsePosition } from '../../../src/infra/idempotency/erase'
import { sealedAnswers } from '../../../src/infra/idempotency/reencrypt'
import { AppError, ConflictError, UnavailableError } from '../../../src/lib/errors'
import { type Client, type Answer, type Loose } from '../../support/client'
import { keyOf } from '../../support/keys'
import { personWith } from '../../support/people'
import { World } from '../../support/world'
import { idNamed } from '../../support/ids'

let world: World
let contactId: string
let nextKey = 0

beforeAll(async () => {
  world = await World.create()
  contactId = (await world.contactOf())['id'] as string
})

afterAll(() => world.stop())

const freshKey = (): string => `key-${(nextKey += 1)}`
const messagesPath = (): string => `/api/contacts/${contactId}/messages`
const text = (words: string): object => ({ type: 'text', text: words })
const send = (client: Client, key: string, words: string): Promise<Answer<Loose>> =>
  client.with({ 'idempotency-key': key }).post(messagesPath(), text(words))
const stored = (words: string): number =>
  world.rows("select 1 from messages where content ->> '$.text' = ?", words).length
const replayed = (answer: Answer): string | null => answer.headers.get('idempotent-replay')

describe('the same request with the same key', () => {
  test('gets the stored response and creates nothing more', async () => {
    const agent = await world.as('admin')
    const key = freshKey()
    const first = await send(agent, key, 'once and for all')
    const again = await send(agent, key, 'once and for all')
    expect({ status: first.status, replay: replayed(first) }).toEqual({ status: 201, replay: null })
    expect({ status: again.status, replay: replayed(again), body: again.body }).toEqual({
      status: 201,
      replay: 'true',
      body: first.body,
    })
    expect(again.headers.get('x-ratelimit-limit')).not.toBeNull()
    expect(stored('once and for all')).toBe(1)
  })

  test('is recognized regardless of field order and unknown fields', async () => {
    const admin = (await world.as('admin')).with({ 'idempotency-key': freshKey() })
    const first = await admin.post(
      '/api/contacts',
      '{"phone_number":"+1 555 010 7001","name":"In any order","metadata":{"a":[{"b":1,"c":2}],"d":3}}',
    )
    const again = await admin.post(
      '/api/contacts',
      '{"metadata":{"d":3,"a":[{"c":2,"b":1}]},"nonsense":1,"name":"In any order","phone_number":"+1 555 010 7001"}',
    )
    expect([first.status, again.status, replayed(again)]).toEqual([201, 201, 'true'])
    const other = await admin.post(
      '/api/contacts',
      '{"phone_number":"+1 555 010 7001","name":"In any order","metadata":{"a":[{"b":2,"c":1}],"d":3}}',
    )
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch'])
  })

  test('gets the stored response for 24 hours and is a new request afterwards', async () => {
    await using own = await World.create({ isConnected: false, tenants: 1 })
    const key = freshKey()
    const keyed = async () =>
      (await own.as('admin'))
        .with({ 'idempotency-key': key })
        .post('/api/api-keys', { name: 'kept for a day', permissions: ['tags:read'] })
    const made = () => own.rows("select 1 from api_keys where name = 'kept for a day'").length
    expect((await keyed()).status).toBe(201)
    own.clock.advance({ hours: 24 })
    expect([replayed(await keyed()), made()]).toEqual(['true', 1])
    own.clock.advance({ ms: 1 })
    const later = await keyed()
    expect([later.status, replayed(later), made()]).toEqual([201, null, 2])
    own.clock.advance({ hours: 24 })
    expect([replayed(await keyed()), made()]).toEqual(['true', 2])
  })

  test('is rejected when the caller has lost the permission', async () => {
    const person = await personWith(world, ['accounts:create'])
    const keyed = person.client.with({ 'idempotency-key': freshKey() })
    const body = {
      name: 'Idle',
      phone_id: '777',
      business_id: '888',
      access_token: 'not-looked-at',
      verify: false,
    }
    expect((await keyed.post('/api/accounts', body)).status).toBe(201)
    expect(replayed(await keyed.post('/api/accounts', body))).toBe('true')
    person.may()
    expect((await keyed.post('/api/accounts', body)).status).toBe(403)
  })
})

describe('a replay respects the caller’s current permissions', () => {
  const assign = async (id: string, userId: string | null): Promise<unknown> =>
    (await world.as('admin')).put(`/api/contacts/${id}/assign`, { user_id: userId })
  const verdictOf = ({ status, body }: Answer<unknown>, isReplay: string | null) => [
    status,
    body.code,
    isReplay,
  ]

  type Creation = [
    what: string,
    path: (contact: Loose) => string | Promise<string>,
    body: (contact: Loose) => object,
  ]
  const conversationOf = async (contact: Loose): Promise<string> => {
    const { data } = await (
      await world.as('admin')
    ).get(`/api/conversations?contact_id=${contact['id']}`)
    return (data['items'] as Loose[])[0]?.['id'] as string
  }
  const creations: Creation[] = [
    ['a message to a contact', ({ id }) => `/api/contacts/${id}/messages`, () => text('seen then')],
    [
      'a message to a number',
      () => '/api/messages',
      ({ phone_number }) => ({ phone_number, ...text('seen then') }),
    ],
    [
      'a message in a conversation',
      async (contact) => `/api/conversations/${await conversationOf(contact)}/messages`,
      () => text('seen then'),
    ],
    ['a note', ({ id }) => `/api/contacts/${id}/notes`, () => ({ content: 'seen then' })],
    ['a conversation', () => '/api/conversations', ({ id }) => ({ contact_id: id })],
    [
      'a consent',
      ({ id }) => `/api/contacts/${id}/consents`,
      () => ({ kind: 'marketing', state: 'opted_in' }),
    ],
  ]
  for (const [what, pathOf, bodyOf] of creations)
    test(`${what}: 404 while its contact is not visible, and the stored response afterwards`, async () => {
      const person = await personWith(world, [
        'contacts:read',
        'contacts:update',
        'messages:read',
        'messages:create',
      ])
      const contact = await world.contactOf()
      await assign(contact['id'], person.userId)
      const keyed = person.client.with({ 'idempotency-key': freshKey() })
      const [path, body] = [await pathOf(contact), bodyOf(contact)]
      const first = await keyed.post(path, body)
      expect(first.status).toBeLessThan(300)
      await assign(contact['id'], null)
      await (
        await world.as('admin')
      ).put(`/api/conversations/${await conversationOf(contact)}/assign`, { user_id: null })
      const hidden = await keyed.post(path, body)
      expect({ what, answer: verdictOf(hidden, null), data: hidden.body.data as unknown }).toEqual({
        what,
        answer: [404, 'not_found', null],
        data: null,
      })
      await assign(contact['id'], person.userId)
      const back = await keyed.post(path, body)
      expect([back.status, replayed(back), back.body]).toEqual([first.status, 'true', first.body])
    })

  test('a created contact: 404 once it is no longer visible', async () => {
    const person = await personWith(world, ['contacts:read', 'contacts:create'])
    const keyed = person.client.with({ 'idempotency-key': freshKey() })
    const body = { phone_number: '+1 555 010 7002', name: 'Mine' }
    const { data } = await keyed.post('/api/contacts', body)
    expect(replayed(await keyed.post('/api/contacts', body))).toBe('true')
    await assign(data['id'], world.tenant.userIds.agent)
    expect(verdictOf(await keyed.post('/api/contacts', body), null)).toEqual([
      404,
      'not_found',
      null,
    ])
  })

  test('uses the visibility of the target of a merged contact', async () => {
    const [source, target] = [await world.contactOf(), await world.contactOf()]
    const person = await personWith(world, ['contacts:read', 'messages:create'])
    await assign(source['id'], person.userId)
    const keyed = person.client.with({ 'idempotency-key': freshKey() })
    const path = `/api/contacts/${source['id']}/messages`
    expect((await keyed.post(path, text('before the merge'))).status).toBe(201)
    const merged = await (
      await world.as('admin')
    ).post(`/api/contacts/${target['id']}/merge`, { source_id: source['id'] })
    expect(merged.status).toBe(200)
    await assign(target['id'], world.tenant.userIds.agent)
    const { data } = await (
      await world.as('admin')
    ).get(`/api/conversations?contact_id=${target['id']}`)
    for (const { id } of data['items'] as Loose[])
      await (await world.as('admin')).put(`/api/conversations/${id}/assign`, { user_id: null })
    expect((await keyed.post(path, text('before the merge'))).status).toBe(404)
    await assign(target['id'], person.userId)
    expect(replayed(await keyed.post(path, text('before the merge')))).toBe('true')
  })

  test('is 409 once the organization masks numbers, except for callers who see them', async () => {
    await using own = await World.create({ tenants: 1 })
    const { id } = await own.contactOf()
    const person = await personWith(own, [
      'contacts:read',
      'contacts:read_all',
      'messages:create',
      'tags:create',
    ])
    const [keyed, seeing] = [person.client, await own.as('admin')].map((client) =>
      client.with({ 'idempotency-key': freshKey() }),
    ) as [Client, Client]
    const path = `/api/contacts/${id}/messages`
    for (const client of [keyed, seeing])
      expect((await client.post(path, text('in the clear'))).status).toBe(201)
    expect((await keyed.post('/api/tags', { name: 'No number' })).status).toBe(201)
    await seeing.put('/api/organizations/settings', { mask_phone_numbers: true })
    expect(verdictOf(await keyed.post(path, text('in the clear')), null)).toEqual([
      409,
      'idempotency_interrupted',
      null,
    ])
    expect(replayed(await seeing.post(path, text('in the clear')))).toBe('true')
    expect(replayed(await keyed.post('/api/tags', { name: 'No number' }))).toBe('true')
    const masked = keyed.with({ 'idempotency-key': freshKey() })
    expect((await masked.post(path, text('masked'))).status).toBe(201)
    expect(replayed(await masked.post(path, text('masked')))).toBe('true')
  })
})

test('returns the refresh token of a registration again as a cookie', async () => {
  const stranger = world.anyone.with({ 'idempotency-key': freshKey() })
  const body = {
    email: 'cookie@example.com',
    password: 'correct horse battery',
    full_name: 'Cookie',
    organization_id: world.tenant.id,
    use_cookie: true,
  }
  const [first, again] = [
    await stranger.post('/api/auth/register', body),
    await stranger.post('/api/auth/register', body),
  ]
  expect([first.status, again.status, replayed(again)]).toEqual([201, 201, 'true'])
  expect(first.headers.get('set-cookie')).toStartWith('swb_refresh=')
  expect([again.headers.get('set-cookie'), again.body]).toEqual([
    first.headers.get('set-cookie'),
    first.body,
  ])
})

describe('the same key', () => {
  test('with another body is 409 idempotency_mismatch and has no effect', async () => {
    const admin = await world.as('admin')
    const key = freshKey()
    await send(admin, key, 'the first words')
    const answer = await send(admin, key, 'other words')
    expect({
      status: answer.status,
      code: answer.body.code,
      message: answer.body.message,
      replay: replayed(answer),
    }).toEqual({
      status: 409,
      code: 'idempotency_mismatch',
      message:
        'This `Idempotency-Key` was already used with a different request body. Use a new key.',
      replay: null,
    })
    expect(stored('other words')).toBe(0)
  })

  test('is separate for each API key of an owner, and for the owner', async () => {
    const key = freshKey()
    const answers = [
      await send((await keyOf(world)).client, key, 'one owner'),
      await send((await keyOf(world)).client, key, 'one owner'),
      await send(await world.as('admin'), key, 'one owner'),
    ]
    expect(answers.map((answer) => [answer.status, replayed(answer)])).toEqual(
      answers.map(() => [201, null]),
    )
    expect(new Set(answers.map(({ data }) => data['id'])).size).toBe(3)
  })

  test('is separate for each user, organization and route', async () => {
    const key = freshKey()
    const contactOfOther = (await world.contactOf(world.other))['id'] as string
    const answers = [
      await send(await world.as('admin'), key, 'everybody has keys'),
      await send(await world.as('manager'), key, 'everybody has keys'),
      await (
        await world.as('admin', world.other)
      )
        .with({ 'idempotency-key': key })
        .post(`/api/contacts/${contactOfOther}/messages`, text('everybody has keys')),
      await (await world.as('admin')).with({ 'idempotency-key': key }).post('/api/accounts', {
        name: 'Elsewhere',
        phone_id: '999',
        business_id: '888',
        access_token: 'not-looked-at',
        verify: false,
      }),
    ]
    expect(answers.map((answer) => [answer.status, replayed(answer)])).toEqual(
      answers.map(() => [201, null]),
    )
    expect(stored('everybody has keys')).toBe(3)
  })

  test('of concurrent requests takes effect once; the others get 409 or the stored response', async () => {
    const admin = await world.as('admin')
    for (let round = 0; round < 10; round += 1) {
      const key = freshKey()
      const body = {
        name: `Race ${round}`,
        phone_id: `42${round}`,
        business_id: '888',
        access_token: 'not-looked-at',
        ...(round % 2 ? { verify: false } : {}),
      }
      world.simulator.addPhone({
        id: `42${round}`,
        wabaId: '888',
        token: 'not-looked-at',
        displayPhoneNumber: `+1 555-010-10${round}0`,
        verifiedName: 'R',
      })
      const answers = await Promise.all(
        [1, 2, 3].map(() => admin.with({ 'idempotency-key': key }).post('/api/accounts', body)),
      )
      const words = answers.map((answer) =>
        answer.status === 201 ? (replayed(answer) ?? 'created') : answer.body.code,
      )
      expect(words.filter((word) => word === 'created')).toEqual(['created'])
      expect(
        words.filter(
          (word) => !['created', 'true', 'idempotency_in_progress'].includes(String(word)),
        ),
      ).toEqual([])
      expect(world.rows('select 1 from accounts where phone_id = ?', `42${round}`).length).toBe(1)
    }
  })
})

test('a running request keeps its key: 409 idempotency_in_progress, or a mismatch with another body', async () => {
  const admin = (await world.as('admin')).with({ 'idempotency-key': freshKey() })
  const phone = {
    id: '4711',
    wabaId: '888',
    token: 'slow-token',
    displayPhoneNumber: '+1 555-010-4711',
    verifiedName: 'Slow',
  }
  world.simulator.addPhone(phone)
  const body = { name: 'Slow', phone_id: '4711', business_id: '888', access_token: 'slow-token' }
  world.simulator.slow(1_000, { phone: '4711', route: 'any' })
  const callsBefore = world.simulator.calls.length
  const first = admin.post('/api/accounts', body)
  await world.simulator.waitForCalls(callsBefore + 1)
  const [second, other] = await Promise.all([
    admin.post('/api/accounts', body),
    admin.post('/api/accounts', { ...body, name: 'Other' }),
  ])
  expect([second.status, second.body.code, other.body.code]).toEqual([
    409,
    'idempotency_in_progress',
    'idempotency_mismatch',
  ])
  expect(second.body.message).toBe(
    'A request with this `Idempotency-Key` is still in progress. Retry in a moment.',
  )
  expect((await first).status).toBe(201)
  expect(replayed(await admin.post('/api/accounts', body))).toBe('true')
})

test('a rejected request stores nothing: its key is free for the corrected request', async () => {
  const admin = (await world.as('admin')).with({ 'idempotency-key': freshKey() })
  const refused = await admin.post(messagesPath(), { type: 'text', text: '   ' })
  const invalid = await admin.post(messagesPath(), { type: 'text', text: 7 })
  const repaired = await admin.post(messagesPath(), text('repaired'))
  expect([refused.status, invalid.status, repaired.status, replayed(repaired)]).toEqual([
    400,
    400,
    201,
    null,
  ])
})

describe('a key', () => {
  const bad = [
    ['empty', ''],
    ['256 characters', 'k'.repeat(256)],
    ['with a space inside', 'a b'],
    ['with a letter beyond ASCII', 'schlüssel'],
  ] as const
  for (const [name, key] of bad)
    test(`that is ${name} is 400`, async () => {
      const admin = await world.as('admin')
      const answer = await send(admin, key, `bad key ${name}`)
      expect({ status: answer.status, paths: answer.body.errors?.map(({ path }) => path) }).toEqual(
        {
          status: 400,
          paths: ['headers.idempotency-key'],
        },
      )
      expect(stored(`bad key ${name}`)).toBe(0)
    })

  test('of 255 characters is valid', async () => {
    expect((await send(await world.as('admin'), 'k'.repeat(255), 'long key')).status).toBe(201)
  })

  test('is ignored on a route that creates nothing', async () => {
    const admin = (await world.as('admin')).with({ 'idempotency-key': freshKey() })
    const answers = [
      await admin.put('/api/contacts/' + contactId + '/assign', { user_id: null }),
      await admin.get('/api/me'),
    ]
    expect(answers.map(replayed)).toEqual([null, null])
  })
})

test('responses and bodies are encrypted in the database and deleted after a day', async () => {
  const admin = await world.as('admin')
  const key = freshKey()
  await send(admin, key, 'nobody else reads this')
  const rows = JSON.stringify(world.rows('select * from idempotency_keys'))
  expect(rows).not.toContain('nobody else')
  expect(rows).not.toContain(key)
  expect(rows).not.toContain(
    Bun.CryptoHasher.hash(
      'sha256',
      JSON.stringify({ text: 'nobody else reads this', type: 'text' }),
      'hex',
    ),
  )
  world.clock.advance({ hours: 25 })
  await world.settle()
  expect(world.rows('select * from idempotency_keys')).toEqual([])
})

const answerOf = (value: unknown): unknown => value ?? null

describe('a process that dies leaves', () => {
  const request = (key: string) => ({
    organizationId: idNamed('o'),
    caller: 'user:u',
    route: 'POST /x',
    key,
    body: { name: 'a' },
    isMasked: true,
    answerOf,
  })
  const attemptOf = (idempotency: Idempotency, key: string): Attempt =>
    idempotency.begin(request(key)) as Attempt
  const afterCrash = (): Idempotency => createIdempotency(world.program.http)

  test('nothing if it had committed nothing: the key is free', () => {
    const key = freshKey()
    attemptOf(afterCrash(), key)
    expect('db' in afterCrash().begin(request(key))).toBe(true)
  })

  test('the response if it had committed, because both are in one transaction', () => {
    const key = freshKey()
    transact(attemptOf(afterCrash(), key).db, () => ({ id: 'made' }))
    expect(afterCrash().begin(request(key))).toEqual({
      status: 201,
      data: { id: 'made' },
      cookie: null,
      isMasked: true,
    })
  })

  test('nothing if the transaction was rolled back', () => {
    const key = freshKey()
    const { db } = attemptOf(afterCrash(), key)
    const failing = {
      ...db,
      beforeCommit: (...what: Parameters<typeof db.beforeCommit>) => (
        db.beforeCommit(...what),
        fail()
      ),
    }
    expect(() => transact(failing, () => ({ id: 'never' }))).toThrow('power cut')
    expect('db' in afterCrash().begin(request(key))).toBe(true)
  })

  test('a used key if it had committed without a response: 409 idempotency_interrupted, never a second run', () => {
    const key = freshKey()
    transact(attemptOf(afterCrash(), key).db, () => undefined)
    expect(() => afterCrash().begin(request(key))).toThrow(
      expect.objectContaining({
        code: 'idempotency_interrupted',
        message: expect.stringContaining('Check what it created'),
      }),
    )
  })

  test.each([
    ['a cookie', { status: 201, cookie: ['swb_refresh=x'] }],
    ['another status', { status: 202, cookie: null }],
  ])('%s, when the request was answered with it after its commit', (_what, end) => {
    const key = freshKey()
    const attempt = attemptOf(afterCrash(), key)
    const data = transact(attempt.db, () => ({ id: 'made' }))
    attempt.answered({ ...end, data })
    expect(afterCrash().begin(request(key))).toEqual({ ...end, data, isMasked: true })
  })

  test('the response if the result does not match the schema, or nothing was committed', () => {
    const [key, idle] = [freshKey(), freshKey()]
    const answer = { status: 201, data: { id: 'told' }, cookie: null }
    const attempt = attemptOf(afterCrash(), key)
    transact(attempt.db, () => ({ id: 'made' }))
    attempt.answered(answer)
    attemptOf(afterCrash(), idle).answered(answer)
    for (const each of [key, idle])
      expect(afterCrash().begin(request(each))).toEqual({ ...answer, isMasked: true })
  })

  test('a used key without a response if the response was erased since: 409 idempotency_interrupted', () => {
    const key = freshKey()
    transact(attemptOf(afterCrash(), key).db, () => ({ id: 'made' }))
    transact(world.program.http.db, (tx) => {
      const isMeant = ({ route, data }: { route: string; data: unknown }): boolean =>
        route === 'POST /x' && (data as Loose)['id'] === 'made'
      const of = { ...world.program.http, organizationId: idNamed('o') }
      expect(eraseResponsesIn(tx, of, { after: null, isMeant, isOver: () => false })).toMatchObject(
        {
          next: null,
        },
      )
    })
    expect(() => afterCrash().begin(request(key))).toThrow(
      expect.objectContaining({ code: 'idempotency_interrupted' }),
    )
  })
})

test('the commit of a keyed request wakes the relay and the worker', () => {
  const { http } = world.program
  let woken = 0
  const db = { ...http.db, afterCommit: () => void (woken += 1) }
  const request = {
    organizationId: idNamed('o'),
    caller: 'user:u',
    route: 'POST /x',
    key: freshKey(),
    body: null,
    isMasked: false,
    answerOf,
  }
  const attempt = createIdempotency({ ...http, db }).begin(request) as Attempt
  const data = transact(attempt.db, () => ({ id: 'made' }))
  expect(woken).toBe(1)
  attempt.answered({ status: 201, data, cookie: null })
  expect({ woken, why: 'the answer is stored already' }).toEqual({
    woken: 1,
    why: 'the answer is stored already',
  })
})

test('a rejected request that committed nothing stores nothing', () => {
  const { http } = world.program
  let commits = 0
  const db = { ...http.db, afterCommit: () => void (commits += 1) }
  const request = {
    organizationId: idNamed('o'),
    caller: 'user:u',
    route: 'POST /x',
    key: freshKey(),
    body: null,
    isMasked: false,
    answerOf,
  }
  const attempt = createIdempotency({ ...http, db }).begin(request) as Attempt
  attempt.failed(new ConflictError('taken'))
  expect(commits).toBe(0)
})

test('a client error after a commit frees the key, a server error does not', () => {
  const idempotency = createIdempotency(world.program.http)
  for (const [error, isFree] of [
    [new ConflictError('taken'), true],
    [new Error('bug'), false],
    [new UnavailableError('not now'), false],
    [new AppError(500, 'broken', { code: 'internal_error' }), false],
  ] as const) {
    const request = {
      organizationId: idNamed('o'),
      caller: 'user:u',
      route: 'POST /x',
      key: freshKey(),
      body: null,
      isMasked: false,
      answerOf,
    }
    const attempt = idempotency.begin(request) as Attempt
    transact(attempt.db, () => ({ id: 'made' }))
    attempt.failed(error)
    expect('db' in idempotency.begin(request)).toBe(isFree)
  }
})

describe('many stored responses', () => {
  const request = (nth: number) => ({
    organizationId: idNamed('many'),
    caller: `198.51.100.${nth % 3}`,
    route: 'POST /x',
    key: freshKey(),
    body: null,
    isMasked: false,
    answerOf,
  })
  const forget = (after: ResponsePosition | null): ReturnType<typeof eraseResponsesIn> =>
    transact(world.program.http.db, (tx) =>
      eraseResponsesIn(
        tx,
        { ...world.program.http, organizationId: idNamed('many') },
        { after, isMeant: ({ data }) => (data as Loose)['isMeant'] === true, isOver: () => true },
      ),
    )

  test('are processed in small batches, each once, when re-encrypted or erased', () => {
    const { http } = world.program
    for (let nth = 0; nth < 205; nth += 1) {
      const attempt = createIdempotency(http).begin(request(nth)) as Attempt
      transact(attempt.db, () => ({ isMeant: nth % 2 === 0 }))
    }
    const sealed = world.rows(
      'select answer_sealed from idempotency_keys where answer_sealed is not null',
    ).length
    const seen: string[] = []
    const vault = { ...http.vault, reseal: (text: string) => (seen.push(text), text) }
    for (let after: string | null = '', turns = 0; after !== null && turns < 20; turns += 1) {
      const from: string = after
      after = transact(http.db, (tx) => sealedAnswers.reencryptIn(tx, { ...http, vault }, from))
    }
    expect([seen.length, new Set(seen).size]).toEqual([sealed, sealed])

    let erased = 0
    let turns = 0
    for (let after: ResponsePosition | null = null; turns < 50; turns += 1) {
      const turn = forget(after)
      erased += turn.erased
      after = turn.next
      if (after === null) break
    }
    expect([erased, turns]).toEqual([103, 21])
    expect(
      world.rows(
        'select 1 from idempotency_keys where organization_id = ? and answer_sealed is not null',
        idNamed('many'),
      ).length,
    ).toBe(102)
  })
})

const fail = (): never => {
  throw new Error('power cut')
}
