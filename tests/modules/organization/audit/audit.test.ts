import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { HIDDEN } from '../../../../src/modules/organization/audit/record'
import { writeEntry } from '../../../support/audit'
import type { Client, Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

/** Every way to ask for some of these at once. */
const combinations = <T>(all: T[]): T[][] =>
  all.reduce<T[][]>((sets, one) => [...sets, ...sets.map((set) => [...set, one])], [[]])

const itemsOf = async (query: string, client = admin): Promise<Loose[]> =>
  (await client.get(`/api/audit-logs?${query}`)).data['items'] as Loose[]

interface Facts {
  actor_type: 'user' | 'api_key'
  user_id: string | null
  user_name: string | null
  api_key_id: string | null
  action: string
  resource_type: string
  resource_id: string | null
  resource_name: string | null
  changes: unknown[]
}

let count = 0
/** Writes an entry as the past left it. */
function entry(
  facts: Partial<Facts>,
  at = world.clock.nowMs(),
  organizationId = world.tenant.id,
): string {
  count += 1
  const id = `01900000-0000-7000-8000-bbbb${count.toString(16).padStart(8, '0')}`
  const row: Facts = {
    actor_type: 'user',
    user_id: null,
    user_name: null,
    api_key_id: null,
    action: 'updated',
    resource_type: 'thing',
    resource_id: null,
    resource_name: null,
    changes: [],
    ...facts,
  }
  writeEntry(world.program.http.db, {
    organizationId,
    id,
    actorType: row.actor_type,
    userId: row.user_id,
    userName: row.user_name,
    apiKeyId: row.api_key_id,
    action: row.action,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    resourceName: row.resource_name,
    changes: JSON.stringify(row.changes),
    words: `${row.action}\n${row.resource_name ?? ''}\n${row.user_name ?? ''}`.toLowerCase(),
    createdAtMs: at,
  })
  return id
}

describe('an audit log entry', () => {
  test('has the author, the change, the origin and the time', async () => {
    const client = admin.with({ 'user-agent': 'curl/8', 'x-request-id': 'request-of-a-test' })
    const { data: role } = await client.post('/api/roles', {
      name: 'Audited',
      permissions: ['tags:read'],
    })
    const [found] = await itemsOf(`resource_id=${role['id']}`)
    expect(found).toEqual({
      id: expect.any(String),
      organization_id: world.tenant.id,
      actor_type: 'user',
      user_id: world.tenant.userIds.admin,
      user_name: 'Acme admin',
      api_key_id: null,
      action: 'created',
      resource_type: 'role',
      resource_id: role['id'],
      resource_name: 'Audited',
      changes: [
        { field: 'name', old_value: null, new_value: 'Audited' },
        { field: 'is_default', old_value: null, new_value: false },
        { field: 'permissions', old_value: null, new_value: ['tags:read'] },
      ],
      ip_address: '127.0.0.1',
      user_agent: 'curl/8',
      request_id: 'request-of-a-test',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect((await admin.get(`/api/audit-logs/${found?.['id']}`)).data).toEqual(found as Loose)
  })

  test('of an API key names the key and its owner', async () => {
    const key = await keyOf(world)
    const { data: role } = await key.client.post('/api/roles', { name: 'By key', permissions: [] })
    expect(await itemsOf(`api_key_id=${key.id}`)).toMatchObject([
      {
        actor_type: 'api_key',
        user_id: world.tenant.userIds.admin,
        api_key_id: key.id,
        resource_id: role['id'],
      },
    ])
  })

  test('of a super admin is stored in the organization of the change', async () => {
    const superAdmin = (await world.as('super')).with({ 'x-organization-id': world.other.id })
    const { data: role } = await superAdmin.post('/api/roles', {
      name: 'From above',
      permissions: [],
    })
    expect(
      await itemsOf(`resource_id=${role['id']}`, await world.as('admin', world.other)),
    ).toMatchObject([{ user_name: 'Super Admin' }])
    expect(await itemsOf(`resource_id=${role['id']}`)).toEqual([])
  })

  test('keeps the names of the time of the change', async () => {
    const { data: role } = await admin.post('/api/roles', { name: 'Before', permissions: [] })
    await admin.put(`/api/roles/${role['id']}`, { name: 'After' })
    await admin.delete(`/api/roles/${role['id']}`)
    expect(
      (await itemsOf(`resource_id=${role['id']}`)).map(({ action, resource_name }) => [
        action,
        resource_name,
      ]),
    ).toEqual([
      ['deleted', 'After'],
      ['updated', 'After'],
      ['created', 'Before'],
    ])
  })

  test('contains no secret', async () => {
    const { data: account } = await admin.put(`/api/accounts/${world.tenant.accountId}`, {
      pin: '471147',
    })
    const [found] = await itemsOf(`resource_id=${account['id']}`)
    expect(found?.['changes']).toContainEqual({
      field: 'pin',
      old_value: HIDDEN,
      new_value: HIDDEN,
    })
    expect(JSON.stringify(world.rows('select * from audit_logs'))).not.toMatch(/471147|token-of-/)
  })

  test('is not written for rejected or reading requests', async () => {
    const agent = await world.as('agent')
    const total = async (): Promise<unknown> => (await admin.get('/api/audit-logs')).data['total']
    const before = await total()
    await admin.post('/api/roles', { name: 'admin', permissions: [] })
    await admin.post('/api/roles', { name: 'x', permissions: ['nonsense'] })
    await agent.post('/api/roles', { name: 'x', permissions: [] })
    await admin.delete(`/api/roles/${world.tenant.roleIds.admin}`)
    await admin.get('/api/roles')
    expect(await total()).toBe(before)
    expect(await itemsOf('search=nonsense')).toEqual([])
  })

  test('of another organization, or that does not exist, is 404', async () => {
    const foreign = entry({}, undefined, world.other.id)
    expect((await admin.get(`/api/audit-logs/${foreign}`)).status).toBe(404)
    expect((await admin.get(`/api/audit-logs/${NOBODY}`)).status).toBe(404)
    expect(
      (await (await world.as('admin', world.other)).get(`/api/audit-logs/${foreign}`)).status,
    ).toBe(200)
  })

  test('cannot be changed or deleted', async () => {
    const id = entry({})
    for (const method of ['PUT', 'DELETE', 'POST', 'PATCH'])
      expect(
        (await admin.request(method, `/api/audit-logs/${id}`, method === 'DELETE' ? undefined : {}))
          .body.code,
      ).toBe('route_not_found')
    expect((await admin.get(`/api/audit-logs/${id}`)).status).toBe(200)
  })
})

describe('the list of entries', () => {
  const ids: Record<string, string> = {}
  const OWN = { resource_type: 'sample' }
  const THING = '01900000-0000-7000-8000-cccccccccccc'
  const SOMEBODY = '01900000-0000-7000-8000-dddddddddddd'

  beforeAll(() => {
    const at = (iso: string): number => Date.parse(iso)
    ids['old'] = entry(
      { ...OWN, action: 'created', user_name: 'Zoë 100%', user_id: SOMEBODY },
      at('2026-01-01T10:00:00Z'),
    )
    ids['night'] = entry(
      { ...OWN, action: 'updated', resource_id: THING, resource_name: 'Lamp_1' },
      at('2026-01-01T23:30:00Z'),
    )
    ids['next'] = entry(
      {
        ...OWN,
        action: 'deleted',
        resource_id: THING,
        api_key_id: SOMEBODY,
        actor_type: 'api_key',
      },
      at('2026-01-02T10:00:00Z'),
    )
  })

  const named = async (query: string): Promise<unknown[]> =>
    (await itemsOf(`resource_type=sample&${query}`)).map(
      ({ id }) => Object.entries(ids).find(([, known]) => known === id)?.[0],
    )

  const cases: [query: string, found: string[]][] = [
    ['', ['next', 'night', 'old']],
    [`resource_id=${THING}`, ['next', 'night']],
    [`user_id=${SOMEBODY}`, ['old']],
    [`api_key_id=${SOMEBODY}`, ['next']],
    ['action=updated', ['night']],
    ['action=nothing_known', []],
    ['from=2026-01-02', ['next']],
    ['to=2026-01-01', ['night', 'old']],
    ['from=2026-01-01&to=2026-01-01', ['night', 'old']],
    ['from=2026-01-01T23:30:00Z&to=2026-01-02T10:00:00Z', ['next', 'night']],
    ['from=2026-01-01T23:30:00.001Z', ['next']],
    [`to=${encodeURIComponent('2026-01-02T00:30:00+01:00')}`, ['night', 'old']],
    [`search=${encodeURIComponent('ZOË 100%')}`, ['old']],
    ['search=LAMP', ['night']],
    ['search=mp_', ['night']],
    ['search=_amp', []],
    ['search=delet', ['next']],
    [`search=p&action=updated&resource_id=${THING}&from=2026-01-01`, ['night']],
  ]
  for (const [query, found] of cases)
    test(`with ${query || 'no filter'} is ${found.join(', ') || 'empty'}`, async () => {
      expect(await named(query)).toEqual(found)
    })

  test("filters by days in the organization's time zone", async () => {
    await admin.put('/api/organizations/settings', { timezone: 'Asia/Kolkata' })
    expect(await named('from=2026-01-02')).toEqual(['next', 'night'])
    expect(await named('to=2026-01-01')).toEqual(['old'])
    await admin.put('/api/organizations/settings', { timezone: 'America/New_York' })
    expect(await named('to=2026-01-01')).toEqual(['night', 'old'])
    await admin.put('/api/organizations/settings', { timezone: 'UTC' })
  })

  test('pages by number, and by cursor without counting', async () => {
    const first = (await admin.get('/api/audit-logs?resource_type=sample&limit=2')).data
    expect(first).toMatchObject({
      total: 3,
      page: 1,
      limit: 2,
      total_pages: 2,
      items: [{ id: ids['next'] }, { id: ids['night'] }],
    })
    expect(
      (await admin.get('/api/audit-logs?resource_type=sample&limit=2&page=2')).data,
    ).toMatchObject({
      items: [{ id: ids['old'] }],
      next_cursor: null,
    })
    const second = (
      await admin.get(`/api/audit-logs?resource_type=sample&limit=2&cursor=${first['next_cursor']}`)
    ).data
    expect(second).toEqual({
      items: [expect.objectContaining({ id: ids['old'] })],
      total: null,
      page: null,
      limit: 2,
      total_pages: null,
      next_cursor: null,
    })
  })

  test('read by cursor shows each entry once, even with equal times', async () => {
    for (let index = 0; index < 25; index += 1) entry({ resource_type: 'walked' }, 1_000)
    const seen: unknown[] = []
    let cursor: string | null = null
    do {
      const { data }: { data: Loose } = await admin.get(
        `/api/audit-logs?resource_type=walked&limit=7${cursor === null ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...(data['items'] as Loose[]).map(({ id }) => id))
      cursor = data['next_cursor'] as string | null
    } while (cursor !== null)
    expect([seen.length, new Set(seen).size]).toEqual([25, 25])
  })

  for (const [query, path] of [
    ['from=yesterday', 'query.from'],
    ['from=2026-02-30', 'query.from'],
    ['from=2026-01-01T10:00:00', 'query.from'],
    ['to=2026-13-01', 'query.to'],
    ['from=2026-01-02&to=2026-01-01', 'query.to'],
    ['resource_id=x', 'query.resource_id'],
    ['user_id=me', 'query.user_id'],
    ['api_key_id=1', 'query.api_key_id'],
    ['action=A!', 'query.action'],
    ['resource_type=', 'query.resource_type'],
    ['cursor=nonsense', 'query.cursor'],
    ['limit=101', 'query.limit'],
  ] as const)
    test(`with the bad filter ${query} is 400`, async () => {
      const answer = await admin.get(`/api/audit-logs?${query}`)
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
    })

  test('requires audit_logs:read', async () => {
    for (const person of ['manager', 'agent'] as const)
      expect((await (await world.as(person)).get('/api/audit-logs')).body.code).toBe(
        'permission_denied',
      )
  })
})

describe('phone numbers in the log', () => {
  test('are masked for the reader in names, changes and search', async () => {
    const id = entry({
      resource_type: 'contact',
      resource_name: '+1 555 010 7788',
      changes: [
        { field: 'phone_number', old_value: null, new_value: '15550107788' },
        { field: 'numbers', old_value: ['15550107788'], new_value: { main: '15550107788' } },
        { field: 'name', old_value: 'Ann', new_value: 'Ann 2' },
      ],
    })
    const reader = await personWith(world, ['audit_logs:read'])
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const { data } = await reader.client.get(`/api/audit-logs/${id}`)
    expect(data['resource_name']).toBe('+* *** *** 7788')
    expect(
      (data['changes'] as Loose[]).map(({ old_value, new_value }) => [old_value, new_value]),
    ).toEqual([
      [null, '*******7788'],
      [['*******7788'], { main: '*******7788' }],
      ['Ann', 'Ann 2'],
    ])
    expect((await admin.get(`/api/audit-logs/${id}`)).data['resource_name']).toBe('+1 555 010 7788')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    expect((await reader.client.get(`/api/audit-logs/${id}`)).data['resource_name']).toBe(
      '+1 555 010 7788',
    )
  })
})

test('a name that is a number is found only by its last four digits', async () => {
  const { data: role } = await admin.post('/api/roles', {
    name: '+1 555 010 9911',
    permissions: [],
  })
  expect(await itemsOf('search=0109911')).toEqual([])
  expect(await itemsOf(`search=${encodeURIComponent('010 9911')}`)).toEqual([])
  expect((await itemsOf('search=9911')).map(({ resource_id }) => resource_id)).toEqual([role['id']])
})

describe('an old entry', () => {
  const days = (count_: number): number => world.clock.nowMs() - count_ * 86_400_000

  test('is deleted after two years by default, and not before', async () => {
    const kept = entry({}, days(729))
    const gone = entry({}, days(731))
    const elsewhere = entry({}, days(731), world.other.id)
    world.clock.advance({ minutes: 15 })
    await world.settle()
    admin = await world.as('admin')
    expect((await admin.get(`/api/audit-logs/${kept}`)).status).toBe(200)
    expect((await admin.get(`/api/audit-logs/${gone}`)).status).toBe(404)
    expect(world.rows('select id from audit_logs where id = ?', elsewhere)).toEqual([])
  })
})

describe('combined filters', () => {
  const day = Date.UTC(2026, 0, 15)
  const SOMEBODY = '01900000-0000-7000-8000-00000000aaaa'
  const THING = '01900000-0000-7000-8000-00000000bbbb'
  const KEY = '01900000-0000-7000-8000-00000000cccc'

  /**
   * More entries than are few, half of them of one kind, and of each condition some that it does
   * not fit.
   */
  function fill(): void {
    world.program.http.db.sqlite.transaction(() => {
      for (let i = 0; i < 2_600; i += 1)
        entry(
          {
            action: i % 2 === 0 ? 'imported' : 'exported',
            resource_type: i % 10 < 8 ? 'heap' : 'pile',
            user_id: i % 5 < 4 ? SOMEBODY : NOBODY,
            api_key_id: i % 3 === 0 ? KEY : null,
            resource_id: i % 400 === 0 ? THING : null,
            resource_name: i % 7 === 0 ? 'A Needle' : 'Hay',
          },
          day + i * 1_000,
        )
    })()
  }

  const CONDITIONS: [filter: string, fits: (entry: Loose) => boolean][] = [
    ['action=imported', (one) => one['action'] === 'imported'],
    ['resource_type=heap', (one) => one['resource_type'] === 'heap'],
    [`user_id=${SOMEBODY}`, (one) => one['user_id'] === SOMEBODY],
    [`api_key_id=${KEY}`, (one) => one['api_key_id'] === KEY],
    [`resource_id=${THING}`, (one) => one['resource_id'] === THING],
    ['search=needle', (one) => one['resource_name'] === 'A Needle'],
    [
      `from=${new Date(day + 300_000).toISOString()}`,
      (one) => Date.parse(one['created_at'] as string) >= day + 300_000,
    ],
  ]
  const span = `limit=100&to=${new Date(day + 86_000_000).toISOString()}`

  test('find the entries that match all and read no other rows', async () => {
    using _stay = world.stays('the memory of a process')
    fill()
    const everything: Loose[] = []
    for (let cursor = ''; cursor !== 'null';) {
      const { data } = await admin.get(`/api/audit-logs?${span}&from=2026-01-15${cursor}`)
      everything.push(...(data['items'] as Loose[]))
      cursor = data['next_cursor'] === null ? 'null' : `&cursor=${String(data['next_cursor'])}`
    }
    expect(everything.length).toBe(2_600)
    const { sqlite } = world.program.http.db
    const query = sqlite.query.bind(sqlite)
    const statements = new Set<string>()
    sqlite.query = ((statement: string) => {
      statements.add(statement)
      return query(statement)
    }) as typeof query
    for (const chosen of combinations(CONDITIONS)) {
      statements.clear()
      const fitting = everything.filter((one) => chosen.every(([, fits]) => fits(one)))
      const asked = [
        span,
        ...(chosen.some(([filter]) => filter.startsWith('from')) ? [] : ['from=2026-01-15']),
        ...chosen.map(([filter]) => filter),
      ]
      const { data } = await admin.get(`/api/audit-logs?${asked.join('&')}`)
      const shown = { total: data['total'], ids: (data['items'] as Loose[]).map(({ id }) => id) }
      expect({ asked, ...shown }).toEqual({
        asked,
        total: fitting.length,
        ids: fitting.slice(0, 100).map(({ id }) => id),
      })
      const plans = [...statements]
        .filter((statement) => statement.includes('indexed by'))
        .flatMap(
          (statement) => query(`explain query plan ${statement}`).all() as { detail: string }[],
        )
        .map(({ detail }) => detail)
        .filter((plan) => plan.includes('audit_logs') || plan.includes('TEMP B-TREE'))
      // Few entries with a text are looked up instead.
      const areLookedUp = [...statements].some((one) => one.includes('not indexed'))
      expect({ asked, isAlong: plans.length > 0 }).toEqual({ asked, isAlong: !areLookedUp })
      expect({ asked, sorts: plans.filter((plan) => /TEMP B-TREE|SCAN audit/.test(plan)) }).toEqual(
        { asked, sorts: [] },
      )
      expect({ asked, reads: plans.filter((plan) => !plan.includes('COVERING')) }).toEqual({
        asked,
        reads: [],
      })
    }
    sqlite.query = query
  })
})
