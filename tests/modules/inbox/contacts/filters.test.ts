import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { ReadPool } from '../../../../src/infra/read/pool'
import { systemNumberChanged } from '../../../../src/simulator/payloads'
import { deliver, lineOf, personOf, secondsIn, textTo } from '../../../support/lines'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

let world: World
let manager: Client
const ids: Record<string, string> = {}

/** Contacts by name, with the fields that distinguish them, created one minute apart. */
const PEOPLE: [name: string, body: Loose][] = [
  ['Ana', { tags: ['VIP', 'Fair'], marketing_consent: 'opted_in' }],
  ['ben', { tags: ['VIP'], marketing_consent: 'opted_out' }],
  ['Émile', { tags: ['Fair'] }],
  ['Zoë', {}],
]

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  for (const [nth, [name, body]] of PEOPLE.entries()) {
    const { data } = await manager.post('/api/contacts', {
      phone_number: `4915112345${60 + nth}`,
      name,
      ...body,
    })
    ids[name] = data['id'] as string
    world.clock.advance({ minutes: 1 })
  }
  const { data } = await manager.post('/api/contacts', {
    user_id: 'BR.90000000000000000077',
    name: 'Nemo',
  })
  ids['Nemo'] = data['id'] as string
  await manager.post(`/api/contacts/${ids['Zoë']}/block`)
})

afterAll(() => world.stop())

const found = async (query: string, by: Client = manager): Promise<unknown[]> =>
  ((await by.get(`/api/contacts?${query}`)).data['items'] as Loose[]).map(
    ({ name }) => name as unknown,
  )

describe('contact filters', () => {
  const tagId = async (name: string): Promise<string> =>
    ((await manager.get(`/api/tags?search=${name}`)).data['items'] as Loose[])[0]?.['id'] as string

  test.each<[query: string, names: string[]]>([
    ['tags=vip', ['Ana', 'ben']],
    ['tags=VIP,fair', ['Ana', 'ben', 'Émile']],
    ['tags=VIP,fair&tags_mode=any', ['Ana', 'ben', 'Émile']],
    ['tags=VIP,fair&tags_mode=all', ['Ana']],
    ['tags=VIP,unheard', ['Ana', 'ben']],
    ['tags=VIP,unheard&tags_mode=all', []],
    ['tags=unheard', []],
    ['tags=,', []],
    ['tags=,&tags_mode=all', []],
    ['consent=opted_in', ['Ana']],
    ['consent=opted_out', ['ben']],
    ['consent=unknown', ['Émile', 'Nemo', 'Zoë']],
    ['blocked=true', ['Zoë']],
    ['blocked=false', ['Ana', 'ben', 'Émile', 'Nemo']],
    ['has_phone=false', ['Nemo']],
    ['has_phone=true', ['Ana', 'ben', 'Émile', 'Zoë']],
    ['created_from=2026-11-21T09:32:00.000Z', ['Émile', 'Nemo', 'Zoë']],
    ['created_to=2026-11-21T09:31:00.000Z', ['Ana']],
    ['created_from=2026-11-21T09:31:00.000Z&created_to=2026-11-21T09:33:00.000Z', ['ben', 'Émile']],
    [`assigned_to=none&tags=fair&consent=unknown`, ['Émile']],
    [`assigned_to=${NOBODY}`, []],
    [`segment_id=${NOBODY}`, []],
  ])('?%s', async (query, names) => {
    expect(await found(`sort=name&${query}`)).toEqual(names)
    expect((await manager.get(`/api/contacts?${query}&limit=1`)).data['total']).toBe(names.length)
  })

  test('accept tag IDs and names', async () => {
    expect(await found(`sort=name&tags=${await tagId('Fair')}`)).toEqual(['Ana', 'Émile'])
    expect(await found(`sort=name&tags=${await tagId('Fair')},vip&tags_mode=all`)).toEqual(['Ana'])
  })

  test.each([
    'tags_mode=some',
    'consent=maybe',
    'blocked=perhaps',
    'has_phone=x',
    'created_from=yesterday',
    'created_from=01/02/2026',
    'created_from=2026-02-31T00:00:00Z',
    'created_to=2026-11-21',
    'created_to=1',
    'segment_id=x',
    'tags=',
  ])('?%s is 400', async (query) => {
    expect((await manager.get(`/api/contacts?${query}`)).status).toBe(400)
  })
})

describe('sorting contacts by name', () => {
  test('ignores case and accents, and is ascending by default', async () => {
    expect(await found('sort=name')).toEqual(['Ana', 'ben', 'Émile', 'Nemo', 'Zoë'])
    expect(await found('sort=name&order=desc')).toEqual(['Zoë', 'Nemo', 'Émile', 'ben', 'Ana'])
  })

  test.each(['asc', 'desc'])(
    '%s, by page and by cursor, lists each contact once',
    async (order) => {
      const seen: unknown[] = []
      let cursor = ''
      for (let turn = 0; turn < 6; turn += 1) {
        const { data } = await manager.get(
          `/api/contacts?sort=name&order=${order}&limit=2${cursor}`,
        )
        seen.push(...(data['items'] as Loose[]).map(({ name }) => name as unknown))
        if (data['next_cursor'] === null) break
        cursor = `&cursor=${data['next_cursor']}`
      }
      expect(seen).toEqual(await found(`sort=name&order=${order}`))
      expect(seen.length).toBe(5)
    },
  )

  test('uses the display name of contacts without a name', async () => {
    await using own = await World.create()
    const boss = await own.as('manager')
    for (const [nth, name] of ['carla', 'Ádám'].entries())
      await deliver(own, textTo(own, 'Hi', { person: personOf(nth, name) }))
    await boss.post('/api/contacts', { phone_number: '15550400001' })
    const names = ((await boss.get('/api/contacts?sort=name')).data['items'] as Loose[]).map(
      ({ display_name }) => display_name as unknown,
    )
    expect(names).toEqual(['15550400001', 'Ádám', 'carla'])
  })
})

describe('searching contacts', () => {
  test.each<[typed: string, names: string[]]>([
    ['an', ['Ana']],
    ['EMI', ['Émile']],
    ['zoe', ['Zoë']],
    ['na', []],
    ['4915112345', ['Ana', 'ben', 'Émile', 'Zoë']],
    ['+49 151 123 4560', ['Ana']],
    ['0049 151 1234560', ['Ana']],
    ['0151 1234560', ['Ana']],
    ['0151 12', ['Ana', 'ben', 'Émile', 'Zoë']],
    ['151 1234561', ['ben']],
    ['4562', ['Émile']],
    ['*********4563', ['Zoë']],
    ['2345', ['Ana', 'ben', 'Émile', 'Zoë']],
    ['1 234561', ['ben']],
    ['ana 4560', ['Ana']],
    ['ana 4561', []],
    ['ana 2345', ['Ana']],
    ['"ana" OR ben', []],
    ['ana*', ['Ana']],
    ['words:ana', []],
  ])('%s', async (typed, names) => {
    expect(await found(`sort=name&search=${encodeURIComponent(typed)}`)).toEqual(names)
  })

  test('finds new numbers and names at once, and removed ones no longer', async () => {
    await using own = await World.create()
    const boss = await own.as('manager')
    const names = (typed: string) => found(`search=${encodeURIComponent(typed)}`, boss)
    const { data } = await boss.post('/api/contacts', {
      phone_number: '15550400001',
      name: 'First',
    })
    expect(await names('first')).toEqual(['First'])
    await boss.put(`/api/contacts/${data['id']}`, { name: 'Second', phone_number: '15550400002' })
    expect([
      await names('first'),
      await names('sec'),
      await names('0002'),
      await names('0001'),
    ]).toEqual([[], ['Second'], ['Second'], ['Second']])
    await deliver(
      own,
      textTo(own, 'Hi', { person: { waId: '15550400002', name: 'From platform' } }),
    )
    expect(await names('from plat')).toEqual(['Second'])
    await boss.delete(`/api/contacts/${data['id']}`)
    expect(await names('second')).toEqual([])
    expect(await found('search=second', await own.as('manager', own.other))).toEqual([])
  })

  test('reads only the known matches', async () => {
    const { http } = world.program
    const { reads } = http
    http.reads = new ReadPool() // in place: the statements of a thread cannot be seen
    const { sqlite } = http.db
    const query = sqlite.query.bind(sqlite)
    for (const path of [
      '/api/contacts?search=an',
      '/api/contacts?search=an&sort=name',
      '/api/conversations?search=an',
      '/api/conversations?search=an&state=open,pending',
      '/api/conversations/counts?search=an',
      `/api/conversations?contact_id=${NOBODY}`,
      `/api/conversations/counts?contact_id=${NOBODY}`,
    ]) {
      const statements = new Set<string>()
      sqlite.query = ((statement: string) => {
        statements.add(statement)
        return query(statement)
      }) as typeof query
      await manager.get(path)
      sqlite.query = query
      const read = [...statements].filter((statement) =>
        /from "(contacts|conversations)" .* in \(/.test(statement),
      )
      const plans = read.map((statement) =>
        (query(`explain query plan ${statement}`).all() as { detail: string }[]).map(
          ({ detail }) => detail,
        ),
      )
      expect(plans.length).toBeGreaterThan(0)
      for (const plan of plans)
        expect(plan).toContainEqual(
          expect.stringMatching(
            /^SEARCH (contacts|conversations) USING .*\(organization_id=\? AND (contact_)?id=\?\)$/,
          ),
        )
    }
    http.reads = reads
  })

  test('stays within the organization', async () => {
    expect(await found('search=ana', await world.as('manager', world.other))).toEqual([])
  })
})

describe('masking', () => {
  test('makes only the last four digits searchable and masks names that are numbers', async () => {
    await using own = await World.create()
    const admin = await own.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    await deliver(
      own,
      textTo(own, 'call me at 15550300001', {
        person: { waId: '15550300001', name: '+1 555-030-0001' },
      }),
    )
    const [contact] = (await admin.get('/api/contacts')).data['items'] as Loose[]
    await admin.put(`/api/contacts/${contact?.['id']}/assign`, {
      user_id: own.tenant.userIds.agent,
    })
    const agent = await own.as('agent')
    const count = async (typed: string, by: Client = agent): Promise<unknown> =>
      (await by.get(`/api/contacts?search=${encodeURIComponent(typed)}`)).data['total']
    expect((await agent.get('/api/contacts')).data['items']).toMatchObject([
      {
        name: null,
        profile_name: '+* ***-***-0001',
        display_name: '+* ***-***-0001',
        phone_number: '*******0001',
        wa_id: '*******0001',
        last_message_preview: 'call me at *******0001',
      },
    ])
    for (const typed of ['0001', '01', '*******0001', '…0001'.slice(1)])
      expect({ typed, total: await count(typed) }).toEqual({ typed, total: 1 })
    for (const typed of [
      '15550300001',
      '1555',
      '5550300001',
      '30001',
      '555',
      '+1 555',
      '030',
      '+1 555-030-0001',
    ])
      expect({ typed, total: await count(typed) }).toEqual({ typed, total: 0 })
    for (const typed of ['1555', '030', '+1 555-030-0001'])
      expect({ typed, total: await count(typed, admin) }).toEqual({ typed, total: 1 })
    expect((await agent.get(`/api/contacts/${contact?.['id']}`)).data['identities']).toMatchObject([
      { kind: 'phone', value: '*******0001' },
    ])
  })

  test('masks numbers of system messages in the preview, but not those the customer wrote', async () => {
    await using own = await World.create()
    const admin = await own.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const about = { line: lineOf(own.tenant), person: personOf(1), timestamp: secondsIn(own) }
    await deliver(own, systemNumberChanged('15550399999', about))
    const [contact] = (await admin.get('/api/contacts')).data['items'] as Loose[]
    const path = `/api/contacts/${contact?.['id']}`
    await admin.put(`${path}/assign`, { user_id: own.tenant.userIds.agent })
    const agent = await own.as('agent')
    const socket = await own.socket('agent')
    const last = async (by: Client): Promise<unknown[]> => [
      ((await by.get('/api/contacts')).data['items'] as Loose[])[0]?.['last_message_preview'],
      (await by.get(path)).data['last_message_preview'],
    ]
    for (const preview of await last(admin)) expect(preview).toContain('15550399999')
    for (const preview of await last(agent)) expect(preview).toEndWith('to *******9999')
    await admin.put(path, { name: 'Ana' })
    await own.settle()
    const frame = (await socket.caughtUp()).find(({ type }) => type === 'contact:updated')
    expect(JSON.stringify(frame)).not.toContain('15550399999')
    await deliver(
      own,
      textTo(own, 'or 15550377777', {
        person: { ...personOf(1), waId: '15550399999' },
        timestamp: secondsIn(own) + 1,
      }),
    )
    expect(await last(agent)).toEqual(['or 15550377777', 'or 15550377777'])
  })

  test('keeps the name out of the cursor of a list sorted by name', async () => {
    await using own = await World.create({ isConnected: false })
    const admin = await own.as('admin')
    for (const nth of [1, 2])
      await admin.post('/api/contacts', { phone_number: `1555040000${nth}` })
    const { data } = await admin.get('/api/contacts?sort=name&limit=1')
    expect(Buffer.from(String(data['next_cursor']), 'base64url').toString()).not.toContain(
      '15550400001',
    )
  })
})
