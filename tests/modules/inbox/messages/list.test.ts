import { describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { deliver, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const textsOf = (page: Loose): string[] =>
  (page['items'] as Loose[]).map((item) => String((item['content'] as Loose)['text']))

/**
 * A conversation of `count` messages, every third one of ours, a second apart; `Text 0` is the
 * oldest.
 */
async function withConversation(count: number) {
  const world = await World.create()
  const contact = await world.contactOf(world.tenant, 'Text 0')
  const url = `/api/contacts/${contact['id']}/messages`
  const manager = await world.as('manager')
  for (let nth = 1; nth < count; nth += 1) {
    world.clock.advance({ seconds: 1 })
    if (nth % 3 === 0) await manager.post(url, { type: 'text', text: `Text ${nth}` })
    else
      await world.simulator.post(
        textTo(world, `Text ${nth}`, { person: { waId: String(contact['wa_id']) } }),
      )
    await world.settle()
  }
  const get = async (query: string): Promise<Loose> => (await manager.get(`${url}${query}`)).data
  return { world, contact, url, manager, get, [Symbol.asyncDispose]: () => world.stop() }
}

const upTo = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, nth) => `Text ${from + nth}`)

describe("a contact's messages", () => {
  test('are paged from the newest page, with the oldest message first in a page', async () => {
    await using at = await withConversation(10)
    const pages = [
      await at.get('?limit=4'),
      await at.get('?limit=4&page=2'),
      await at.get('?limit=4&page=3'),
      await at.get('?limit=4&page=4'),
    ]
    expect(pages.map(textsOf)).toEqual([upTo(6, 9), upTo(2, 5), upTo(0, 1), []])
    expect(pages.map((page) => page['has_more'] as boolean)).toEqual([true, true, false, false])
    expect(pages[0]).toMatchObject({ total: 10, page: 1, limit: 4, total_pages: 3 })
    expect(await at.get('')).toMatchObject({ limit: 50, has_more: false, next_cursor: null })
  })

  test('are paged by cursor without gaps or duplicates while new ones arrive', async () => {
    await using at = await withConversation(9)
    const seen: string[][] = []
    let page = await at.get('?limit=4')
    for (let nth = 0; nth < 5; nth += 1) {
      seen.push(textsOf(page))
      if (page['next_cursor'] === null) break
      at.world.clock.advance({ seconds: 1 })
      await deliver(
        at.world,
        textTo(at.world, 'New', { person: { waId: String(at.contact['wa_id']) } }),
      )
      page = await at.get(`?limit=4&cursor=${page['next_cursor']}`)
      expect(page).toMatchObject({ total: null, page: null, total_pages: null })
    }
    expect(seen).toEqual([upTo(5, 8), upTo(1, 4), upTo(0, 0)])
  })

  test('can be listed before or after a message', async () => {
    await using at = await withConversation(9)
    const all = (await at.get(''))['items'] as Loose[]
    const before = await at.get(`?before=${all[5]?.['id']}&limit=3`)
    expect([textsOf(before), before['has_more']]).toEqual([upTo(2, 4), true])
    const after = await at.get(`?after=${all[5]?.['id']}&limit=2`)
    expect([textsOf(after), after['has_more']]).toEqual([upTo(6, 7), true])
    const rest = await at.get(`?after=${all[5]?.['id']}`)
    expect([textsOf(rest), rest['has_more']]).toEqual([upTo(6, 8), false])
    expect(textsOf(await at.get(`?before=${all[0]?.['id']}`))).toEqual([])
  })

  test('can be listed around a message', async () => {
    await using at = await withConversation(9)
    const all = (await at.get(''))['items'] as Loose[]
    const around = (nth: number, more = ''): Promise<Loose> =>
      at.get(`?around=${all[nth]?.['id']}${more}`)
    const summary = (page: Loose) => [
      textsOf(page),
      page['has_more_before'] as boolean,
      page['has_more_after'] as boolean,
    ]
    expect(summary(await around(4, '&limit=4'))).toEqual([upTo(2, 5), true, true])
    expect(summary(await around(4, '&limit=5'))).toEqual([upTo(2, 6), true, true])
    expect(summary(await around(4, '&limit=1'))).toEqual([upTo(4, 4), true, true])
    expect(summary(await around(0, '&limit=4'))).toEqual([upTo(0, 1), false, true])
    expect(summary(await around(8, '&limit=4'))).toEqual([upTo(6, 8), true, false])
    expect(summary(await around(4))).toEqual([upTo(0, 8), false, false])
    expect(await around(4)).toMatchObject({ total: null, page: null, limit: 50 })
    const older = await at.get(`?cursor=${(await around(4, '&limit=4'))['next_cursor']}`)
    expect(textsOf(older)).toEqual(upTo(0, 1))
    const first = await at.get(`?cursor=${(await around(4, '&limit=1'))['next_cursor']}`)
    expect(textsOf(first)).toEqual(upTo(0, 3))
    expect(await at.get('')).toMatchObject({ has_more_before: null, has_more_after: null })
  })

  test('cannot be listed around a message that is not among them', async () => {
    await using at = await withConversation(4)
    const all = (await at.get(''))['items'] as Loose[]
    const own = String(all[3]?.['id'])
    const stranger = await at.world.contactOf(at.world.tenant, 'Another')
    const { data } = await at.manager.get(`/api/contacts/${stranger['id']}/messages`)
    const others = String((data['items'] as Loose[])[0]?.['id'])
    for (const query of [
      `around=${crypto.randomUUID()}`,
      `around=${others}`,
      `around=${own}&direction=incoming`,
      `around=${own}&before=${own}`,
      'around=x',
    ]) {
      const { status, body } = await at.manager.get(`${at.url}?${query}`)
      expect([query, status, body.errors?.[0]?.path]).toEqual([query, 400, 'query.around'])
    }
  })

  test('can be filtered by direction, type and account', async () => {
    await using at = await withConversation(7)
    expect(textsOf(await at.get('?direction=outgoing'))).toEqual(['Text 3', 'Text 6'])
    expect(await at.get('?direction=incoming')).toMatchObject({ total: 5 })
    expect(await at.get('?type=text')).toMatchObject({ total: 7 })
    expect(await at.get('?type=image')).toMatchObject({ total: 0 })
    expect(await at.get(`?account_id=${at.world.tenant.accountId}`)).toMatchObject({ total: 7 })
    expect(await at.get(`?account_id=${at.world.other.accountId}`)).toMatchObject({ total: 0 })
  })

  test('are ordered by platform time, not by arrival', async () => {
    await using at = await withConversation(1)
    const person = { waId: String(at.contact['wa_id']) }
    const start = Math.floor(at.world.clock.nowMs() / 1_000)
    at.world.clock.advance({ minutes: 5 })
    await deliver(at.world, textTo(at.world, 'Second', { person, timestamp: start + 200 }))
    await deliver(at.world, textTo(at.world, 'First', { person, timestamp: start + 100 }))
    expect(textsOf(await at.get(''))).toEqual(['Text 0', 'First', 'Second'])
    expect((await at.manager.get('/api/contacts')).data['items']).toMatchObject([
      { last_message_preview: 'Second' },
    ])
  })

  test.each([
    '?direction=up',
    '?limit=101',
    '?limit=0',
    '?page=0',
    '?before=x',
    '?after=x',
    '?cursor=odd',
    '?account_id=x',
  ])('%s is 400', async (query) => {
    await using at = await withConversation(1)
    expect((await at.manager.get(`${at.url}${query}`)).status).toBe(400)
  })

  test('reject `before` with `after`, or a message of another contact', async () => {
    await using at = await withConversation(2)
    const [message] = (await at.get(''))['items'] as Loose[]
    expect(
      (await at.manager.get(`${at.url}?before=${message?.['id']}&after=${message?.['id']}`)).status,
    ).toBe(400)
    await deliver(
      at.world,
      textTo(at.world, 'Else', { person: { waId: '15550300009' }, id: 'wamid.else' }),
    )
    const [other] = at.world.rows<{ id: string }>(
      'select id from messages where wa_message_id = ?',
      'wamid.else',
    )
    expect((await at.manager.get(`${at.url}?before=${other?.id}`)).status).toBe(400)
  })

  test('are not marked as read by listing them', async () => {
    await using at = await withConversation(3)
    await at.get('')
    expect((await at.manager.get('/api/contacts')).data['items']).toMatchObject([
      { unread_count: 3 },
    ])
  })
})

describe('visibility of a contact and its messages', () => {
  const statusesOf = async (
    client: Client,
    ids: { contact: string; message: string; conversation: string },
  ): Promise<number[]> =>
    Promise.all(
      [
        `/api/contacts/${ids.contact}`,
        `/api/contacts/${ids.contact}/messages`,
        `/api/messages/${ids.message}`,
        `/api/conversations/${ids.conversation}`,
      ].map(async (path) => (await client.get(path)).status),
    )

  test('an agent sees a contact exactly while it is assigned', async () => {
    await using at = await withConversation(2)
    const { world } = at
    const agent = await world.as('agent')
    const socket = await world.socket('agent')
    const ids = {
      contact: String(at.contact['id']),
      message: String(((await at.get(''))['items'] as Loose[])[0]?.['id']),
      conversation: String(
        ((await at.manager.get('/api/conversations')).data['items'] as Loose[])[0]?.['id'],
      ),
    }
    const say = (text: string): Promise<void> =>
      deliver(world, textTo(world, text, { person: { waId: String(at.contact['wa_id']) } }))
    const totals = async (): Promise<unknown[]> => [
      (await agent.get('/api/contacts')).data['total'],
      (await agent.get('/api/conversations')).data['total'],
    ]

    expect(await statusesOf(agent, ids)).toEqual([404, 404, 404, 404])
    expect(await totals()).toEqual([0, 0])
    await say('Before')
    expect(await socket.caughtUp()).toEqual([])

    const assigned = await at.manager.put(`/api/contacts/${ids.contact}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    expect(assigned).toMatchObject({
      status: 200,
      data: { id: ids.contact, assigned_to: world.tenant.userIds.agent, assigned_team_id: null },
    })
    expect(await statusesOf(agent, ids)).toEqual([200, 200, 200, 200])
    expect(await totals()).toEqual([1, 1])
    expect(
      (
        await agent.post(`/api/contacts/${ids.contact}/messages`, {
          type: 'text',
          text: 'Mine now',
        })
      ).status,
    ).toBe(201)
    await world.settle()
    await say('During')
    const heard = (await socket.caughtUp())
      .filter(({ type }) => type === 'message:new')
      .map(({ payload }) => (payload['content'] as Loose)['text'] as string)
    expect(heard).toEqual(['Mine now', 'During'])

    await at.manager.put(`/api/contacts/${ids.contact}/assign`, { user_id: null })
    expect(await statusesOf(agent, ids)).toEqual([404, 404, 404, 404])
    expect(await totals()).toEqual([0, 0])
    await world.settle()
    const before = (await socket.caughtUp()).length
    await say('After')
    expect((await socket.caughtUp()).length).toBe(before)
  })

  test("an agent's search finds only visible messages", async () => {
    await using at = await withConversation(1)
    const agent = await at.world.as('agent')
    expect((await agent.get('/api/contacts?search=Ana')).data['total']).toBe(0)
    await at.manager.put(`/api/contacts/${at.contact['id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    expect((await agent.get('/api/contacts?search=Ana')).data['total']).toBe(1)
    expect((await agent.get('/api/contacts?assigned_to=me')).data['total']).toBe(1)
    expect((await agent.get('/api/contacts?assigned_to=none')).data['total']).toBe(0)
  })

  test('assigning a contact assigns its conversation', async () => {
    await using at = await withConversation(1)
    await at.manager.put(`/api/contacts/${at.contact['id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    expect((await at.manager.get('/api/conversations')).data['items']).toMatchObject([
      { assigned_to: at.world.tenant.userIds.agent, assigned_user: { full_name: 'Acme agent' } },
    ])
  })

  test.each<[string, unknown, number]>([
    ['nobody of this organization', { user_id: '01900000-0000-7000-8000-ffffffffffff' }, 400],
    ['a malformed id', { user_id: 'x' }, 400],
    ['neither user nor team', {}, 400],
  ])('assigning to %s is refused', async (_, body, status) => {
    await using at = await withConversation(1)
    expect((await at.manager.put(`/api/contacts/${at.contact['id']}/assign`, body)).status).toBe(
      status,
    )
  })

  test('an agent cannot assign contacts', async () => {
    await using at = await withConversation(1)
    const agent = await at.world.as('agent')
    expect(
      (
        await agent.put(`/api/contacts/${at.contact['id']}/assign`, {
          user_id: at.world.tenant.userIds.agent,
        })
      ).status,
    ).toBe(403)
  })
})

describe('with masked phone numbers', () => {
  const MASKED = '*******9999'

  test('an agent sees only the last four digits, a manager the whole number', async () => {
    await using at = await withConversation(2)
    const { world } = at
    world.program.http.db.sqlite.run('update organizations set mask_phone_numbers = 1')
    world.program.http.db.sqlite.run("update contacts set profile_name = '+1 (555) 010-9999'")
    await at.manager.put(`/api/contacts/${at.contact['id']}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    const [agent, socket] = [await world.as('agent'), await world.socket('agent')]
    await deliver(world, textTo(world, 'Hello again', { person: { waId: '15550109999' } }))
    const [contact] = (await agent.get('/api/contacts')).data['items'] as Loose[]
    expect(contact).toMatchObject({ phone_number: MASKED, wa_id: MASKED })
    const seen = JSON.stringify([
      (await agent.get('/api/contacts')).body,
      (await agent.get(`/api/contacts/${at.contact['id']}`)).body,
      (await agent.get(`/api/contacts/${at.contact['id']}/messages`)).body,
      (await agent.get('/api/conversations')).body,
      await socket.caughtUp(),
    ])
    expect(seen).toContain(MASKED)
    expect(seen).not.toContain('5550109999')
    expect(seen).not.toContain('010-9999')
    expect((await at.manager.get(`/api/contacts/${at.contact['id']}`)).data).toMatchObject({
      phone_number: '15550109999',
      wa_id: '15550109999',
    })
  })

  test('a masked number is found by its last four digits only', async () => {
    await using at = await withConversation(1)
    const { world } = at
    world.program.http.db.sqlite.run('update organizations set mask_phone_numbers = 1')
    await at.manager.put(`/api/contacts/${at.contact['id']}/assign`, {
      user_id: world.tenant.userIds.agent,
    })
    const agent = await world.as('agent')
    const totals = async (client: Client): Promise<unknown[]> =>
      Promise.all(
        ['9999', '15550109999', '1555', '0109999', '999'].map(
          async (search) => (await client.get(`/api/contacts?search=${search}`)).data['total'],
        ),
      )
    expect(await totals(agent)).toEqual([1, 0, 0, 0, 1])
    expect(await totals(at.manager)).toEqual([1, 1, 1, 1, 1])
  })

  test('an agent can answer a masked contact', async () => {
    await using at = await withConversation(1)
    at.world.program.http.db.sqlite.run('update organizations set mask_phone_numbers = 1')
    await at.manager.put(`/api/contacts/${at.contact['id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    const agent = await at.world.as('agent')
    expect((await agent.post(at.url, { type: 'text', text: 'Hi' })).status).toBe(201)
    await at.world.settle()
    expect(at.world.simulator.messages[0]?.recipient).toBe('15550109999')
  })
})
