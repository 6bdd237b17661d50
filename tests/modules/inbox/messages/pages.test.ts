import { describe, expect, test } from 'bun:test'

import { edit, message, reaction, revoke, type About } from '../../../../src/simulator/payloads'
import type { Client, Loose } from '../../../support/client'
import { deliver, lineOf, personOf, secondsIn, statusTo, textTo } from '../../../support/lines'
import { upload } from '../../../support/files'
import { SAMPLES } from '../../../../src/simulator/sample-files'
import { World } from '../../../support/world'

const ANA = personOf(1, 'Ana')
const ASKED = 'wamid.asked'

/**
 * A conversation in which Ana asks, quotes what she asked and sends a picture, and somebody
 * answers.
 */
async function withConversation() {
  const world = await World.create()
  const about = (more: About = {}): About => ({
    line: lineOf(world.tenant),
    person: ANA,
    timestamp: secondsIn(world),
    ...more,
  })
  await deliver(world, textTo(world, 'Where is it?', about({ id: ASKED })))
  world.clock.advance({ seconds: 1 })
  const quoting = {
    type: 'text',
    text: { body: 'I asked this.' },
    context: { from: lineOf(world.tenant).displayPhoneNumber, id: ASKED },
  }
  await deliver(world, message(quoting, about()))
  const manager = await world.as('manager')
  const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
  const url = `/api/contacts/${contact?.['id']}/messages`
  world.clock.advance({ seconds: 1 })
  const { data: ours } = await manager.post(url, { type: 'text', text: 'On its way.' })
  await world.settle()
  const { data: sent } = await manager.get(`/api/messages/${ours['id']}`)
  const page = async (): Promise<Loose[]> => (await manager.get(url)).data['items'] as Loose[]
  const at = { world, about, manager, url, contact: contact as Loose, sent, page }
  return { ...at, [Symbol.asyncDispose]: () => world.stop() }
}

type Conversation = Awaited<ReturnType<typeof withConversation>>

/** The same messages, each as `GET /api/messages/:id` shows it. */
async function alone(manager: Client, page: Loose[]): Promise<Loose[]> {
  const shown: Loose[] = []
  for (const { id } of page) shown.push((await manager.get(`/api/messages/${id}`)).data)
  return shown
}

const CHANGES: [what: string, change: (at: Conversation) => Promise<unknown>][] = [
  [
    'our message is delivered',
    ({ world, sent }) =>
      deliver(world, statusTo(world, String(sent['wa_message_id']), 'delivered')),
  ],
  [
    'our message is read',
    ({ world, sent }) => deliver(world, statusTo(world, String(sent['wa_message_id']), 'read')),
  ],
  [
    'Ana reacts',
    ({ world, sent, about }) =>
      deliver(world, reaction(String(sent['wa_message_id']), '👍', about())),
  ],
  [
    'Ana changes her reaction',
    async ({ world, sent, about }) => {
      await deliver(world, reaction(String(sent['wa_message_id']), '👍', about()))
      world.clock.advance({ seconds: 2 })
      await deliver(world, reaction(String(sent['wa_message_id']), '🎉', about()))
    },
  ],
  [
    'a member reacts',
    async ({ manager, url, page }) =>
      manager.post(`${url}/${(await page())[0]?.['id']}/reaction`, { emoji: '🙏' }),
  ],
  [
    'the quoted message is edited',
    ({ world, about }) =>
      deliver(world, edit(ASKED, 'Where is my order?', about({ id: 'wamid.edit' }))),
  ],
  [
    'the quoted message is revoked',
    ({ world, about }) => deliver(world, revoke(ASKED, about({ id: 'wamid.revoke' }))),
  ],
  [
    'the contact is marked as read',
    ({ manager, contact }) => manager.post(`/api/contacts/${contact['id']}/mark-read`, {}),
  ],
]

describe('a page of messages', () => {
  test.each(CHANGES)('shows at once that %s', async (_, change) => {
    await using at = await withConversation()
    const before = await at.page()
    expect(await at.page()).toEqual(before)
    expect(await alone(at.manager, before)).toEqual(before)
    await change(at)
    await at.world.settle()
    const after = await at.page()
    expect(after).not.toEqual(before)
    expect(after).toEqual(await alone(at.manager, after))
  })

  test('contains the same messages by contact, conversation and account, with total and cursor', async () => {
    await using at = await withConversation()
    const { manager, url, sent } = at
    for (const path of [
      url,
      `/api/conversations/${sent['conversation_id']}/messages`,
      `${url}?account_id=${sent['account_id']}`,
    ])
      for (const query of ['limit=2', 'limit=2&page=2', 'limit=2&page=9', 'limit=50']) {
        const asked = `${path}${path.includes('?') ? '&' : '?'}${query}`
        const first = await manager.get(asked)
        expect(await manager.get(asked)).toMatchObject({ status: 200, body: first.body })
        const items = first.data['items'] as Loose[]
        expect(items).toEqual(await alone(manager, items))
      }
    expect((await manager.get(`${url}?limit=2`)).data).toMatchObject({
      total: 3,
      page: 1,
      limit: 2,
      total_pages: 2,
      has_more: true,
    })
    const cursor = String((await manager.get(`${url}?limit=2`)).data['next_cursor'])
    expect((await manager.get(`${url}?limit=2&cursor=${cursor}`)).data['items']).toHaveLength(1)
  })

  test('is not found by another organization or by a member who cannot see the contact', async () => {
    await using at = await withConversation()
    await at.page()
    const stranger = await at.world.as('admin', at.world.tenants[1])
    expect((await stranger.get(at.url)).status).toBe(404)
    const agent = await at.world.as('agent')
    expect((await agent.get(at.url)).status).toBe(404)
  })

  test('masks phone numbers for callers who may not see them', async () => {
    await using at = await withConversation()
    const { world, url, manager, contact } = at
    const admin = await world.as('admin')
    expect(
      (await admin.put('/api/organizations/settings', { mask_phone_numbers: true })).status,
    ).toBe(200)
    await admin.put(`/api/contacts/${contact['id']}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    const quote = (items: Loose[]): unknown => ((items[1] as Loose)['context'] as Loose)['from']
    const seen = quote((await manager.get(url)).data['items'] as Loose[])
    const agent = await world.as('agent')
    const answer = await agent.get(url)
    expect(answer.status).toBe(200)
    expect(quote(answer.data['items'] as Loose[])).not.toBe(seen)
    expect(quote((await manager.get(url)).data['items'] as Loose[])).toBe(seen)
  })
})

test('all messages that share a file show its changes', async () => {
  await using at = await withConversation()
  const { world, manager, url, page } = at
  const file = await upload(manager, {
    bytes: SAMPLES['image/jpeg'],
    type: 'image/jpeg',
    name: 'prices.jpg',
    fields: { kind: 'image' },
  })
  const send = async (): Promise<unknown> =>
    (await manager.post(url, { type: 'image', media_id: file.data['id'] })).status
  expect([await send(), await send()]).toEqual([201, 201])
  await world.settle()
  const seen = await page()
  expect(await send()).toBe(201)
  await world.settle()
  world.program.http.db.sqlite.run("update media set filename = 'new.jpg'")
  const after = await page()
  expect(after.map(({ media: shown }) => (shown as Loose | null)?.['filename'])).toEqual([
    ...seen.slice(0, 3).map(() => undefined),
    'new.jpg',
    'new.jpg',
    'new.jpg',
  ])
  expect(after).toEqual(await alone(manager, after))
})
