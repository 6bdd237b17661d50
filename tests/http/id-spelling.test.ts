import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../support/client'
import { newcomer, newRole, type Newcomer } from '../support/newcomers'
import { claimsOf } from '../support/tokens'
import { PASSWORD, World } from '../support/world'

let world: World
let admin: Client
/** Somebody with a role of its own. */
let person: Newcomer
let role: string
let contact: string
/** An organization of the person. */
let place: string

beforeAll(async () => {
  world = await World.create()
  const { ids } = world.program.http
  while (!ids.next().endsWith('aa00')); // from here on ids have letters
  admin = await world.as('admin')
  role = await newRole(world, ['contacts:read', 'messages:read'])
  person = await newcomer(world, { roleId: role })
  contact = String((await world.contactOf())['id'])
  await admin.put(`/api/contacts/${contact}/assign`, { user_id: person.id })
  place = String((await person.client.post('/api/organizations', { name: 'Place' })).data['id'])
})

afterAll(() => world.stop())

const upper = (id: string): string => {
  expect(id.toUpperCase()).not.toBe(id)
  return id.toUpperCase()
}
const idsOf = (data: Loose): string[] => (data['items'] as Loose[]).map(({ id }) => id as string)

describe('an ID in upper case', () => {
  test('is accepted in a path', async () => {
    const path = `/api/users/${upper(person.id)}`
    expect((await admin.get(path)).data['id']).toBe(person.id)
    expect((await person.client.get(path)).data['id']).toBe(person.id)
    expect((await person.client.put(`${path}/availability`, { is_available: true })).status).toBe(
      200,
    )
    const boss = await newcomer(world, { role: 'admin' })
    expect(
      (await boss.client.put(`/api/users/${upper(boss.id)}`, { is_active: false })).body.code,
    ).toBe('own_record')
    expect(
      (await admin.get(`/api/contacts/${upper(contact)}/messages`)).data['items'],
    ).toHaveLength(1)
  })

  test('is accepted in a query, alone and in a list', async () => {
    const tag = String((await admin.post('/api/tags', { name: 'Capital' })).data['id'])
    const change = { action: 'add_tags', contact_ids: [upper(contact)], value: [upper(tag)] }
    expect((await admin.post('/api/contacts/bulk', change)).status).toBe(201)
    await world.settle()
    const queries = [`tags=${upper(tag)},other`, `assigned_to=${upper(person.id)}`]
    for (const query of queries)
      expect([query, idsOf((await admin.get(`/api/contacts?${query}`)).data)]).toEqual([
        query,
        [contact],
      ])
    expect(idsOf((await admin.get(`/api/conversations?${queries.join('&')}`)).data)).toHaveLength(1)
    expect(idsOf((await admin.get(`/api/users?role_id=${upper(role)}`)).data)).toEqual([person.id])
  })

  test('is accepted in a body, and stored and returned in lower case', async () => {
    const { data } = await person.client.post('/api/auth/switch-org', {
      organization_id: upper(place),
    })
    expect([data['user']['organization_id'], claimsOf(data['access_token'] as string).org]).toEqual(
      [place, place],
    )
    const there = person.client.with({ authorization: `Bearer ${data['access_token']}` })
    expect((await there.get('/api/me')).data['organization_id']).toBe(place)
    expect(
      world.rows("select resource_id from audit_logs where action = 'switched_organization'"),
    ).toEqual([{ resource_id: place }])
    const { status, data: joined } = await world.anyone.post('/api/auth/register', {
      email: 'capital@example.com',
      password: PASSWORD,
      full_name: 'Capital',
      organization_id: upper(place),
    })
    expect([status, joined['user']['organization_id']]).toEqual([201, place])
    expect(
      (await admin.post('/api/organizations/invitations', { role_id: upper(role) })).data[
        'role_id'
      ],
    ).toBe(role)
    const bulk = { action: 'assign', contact_ids: [contact], value: upper(person.id) }
    expect((await admin.post('/api/contacts/bulk', bulk)).status).toBe(201)
    await world.settle()
    expect(world.rows('select assigned_to from contacts where id = ?', contact)).toEqual([
      { assigned_to: person.id },
    ])
  })

  test('is accepted in a filter of contacts', async () => {
    const value = upper(person.id)
    for (const condition of [
      { field: 'assigned_to', op: 'eq', value },
      { field: 'assigned_to', op: 'in', value: [value] },
    ]) {
      const { data } = await admin.post('/api/segments', {
        name: `By ${condition.op}`,
        filter: condition,
      })
      expect(
        idsOf((await admin.get(`/api/contacts?segment_id=${upper(data['id'] as string)}`)).data),
      ).toEqual([contact])
    }
  })

  test('is accepted in X-Organization-ID, for super admins and for the own organization', async () => {
    const root = await world.as('super')
    const there = await root
      .with({ 'x-organization-id': upper(place) })
      .get('/api/organizations/current')
    expect(there.data['id']).toBe(place)
    const { data } = await person.client.post('/api/auth/switch-org', { organization_id: place })
    const own = person.client.with({
      authorization: `Bearer ${data['access_token']}`,
      'x-organization-id': upper(place),
    })
    expect((await own.get('/api/me')).status).toBe(200)
  })

  test('is accepted in an idempotent retry', async () => {
    const keyed = admin.with({ 'idempotency-key': 'capital-note' })
    const first = await keyed.post(`/api/contacts/${contact}/notes`, { content: 'Once' })
    const again = await keyed.post(`/api/contacts/${upper(contact)}/notes`, { content: 'Once' })
    expect([again.status, again.headers.get('idempotent-replay'), again.data['id']]).toEqual([
      201,
      'true',
      first.data['id'],
    ])
  })
})

describe('a text that is not an ID', () => {
  test('stays unchanged in a message', async () => {
    const name = upper(contact)
    const { data } = await admin.post('/api/roles', { name, description: name, permissions: [] })
    expect([data['name'], data['description']]).toEqual([name, name])
  })

  test('is rejected where an ID is required', async () => {
    const answer = await admin.post('/api/auth/switch-org', { organization_id: `${upper(place)}X` })
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ path: 'body.organization_id', message: 'must be a UUID' }],
    ])
  })
})
