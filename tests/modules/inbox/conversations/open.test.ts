import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { Inbox, SEES_OWN } from '../../../support/inbox'

let inbox: Inbox
let path: string
let contactPath: string

beforeAll(async () => {
  inbox = await Inbox.create(1)
  path = await inbox.path(0)
  contactPath = await inbox.contactPath(0)
  await inbox.manager.post(`${contactPath}/notes`, { content: 'Prefers to be called' })
  await inbox.manager.post(`${path}/messages`, { type: 'text', text: 'An answer' })
})
afterAll(() => inbox.world.stop())

const opened = async (include: string, client: Client = inbox.manager): Promise<Loose> =>
  (await client.get(`${path}?include=${include}`)).data

describe('opening a conversation with one request', () => {
  test('returns what the routes of its parts return', async () => {
    const { manager } = inbox
    const all = await opened('messages,contact,notes,members')
    const plain = (await manager.get(path)).data
    expect(Object.keys(plain)).not.toContain('messages')
    const contact = (await manager.get(contactPath)).data
    expect(all).toMatchObject({ ...plain, contact })
    expect(Object.keys(all['contact'] as Loose).toSorted()).toEqual(Object.keys(contact).toSorted())
    const without = { total: null, page: null, total_pages: null }
    const messages = (await manager.get(`${path}/messages`)).data
    expect(all['messages']).toEqual({ ...messages, ...without })
    expect(all['notes']).toEqual((await manager.get(`${contactPath}/notes`)).data)
    expect(all['members']).toEqual((await manager.get('/api/colleagues?limit=100')).data)
  })

  test('returns only what was asked for, and refuses other words', async () => {
    expect(Object.keys(await opened('notes'))).not.toContain('messages')
    for (const include of ['', 'secrets', 'notes,', 'notes;members']) {
      const { status, body } = await inbox.manager.get(`${path}?include=${include}`)
      expect([include, status, body.errors?.[0]?.path]).toEqual([include, 400, 'query.include'])
    }
  })

  test('tells whether there are more than 50 messages', async () => {
    expect((await opened('messages'))['messages']).toMatchObject({ has_more: false, limit: 50 })
    const other = await Inbox.create(1)
    for (let nth = 0; nth < 51; nth += 1) await other.says(0, `Text ${nth}`)
    const { data } = await other.manager.get(`${await other.path(0)}?include=messages`)
    expect((data['messages']['items'] as Loose[]).length).toBe(50)
    expect(data['messages']).toMatchObject({ has_more: true, next_cursor: expect.any(String) })
    await other.world.stop()
  })

  test('is the same for callers who do not see the contact or its number as elsewhere', async () => {
    const agent = await inbox.colleague(...SEES_OWN)
    const hidden = await agent.client.get(`${path}?include=messages,contact`)
    expect([hidden.status, hidden.body.code]).toEqual([404, 'not_found'])
    const foreign = await inbox.world.as('admin', inbox.world.other)
    expect((await foreign.get(`${path}?include=messages`)).status).toBe(404)
    await inbox.manager.put(`${contactPath}/assign`, { user_id: agent.userId })
    await (
      await inbox.world.as('admin')
    ).put('/api/organizations/settings', {
      mask_phone_numbers: true,
    })
    const masked = await opened('contact', agent.client)
    expect(masked['contact']['phone_number']).toMatch(/^\*+\d{4}$/)
    expect(JSON.stringify(masked)).not.toContain('1555')
    await agent.socket.close()
  })

  test('returns colleagues to people only', async () => {
    const admin = await inbox.world.as('admin')
    const { data } = await admin.post('/api/api-keys', {
      name: 'Desk',
      permissions: ['messages:read', 'contacts:read', 'contacts:read_all'],
    })
    const key = inbox.world.anyone.with({ 'x-api-key': String(data['key']) })
    expect(Object.keys(await opened('messages,notes,contact', key))).toContain('notes')
    const refused = await key.get(`${path}?include=members`)
    expect([refused.status, refused.body.code]).toEqual([403, 'session_required'])
  })
})
