import { describe, expect, test } from 'bun:test'

import type { BusinessNumber } from '../../../../src/simulator/payloads'
import type { Loose } from '../../../support/client'
import { Inbox, SEES_OWN } from '../../../support/inbox'
import { deliver, personOf, secondsIn, textTo } from '../../../support/lines'
import { secondNumber } from '../../../support/second-number'
import { NOBODY } from '../../../support/routes'

/** Returns the previews of the newest messages of a list. */
const texts = async (inbox: Inbox, query: string): Promise<unknown[]> =>
  (await inbox.list(query)).map(
    ({ last_message }) => (last_message as Loose | null)?.['preview'] ?? null,
  )

describe('the list of conversations', () => {
  test('is filtered by the state of the window', async () => {
    await using inbox = await Inbox.create(1)
    inbox.world.clock.advance({ hours: 2 })
    await inbox.says(1, 'Text 1')
    inbox.world.clock.advance({ hours: 20 })
    await inbox.says(2, 'Text 2')
    expect(await texts(inbox, '?window=open')).toEqual(['Text 2', 'Text 1', 'Text 0'])
    expect(await texts(inbox, '?window=closing')).toEqual(['Text 0'])
    expect(await texts(inbox, '?window=closed')).toEqual([])
    inbox.world.clock.advance({ hours: 2 })
    expect(await texts(inbox, '?window=closing')).toEqual([])
    inbox.world.clock.advance({ ms: 1 })
    expect(await texts(inbox, '?window=open')).toEqual(['Text 2', 'Text 1'])
    expect(await texts(inbox, '?window=closing')).toEqual(['Text 1'])
    expect(await texts(inbox, '?window=closed')).toEqual(['Text 0'])
  })

  test('counts conversations without a customer message as closed windows', async () => {
    await using inbox = await Inbox.create()
    const contact = (await inbox.manager.post('/api/contacts', { phone_number: '+1 555 030 0000' }))
      .data
    await inbox.manager.post('/api/conversations', { contact_id: contact['id'] })
    expect([await texts(inbox, '?window=closed'), await texts(inbox, '?window=open')]).toEqual([
      [null],
      [],
    ])
  })

  test('is filtered by any of several contact tags, by ID or name, and shows them by name', async () => {
    await using inbox = await Inbox.create(3)
    await inbox.manager.put(`${await inbox.contactPath(0)}/tags`, { tags: ['VIP', 'Late'] })
    const tagged = await inbox.manager.put(`${await inbox.contactPath(1)}/tags`, { tags: ['Gold'] })
    const gold = (tagged.data['tags'] as Loose[])[0]?.['id']
    expect(await texts(inbox, '?tags=vip')).toEqual(['Text 0'])
    expect(await texts(inbox, `?tags=${gold}`)).toEqual(['Text 1'])
    expect(await texts(inbox, `?tags=${gold},late`)).toEqual(['Text 1', 'Text 0'])
    expect(await texts(inbox, '?tags=unknown')).toEqual([])
    const [shown] = (await inbox.list('?tags=vip')) as [Loose]
    expect(((shown['contact'] as Loose)['tags'] as Loose[]).map(({ name }) => name)).toEqual([
      'Late',
      'VIP',
    ])
  })

  test('of a tag has a total, and pages by number and by cursor', async () => {
    await using inbox = await Inbox.create(4)
    for (const nth of [0, 1, 3])
      await inbox.manager.put(`${await inbox.contactPath(nth)}/tags`, { tags: ['VIP'] })
    await inbox.manager.put(await inbox.path(1), { state: 'closed' })
    const { data } = await inbox.manager.get('/api/conversations?tags=vip&limit=2')
    expect(data).toMatchObject({ total: 3, total_pages: 2 })
    expect(await texts(inbox, '?tags=vip&limit=2')).toEqual(['Text 3', 'Text 1'])
    expect(await texts(inbox, '?tags=vip&limit=2&page=2')).toEqual(['Text 0'])
    expect(await texts(inbox, `?tags=vip&limit=2&cursor=${data['next_cursor']}`)).toEqual([
      'Text 0',
    ])
    expect(await texts(inbox, '?tags=vip&sort=oldest_unanswered&limit=2')).toEqual([
      'Text 0',
      'Text 1',
    ])
  })

  test('gives the same result for a tag of many contacts', async () => {
    await using inbox = await Inbox.create(2)
    await inbox.manager.put(`${await inbox.contactPath(0)}/tags`, { tags: ['Many'] })
    inbox.world.program.http.db.sqlite.run('update tags set contact_count = 100000')
    expect(await texts(inbox, '?tags=many')).toEqual(['Text 0'])
  })

  test('is searched by contact', async () => {
    await using inbox = await Inbox.create(3)
    await inbox.manager.put(await inbox.contactPath(1), { name: 'Zoë Ångström' })
    expect(await texts(inbox, '?search=angst')).toEqual(['Text 1'])
    expect(await texts(inbox, '?search=15550300002')).toEqual(['Text 2'])
    expect(await texts(inbox, '?search=nobody')).toEqual([])
  })

  test('is that of one contact, whoever asks, and has its counts', async () => {
    await using inbox = await Inbox.create(3)
    const { id } = (await inbox.of(1))['contact'] as Loose
    expect(await texts(inbox, `?contact_id=${id}`)).toEqual(['Text 1'])
    expect(await texts(inbox, `?contact_id=${id}&state=closed`)).toEqual([])
    expect(await texts(inbox, `?contact_id=${id}&search=15550300002`)).toEqual([])
    expect(await texts(inbox, `?contact_id=${NOBODY}`)).toEqual([])
    const { data } = await inbox.manager.get(`/api/conversations?contact_id=${id}`)
    expect(data).toMatchObject({ total: 1, next_cursor: null })
    const counts = await inbox.manager.get(`/api/conversations/counts?contact_id=${id}`)
    expect(counts.data).toMatchObject({ open: 1, unread: 1, unassigned: 1 })
    const { client } = await inbox.colleague(...SEES_OWN)
    expect((await client.get(`/api/conversations?contact_id=${id}`)).data).toMatchObject({
      items: [],
      total: 0,
    })
  })

  test('is empty for a team', async () => {
    await using inbox = await Inbox.create(1)
    expect(await texts(inbox, `?team_id=${NOBODY}`)).toEqual([])
  })

  test('merges several states in one order, by page and by cursor', async () => {
    await using inbox = await Inbox.create(7)
    for (const [nth, state] of [
      [1, 'closed'],
      [3, 'pending'],
      [4, 'closed'],
    ] as const)
      await inbox.manager.put(await inbox.path(nth), { state })
    const wanted = ['Text 6', 'Text 5', 'Text 3', 'Text 2', 'Text 0']
    expect(await texts(inbox, '?state=open,pending')).toEqual(wanted)
    for (let page = 1; page <= 3; page += 1)
      expect(await texts(inbox, `?state=open,pending&limit=2&page=${page}`)).toEqual(
        wanted.slice(page * 2 - 2, page * 2),
      )
    const walked: unknown[] = []
    let cursor: string | null = null
    do {
      const { data } = await inbox.manager.get(
        `/api/conversations?state=open,pending&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      )
      if (cursor !== null)
        expect(data).toMatchObject({ total: null, page: null, total_pages: null })
      walked.push(
        ...(data['items'] as Loose[]).map(({ last_message }) => (last_message as Loose)['preview']),
      )
      cursor = data['next_cursor'] as string | null
    } while (cursor !== null)
    expect(walked).toEqual(wanted)
  })

  test('sorts by longest waiting time, with answered conversations last', async () => {
    await using inbox = await Inbox.create(5)
    for (const nth of [0, 3])
      await inbox.manager.post(`${await inbox.path(nth)}/messages`, {
        type: 'text',
        text: `Answer ${nth}`,
      })
    inbox.world.clock.advance({ minutes: 1 })
    await inbox.says(1, 'Text 1 again')
    await inbox.says(0, 'Text 0 again')
    const wanted = ['Text 1 again', 'Text 2', 'Text 4', 'Text 0 again', 'Answer 3']
    expect(await texts(inbox, '?sort=oldest_unanswered')).toEqual(wanted)
    for (const limit of [1, 2, 3]) {
      const walked: unknown[] = []
      for (let page = 1; page <= Math.ceil(5 / limit); page += 1)
        walked.push(...(await texts(inbox, `?sort=oldest_unanswered&limit=${limit}&page=${page}`)))
      expect(walked).toEqual(wanted)
      const byCursor: unknown[] = []
      for (let cursor = ''; ;) {
        const { data } = await inbox.manager.get(
          `/api/conversations?sort=oldest_unanswered&limit=${limit}${cursor}`,
        )
        byCursor.push(
          ...(data['items'] as Loose[]).map(
            ({ last_message }) => (last_message as Loose)['preview'],
          ),
        )
        if (data['next_cursor'] === null) break
        cursor = `&cursor=${data['next_cursor']}`
      }
      expect(byCursor).toEqual(wanted)
    }
  })

  test('keeps who waits longest first on two numbers, after answers and messages that come late', async () => {
    await using inbox = await Inbox.create(2)
    const { world, manager } = inbox
    const line = await secondNumber(world)
    const writes = (nth: number, text: string, about: { line?: BusinessNumber; ago?: number }) =>
      deliver(
        world,
        textTo(world, text, {
          ...(about.line ? { line: about.line } : {}),
          person: personOf(nth),
          timestamp: secondsIn(world) - (about.ago ?? 0),
        }),
      )
    const order = () => texts(inbox, '?sort=oldest_unanswered')
    const waits = async (): Promise<unknown> =>
      (await manager.get('/api/conversations/counts')).data['waiting_longest_seconds']
    await writes(0, 'To the second', { line })
    world.clock.advance({ minutes: 1 })
    await writes(0, 'Text 0 again', {})
    expect([await order(), await waits()]).toEqual([
      ['Text 0 again', 'Text 1', 'To the second'],
      180,
    ])
    const path = (await inbox.list('?sort=oldest_unanswered'))[0]?.['id'] as string
    await manager.post(`/api/conversations/${path}/messages`, { type: 'text', text: 'Answer' })
    expect([await order(), await waits()]).toEqual([['Text 1', 'To the second', 'Answer'], 120])
    world.clock.advance({ minutes: 1 })
    // One that is older than the answer waits for nothing; one that is older than all waits longest.
    await writes(0, 'Late and answered', { ago: 90 })
    await writes(0, 'Late to the second', { line, ago: 200 })
    expect([await order(), await waits()]).toEqual([['To the second', 'Text 1', 'Answer'], 200])
    await writes(0, 'One more', {})
    expect(await order()).toEqual(['To the second', 'Text 1', 'One more'])
  })

  test('masks the contact number, and numbers in system messages', async () => {
    await using inbox = await Inbox.create(1)
    inbox.world.program.http.db.sqlite.run('update organizations set mask_phone_numbers = 1')
    inbox.world.program.http.db.sqlite.run(
      "update messages set type = 'system', preview = 'Moved to 15550399999'",
    )
    const agent = await inbox.colleague(...SEES_OWN)
    await inbox.manager.put(`${await inbox.path(0)}/assign`, { user_id: agent.userId })
    const [seen] = (await agent.client.get('/api/conversations')).data['items'] as [Loose]
    expect((seen['contact'] as Loose)['phone_number']).toBe('*******0000')
    expect(JSON.stringify(seen)).not.toContain('1555039')
    await agent.socket.close()
  })

  test.each([
    '?window=odd',
    '?sort=odd',
    '?tags=',
    '?search=',
    '?team_id=odd',
    '?waiting=all',
    '?mentioned=1',
  ])('rejects %s', async (query) => {
    await using inbox = await Inbox.create()
    for (const path of ['', '/counts'].slice(0, query.startsWith('?sort') ? 1 : 2))
      expect((await inbox.manager.get(`/api/conversations${path}${query}`)).status).toBe(400)
  })
})

describe('conversation counts', () => {
  const counts = async (inbox: Inbox, query = ''): Promise<Loose> =>
    (await (await inbox.world.as('manager')).get(`/api/conversations/counts${query}`)).data

  test('count by state, own, unassigned and unread, with the filters of the list', async () => {
    await using inbox = await Inbox.create(6)
    const states = { open: 0, pending: 0, snoozed: 0, closed: 0 }
    const none = { ...states, mine: 0, unassigned: 0, unread: 0 }
    expect(await counts(inbox, '?search=nobody')).toEqual({
      ...none,
      by_state: states,
      by_account: {},
      by_team: {},
      by_user: {},
      folders: {
        ...{ mine: 0, unassigned: 0, waiting: 0, mentioned: 0, teams: [] },
        accounts: [{ id: inbox.world.tenant.accountId, name: 'Acme main', count: 0 }],
      },
      closed_today: 0,
      closing_window: 0,
      waiting_longest_seconds: null,
    })
    await inbox.manager.put(await inbox.path(0), { state: 'closed' })
    await inbox.manager.put(await inbox.path(1), { state: 'pending' })
    await inbox.manager.post(`${await inbox.path(2)}/snooze`, { until: '2026-11-25T00:00:00.000Z' })
    await inbox.manager.post(`${await inbox.path(3)}/claim`)
    await inbox.manager.put(`${await inbox.path(4)}/assign`, {
      user_id: inbox.world.tenant.userIds.agent,
    })
    await inbox.manager.post(`${await inbox.path(5)}/read`)
    expect(await counts(inbox)).toMatchObject({
      open: 3,
      pending: 1,
      snoozed: 1,
      closed: 1,
      mine: 1,
      unassigned: 4,
      unread: 5,
    })
    expect(await counts(inbox, '?state=open')).toMatchObject({
      ...none,
      open: 3,
      mine: 1,
      unassigned: 1,
      unread: 2,
    })
    expect(await counts(inbox, '?assigned_to=me&unread=true')).toMatchObject({
      ...none,
      open: 1,
      mine: 1,
      unread: 1,
    })
  })

  test('count by number and team, closing windows, and tell the longest wait', async () => {
    await using inbox = await Inbox.create(4)
    const team = (await (await inbox.world.as('admin')).post('/api/teams', { name: 'Sales' })).data
    const teamId = String((team['team'] as Loose)['id'])
    await inbox.manager.put(`${await inbox.path(1)}/assign`, { team_id: teamId })
    await inbox.manager.put(await inbox.path(0), { state: 'closed' })
    const account = inbox.world.tenant.accountId ?? ''
    inbox.world.clock.advance({ hours: 22 })
    // Customers 0 to 3 wrote 22 h and 4, 3, 2 and 1 minutes ago; the first one waits no longer.
    const wanted = {
      by_state: { open: 3, pending: 0, snoozed: 0, closed: 1 },
      by_account: { [account]: 4 },
      by_team: { [teamId]: 1 },
      closing_window: 4,
      waiting_longest_seconds: 22 * 3_600 + 180,
    }
    // From the stored counts, and by reading the conversations.
    expect(await counts(inbox)).toMatchObject(wanted)
    expect(await counts(inbox, '?search=1555')).toMatchObject(wanted)
    expect(await counts(inbox, '?state=closed')).toMatchObject({
      closed: 1,
      waiting_longest_seconds: null,
    })
    expect(await counts(inbox, '?state=open,closed')).toMatchObject(wanted)
    const colleague = await inbox.colleague(...SEES_OWN)
    const manager = await inbox.world.as('manager')
    await manager.put(`${await inbox.contactPath(2)}/assign`, { user_id: colleague.userId })
    expect((await colleague.client.get('/api/conversations/counts')).data).toMatchObject({
      by_state: { open: 1, closed: 0 },
      by_account: { [account]: 1 },
      by_team: {},
      closing_window: 1,
      waiting_longest_seconds: 22 * 3_600 + 120,
    })
    expect(await counts(inbox, `?team_id=${teamId}`)).toMatchObject({
      by_team: { [teamId]: 1 },
      waiting_longest_seconds: 22 * 3_600 + 180,
    })
    await manager.post(`${await inbox.path(1)}/messages`, { type: 'text', text: 'Here I am' })
    expect(await counts(inbox)).toMatchObject({ waiting_longest_seconds: 22 * 3_600 + 120 })
    inbox.world.clock.advance({ hours: 2 })
    expect(await counts(inbox)).toMatchObject({ closing_window: 0 })
    await colleague.socket.close()
  })

  test('exclude invisible contacts', async () => {
    await using inbox = await Inbox.create(3)
    const agent = await inbox.colleague(...SEES_OWN)
    await inbox.manager.put(`${await inbox.contactPath(1)}/assign`, { user_id: agent.userId })
    expect((await agent.client.get('/api/conversations/counts')).data).toMatchObject({
      open: 1,
      mine: 1,
      unassigned: 0,
      unread: 1,
    })
    expect((await agent.client.get('/api/conversations')).data).toMatchObject({ total: 1 })
    expect((await agent.client.get('/api/conversations?search=15550300002')).data).toMatchObject({
      total: 0,
    })
    await agent.socket.close()
  })

  test('exclude deleted contacts', async () => {
    await using inbox = await Inbox.create(2)
    await inbox.manager.delete(await inbox.contactPath(0))
    expect(await counts(inbox)).toMatchObject({ open: 1, unassigned: 1, unread: 1 })
  })
})

describe('messages of a conversation', () => {
  test('belong to its account and are sent from it', async () => {
    await using inbox = await Inbox.create(1)
    const { world, manager } = inbox
    const second = await manager.post('/api/accounts', {
      ...{
        name: 'Second',
        phone_id: '301000000000009',
        business_id: world.tenant.wabaId,
        access_token: world.tenant.token,
      },
      verify: false,
    })
    const contactId = ((await inbox.of(0))['contact'] as Loose)['id']
    const other = (
      await manager.post('/api/conversations', {
        contact_id: contactId,
        account_id: second.data['id'],
      })
    ).data
    const path = await inbox.path(0)
    const sent = await manager.post(`${path}/messages`, {
      type: 'text',
      text: 'From the first',
      account_id: second.data['id'],
    })
    expect([sent.status, sent.data['account_id']]).toEqual([201, world.tenant.accountId])
    const [items, others] = await Promise.all(
      [path, `/api/conversations/${other['id']}`].map(
        async (at) => (await manager.get(`${at}/messages`)).data['items'] as Loose[],
      ),
    )
    expect(items?.map(({ preview }) => preview)).toEqual(['Text 0', 'From the first'])
    expect(others).toEqual([])
    const closed = await manager.post(`/api/conversations/${other['id']}/messages`, {
      type: 'text',
      text: 'Too early',
    })
    expect([closed.status, closed.body.code]).toEqual([400, 'window_closed'])
  })

  test('are read by page, by cursor, in both directions and around a message', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    for (const text of ['two', 'three']) {
      await inbox.says(0, text)
      inbox.world.clock.advance({ minutes: 1 })
    }
    await inbox.manager.post(`${path}/messages`, { type: 'text', text: 'ours' })
    const read = async (query: string): Promise<Loose> =>
      (await inbox.manager.get(`${path}/messages${query}`)).data
    const previews = async (query: string): Promise<unknown[]> =>
      ((await read(query))['items'] as Loose[]).map(({ preview }) => preview)
    expect(await previews('')).toEqual(['Text 0', 'two', 'three', 'ours'])
    expect(await previews('?direction=outgoing')).toEqual(['ours'])
    const newest = await read('?limit=1')
    expect(newest).toMatchObject({ total: 4, has_more: true })
    expect(await previews(`?limit=2&cursor=${newest['next_cursor']}`)).toEqual(['two', 'three'])
    const id = ((await read('?limit=1'))['items'] as Loose[])[0]?.['id']
    expect(await previews(`?before=${id}`)).toEqual(['Text 0', 'two', 'three'])
    expect((await inbox.manager.get(`${path}/messages?before=${id}&after=${id}`)).status).toBe(400)
  })

  test('return 404 for an unknown conversation', async () => {
    await using inbox = await Inbox.create()
    const path = `/api/conversations/${NOBODY}/messages`
    expect((await inbox.manager.get(path)).status).toBe(404)
    expect((await inbox.manager.post(path, { type: 'text', text: 'Hello' })).status).toBe(404)
  })
})
