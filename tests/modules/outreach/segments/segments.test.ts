import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { approvedTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

let world: World
let admin: Client
const ids: Record<string, string> = {}

const PATH = '/api/segments'
const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const problems = ({ body }: Answer<unknown>): string[] =>
  (body.errors ?? []).map(({ path }) => path)

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  await admin.post('/api/contact-attributes', {
    key: 'plan',
    label: 'Plan',
    type: 'select',
    options: ['free', 'pro'],
  })
  await admin.post('/api/contact-attributes', { key: 'orders', label: 'Orders', type: 'number' })
  await admin.post('/api/contact-attributes', { key: 'since', label: 'Since', type: 'date' })
  await admin.post('/api/contact-attributes', { key: 'vip', label: 'VIP', type: 'boolean' })
  const people: Record<string, Loose> = {
    ana: {
      phone_number: '+34 600 000 001',
      tags: ['VIP', 'old'],
      language: 'es',
      attributes: { plan: 'pro', orders: 12, since: '2020-05-01', vip: true },
    },
    ben: {
      phone_number: '+49 151 00000002',
      tags: ['old'],
      language: 'de',
      metadata: { source: 'fair', score: 7 },
      attributes: { orders: 2 },
    },
    cas: { user_id: 'US.42', attributes: { plan: 'free', since: '2099-01-01', vip: false } },
    dan: {
      phone_number: '+49 151 00000004',
      marketing_consent: 'opted_out',
      metadata: { 'odd.key': 'yes', school: 'École' },
    },
  }
  for (const [name, person] of Object.entries(people)) {
    const { data } = await admin.post('/api/contacts', { name, ...person })
    ids[name] = String(data['id'])
  }
  await admin.put(`/api/contacts/${ids['ben']}/assign`, { user_id: world.tenant.userIds.agent })
})

afterAll(() => world.stop())

const found = async (filter: unknown, by = admin): Promise<string[]> => {
  const { data } = await by.post(`${PATH}/preview`, { filter })
  expect((data['sample'] as Loose[]).length).toBe(data['count'] as number)
  return (data['sample'] as Loose[]).map(({ name }) => String(name)).toSorted()
}
const where = (field: string, op: string, value?: unknown) => ({
  field,
  op,
  ...(value === undefined ? {} : { value }),
})

describe('a filter finds', () => {
  for (const [filter, names] of [
    [where('tags', 'in', ['vip', 'OLD']), ['ana', 'ben']],
    [where('tags', 'eq', 'Vip'), ['ana']],
    [where('tags', 'nin', ['vip']), ['ben', 'cas', 'dan']],
    [where('tags', 'exists', false), ['cas', 'dan']],
    [where('consent', 'eq', 'opted_out'), ['dan']],
    [where('consent', 'ne', 'opted_out'), ['ana', 'ben', 'cas']],
    [where('country', 'in', ['DE', 'ES']), ['ana', 'ben', 'dan']],
    [where('language', 'exists'), ['ana', 'ben']],
    [where('language', 'ne', 'es'), ['ben', 'cas', 'dan']],
    [where('assigned_to', 'exists', true), ['ben']],
    [where('created_at', 'within_days', 1), ['ana', 'ben', 'cas', 'dan']],
    [where('attributes.since', 'within_days', 36_500), ['ana']],
    [where('attributes.since', 'not_within_days', 36_500), ['ben', 'cas', 'dan']],
    [where('metadata.source', 'gt', 5), []],
    [where('metadata.score', 'lt', 'zzz'), []],
    [where('metadata.source', 'gt', 'fai'), ['ben']],
    [where('metadata.school', 'contains', 'éco'), ['dan']],
    [where('metadata.school', 'contains', 'ÉCO'), ['dan']],
    [where('metadata.school', 'starts_with', 'École'), ['dan']],
    [where('metadata.school', 'starts_with', 'cole'), []],
    [where('created_at', 'lt', '2020-01-01'), []],
    [where('created_at', 'eq', '2026-11-20'), []],
    [where('created_at', 'eq', '2026-11-21'), ['ana', 'ben', 'cas', 'dan']],
    [where('created_at', 'eq', '2026-11-22'), []],
    [where('created_at', 'gt', '2026-11-20'), ['ana', 'ben', 'cas', 'dan']],
    [where('created_at', 'gt', '2026-11-21'), []],
    [where('created_at', 'gte', '2026-11-21'), ['ana', 'ben', 'cas', 'dan']],
    [where('created_at', 'gte', '2026-11-22'), []],
    [where('created_at', 'lt', '2026-11-21'), []],
    [where('created_at', 'lte', '2026-11-21'), ['ana', 'ben', 'cas', 'dan']],
    [where('created_at', 'lte', '2026-11-20'), []],
    [where('last_inbound_at', 'exists', false), ['ana', 'ben', 'cas', 'dan']],
    [where('last_inbound_at', 'not_within_days', 30), ['ana', 'ben', 'cas', 'dan']],
    [where('attributes.plan', 'eq', 'pro'), ['ana']],
    [where('attributes.orders', 'gte', 2), ['ana', 'ben']],
    [where('attributes.orders', 'lt', 12), ['ben']],
    [where('attributes.since', 'lte', '2020-05-01'), ['ana']],
    [where('attributes.vip', 'eq', true), ['ana']],
    [where('attributes.vip', 'ne', true), ['ben', 'cas', 'dan']],
    [where('attributes.vip', 'exists'), ['ana', 'cas']],
    [where('metadata.source', 'contains', 'AI'), ['ben']],
    [where('metadata.score', 'gt', 6.5), ['ben']],
    [where('metadata.odd.key', 'eq', 'yes'), ['dan']],
    [where('metadata.source', 'starts_with', 'fa'), ['ben']],
    [{ all: [where('tags', 'eq', 'old'), { not: where('tags', 'eq', 'vip') }] }, ['ben']],
    [{ any: [where('tags', 'eq', 'vip'), where('consent', 'eq', 'opted_out')] }, ['ana', 'dan']],
    [{ not: where('attributes.orders', 'gt', 5) }, ['ben', 'cas', 'dan']],
    [where('metadata.source', 'eq', "' or 1=1 --"), []],
  ] as const)
    test(`${names.join(', ') || 'nobody'} with ${JSON.stringify(filter)}`, async () =>
      expect(await found(filter)).toEqual([...names]))

  test('only visible contacts, and counts those a campaign would skip', async () => {
    expect(await found(where('country', 'exists'), await world.as('agent'))).toEqual(['ben'])
    const { data } = await admin.post(`${PATH}/preview`, {
      filter: where('created_at', 'within_days', 1),
    })
    expect(data['excluded']).toEqual({ opted_out: 1, blocked: 0, no_phone: 1 })
  })
})

describe('a filter is rejected', () => {
  const nested = (depth: number): unknown =>
    depth === 0 ? where('consent', 'exists') : { not: nested(depth - 1) }
  for (const [name, filter, path] of [
    ['that is empty', {}, 'body.filter'],
    ['that is a text inside', { all: ['x'] }, 'body.filter.all.0'],
    ['that is a list inside', { any: [[where('consent', 'exists')]] }, 'body.filter.any.0'],
    ['that is nothing inside', { not: null }, 'body.filter.not'],
    ['of two forms', { all: [where('consent', 'exists')], field: 'consent' }, 'body.filter'],
    ['with an empty list', { all: [] }, 'body.filter.all'],
    [
      'by an unknown field',
      { all: [where('consent', 'exists'), where('password', 'exists')] },
      'body.filter.all.1.field',
    ],
    ['by a field that nobody defined', where('attributes.nothing', 'exists'), 'body.filter.field'],
    ['by a column in disguise', where('metadata.a"b', 'exists'), 'body.filter.field'],
    ['with an unknown comparison', where('consent', 'like', 'x'), 'body.filter.op'],
    ['with a comparison of other fields', where('attributes.plan', 'gt', 'a'), 'body.filter.op'],
    ['with a text for a number', where('attributes.orders', 'eq', '5'), 'body.filter.value'],
    ['with a list of nothing', where('consent', 'in', []), 'body.filter.value'],
    ['with a bad one in a list', where('country', 'in', ['DE', 5]), 'body.filter.value.1'],
    ['with a day that is none', where('created_at', 'gt', '2026-02-30'), 'body.filter.value'],
    ['with half a day', where('created_at', 'within_days', 0.5), 'body.filter.value'],
    ['six deep', nested(5), 'body.filter.not.not.not.not.not'],
    [
      'of 51 conditions',
      { any: Array.from({ length: 51 }, () => where('consent', 'exists')) },
      'body.filter.any.50',
    ],
  ] as const)
    test(name, async () => {
      const answer = await admin.post(`${PATH}/preview`, { filter })
      expect([answer.status, problems(answer)]).toEqual([400, [path]])
    })
})

describe('segments', () => {
  test('are created, listed, changed, used as a filter and deleted', async () => {
    const { status, data } = await admin.post(PATH, {
      name: ' Regulars ',
      filter: where('tags', 'eq', 'old'),
    })
    expect([status, data]).toMatchObject([
      201,
      { name: 'Regulars', shared: false, last_count: 2, created_by: world.tenant.userIds.admin },
    ])
    const path = `${PATH}/${String(data['id'])}`
    expect((await admin.get(path)).data).toEqual(data)
    const firstOfTwo = await admin.get(`${path}/contacts?limit=1`)
    expect([firstOfTwo.data['total'], firstOfTwo.data['items']]).toMatchObject([2, [{}]])
    expect(
      verdict(await admin.post(PATH, { name: 'REGULARS', filter: where('tags', 'exists') })),
    ).toEqual([409, 'name_taken'])
    const changed = await admin.put(path, {
      filter: where('tags', 'eq', 'vip'),
      description: 'The best',
    })
    expect(changed.data).toMatchObject({ name: 'Regulars', description: 'The best', last_count: 1 })
    const contacts = await admin.get(`${path}/contacts`)
    expect([
      contacts.data['total'],
      (contacts.data['items'] as Loose[]).map(({ name }) => name),
    ]).toEqual([1, ['ana']])
    for (const [query, total] of [
      ['search=ana', 1],
      ['search=ben', 0],
      ['consent=opted_out', 0],
      ['tags=vip&sort=name&order=desc', 1],
    ] as const)
      expect([query, (await admin.get(`${path}/contacts?${query}`)).data['total']]).toEqual([
        query,
        total,
      ])
    expect((await admin.get(`/api/contacts?segment_id=${String(data['id'])}`)).data['total']).toBe(
      1,
    )
    expect(
      (await admin.get('/api/contacts?segment_id=01900000-0000-7000-8000-ffffffffffff')).data[
        'total'
      ],
    ).toBe(0)
    expect((await admin.get(`${PATH}?search=regu`)).data['total']).toBe(1)
    expect((await admin.delete(path)).status).toBe(200)
    expect((await admin.get(path)).status).toBe(404)
  })

  test('are private unless shared, which requires contacts:update', async () => {
    const [agent, manager] = [await world.as('agent'), await world.as('manager')]
    const filter = where('tags', 'exists')
    expect(verdict(await agent.post(PATH, { name: 'For all', filter, shared: true }))).toEqual([
      403,
      'permission_denied',
    ])
    const own = await agent.post(PATH, { name: 'Mine', filter })
    expect([own.status, own.data['last_count']]).toEqual([201, null]) // it does not see them all
    expect((await manager.get(`${PATH}/${String(own.data['id'])}`)).status).toBe(404)
    expect((await manager.get(`${PATH}?search=mine`)).data['items']).toEqual([])
    expect((await manager.post(PATH, { name: 'Mine', filter })).status).toBe(201)
    expect(verdict(await agent.post(PATH, { name: 'mine', filter }))).toEqual([409, 'name_taken'])
    const ownPath = `${PATH}/${String(own.data['id'])}`
    expect(verdict(await agent.put(ownPath, { shared: true }))).toEqual([403, 'permission_denied'])
    const shared = await manager.post(PATH, { name: 'Mine', filter, shared: true })
    expect(shared.status).toBe(201)
    const path = `${PATH}/${String(shared.data['id'])}`
    expect((await agent.get(`${path}/contacts`)).data['total']).toBe(1)
    for (const answer of [await agent.put(path, { name: 'x' }), await agent.delete(path)])
      expect(verdict(answer)).toEqual([403, 'permission_denied'])
    expect((await (await world.as('admin', world.other)).get(path)).status).toBe(404)
  })

  test('are listed by name, and the audit log has what people decide', async () => {
    const filter = where('tags', 'exists')
    const late = await admin.post(PATH, { name: 'sorted B', description: 'x', filter })
    world.clock.advance({ seconds: 1 })
    await admin.post(PATH, { name: 'Sorted A', filter })
    const { data } = await admin.get(`${PATH}?search=sorted`)
    expect((data['items'] as Loose[]).map(({ name }) => name as string)).toEqual([
      'Sorted A',
      'sorted B',
    ])
    const path = `${PATH}/${String(late.data['id'])}`
    const now = { name: 'Sorted C', description: null, shared: true }
    expect((await admin.put(path, now)).data).toMatchObject(now)
    expect((await admin.delete(path)).status).toBe(200)
    const log = await admin.get(
      `/api/audit-logs?resource_type=segment&resource_id=${String(late.data['id'])}`,
    )
    expect(log.data['items']).toMatchObject([
      { action: 'deleted', resource_name: 'Sorted C', changes: [] },
      {
        action: 'updated',
        changes: [
          { field: 'name', old_value: 'sorted B', new_value: 'Sorted C' },
          { field: 'description', old_value: 'x', new_value: null },
          { field: 'shared', old_value: false, new_value: true },
        ],
      },
      { action: 'created', resource_name: 'sorted B', changes: [] },
    ])
  })

  test('that are private to another user cannot be used anywhere', async () => {
    const [manager, agent] = [await world.as('manager'), await world.as('agent')]
    const { data: tag } = await admin.post('/api/tags', { name: 'Chosen' })
    const { id: template_id } = await approvedTemplate(world, {
      components: [{ type: 'BODY', text: 'Hello' }],
    })
    const segment_id = String(
      (await agent.post(PATH, { name: 'A secret', filter: where('tags', 'exists') })).data['id'],
    )
    expect((await agent.get(`/api/contacts?segment_id=${segment_id}`)).data['total']).toBe(1)
    expect((await manager.get(`/api/contacts?segment_id=${segment_id}`)).data['total']).toBe(0)
    expect((await manager.get(`${PATH}/${segment_id}/contacts`)).status).toBe(404)
    const refused: [path: string, answer: Answer<unknown>][] = [
      ['body.segment_id', await manager.post('/api/export', { table: 'contacts', segment_id })],
      [
        'body.segment_id',
        await manager.post('/api/contacts/bulk', {
          segment_id,
          action: 'add_tags',
          value: [tag['name']],
        }),
      ],
      [
        'body.audience.segment_id',
        await manager.post('/api/campaigns', {
          name: 'To a secret',
          account_id: world.tenant.accountId,
          template_id,
          audience: { segment_id },
        }),
      ],
    ]
    for (const [path, answer] of refused)
      expect([answer.status, problems(answer)]).toEqual([400, [path]])
  })

  test('that become private again must not take a name of their creator', async () => {
    const manager = await world.as('manager')
    const filter = where('tags', 'exists')
    const shared = await manager.post(PATH, { name: 'Twice', filter, shared: true })
    expect((await manager.post(PATH, { name: 'Twice', filter })).status).toBe(201)
    const path = `${PATH}/${String(shared.data['id'])}`
    const refused = await admin.put(path, { shared: false })
    expect([...verdict(refused), refused.body.details]).toEqual([409, 'name_taken', undefined]) // the other one is not the admin's to know
    expect((await admin.put(path, { shared: false, name: 'Once' })).status).toBe(200)
    expect((await manager.get(path)).data).toMatchObject({ name: 'Once', shared: false })
    expect((await admin.get(path)).status).toBe(404)
  })
})
