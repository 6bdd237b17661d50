import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { writeEntry } from '../../../support/audit'
import type { Client, Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let admin: Client
let manager: Loose
let sinceText: string

const facets = async (query = '', client = admin): Promise<Record<string, Loose[]>> =>
  (await client.get(`/api/audit-logs/facets?from=${sinceText}${query}`)).data as Record<
    string,
    Loose[]
  >

const linesOf = async (client: Client, query = ''): Promise<string[]> => {
  const file = await fetchRaw(client, `/api/audit-logs?format=csv&from=${sinceText}${query}`)
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  return (await file.text()).trimEnd().split('\r\n')
}

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  const worker = await world.as('manager')
  manager = (await worker.get('/api/me')).data
  const key = await keyOf(world, { name: 'Shop' })
  world.clock.advance({ seconds: 1 })
  sinceText = encodeURIComponent(new Date(world.clock.nowMs()).toISOString())
  const tags = ['One', 'Two', '=3+4'].map((name) => ({ name, color: 'blue' }))
  for (const tag of tags) await worker.post('/api/tags', tag)
  await key.client.post('/api/tags', { name: 'Four', color: 'red' })
  const { data } = await worker.post('/api/contacts', { phone_number: '+15550107788', name: 'Ann' })
  await worker.put(`/api/contacts/${String(data['id'])}`, { name: 'Anna' })
})

afterAll(() => world.stop())

describe('what the log can be filtered by', () => {
  test('is counted by user, key, action and kind of resource', async () => {
    expect(await facets()).toEqual({
      users: [
        { id: manager['id'], name: manager['full_name'], count: 5 },
        { id: expect.any(String), name: 'Acme admin', count: 1 },
      ],
      api_keys: [{ id: expect.any(String), name: 'Shop', count: 1 }],
      actions: [
        { action: 'created', count: 5 },
        { action: 'updated', count: 1 },
      ],
      resource_types: [
        { resource_type: 'tag', count: 4 },
        { resource_type: 'contact', count: 2 },
      ],
    })
  })

  test('is narrowed by the other filters, but not by its own', async () => {
    const { actions, resource_types: types } = await facets('&action=updated&resource_type=contact')
    expect(actions).toEqual([
      { action: 'created', count: 1 },
      { action: 'updated', count: 1 },
    ])
    expect(types).toEqual([{ resource_type: 'contact', count: 1 }])
    expect((await facets('&search=four'))['resource_types']).toEqual([
      { resource_type: 'tag', count: 1 },
    ])
    expect((await admin.get('/api/audit-logs/facets?from=yesterday')).status).toBe(400)
  })

  test('is nothing of another organization, and for who may read the log', async () => {
    const elsewhere = await facets('', await world.as('admin', world.other))
    expect(JSON.stringify(elsewhere)).not.toContain(String(manager['id']))
    expect((await (await world.as('manager')).get('/api/audit-logs/facets')).status).toBe(403)
  })
})

describe('the log as a file', () => {
  test('has all matching entries, newest first, and no formula', async () => {
    const [head, ...lines] = await linesOf(admin, '&resource_type=tag')
    expect(head).toBe(
      'id,organization_id,actor_type,user_id,user_name,api_key_id,action,resource_type,resource_id,resource_name,changes,ip_address,user_agent,request_id,created_at',
    )
    const { items } = (
      await admin.get(`/api/audit-logs?from=${sinceText}&resource_type=tag&limit=100`)
    ).data as { items: Loose[] }
    expect(lines.map((line) => line.split(',')[0])).toEqual(items.map(({ id }) => String(id)))
    expect(lines.filter((line) => line.includes(",'=3+4,"))).toHaveLength(1)
  })

  test('is read in parts, and masks numbers as the list does', async () => {
    for (let nth = 0; nth < 520; nth += 1)
      writeEntry(world.program.http.db, {
        ...{ organizationId: world.tenant.id, id: world.program.http.ids.next() },
        ...{ actorType: 'user', action: 'created', resourceType: 'role' },
        ...{ resourceName: `+1555020${nth + 1_000}`, words: '', createdAtMs: world.clock.nowMs() },
      })
    const reader = await personWith(world, ['audit_logs:read'])
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const lines = await linesOf(reader.client, '&resource_type=role')
    expect(lines).toHaveLength(521)
    const masked = lines.join('\n')
    expect(masked).toContain('1000')
    expect(masked).not.toContain('15550201000')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    expect((await linesOf(admin, '&resource_type=role')).join('\n')).toContain('15550201000')
  })

  test('needs the permission', async () => {
    const denied = await fetchRaw(await world.as('agent'), '/api/audit-logs?format=csv')
    expect(denied.status).toBe(403)
  })
})
