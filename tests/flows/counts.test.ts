import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../support/client'
import { World } from '../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

/** Returns the stored counts beside the same counts computed now. */
const counted = () => ({
  conversations: world.rows(
    `select account_id, assigned_to, team_id, state, conversations, unread from conversation_counts where conversations <> 0 or unread <> 0 order by 1, 2, 3, 4`,
  ),
  contacts: world.rows(
    'select organization_id, contacts from contact_counts where contacts <> 0 order by 1',
  ),
  tags: world.rows('select name, contact_count from tags order by 1'),
})
const recounted = () => ({
  conversations: world.rows(
    `select conversations.account_id, coalesce(conversations.assigned_to, zeroblob(16)) as assigned_to, coalesce(conversations.team_id, zeroblob(16)) as team_id, state, count(*) as conversations, sum(conversations.unread_count > 0) as unread
     from conversations join contacts on contacts.id = conversations.contact_id and deleted_at_ms is null group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  ),
  contacts: world.rows(
    'select organization_id, count(*) as contacts from contacts where deleted_at_ms is null group by 1 order by 1',
  ),
  tags: world.rows(
    `select name, (select count(*) from contact_tags join contacts on contacts.id = contact_id and deleted_at_ms is null where tag_id = tags.id) as contact_count from tags order by 1`,
  ),
})

const agreed = (): void => expect(counted()).toEqual(recounted())

const conversationOf = async (contact: Loose): Promise<string> => {
  const { data } = await admin.get('/api/conversations?limit=100')
  return String(
    (data['items'] as { id: string; contact: { id: string } }[]).find(
      (one) => one.contact.id === contact['id'],
    )?.id,
  )
}

test('stored counts equal counted rows after any change of conversations and contacts', async () => {
  const [ana, ben, cas] = [
    await world.contactOf(),
    await world.contactOf(),
    await world.contactOf(),
  ]
  agreed()
  await admin.put(`/api/contacts/${ana['id']}/tags`, { tags: ['vip', 'old'] })
  await admin.put(`/api/contacts/${ben['id']}/tags`, { tags: ['vip'] })
  agreed()
  const conversation = `/api/conversations/${await conversationOf(ana)}`
  const { data: made } = await admin.post('/api/teams', { name: 'Support' })
  const teamId = (made['team'] as Loose)['id']
  await admin.put(`${conversation}/assign`, { team_id: teamId })
  await admin.put(`/api/contacts/${ben['id']}/assign`, { team_id: teamId })
  agreed()
  await admin.delete(`/api/teams/${teamId}`)
  agreed()
  for (const act of [
    () => admin.post(`${conversation}/read`),
    () => admin.post(`${conversation}/unread`),
    () => admin.post(`${conversation}/claim`),
    () => admin.put(conversation, { state: 'closed' }),
    () => admin.put(`/api/contacts/${ben['id']}/assign`, { user_id: world.tenant.userIds.agent }),
    () => admin.post(`${conversation}/release`),
    () => admin.post(`/api/contacts/${ana['id']}/merge`, { source_id: ben['id'] }),
  ]) {
    const { status } = await act()
    expect([200, 201]).toContain(status)
    await world.settle()
    agreed()
  }
  const [merge] = world.rows<{ id: string }>('select id from contact_merges')
  await admin.post(`/api/contacts/merges/${merge?.id}/undo`)
  agreed()
  await admin.delete(`/api/contacts/${cas['id']}`)
  agreed()
  await world.simulator
    .customer({ phone: world.tenant.phoneId, waId: String(cas['wa_id']) })
    .says('Here again')
  await world.settle()
  agreed()
  await admin.delete(`/api/contacts/${ana['id']}?purge=true`)
  await world.settle()
  agreed()
  const { data } = await admin.get('/api/conversations/counts')
  expect(data).toMatchObject({ open: 2, unread: 2 })
  expect((await admin.get('/api/conversations')).data['total']).toBe(2)
  expect((await admin.get('/api/contacts')).data['total']).toBe(2)
})
