import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { freshEmail } from '../../../support/newcomers'
import { TestSocket } from '../../../support/socket'
import { PASSWORD, World } from '../../../support/world'

/** A stranger who knows nothing but the ID of the organization, and customers who wait. */
let world: World
let admin: Client
let contactId: string

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  contactId = String((await world.contactOf())['id'])
  await admin.post('/api/chatbot/transfers', { contact_id: contactId })
  await world.settle()
})
afterAll(() => world.stop())

async function join(more: Loose = {}): Promise<{ client: Client; id: string; email: string }> {
  const email = freshEmail()
  const { status, data } = await world.anyone.post('/api/auth/register', {
    ...{ email, password: PASSWORD, full_name: 'A Stranger', organization_id: world.tenant.id },
    ...more,
  })
  expect(status).toBe(201)
  const client = world.anyone.with({ authorization: `Bearer ${data['access_token']}` })
  return { client, id: String((data['user'] as Loose)['id']), email }
}

const READS = [
  ...['/api/contacts', '/api/conversations', '/api/conversations/counts', '/api/chatbot/transfers'],
  ...['/api/messages/search?q=hello', '/api/users', '/api/analytics/dashboard'],
]

test('who joined with the ID alone sees no customer until an admin confirms the person', async () => {
  using _stay = world.stays('sign-ins')
  const { client, id, email } = await join()
  const me = (await client.get('/api/me')).data
  expect(me).toMatchObject({ role: { name: 'agent' }, is_confirmed: false })
  for (const path of READS) expect([path, (await client.get(path)).status]).toEqual([path, 403])
  expect((await client.get(`/api/contacts/${contactId}`)).status).toBe(403)
  expect((await client.post('/api/chatbot/transfers/pickup', {})).status).toBe(403)
  expect((await client.get('/api/canned-responses')).status).toBe(200)

  const told = (await admin.get('/api/me/notifications')).data['items'] as Loose[]
  expect(told[0]).toMatchObject({ kind: 'member_registered', link: '/settings/people' })
  expect(told[0]?.['body']).toContain(email)

  const refused = await client.put(`/api/users/${id}`, { is_confirmed: true })
  expect(refused.status).toBe(403)
  expect((await admin.put(`/api/users/${id}`, { is_confirmed: false })).status).toBe(400)
  const confirmed = await admin.put(`/api/users/${id}`, { is_confirmed: true })
  expect(confirmed.data).toMatchObject({ id, is_confirmed: true })
  expect((await client.get('/api/me')).data).toMatchObject({ is_confirmed: true })
  expect((await client.get('/api/contacts')).data).toMatchObject({ total: 1 }) // in the queue
  const entries = (await admin.get(`/api/audit-logs?resource_id=${id}`)).data['items'] as Loose[]
  expect(entries.map(({ action }) => action)).toContain('confirmed')
})

test('a socket that is open learns of the confirmation, and of no customer before', async () => {
  using _stay = world.stays('the memory of a process')
  const { client, id } = await join()
  const address = `${world.url.replace('http', 'ws')}/ws?token=${client.token}`
  const socket = await TestSocket.open(address)
  await world.contactOf(world.tenant, 'Is anybody there?', '4915999000123')
  expect(socket.frames.filter(({ type }) => /message|conversation|contact/.test(type))).toEqual([])
  await admin.put(`/api/users/${id}`, { is_confirmed: true })
  await world.settle()
  await socket.until('the confirmation', () =>
    socket.frames.some(({ type }) => type === 'permissions:updated'),
  )
  await socket.close()
})

test('who came by invitation is confirmed, and nobody is told', async () => {
  const before = (await admin.get('/api/me/notifications?unread=true')).data['total']
  const { token } = (await admin.post('/api/organizations/invitations', {})).data
  const { client } = await join({ invitation_token: token })
  expect((await client.get('/api/me')).data).toMatchObject({ is_confirmed: true })
  expect((await admin.get('/api/me/notifications?unread=true')).data['total']).toEqual(before)
})

test('transfers are not given to a person whom nobody confirmed', async () => {
  using _stay = world.stays('sign-ins')
  const { id } = await join()
  const team = (
    await admin.post('/api/teams', { name: 'Sales', assignment_strategy: 'round_robin' })
  ).data['team'] as Loose
  expect((await admin.post(`/api/teams/${team['id']}/members`, { user_id: id })).status).toBe(201)
  const contact = await world.contactOf(world.tenant, 'Hello', '4915999000124')
  await admin.post('/api/chatbot/transfers', { contact_id: contact['id'], team_id: team['id'] })
  await world.settle()
  expect(world.rows('select 1 from transfers where agent_id = ?', id)).toEqual([])
})
