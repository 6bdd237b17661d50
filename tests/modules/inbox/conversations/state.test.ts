import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Inbox, SEES_OWN } from '../../../support/inbox'
import { deliver, personOf, textTo, valueOf } from '../../../support/lines'
import { NOBODY } from '../../../support/routes'

describe('opening a conversation', () => {
  test('opens it once, on the account used last unless another is requested', async () => {
    await using inbox = await Inbox.create()
    const { world, manager } = inbox
    const contact = (
      await manager.post('/api/contacts', {
        phone_number: '+1 555 030 0000',
        assigned_to: world.tenant.userIds.agent,
      })
    ).data
    const socket = await world.socket('manager')
    const first = await manager.post('/api/conversations', { contact_id: contact['id'] })
    expect(first.status).toBe(201)
    expect(first.data).toMatchObject({
      contact: { id: contact['id'] },
      account_id: world.tenant.accountId,
      state: 'open',
      assigned_to: world.tenant.userIds.agent,
      last_message: null,
      window_open: false,
      first_referral: null,
      last_referral: null,
    })
    const again = await manager.post('/api/conversations', {
      contact_id: contact['id'],
      account_id: world.tenant.accountId,
    })
    expect([again.status, again.data['id']]).toEqual([200, first.data['id']])
    const frames = await socket.caughtUp()
    expect(frames.map(({ type, payload }) => [type, payload['changed']])).toEqual([
      ['conversation:updated', ['state', 'assigned_to']],
    ])
    expect(await inbox.list()).toHaveLength(1)
  })

  test.each<[string, (inbox: Inbox) => Promise<Loose>, number, string]>([
    [
      'a contact that is unknown',
      async () => Promise.resolve({ contact_id: NOBODY }),
      404,
      'not_found',
    ],
    [
      'a number that is unknown',
      async (inbox) => ({
        contact_id: ((await inbox.of(0))['contact'] as Loose)['id'],
        account_id: NOBODY,
      }),
      400,
      'invalid_input',
    ],
    [
      'a number that was disconnected',
      async (inbox) => {
        const body = {
          contact_id: ((await inbox.of(0))['contact'] as Loose)['id'],
          account_id: inbox.world.tenant.accountId,
        }
        await (
          await inbox.world.as('admin')
        ).delete(`/api/accounts/${inbox.world.tenant.accountId}`)
        return body
      },
      400,
      'account_inactive',
    ],
    [
      'no number where there is none',
      async (inbox) => {
        const body = { contact_id: ((await inbox.of(0))['contact'] as Loose)['id'] }
        await (
          await inbox.world.as('admin')
        ).delete(`/api/accounts/${inbox.world.tenant.accountId}`)
        return body
      },
      400,
      'account_required',
    ],
  ])('%s is refused', async (_, bodyIn, status, code) => {
    await using inbox = await Inbox.create(1)
    const answer = await inbox.manager.post('/api/conversations', await bodyIn(inbox))
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('requires a visible contact', async () => {
    await using inbox = await Inbox.create(1)
    const agent = await inbox.colleague(...SEES_OWN)
    const contactId = ((await inbox.of(0))['contact'] as Loose)['id']
    expect((await agent.client.post('/api/conversations', { contact_id: contactId })).status).toBe(
      404,
    )
    await agent.socket.close()
  })
})

describe('conversation state', () => {
  const STATES = ['open', 'pending', 'closed'] as const

  test.each(
    ['open', 'pending', 'snoozed', 'closed'].flatMap((from) =>
      STATES.map((to) => [from, to] as const),
    ),
  )('moves from %s to %s', async (from, to) => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const { clock } = inbox.world
    if (from === 'snoozed')
      await inbox.manager.post(`${path}/snooze`, {
        until: new Date(clock.nowMs() + 3_600_000).toISOString(),
      })
    else await inbox.manager.put(path, { state: from })
    const { status, data } = await inbox.manager.put(path, { state: to })
    expect(status).toBe(200)
    expect(data).toMatchObject({ state: to, snoozed_until: null })
    expect(data['closed_at'] === null).toBe(to !== 'closed')
  })

  test('changes with the priority or alone', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    expect((await inbox.manager.put(path, { priority: 'urgent' })).data).toMatchObject({
      state: 'open',
      priority: 'urgent',
    })
    expect(
      (await inbox.manager.put(path, { priority: 'low', state: 'closed' })).data,
    ).toMatchObject({ state: 'closed', priority: 'low' })
  })

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['nothing that is known', { colour: 'red' }],
    ['snoozed', { state: 'snoozed' }],
    ['an unknown state', { state: 'odd' }],
    ['an unknown priority', { priority: 'odd' }],
    ['null', { state: null }],
  ])('rejects %s', async (_, body) => {
    await using inbox = await Inbox.create(1)
    const refused = await inbox.manager.put(await inbox.path(0), body)
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_input'])
    expect(await inbox.of(0)).toMatchObject({ state: 'open', priority: 'normal' })
  })

  test("a closed conversation that the customer reopens is assigned to the contact's assignee, unless that member left", async () => {
    await using inbox = await Inbox.create(2)
    const { world, manager } = inbox
    const { agent } = world.tenant.userIds
    const admin = await world.as('admin')
    for (const nth of [0, 1]) {
      await manager.put(await inbox.path(nth), { state: 'closed' })
      await manager.put(`${await inbox.contactPath(nth)}/assign`, { user_id: agent })
      expect(await inbox.of(nth)).toMatchObject({ state: 'closed', assigned_to: null })
    }
    await inbox.says(0, 'Hello again')
    expect(await inbox.of(0)).toMatchObject({ state: 'open', closed_at: null, assigned_to: agent })
    expect((await admin.put(`/api/users/${agent}`, { is_active: false })).status).toBe(200)
    await inbox.says(1, 'Hello again')
    expect(await inbox.of(1)).toMatchObject({ state: 'open', assigned_to: null })
  })

  test("a closed conversation reopened by an agent goes to the contact's assignee, or keeps its own", async () => {
    await using inbox = await Inbox.create(2)
    const { world, manager } = inbox
    const { agent, manager: boss } = world.tenant.userIds
    await manager.put(await inbox.path(0), { state: 'closed' })
    await manager.put(`${await inbox.contactPath(0)}/assign`, { user_id: agent })
    expect((await manager.put(await inbox.path(0), { state: 'pending' })).data).toMatchObject({
      assigned_to: agent,
    })
    await manager.put(`${await inbox.path(1)}/assign`, { user_id: boss })
    await manager.put(await inbox.path(1), { state: 'closed' })
    await inbox.says(1, 'Hello again')
    expect(await inbox.of(1)).toMatchObject({ state: 'open', assigned_to: boss })
  })

  test("a new conversation is assigned to the contact's assignee", async () => {
    await using inbox = await Inbox.create()
    const { agent } = inbox.world.tenant.userIds
    await inbox.manager.post('/api/contacts', {
      phone_number: `+${personOf(0).waId}`,
      assigned_to: agent,
    })
    await inbox.says(0, 'Hello')
    expect(await inbox.of(0)).toMatchObject({ state: 'open', assigned_to: agent })
  })
})

describe('snoozing', () => {
  const untilIn = (inbox: Inbox, ms: number): string =>
    new Date(inbox.world.clock.nowMs() + ms).toISOString()
  const HOUR = 3_600_000
  const DAY = 24 * HOUR

  test('ends at the given time', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    const until = untilIn(inbox, HOUR)
    expect((await inbox.manager.post(`${path}/snooze`, { until })).data).toMatchObject({
      state: 'snoozed',
      snoozed_until: until,
    })
    const socket = await inbox.world.socket('manager')
    await inbox.passes({ minutes: 59 })
    expect(await inbox.of(0)).toMatchObject({ state: 'snoozed' })
    await inbox.passes({ minutes: 1 })
    expect((await (await inbox.world.as('manager')).get(path)).data).toMatchObject({
      state: 'open',
      snoozed_until: null,
    })
    expect((await socket.caughtUp()).at(-1)?.payload).toMatchObject({
      state: 'open',
      snoozed_until: null,
      changed: ['state', 'snoozed_until'],
    })
  })

  test('until the customer writes has no end of its own, not even that of an earlier snooze', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    await inbox.manager.post(`${path}/snooze`, { until: untilIn(inbox, HOUR) })
    const { data } = await inbox.manager.post(`${path}/snooze`, { until: 'reply' })
    expect(data).toMatchObject({ state: 'snoozed', snoozed_until: null })
    await inbox.passes({ hours: 100 * 24 })
    expect(await inbox.of(0)).toMatchObject({ state: 'snoozed', snoozed_until: null })
    await inbox.says(0, 'Here I am')
    expect(await inbox.of(0)).toMatchObject({ state: 'open', snoozed_until: null })
  })

  test.each([['replies'], [''], [null], ['2026-11-20T00:00:00.000Z']])(
    'until %p is refused',
    async (until) => {
      await using inbox = await Inbox.create(1)
      const refused = await inbox.manager.post(`${await inbox.path(0)}/snooze`, { until })
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'body.until'])
      expect(await inbox.of(0)).toMatchObject({ state: 'open' })
    },
  )

  test('ends at the new time after snoozing again', async () => {
    await using inbox = await Inbox.create(1)
    const path = await inbox.path(0)
    await inbox.manager.post(`${path}/snooze`, { until: untilIn(inbox, HOUR) })
    await inbox.manager.post(`${path}/snooze`, { until: untilIn(inbox, 3 * HOUR) })
    await inbox.passes({ hours: 2 })
    expect((await (await inbox.world.as('manager')).get(path)).data).toMatchObject({
      state: 'snoozed',
    })
    await inbox.passes({ hours: 1 })
    expect((await (await inbox.world.as('manager')).get(path)).data).toMatchObject({
      state: 'open',
    })
  })

  test('ends when the customer writes; a conversation closed meanwhile stays closed', async () => {
    await using inbox = await Inbox.create(2)
    for (const nth of [0, 1])
      await inbox.manager.post(`${await inbox.path(nth)}/snooze`, { until: untilIn(inbox, HOUR) })
    await inbox.says(0, 'I am back')
    expect(await inbox.of(0)).toMatchObject({ state: 'open', snoozed_until: null })
    const closed = await inbox.path(1)
    await inbox.manager.put(closed, { state: 'closed' })
    await inbox.passes({ hours: 2 })
    expect((await (await inbox.world.as('manager')).get(closed)).data).toMatchObject({
      state: 'closed',
    })
  })

  test.each<[string, (inbox: Inbox) => unknown]>([
    ['now', (inbox) => untilIn(inbox, 0)],
    ['in the past', (inbox) => untilIn(inbox, -1)],
    ['more than ninety days ahead', (inbox) => untilIn(inbox, 90 * DAY + 1)],
    ['no time', () => 'tomorrow'],
    ['nothing', () => undefined],
  ])('rejects %s', async (_, until) => {
    await using inbox = await Inbox.create(1)
    const refused = await inbox.manager.post(`${await inbox.path(0)}/snooze`, {
      until: until(inbox),
    })
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'body.until'])
    expect(await inbox.of(0)).toMatchObject({ state: 'open' })
  })

  test('accepts exactly 90 days', async () => {
    await using inbox = await Inbox.create(1)
    expect(
      (
        await inbox.manager.post(`${await inbox.path(0)}/snooze`, {
          until: untilIn(inbox, 90 * DAY),
        })
      ).status,
    ).toBe(200)
  })
})

describe('referrals', () => {
  test('keep the first and the last ad by message time, whatever the order of arrival', async () => {
    await using inbox = await Inbox.create()
    const { world } = inbox
    const start = Math.floor(world.clock.nowMs() / 1_000)
    const adAt = async (id: string, secondsAgo: number): Promise<void> => {
      const webhook = textTo(world, id, { person: personOf(0), timestamp: start - secondsAgo })
      const message = valueOf(webhook)['messages'][0] as Loose
      message['referral'] = {
        source_type: 'ad',
        source_id: id,
        source_url: 'https://example.com/ad',
        headline: 'An offer',
      }
      await deliver(world, webhook)
    }
    for (const [id, ago] of [
      ['second', 60],
      ['third', 30],
      ['first', 90],
    ] as const)
      await adAt(id, ago)
    await inbox.says(0, 'and no ad')
    expect(await inbox.of(0)).toMatchObject({
      first_referral: { source_id: 'first' },
      last_referral: { source_id: 'third' },
    })
  })
})
