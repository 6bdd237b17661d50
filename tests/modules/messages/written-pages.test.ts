import { describe, expect, test } from 'bun:test'
import { getTableConfig } from 'drizzle-orm/sqlite-core'

import { messageReactions, messages } from '../../../src/modules/messages/table'
import { edit, message, reaction, revoke, type About } from '../../simulator/payloads'
import type { Client, Loose } from '../../support/client'
import { deliver, lineOf, personOf, secondsIn, statusTo, textTo } from '../../support/lines'
import { upload } from '../../support/files'
import { SAMPLES } from '../../simulator/sample-files'
import { World } from '../../support/world'

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

/**
 * The same messages as each of them is shown alone, which is never made of what was written before.
 */
async function alone(manager: Client, page: Loose[]): Promise<Loose[]> {
  const shown: Loose[] = []
  for (const { id } of page) shown.push((await manager.get(`/api/messages/${id}`)).data)
  return shown
}

const CHANGES: [what: string, change: (at: Conversation) => Promise<unknown>][] = [
  [
    'ours is delivered',
    ({ world, sent }) =>
      deliver(world, statusTo(world, String(sent['wa_message_id']), 'delivered')),
  ],
  [
    'ours is read',
    ({ world, sent }) => deliver(world, statusTo(world, String(sent['wa_message_id']), 'read')),
  ],
  [
    'Ana reacts',
    ({ world, sent, about }) =>
      deliver(world, reaction(String(sent['wa_message_id']), '👍', about())),
  ],
  [
    'Ana reacts otherwise',
    async ({ world, sent, about }) => {
      await deliver(world, reaction(String(sent['wa_message_id']), '👍', about()))
      world.clock.advance({ seconds: 2 })
      await deliver(world, reaction(String(sent['wa_message_id']), '🎉', about()))
    },
  ],
  [
    'somebody reacts',
    async ({ manager, url, page }) =>
      manager.post(`${url}/${(await page())[0]?.['id']}/reaction`, { emoji: '🙏' }),
  ],
  [
    'what is quoted is edited',
    ({ world, about }) =>
      deliver(world, edit(ASKED, 'Where is my order?', about({ id: 'wamid.edit' }))),
  ],
  [
    'what is quoted is taken back',
    ({ world, about }) => deliver(world, revoke(ASKED, about({ id: 'wamid.revoke' }))),
  ],
  [
    'it is read',
    ({ manager, contact }) => manager.post(`/api/contacts/${contact['id']}/mark-read`, {}),
  ],
]

describe('a page of messages made of what was written before', () => {
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

  test('is the text of a page that is made anew, in the conversation too, with totals and the next cursor', async () => {
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

  test('is nobody else’s: not of another organization, nor of who does not see the contact', async () => {
    await using at = await withConversation()
    await at.page()
    const stranger = await at.world.as('admin', at.world.tenants[1])
    expect((await stranger.get(at.url)).status).toBe(404)
    const agent = await at.world.as('agent')
    expect((await agent.get(at.url)).status).toBe(404)
  })

  test('hides numbers from who may not see them, whoever asked before', async () => {
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

test('a page is answered as it was as long as no revision tells otherwise: with what is delivered and paid, reacted to and quoted', async () => {
  await using at = await withConversation()
  const { world, manager, url, sent, page } = at
  await deliver(world, reaction(String(sent['wa_message_id']), '👍', at.about()))
  await manager.post(url, { type: 'text', text: 'It comes tomorrow.' })
  await world.settle()
  const before = await page()
  expect(before.map(({ pricing }) => pricing)).toContainEqual({
    category: 'service',
    type: 'free_customer_service',
    billable: false,
  })
  const { sqlite } = world.program.http.db
  sqlite.run('drop trigger messages_changed')
  sqlite.run('drop trigger messages_quoted_changed')
  // Nobody may write so: it shows that neither the page nor its messages were made anew.
  sqlite.run("update messages set preview = 'Unseen'")
  expect(await page()).toEqual(before)
  const previews = (items: Loose[]): unknown[] => items.map(({ preview }) => preview)
  await manager.post(url, { type: 'text', text: 'Or today.' })
  expect(previews(await page())).toEqual([...previews(before), 'Or today.'])
  sqlite.run('update messages set revision = revision + 1')
  expect(previews(await page())).toEqual(
    Array.from({ length: 5 }, (_, nth) => (nth < 4 ? 'Unseen' : 'Or today.')),
  )
})

test('a message with a file shows at once what became of that; no message is written for it, however many have the same file', async () => {
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
  const revisions = (): unknown[] =>
    world.rows("select revision from messages where type = 'image' order by id")
  expect([await send(), await send()]).toEqual([201, 201])
  await world.settle()
  const before = revisions()
  expect(before).toHaveLength(2)
  const seen = await page()
  expect(await send()).toBe(201)
  await world.settle()
  world.program.http.db.sqlite.run("update media set filename = 'new.jpg'")
  expect(revisions().slice(0, 2)).toEqual(before)
  const after = await page()
  expect(after.map(({ media: shown }) => (shown as Loose | null)?.['filename'])).toEqual([
    ...seen.slice(0, 3).map(() => undefined),
    'new.jpg',
    'new.jpg',
    'new.jpg',
  ])
  expect(after).toEqual(await alone(manager, after))
})

/** Columns by which a row is found or belongs to another; what they name does not change. */
const KEYS = new Set([
  'organization_id',
  'id',
  'revision',
  'conversation_id',
  'contact_id',
  'account_id',
  'wa_message_id',
  'media_id',
])
const REACTION_KEYS = new Set([
  'organization_id',
  'account_id',
  'target_wa_message_id',
  'reactor',
  'participant',
  'message_id',
  'contact_id',
])

test('the revision of a message goes up with every change of its row, its reactions and what it quotes', async () => {
  await using at = await withConversation()
  const { world } = at
  const sqlite = world.program.http.db.sqlite
  const [asked, quoting] = world.rows<{ id: string; org: string }>(
    'select id, organization_id as org from messages order by timestamp_ms',
  )
  if (!asked || !quoting) throw new Error('there are no messages')
  await deliver(world, reaction(ASKED, '👍', at.about()))
  const revisionOf = (id: string): number =>
    world.rows<{ n: number }>('select revision as n from messages where id = ?', id)[0]?.n ?? -1
  const grows = (id: string, statement: string): void => {
    const before = revisionOf(id)
    sqlite.run(statement)
    expect({ statement, has: revisionOf(id) > before }).toEqual({ statement, has: true })
  }
  for (const { name } of getTableConfig(messages).columns)
    if (!KEYS.has(name))
      grows(asked.id, `update messages set ${name} = ${name} where id = '${asked.id}'`)
  sqlite.run(
    `insert into message_reactions (organization_id, account_id, target_wa_message_id, reactor, message_id, contact_id, emoji, timestamp_ms, received_at_ms)
     select organization_id, account_id, '${ASKED}', 'user', id, contact_id, 'x', 1, 1 from messages where id = '${asked.id}'`,
  )
  for (const { name } of getTableConfig(messageReactions).columns)
    if (!REACTION_KEYS.has(name))
      grows(
        asked.id,
        `update message_reactions set ${name} = ${name} where message_id = '${asked.id}'`,
      )
  grows(asked.id, `update message_reactions set message_id = null where reactor = 'user'`)
  grows(asked.id, `update message_reactions set message_id = '${asked.id}' where reactor = 'user'`)
  grows(asked.id, `delete from message_reactions where reactor = 'user'`)
  grows(quoting.id, `update messages set preview = 'Other' where id = '${asked.id}'`)
  grows(quoting.id, `update messages set type = 'image' where id = '${asked.id}'`)
})
