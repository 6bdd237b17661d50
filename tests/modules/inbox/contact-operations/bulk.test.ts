import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

let world: World
let manager: Client
let count = 0

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  await (
    await world.as('admin')
  ).post('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'text' })
})

afterAll(() => world.stop())

const contacts = async (many: number, body: Loose = {}): Promise<string[]> =>
  Promise.all(
    Array.from(
      { length: many },
      async () =>
        (
          await manager.post('/api/contacts', {
            phone_number: `1555050${String(count++).padStart(4, '0')}`,
            ...body,
          })
        ).data['id'] as string,
    ),
  )

const shown = async (id: string): Promise<Loose> => (await manager.get(`/api/contacts/${id}`)).data

const bulk = async (body: Loose, by: Client = manager) => {
  const answer = await by.post('/api/contacts/bulk', body)
  await world.settle()
  return answer
}

/** Creates a custom field and returns its ID. */
const field = async (key: string): Promise<string> =>
  String(
    (
      await (
        await world.as('admin')
      ).post('/api/contact-attributes', { key, label: key, type: 'text' })
    ).data['id'],
  )

/**
 * Requests a bulk change of a segment of contacts without a value in a custom field. Returns the
 * segment's path too.
 */
async function segmentOf(key: string): Promise<{ request: Loose; goes: string }> {
  const filter = { field: `attributes.${key}`, op: 'exists', value: false }
  const { id } = (
    await (await world.as('admin')).post('/api/segments', { name: `Without ${key}`, filter })
  ).data
  return {
    request: { segment_id: id, action: 'add_tags', value: ['Never at all'] },
    goes: `/api/segments/${id}`,
  }
}

describe('bulk changes', () => {
  test('run as a job and publish one event', async () => {
    const ids = await contacts(3)
    const socket = await world.socket('agent')
    const answer = await bulk({
      contact_ids: ids,
      action: 'add_tags',
      value: ['Bulk one', 'Bulk two'],
    })
    expect([answer.status, answer.data]).toMatchObject([
      201,
      { kind: 'contact.bulk', organization_id: world.tenant.id },
    ])
    expect(
      (await (await world.as('admin')).get(`/api/jobs/${answer.data['id']}`)).data['state'],
    ).toBe('completed')
    for (const id of ids)
      expect(((await shown(id))['tags'] as Loose[]).map(({ name }) => name as unknown)).toEqual([
        'Bulk one',
        'Bulk two',
      ])
    expect((await socket.caughtUp()).map(({ type, payload }) => [type, payload])).toEqual([
      [
        'contact:bulk',
        { reason: 'bulk_update', job_id: answer.data['id'], created: 0, updated: 3, deleted: 0 },
      ],
    ])
    expect((await manager.get('/api/tags?search=bulk one')).data['items']).toMatchObject([
      { contact_count: 3 },
    ])
    // A contact that would exceed fifty tags stays unchanged and is not counted.
    const full = Array.from({ length: 49 }, (_, nth) => `Full ${nth}`)
    await manager.put(`/api/contacts/${ids[0]}/tags`, { tags: full })
    await bulk({ contact_ids: ids, action: 'add_tags', value: ['Bulk one', 'Bulk two'] })
    expect(((await shown(ids[0] ?? ''))['tags'] as Loose[]).length).toBe(49)
    expect((await socket.caughtUp()).at(-1)?.payload).toMatchObject({
      reason: 'bulk_update',
      updated: 2,
    })
    await bulk({ contact_ids: ids, action: 'add_tags', value: ['Bulk one'] })
    expect(((await shown(ids[0] ?? ''))['tags'] as Loose[]).length).toBe(50)
  })

  test('remove tags, assign, set a custom field and opt out', async () => {
    const ids = await contacts(2, { tags: ['Going', 'Staying'] })
    await bulk({ contact_ids: ids, action: 'remove_tags', value: ['going'] })
    await bulk({ contact_ids: ids, action: 'assign', value: world.tenant.userIds.agent })
    await bulk({ contact_ids: ids, action: 'set_attribute', value: { key: 'plan', value: 'gold' } })
    await bulk({ contact_ids: ids, action: 'opt_out', value: 'by letter' })
    for (const id of ids) {
      expect(await shown(id)).toMatchObject({
        tags: [{ name: 'Staying' }],
        assigned_to: world.tenant.userIds.agent,
        attributes: { plan: 'gold' },
        marketing_consent: 'opted_out',
      })
      expect((await manager.get(`/api/contacts/${id}/consents`)).data['items']).toMatchObject([
        { evidence: 'by letter', source: 'agent' },
      ])
    }
    await bulk({ contact_ids: ids, action: 'assign', value: null })
    await bulk({ contact_ids: ids, action: 'set_attribute', value: { key: 'plan', value: null } })
    for (const id of ids)
      expect(await shown(id)).toMatchObject({ assigned_to: null, attributes: {} })
  })

  test('delete contacts', async () => {
    const ids = await contacts(2)
    const socket = await world.socket('manager')
    await bulk({ contact_ids: ids, action: 'delete' })
    for (const id of ids) expect((await manager.get(`/api/contacts/${id}`)).status).toBe(404)
    expect(
      (await socket.caughtUp()).map(
        ({ type, payload }) => [type, payload['reason'] ?? payload['state']] as unknown,
      ),
    ).toEqual([
      ['work:progress', 'running'],
      ['work:progress', 'completed'],
      ['contact:bulk', 'bulk_delete'],
    ])
    expect((await socket.caughtUp()).at(-1)?.payload['deleted']).toBe(2)
  })

  test('process a segment larger than one transaction', async () => {
    const ids = await contacts(120, { tags: ['Segmented'] })
    const filter = { field: 'tags', op: 'in', value: ['Segmented'] }
    const segment = (await manager.post('/api/segments', { name: 'Segmented', filter })).data
    const answer = await bulk({
      segment_id: segment['id'],
      action: 'set_attribute',
      value: { key: 'plan', value: 'segment' },
    })
    expect(answer.status).toBe(201)
    const plans = world.rows<{ rows: number }>(
      `select count(*) as rows from contacts where json_extract(attributes, '$.plan') = 'segment'`,
    )
    expect(plans).toEqual([{ rows: ids.length }])
  })
})

describe('visibility in bulk changes', () => {
  test('is checked at the request and again when the job runs', async () => {
    const limited = await personWith(world, ['contacts:read', 'contacts:update', 'tags:create'])
    const [mine, lost, foreign] = (await contacts(3)) as [string, string, string]
    for (const id of [mine, lost])
      await manager.put(`/api/contacts/${id}/assign`, { user_id: limited.userId })
    const elsewhere = (
      await (
        await world.as('manager', world.other)
      ).post('/api/contacts', { phone_number: '15550600001' })
    ).data['id'] as string
    const answer = await limited.client.post('/api/contacts/bulk', {
      contact_ids: [mine, lost, foreign, elsewhere, NOBODY],
      action: 'add_tags',
      value: ['Cut'],
    })
    expect(answer.status).toBe(201)
    await manager.put(`/api/contacts/${lost}/assign`, { user_id: null })
    await world.settle()
    const tagged = await Promise.all(
      [mine, lost, foreign].map(async (id) => ((await shown(id))['tags'] as Loose[]).length),
    )
    expect(tagged).toEqual([1, 0, 0])
  })

  test('stops the job if the caller has lost the permission', async () => {
    const person = await personWith(world, [
      'contacts:read',
      'contacts:read_all',
      'contacts:update',
      'tags:create',
    ])
    const [id] = (await contacts(1)) as [string]
    const { data } = await person.client.post('/api/contacts/bulk', {
      contact_ids: [id],
      action: 'add_tags',
      value: ['Never'],
    })
    person.may('contacts:read')
    await world.settle()
    expect((await shown(id))['tags']).toEqual([])
    expect((await (await world.as('admin')).get(`/api/jobs/${data['id']}`)).data).toMatchObject({
      state: 'discarded',
      last_error: 'permission_denied',
    })
  })

  test.each<
    [
      what: string,
      prepare: (id: string) => Promise<{ request: Loose; goes: string }>,
      error: string,
    ]
  >([
    [
      'the field of a value',
      async (id) => ({
        request: {
          contact_ids: [id],
          action: 'set_attribute',
          value: { key: 'short', value: 'x' },
        },
        goes: `/api/contact-attributes/${await field('short')}`,
      }),
      'invalid_value',
    ],
    [
      'the member they are for',
      async (id) => {
        const { userId } = await personWith(world, ['contacts:read'])
        return {
          request: { contact_ids: [id], action: 'assign', value: userId },
          goes: `/api/organizations/members/${userId}`,
        }
      },
      'not_a_member',
    ],
    ['the segment', () => segmentOf('plan'), 'segment_gone'],
    [
      'a field the segment asks for',
      async () => {
        const goes = `/api/contact-attributes/${await field('lost')}`
        return { request: (await segmentOf('lost')).request, goes }
      },
      'segment_invalid',
    ],
  ])('and nothing happens when %s has gone', async (_what, prepare, error) => {
    const admin = await world.as('admin')
    const [id] = (await contacts(1)) as [string]
    const { request, goes } = await prepare(id)
    const { data } = await admin.post('/api/contacts/bulk', request)
    expect((await admin.delete(goes)).status).toBe(200)
    await world.settle()
    expect((await admin.get(`/api/jobs/${data['id']}`)).data).toMatchObject({
      state: 'discarded',
      last_error: error,
    })
    expect(await shown(id)).toMatchObject({ attributes: {}, assigned_to: null, tags: [] })
  })

  test('skips tags that were deleted after the request', async () => {
    const admin = await world.as('admin')
    const [id] = (await contacts(1)) as [string]
    const { data } = await admin.post('/api/contacts/bulk', {
      contact_ids: [id],
      action: 'add_tags',
      value: ['Lasting', 'Fleeting'],
    })
    const tag = (
      (await admin.get('/api/tags?search=fleeting')).data['items'] as Loose[]
    )[0] as Loose
    await admin.delete(`/api/tags/${tag['id']}`)
    await world.settle()
    expect((await admin.get(`/api/jobs/${data['id']}`)).data['state']).toBe('completed')
    expect((await shown(id))['tags']).toMatchObject([{ name: 'Lasting' }])
  })

  test.each([
    ['delete', 'contacts:delete', undefined],
    ['assign', 'transfers:assign', null],
  ])('%s needs %s', async (action, permission, value) => {
    const person = await personWith(world, [
      'contacts:read',
      'contacts:read_all',
      'contacts:update',
    ])
    const [id] = await contacts(1)
    const refused = await person.client.post('/api/contacts/bulk', {
      contact_ids: [id],
      action,
      value,
    })
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    expect(refused.body.message).toContain(permission)
    person.may('contacts:read', 'contacts:read_all', 'contacts:update', permission)
    expect(
      (await person.client.post('/api/contacts/bulk', { contact_ids: [id], action, value })).status,
    ).toBe(201)
    await world.settle()
  })
})

describe('bulk changes are rejected', () => {
  test.each<[what: string, body: Loose, path: string]>([
    ['without a selection', { contact_ids: undefined }, 'body.contact_ids'],
    ['with two selections', { segment_id: NOBODY }, 'body.contact_ids'],
    [
      'with a segment that is none',
      { contact_ids: undefined, segment_id: NOBODY },
      'body.segment_id',
    ],
    [
      'for 1001 contacts',
      { contact_ids: Array.from({ length: 1001 }, () => NOBODY) },
      'body.contact_ids',
    ],
    ['for no contact', { contact_ids: [] }, 'body.contact_ids'],
    ['with an action that is none', { action: 'praise' }, 'body.action'],
    ['with tags that are none', { value: 'VIP' }, 'body.value'],
    ['with no tags', { value: [] }, 'body.value'],
    ['with an unknown tag id', { value: [NOBODY] }, 'body.value.0'],
    ['to nobody known', { action: 'assign', value: NOBODY }, 'body.value'],
    ['to no person', { action: 'assign', value: 7 }, 'body.value'],
    [
      'with a field that is none',
      { action: 'set_attribute', value: { key: 'nothing', value: 1 } },
      'body.value',
    ],
    [
      'with a value of another type',
      { action: 'set_attribute', value: { key: 'plan', value: 1 } },
      'body.value',
    ],
    ['with no field', { action: 'set_attribute', value: 'gold' }, 'body.value'],
    ['with evidence that is no text', { action: 'opt_out', value: 1 }, 'body.value'],
  ])('%s', async (_, body, path) => {
    const answer = await manager.post('/api/contacts/bulk', {
      contact_ids: [NOBODY],
      action: 'add_tags',
      value: ['x'],
      ...body,
    })
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  })

  test('above ten requests a minute', async () => {
    await using own = await World.create({ isConnected: false, env: { RATE_BULK: '2' } })
    const boss = await own.as('manager')
    const body = { contact_ids: [NOBODY], action: 'delete' }
    const statuses = [
      await boss.post('/api/contacts/bulk', body),
      await boss.post('/api/contacts/bulk', body),
      await boss.post('/api/contacts/bulk', body),
    ].map(({ status }) => status)
    expect(statuses).toEqual([201, 201, 429])
  })
})
