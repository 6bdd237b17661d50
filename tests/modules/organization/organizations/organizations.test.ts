import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { timeSortedIds } from '../../../../src/lib/ids'
import { slugStem } from '../../../../src/lib/slug'
import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

let world: World

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

const namesOf = async (client: Client, query = ''): Promise<unknown[]> =>
  ((await client.get(`/api/organizations${query}`)).data['organizations'] as Loose[]).map(
    ({ name }) => name,
  )

const refusal = (answer: {
  status: number
  body: { code?: string }
}): [number, string | undefined] => [answer.status, answer.body.code]

describe('the list of organizations', () => {
  test('has exactly the specified fields', async () => {
    const { data } = await (await world.as('admin')).get('/api/organizations')
    expect(data).toEqual({
      organizations: [
        {
          id: world.tenant.id,
          name: 'Acme',
          slug: expect.stringMatching(/^acme-[a-z0-9]{8}$/),
          created_at: '2026-11-21T09:30:00.000Z',
        },
      ],
    })
  })

  test('shows a super admin all organizations by name, in pages on request', async () => {
    const superAdmin = await world.as('super')
    expect(await namesOf(superAdmin)).toEqual(['Acme', 'Bolt'])
    expect((await superAdmin.get('/api/organizations?page=2&limit=1')).data).toMatchObject({
      organizations: [{ name: 'Bolt' }],
      total: 2,
      page: 2,
      limit: 1,
    })
    expect((await superAdmin.get('/api/organizations?limit=1')).data).toMatchObject({
      organizations: [{ name: 'Acme' }],
      total: 2,
      page: 1,
    })
    expect(await namesOf(superAdmin, '?search=OL')).toEqual(['Bolt'])
    expect(await namesOf(superAdmin, '?search=%25')).toEqual([])
  })

  test('shows other people their organizations while they belong to them', async () => {
    const manager = await world.as('manager')
    expect(await namesOf(manager)).toEqual(['Acme'])
    const { sqlite } = world.program.http.db
    changeRows(
      sqlite,
      `insert into memberships (organization_id, id, user_id, role_id, created_at_ms, updated_at_ms) values (?, '01900000-0000-7000-8000-aaaaaaaaaaaa', ?, ?, 0, 0)`,
      [world.other.id, world.tenant.userIds.manager, world.other.roleIds.agent],
    )
    expect(await namesOf(manager)).toEqual(['Acme', 'Bolt'])
    expect(await namesOf(manager, '?search=bolt&page=1')).toEqual(['Bolt'])
    changeRows(
      sqlite,
      'update memberships set is_active = 0 where organization_id = ? and user_id = ?',
      [world.other.id, world.tenant.userIds.manager],
    )
    expect(await namesOf(manager)).toEqual(['Acme'])
  })

  test('requires organizations:read, which agents do not have', async () => {
    expect(refusal(await (await world.as('agent')).get('/api/organizations'))).toEqual([
      403,
      'permission_denied',
    ])
    const reader = await personWith(world, ['organizations:read'])
    expect(await namesOf(reader.client)).toEqual(['Acme'])
  })
})

describe('a new organization', () => {
  test('has its system roles and its creator as admin, who stays in the current organization', async () => {
    const agent = await world.as('agent')
    const answer = await agent.post('/api/organizations', { name: '  Čeština & Co. ' })
    expect(answer.status).toBe(201)
    expect(answer.data).toEqual({
      id: expect.any(String),
      name: 'Čeština & Co.',
      slug: expect.stringMatching(/^cestina-co-[a-z0-9]{8}$/),
      created_at: expect.stringMatching(/Z$/),
    })
    expect((await agent.get('/api/organizations/current')).data['id']).toBe(world.tenant.id)
    const there = (await world.as('super')).with({ 'x-organization-id': String(answer.data['id']) })
    const roles = (await there.get('/api/roles')).data['items'] as Loose[]
    expect(roles.map(({ name, is_default, user_count }) => [name, is_default, user_count])).toEqual(
      [
        ['admin', false, 1],
        ['agent', true, 0],
        ['manager', false, 0],
      ],
    )
    expect(
      world.rows(
        'select user_id, is_default from memberships where organization_id = ?',
        String(answer.data['id']),
      ),
    ).toEqual([{ user_id: world.tenant.userIds.agent, is_default: 0 }])
    expect((await there.get('/api/organizations/settings')).data).toEqual({
      name: 'Čeština & Co.',
      settings: {
        mask_phone_numbers: false,
        timezone: 'UTC',
        date_format: 'YYYY-MM-DD',
        registration_policy: 'open',
        default_country: null,
        message_activity_sharing: false,
        creative_opt_out: false,
        template_max_price: false,
        push_shows_content: false,
        new_conversations: 'general',
        spend: null,
        language: null,
      },
      updated_at: expect.any(String),
    })
    const entries = world.rows(
      "select action, user_id from audit_logs where organization_id = ? and resource_type = 'organization'",
      String(answer.data['id']),
    )
    expect(entries).toEqual([{ action: 'created', user_id: world.tenant.userIds.agent }])
  })

  test('becomes the default of a creator without memberships', async () => {
    const superAdmin = await world.as('super')
    const { data } = await superAdmin.post('/api/organizations', { name: 'Mine' })
    expect(
      world.rows(
        'select is_default from memberships where organization_id = ?',
        String(data['id']),
      ),
    ).toEqual([{ is_default: 1 }])
    const second = (await superAdmin.post('/api/organizations', { name: 'Mine' })).data
    expect(
      world.rows(
        'select is_default from memberships where organization_id = ?',
        String(second['id']),
      ),
    ).toEqual([{ is_default: 0 }])
    expect(second['slug']).not.toBe(data['slug'])
  })

  test('keeps its slug when it is renamed', async () => {
    const admin = await world.as('admin', world.other)
    const before = (await admin.get('/api/organizations/current')).data
    await admin.put('/api/organizations/settings', { name: 'Bolt Brothers' })
    expect((await admin.get('/api/organizations/current')).data).toEqual({
      ...before,
      name: 'Bolt Brothers',
    })
    await admin.put('/api/organizations/settings', { name: 'Bolt' })
  })

  for (const [what, body] of [
    ['no name', {}],
    ['a blank name', { name: ' \t' }],
    ['a long name', { name: 'x'.repeat(256) }],
    ['a number', { name: 1 }],
  ] as const)
    test(`with ${what} is 400`, async () => {
      const answer = await (await world.as('agent')).post('/api/organizations', body)
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'body.name'])
    })
})

describe('a person', () => {
  test('founds at most three organizations within 24 hours, also across restarts', async () => {
    await using own = await World.create({ isConnected: false, env: { ORG_CREATION: 'anyone' } })
    const agent = await own.as('agent')
    const found = async (client: Client) => {
      const { status, body, headers } = await client.post('/api/organizations', { name: 'Next' })
      return [status, body.code, headers.get('retry-after')]
    }
    for (let nth = 0; nth < 3; nth += 1) expect((await found(agent))[0]).toBe(201)
    own.clock.advance({ minutes: 30 })
    own.program.http.throttle.prune()
    const day = 24 * 60 * 60
    expect(await found(agent)).toEqual([429, 'rate_limited', String(day - 30 * 60)])
    expect(own.rows("select 1 from organizations where name = 'Next'")).toHaveLength(3)
    expect((await found(await own.as('manager')))[0]).toBe(201)
    const operator = await own.as('super')
    for (let nth = 0; nth < 4; nth += 1) expect((await found(operator))[0]).toBe(201)
    own.clock.advance({ hours: 23, minutes: 30 })
    expect((await found(await own.as('agent')))[0]).toBe(201)
  })
})

describe('the right to create organizations', () => {
  const cases: [setting: string, may: Record<string, number>, code: string][] = [
    ['anyone', { agent: 201, manager: 201, admin: 201, super: 201 }, ''],
    ['permission', { agent: 403, manager: 403, admin: 201, super: 201 }, 'permission_denied'],
    ['super_admin', { agent: 403, manager: 403, admin: 403, super: 201 }, 'super_admin_required'],
  ]
  for (const [setting, may, code] of cases)
    test(`follows ORG_CREATION=${setting}, whatever the body`, async () => {
      await using own = await World.create({ isConnected: false, env: { ORG_CREATION: setting } })
      for (const [person, status] of Object.entries(may)) {
        const client = await own.as(person as 'agent')
        const answer = await client.post('/api/organizations', { name: 'New' })
        expect([person, ...refusal(answer)]).toEqual([
          person,
          status,
          status === 403 ? code : undefined,
        ])
        if (status === 403)
          expect(refusal(await client.post('/api/organizations', '{'))).toEqual([403, code])
      }
    })
})

describe('the slug of a name', () => {
  const vectors: [name: string, stem: string][] = [
    ['Acme Corp', 'acme-corp'],
    ['  A!! b', 'a-b'],
    [`${'x'.repeat(79)} yz`, 'x'.repeat(79)],
    ['日本', 'org'],
    ['Čeština & Co.', 'cestina-co'],
    ['Straße', 'stra-e'],
  ]
  for (const [name, stem] of vectors)
    test(`"${name.slice(0, 20)}" begins with ${stem.slice(0, 20)}`, async () => {
      expect(slugStem(name)).toBe(stem)
      const { data } = await (await world.as('super')).post('/api/organizations', { name })
      expect(data['slug']).toMatch(new RegExp(`^${stem}-[a-z0-9]{8}$`))
    })

  test('is generated again while an organization has it, and the ID is a random UUID', async () => {
    await using own = await World.create({ isConnected: false, tenants: 1 })
    own.stays('the memory of a process')
    const { http } = own.program
    const drawn = ['aaaaaaaa', 'aaaaaaaa', 'aaaaaaaa', 'bbbbbbbb', 'aaaaaaaa']
    http.ids = {
      ...http.ids,
      random: () => timeSortedIds(http.clock).random(),
      suffix: () => drawn.shift() ?? 'none left',
    }
    const agent = await own.as('agent')
    const slugs: unknown[] = []
    const ids: unknown[] = []
    for (const name of ['Twin', 'twin', 'Other']) {
      const { data } = await agent.post('/api/organizations', { name })
      slugs.push(data['slug'])
      ids.push(data['id'])
    }
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(3)
    expect(slugs).toEqual(['twin-aaaaaaaa', 'twin-bbbbbbbb', 'other-aaaaaaaa'])
  })
})
