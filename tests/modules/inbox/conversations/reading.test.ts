import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Inbox, SEES_OWN } from '../../../support/inbox'
import { deliver, personOf, systemText } from '../../../support/lines'
import { NOBODY } from '../../../support/routes'

/**
 * Creates a world in which one customer has written these texts, one minute apart, oldest first.
 */
async function inboxWith(texts: string[], receipts = false) {
  const inbox = await Inbox.create()
  for (const text of texts) {
    await inbox.says(0, text)
    inbox.world.clock.advance({ minutes: 1 })
  }
  if (receipts)
    await (
      await inbox.world.as('admin')
    ).put(`/api/accounts/${inbox.world.tenant.accountId}`, { auto_read_receipt: true })
  const path = await inbox.path(0)
  const messages = async (): Promise<Loose[]> =>
    (await inbox.manager.get(`${path}/messages`)).data['items'] as Loose[]
  const statuses = async (): Promise<unknown[]> => (await messages()).map(({ status }) => status)
  const marks = (): Loose[] =>
    inbox.world.simulator.calls
      .map(({ body }) => body as Loose)
      .filter((body) => body?.['status'] === 'read')
  const unread = async (): Promise<unknown[]> => {
    const contact = (await inbox.manager.get(await inbox.contactPath(0))).data
    return [(await inbox.of(0))['unread_count'], contact['unread_count']]
  }
  return {
    inbox,
    manager: inbox.manager,
    path,
    messages,
    statuses,
    marks,
    unread,
    [Symbol.asyncDispose]: () => inbox.world.stop(),
  }
}

describe('marking as read', () => {
  test("marks all messages of a conversation and updates the contact's count", async () => {
    await using at = await inboxWith(['one', 'two', 'three'])
    expect(await at.unread()).toEqual([3, 3])
    const { status, data } = await at.manager.post(`${at.path}/read`)
    expect([status, data]).toEqual([200, { unread_count: 0 }])
    expect(await at.unread()).toEqual([0, 0])
    expect(await at.statuses()).toEqual(['read', 'read', 'read'])
    expect((await at.messages()).map(({ read_at }) => read_at)).toEqual(
      Array.from({ length: 3 }, () => '2026-11-21T09:33:00.000Z'),
    )
    expect((await at.manager.post(`${at.path}/read`)).data).toEqual({ unread_count: 0 })
  })

  test('marks messages up to a given one, which may be an outgoing one', async () => {
    await using at = await inboxWith(['one', 'two', 'three'])
    const [, two] = await at.messages()
    expect((await at.manager.post(`${at.path}/read`, { up_to: two?.['id'] })).data).toEqual({
      unread_count: 1,
    })
    expect(await at.statuses()).toEqual(['read', 'read', 'delivered'])
    expect(await at.unread()).toEqual([1, 1])
    const ours = (await at.manager.post(`${at.path}/messages`, { type: 'text', text: 'An answer' }))
      .data
    await at.inbox.passes({ minutes: 1 })
    await at.inbox.says(0, 'four')
    expect((await at.manager.post(`${at.path}/read`, { up_to: ours['id'] })).data).toEqual({
      unread_count: 1,
    })
  })

  test('marks a message and all before it', async () => {
    await using at = await inboxWith(['one', 'two', 'three'])
    const [, two] = await at.messages()
    expect((await at.manager.put(`/api/messages/${two?.['id']}/read`)).data).toEqual({
      unread_count: 1,
    })
    expect(await at.statuses()).toEqual(['read', 'read', 'delivered'])
    const ours = (await at.manager.post(`${at.path}/messages`, { type: 'text', text: 'An answer' }))
      .data
    const refused = await at.manager.put(`/api/messages/${ours['id']}/read`)
    expect([refused.status, refused.body.code]).toEqual([400, 'not_incoming'])
    expect((await at.manager.put(`/api/messages/${NOBODY}/read`)).status).toBe(404)
  })

  test('marks one or all conversations of a contact with two accounts', async () => {
    await using at = await inboxWith(['one', 'two'])
    const { world } = at.inbox
    const second = await at.manager.post('/api/accounts', {
      ...{
        name: 'Second',
        phone_id: '301000000000009',
        business_id: world.tenant.wabaId,
        access_token: world.tenant.token,
      },
      verify: false,
    })
    const contact = await at.inbox.contactPath(0)
    const other = (
      await at.manager.post('/api/conversations', {
        contact_id: contact.split('/').at(-1),
        account_id: second.data['id'],
      })
    ).data
    await at.manager.post(`/api/conversations/${other['id']}/unread`)
    expect((await at.manager.get(contact)).data['unread_count']).toBe(3)
    const mark = async (body?: unknown): Promise<unknown> =>
      (await at.manager.post(`${contact}/mark-read`, body)).data
    expect(await mark({ account_id: world.tenant.accountId })).toEqual({ unread_count: 1 })
    expect(await mark()).toEqual({ unread_count: 0 })
    expect((await at.inbox.list()).map(({ unread_count }) => unread_count)).toEqual([0, 0])
  })

  test('never counts system messages as unread, and marks them with the others', async () => {
    await using at = await inboxWith(['one'])
    await deliver(at.inbox.world, systemText(at.inbox.world, personOf(0)))
    const [one] = await at.messages()
    expect((await at.manager.post(`${at.path}/read`, { up_to: one?.['id'] })).data).toEqual({
      unread_count: 0,
    })
    await at.manager.post(`${at.path}/read`)
    expect(await at.statuses()).toEqual(['read', 'read'])
  })

  test('marks unread messages between others, and with a count that is too high', async () => {
    await using at = await inboxWith(['one'])
    await deliver(at.inbox.world, systemText(at.inbox.world, personOf(0)))
    await at.inbox.says(0, 'two')
    await at.manager.post(`${at.path}/messages`, { type: 'text', text: 'An answer' })
    await at.inbox.passes({ minutes: 1 })
    await at.inbox.says(0, 'three')
    // As after the retention period has erased older messages.
    at.inbox.world.program.http.db.sqlite.run('update conversations set unread_count = 9')
    const two = (await at.messages())[2]
    expect((await at.manager.post(`${at.path}/read`, { up_to: two?.['id'] })).data).toEqual({
      unread_count: 1,
    })
    expect(await at.statuses()).toEqual(['read', 'read', 'read', 'delivered', 'delivered'])
    expect((await at.manager.post(`${at.path}/read`)).data).toEqual({ unread_count: 0 })
    expect((await at.statuses()).at(-1)).toBe('read')
  })

  test('publishes once to those who see the contact', async () => {
    await using at = await inboxWith(['one', 'two'])
    const socket = await at.inbox.world.socket('manager')
    await at.manager.post(`${at.path}/read`)
    await at.manager.post(`${at.path}/read`)
    expect(
      (await socket.caughtUp()).map(({ type, payload }) => [
        type,
        payload['unread_count'],
        payload['changed'],
      ]),
    ).toEqual([['conversation:updated', 0, ['unread_count']]])
  })

  test('does not happen by listing or viewing', async () => {
    await using at = await inboxWith(['one'], true)
    for (const path of [
      '/api/conversations',
      at.path,
      `${at.path}/messages`,
      await at.inbox.contactPath(0),
    ])
      await at.manager.get(path)
    await at.inbox.world.settle()
    expect(await at.unread()).toEqual([1, 1])
    expect(at.marks()).toEqual([])
  })

  test.each<[string, string, unknown, number]>([
    ['a message that is unknown', 'read', { up_to: NOBODY }, 400],
    ['no id', 'read', { up_to: 'odd' }, 400],
    ['no yes or no', 'read', { send_receipt: 'maybe' }, 400],
  ])('%s is refused', async (_, verb, body, status) => {
    await using at = await inboxWith(['one'])
    expect((await at.manager.post(`${at.path}/${verb}`, body)).status).toBe(status)
    expect(await at.unread()).toEqual([1, 1])
  })

  test('returns 404 for unknown or invisible items', async () => {
    await using at = await inboxWith(['one'])
    const agent = await at.inbox.colleague(...SEES_OWN)
    const [one] = await at.messages()
    const contact = await at.inbox.contactPath(0)
    const paths: [string, string][] = [
      ['POST', `${at.path}/read`],
      ['POST', `${at.path}/unread`],
      ['POST', `${at.path}/typing`],
      ['POST', `${contact}/mark-read`],
      ['PUT', `/api/messages/${one?.['id']}/read`],
    ]
    for (const [method, path] of paths) {
      expect({ path, status: (await agent.client.request(method, path)).status }).toEqual({
        path,
        status: 404,
      })
      expect((await at.manager.request(method, path.replace(/[0-9a-f-]{36}/, NOBODY))).status).toBe(
        404,
      )
    }
    expect(await at.unread()).toEqual([1, 1])
    await agent.socket.close()
  })
})

describe('marking as unread', () => {
  test("counts the customer's newest message as unread, once", async () => {
    await using at = await inboxWith(['one', 'two'])
    await at.manager.post(`${at.path}/read`)
    await at.manager.post(`${at.path}/messages`, { type: 'text', text: 'An answer' })
    for (let nth = 0; nth < 2; nth += 1) {
      expect((await at.manager.post(`${at.path}/unread`)).data).toEqual({ unread_count: 1 })
      expect(await at.unread()).toEqual([1, 1])
    }
    expect((await at.statuses()).slice(0, 2)).toEqual(['read', 'delivered'])
    expect(await at.inbox.list('?unread=true')).toHaveLength(1)
    await at.manager.post(`${at.path}/read`)
    expect(await at.unread()).toEqual([0, 0])
    expect((await at.statuses()).slice(0, 2)).toEqual(['read', 'read'])
  })
})

describe('read receipts', () => {
  test('are sent for the newest unread message if the account has them enabled', async () => {
    await using at = await inboxWith(['one', 'two'], true)
    const newest = (await at.messages()).at(-1)
    await at.manager.post(`${at.path}/read`)
    await at.inbox.world.settle()
    await at.manager.post(`${at.path}/read`)
    await at.inbox.world.settle()
    expect(at.marks()).toEqual([
      { messaging_product: 'whatsapp', status: 'read', message_id: newest?.['wa_message_id'] },
    ])
  })

  test.each<[string, boolean, boolean | undefined, number]>([
    ['off', false, undefined, 0],
    ['off, but asked for', false, true, 1],
    ['on, but not wanted', true, false, 0],
  ])('of a number where they are %s', async (_, receipts, send_receipt, sent) => {
    await using at = await inboxWith(['one'], receipts)
    await at.manager.post(`${at.path}/read`, { send_receipt })
    await at.inbox.world.settle()
    expect(at.marks()).toHaveLength(sent)
  })

  test('are also sent for a single message and for a contact, up to the message', async () => {
    await using at = await inboxWith(['one', 'two', 'three'], true)
    const ids = (await at.messages()).map(({ wa_message_id }) => wa_message_id)
    await at.manager.put(`/api/messages/${(await at.messages())[1]?.['id']}/read`)
    await at.inbox.world.settle()
    await at.manager.post(`${await at.inbox.contactPath(0)}/mark-read`)
    await at.inbox.world.settle()
    expect(at.marks().map(({ message_id }) => message_id)).toEqual([ids[1], ids[2]])
  })

  test('are not sent for messages older than 30 days', async () => {
    await using at = await inboxWith(['one'], true)
    at.inbox.world.clock.advance({ hours: 30 * 24, minutes: 1 })
    await (await at.inbox.world.as('manager')).post(`${at.path}/read`)
    await at.inbox.world.settle()
    expect(at.marks()).toEqual([])
  })

  test('are tried three times when the platform fails, without a visible error', async () => {
    await using at = await inboxWith(['one'], true)
    const { world } = at.inbox
    world.simulator.fail({ code: 131_016 }, { times: 10, route: 'read' })
    await at.manager.post(`${at.path}/read`)
    for (let nth = 0; nth < 5; nth += 1) await at.inbox.passes({ minutes: 5 })
    expect(at.marks()).toHaveLength(3)
    const admin = await world.as('admin')
    expect((await admin.get('/api/jobs?state=discarded')).data['items']).toEqual([])
  })

  test('are not retried when the platform rejects them', async () => {
    await using at = await inboxWith(['one'], true)
    at.inbox.world.simulator.fail({ code: 100 }, { times: 10, route: 'read' })
    await at.manager.post(`${at.path}/read`)
    for (let nth = 0; nth < 3; nth += 1) await at.inbox.passes({ minutes: 5 })
    expect(at.marks()).toHaveLength(1)
  })
})

describe('the typing indicator', () => {
  test("is sent with the customer's newest message, at most once in 20 seconds", async () => {
    await using at = await inboxWith(['one', 'two'], true)
    const newest = (await at.messages()).at(-1)
    const type = async (): Promise<string> =>
      String((await at.manager.post(`${at.path}/typing`)).data['message'])
    expect(await type()).toContain('25 seconds')
    await at.inbox.world.settle()
    const mark = {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: newest?.['wa_message_id'],
      typing_indicator: { type: 'text' },
    }
    expect(at.marks()).toEqual([mark])
    await at.inbox.passes({ seconds: 19 })
    expect(await type()).toContain('already')
    await at.inbox.passes({ seconds: 1 })
    await type()
    await at.inbox.world.settle()
    expect(at.marks()).toEqual([mark, mark])
    expect(await at.unread()).toEqual([2, 2])
  })

  test('is not sent when read receipts are off', async () => {
    await using at = await inboxWith(['one'])
    const { status, data } = await at.manager.post(`${at.path}/typing`)
    await at.inbox.world.settle()
    expect([status, data['message']]).toEqual([
      200,
      'The typing indicator was not sent: read receipts of this phone number are off.',
    ])
    expect(at.marks()).toEqual([])
  })

  test('is rejected outside the window', async () => {
    await using at = await inboxWith(['one'], true)
    at.inbox.world.clock.advance({ hours: 25 })
    const refused = await (await at.inbox.world.as('manager')).post(`${at.path}/typing`)
    expect([refused.status, refused.body.code]).toEqual([400, 'window_closed'])
  })

  test('is sent once and expires', async () => {
    await using at = await inboxWith(['one'], true)
    const { world } = at.inbox
    world.simulator.fail({ code: 131_016 }, { times: 10, route: 'read' })
    await at.manager.post(`${at.path}/typing`)
    await world.settle()
    for (let nth = 0; nth < 3; nth += 1) await at.inbox.passes({ minutes: 5 })
    expect(at.marks()).toHaveLength(1)
    await (await world.as('manager')).post(`${at.path}/typing`)
    world.clock.advance({ seconds: 21 })
    await world.settle()
    expect(at.marks()).toHaveLength(1)
    expect(
      (await (await world.as('admin')).get('/api/jobs?state=discarded')).data['items'],
    ).toEqual([])
  })
})
