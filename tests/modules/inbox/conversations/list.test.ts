import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, personOf, statusTo, systemText, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

/** As the database has it. */

/** Creates a world in which `count` customers have written, one minute apart. */
async function withConversations(count: number) {
  const world = await World.create()
  for (let nth = 0; nth < count; nth += 1) {
    await deliver(world, textTo(world, `Text ${nth}`, { person: personOf(nth) }))
    world.clock.advance({ minutes: 1 })
  }
  const manager = await world.as('manager')
  const get = async (query = ''): Promise<Loose> =>
    (await manager.get(`/api/conversations${query}`)).data
  const previews = async (query = ''): Promise<string[]> =>
    ((await get(query))['items'] as Loose[]).map((item) =>
      String((item['last_message'] as Loose)['preview']),
    )
  return { world, manager, get, previews, [Symbol.asyncDispose]: () => world.stop() }
}

describe('a conversation', () => {
  test('shows its contact, newest message, window and assignee', async () => {
    await using at = await withConversations(1)
    const [conversation] = (await at.get())['items'] as Loose[]
    expect(conversation).toMatchObject({
      contact: {
        display_name: 'Customer 0',
        phone_number: '15550300000',
        avatar_url: null,
        tags: [],
        blocked: false,
      },
      account_id: at.world.tenant.accountId,
      state: 'open',
      assigned_to: null,
      assigned_user: null,
      team_id: null,
      team: null,
      unread_count: 1,
      last_message: {
        direction: 'incoming',
        type: 'text',
        preview: 'Text 0',
        status: 'delivered',
        timestamp: '2026-11-21T09:30:00.000Z',
      },
      last_inbound_at: '2026-11-21T09:30:00.000Z',
      window_expires_at: '2026-11-22T09:30:00.000Z',
      window_open: true,
      snoozed_until: null,
      first_response_at: null,
      bot_active: false,
      priority: 'normal',
      closed_at: null,
    })
    expect((await at.manager.get(`/api/conversations/${conversation?.['id']}`)).data).toEqual(
      conversation as Loose,
    )
  })

  test('follows replies, statuses and new messages', async () => {
    await using at = await withConversations(1)
    const [{ contact, id }] = (await at.get())['items'] as [Loose]
    const path = `/api/conversations/${id}`
    at.world.simulator.swallowStatuses()
    await at.manager.post(`/api/contacts/${(contact as Loose)['id']}/messages`, {
      type: 'text',
      text: 'An answer',
    })
    await at.world.settle()
    expect((await at.manager.get(path)).data).toMatchObject({
      last_message: { direction: 'outgoing', preview: 'An answer', status: 'sent' },
      first_response_at: '2026-11-21T09:31:00.000Z',
      last_inbound_at: '2026-11-21T09:30:00.000Z',
      unread_count: 1,
    })
    await deliver(
      at.world,
      statusTo(at.world, String(at.world.simulator.messages[0]?.wamid), 'read'),
    )
    expect((await at.manager.get(path)).data).toMatchObject({ last_message: { status: 'read' } })
    at.world.clock.advance({ minutes: 1 })
    await deliver(at.world, textTo(at.world, 'Thanks', { person: personOf(0) }))
    expect((await at.manager.get(path)).data).toMatchObject({
      last_message: { preview: 'Thanks' },
      unread_count: 2,
    })
  })

  test('reopens under the same ID when the customer writes', async () => {
    await using at = await withConversations(1)
    const [before] = (await at.get())['items'] as Loose[]
    at.world.program.http.db.sqlite.run(
      `update conversations set state = 'closed', closed_at_ms = 1`,
    )
    expect((await at.get('?state=open'))['total']).toBe(0)
    await deliver(at.world, textTo(at.world, 'One more thing', { person: personOf(0) }))
    expect((await at.get())['items']).toMatchObject([
      { id: before?.['id'], state: 'open', closed_at: null },
    ])
  })

  test('is not reopened by a system message, nor is its window', async () => {
    await using at = await withConversations(1)
    at.world.program.http.db.sqlite.run(
      `update conversations set state = 'closed', closed_at_ms = 1`,
    )
    at.world.clock.advance({ hours: 1 })
    await deliver(at.world, systemText(at.world, personOf(0)))
    const manager = await at.world.as('manager')
    expect((await manager.get('/api/conversations')).data['items']).toMatchObject([
      {
        state: 'closed',
        unread_count: 1,
        last_inbound_at: '2026-11-21T09:30:00.000Z',
        last_message: { type: 'system' },
      },
    ])
  })

  test('closes its window a day after the last message', async () => {
    await using at = await withConversations(1)
    at.world.clock.advance({ hours: 23, minutes: 58 })
    const open = async (): Promise<unknown> =>
      (
        (await (await at.world.as('manager')).get('/api/conversations')).data['items'] as Loose[]
      )[0]?.['window_open']
    expect(await open()).toBe(true)
    at.world.clock.advance({ minutes: 1 })
    expect(await open()).toBe(false)
  })

  test('returns 404 for an unknown ID and 400 for a malformed one', async () => {
    await using at = await withConversations(0)
    expect(
      (await at.manager.get('/api/conversations/01900000-0000-7000-8000-ffffffffffff')).status,
    ).toBe(404)
    expect((await at.manager.get('/api/conversations/odd')).status).toBe(400)
  })
})

describe('the list of conversations', () => {
  test('is sorted by newest message, by page and by cursor', async () => {
    await using at = await withConversations(5)
    await deliver(at.world, textTo(at.world, 'Text 1 again', { person: personOf(1) }))
    expect(await at.previews()).toEqual(['Text 1 again', 'Text 4', 'Text 3', 'Text 2', 'Text 0'])
    const first = await at.get('?limit=2')
    expect(first).toMatchObject({ total: 5, page: 1, total_pages: 3 })
    const second = await at.get(`?limit=2&cursor=${first['next_cursor']}`)
    expect(second).toMatchObject({ total: null, page: null, total_pages: null })
    expect(await at.previews(`?limit=2&cursor=${second['next_cursor']}`)).toEqual(['Text 0'])
    expect(await at.previews('?limit=2&page=2')).toEqual(['Text 3', 'Text 2'])
  })

  test('is filtered by state, unread, account and assignee', async () => {
    await using at = await withConversations(3)
    const { sqlite } = at.world.program.http.db
    const [newest] = (await at.get())['items'] as [Loose]
    await at.manager.put(`/api/contacts/${(newest['contact'] as Loose)['id']}/assign`, {
      user_id: at.world.tenant.userIds.manager,
    })
    sqlite.run(
      `update conversations set state = 'closed' where last_message_id in (select id from messages where preview = 'Text 0')`,
    )
    sqlite.run(
      "update conversations set unread_count = 0 where last_message_id in (select id from messages where preview = 'Text 1')",
    )
    expect(await at.previews('?state=open')).toEqual(['Text 2', 'Text 1'])
    expect(await at.previews('?state=closed')).toEqual(['Text 0'])
    expect(await at.previews('?state=open,closed')).toEqual(['Text 2', 'Text 1', 'Text 0'])
    expect(await at.previews('?unread=true')).toEqual(['Text 2', 'Text 0'])
    expect(await at.previews('?assigned_to=me')).toEqual(['Text 2'])
    expect(await at.previews('?assigned_to=none')).toEqual(['Text 1', 'Text 0'])
    expect(await at.previews(`?account_id=${at.world.other.accountId}`)).toEqual([])
  })

  test.each([
    '?state=odd',
    '?state=open,odd',
    '?unread=maybe',
    '?limit=101',
    '?page=0',
    '?assigned_to=odd',
    '?account_id=odd',
    '?cursor=odd',
  ])('rejects %s', async (query) => {
    await using at = await withConversations(0)
    expect((await at.manager.get(`/api/conversations${query}`)).status).toBe(400)
  })
})
