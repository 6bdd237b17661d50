import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../support/client'
import { deliver, textTo } from '../../support/lines'
import { openDesk, tracesIn, type Desk } from '../../support/sending'

/** A desk whose contact has just written something that can be reacted to. */
async function withMessage(): Promise<Desk & { asked: Loose; body: Loose }> {
  const desk = await openDesk()
  const { data } = await desk.client.get(`/api/contacts/${desk.contact['id']}/messages`)
  const asked = (data['items'] as Loose[])[0] as Loose
  return { ...desk, asked, body: { type: 'reaction', message_id: asked['id'], emoji: '👍' } }
}

const reactionsSent = ({ world }: Desk): Loose[] =>
  world.simulator.messages
    .map(({ body }) => body as Loose)
    .filter((body) => body['type'] === 'reaction')

describe('a reaction that is sent like a message is a reaction', () => {
  test.each<[string, (desk: Desk & { asked: Loose }) => [path: string, whom: Loose]]>([
    ['to the contact', ({ contact }) => [`/api/contacts/${contact['id']}/messages`, {}]],
    ['to a contact by id', ({ contact }) => ['/api/messages', { contact_id: contact['id'] }]],
    [
      'to its number',
      ({ contact }) => ['/api/messages', { phone_number: contact['phone_number'] }],
    ],
    [
      'in the conversation',
      ({ asked }) => [`/api/conversations/${asked['conversation_id']}/messages`, {}],
    ],
  ])('%s', async (_, where) => {
    await using desk = await withMessage()
    const [path, whom] = where(desk)
    const answer = await desk.client.post(path, { ...desk.body, ...whom })
    expect(answer).toMatchObject({
      status: 200,
      data: { message_id: desk.asked['id'], reactions: [{ emoji: '👍', by: 'user' }] },
    })
    await desk.world.settle()
    expect(reactionsSent(desk)).toMatchObject([
      {
        to: desk.contact['wa_id'],
        reaction: { message_id: desk.asked['wa_message_id'], emoji: '👍' },
      },
    ])
    expect(desk.world.rows("select id from messages where direction = 'outgoing'")).toEqual([])
    const again = await desk.client.post(path, { ...desk.body, ...whom, emoji: '' })
    expect(again).toMatchObject({ status: 200, data: { reactions: [] } })
  })

  test('and is previewed as one, with nothing set', async () => {
    await using desk = await withMessage()
    const before = tracesIn(desk.world)
    const { data } = await desk.client.post('/api/messages/preview', {
      ...desk.body,
      contact_id: desk.contact['id'],
    })
    expect(data).toEqual({
      rendered: { type: 'reaction', content: { message_id: desk.asked['id'], emoji: '👍' } },
      platform_payload: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: desk.contact['wa_id'],
        type: 'reaction',
        reaction: { message_id: desk.asked['wa_message_id'], emoji: '👍' },
      },
      window_open: true,
      estimated_cost: null,
      warnings: [],
    })
    expect(tracesIn(desk.world)).toEqual(before)
  })
})

describe('a reaction that cannot be sent is refused, and its preview too,', () => {
  const UNKNOWN = '01900000-0000-7000-8000-ffffffffffff'

  test.each<[string, Loose, string[]]>([
    [
      'without a message and an emoji',
      { message_id: undefined, emoji: undefined },
      ['body.message_id', 'body.emoji'],
    ],
    ['to a message nobody has', { message_id: UNKNOWN }, ['body.message_id']],
    ['with words', { emoji: 'ok' }, ['body.emoji']],
    ['with two emoji', { emoji: '👍👍' }, ['body.emoji']],
    ['from a number the message was not for', { account_id: UNKNOWN }, ['body.message_id']],
  ])('%s', async (_, change, paths) => {
    await using desk = await withMessage()
    for (const path of ['/api/messages', '/api/messages/preview']) {
      const { status, body } = await desk.client.post(path, {
        ...desk.body,
        contact_id: desk.contact['id'],
        ...change,
      })
      expect({ status, paths: body.errors?.map((problem) => problem.path) }).toEqual({
        status: 400,
        paths,
      })
    }
  })

  test('to a message of another contact', async () => {
    await using desk = await withMessage()
    await deliver(
      desk.world,
      textTo(desk.world, 'Somebody else', { id: 'wamid.else', person: { waId: '15550300009' } }),
    )
    const [other] = desk.world.rows("select id from messages where wa_message_id = 'wamid.else'")
    expect(
      (await desk.send({ ...desk.body, message_id: other?.['id'] })).body.errors,
    ).toMatchObject([{ path: 'body.message_id' }])
  })

  test('outside the window, which a preview only tells', async () => {
    await using desk = await withMessage()
    desk.world.program.http.db.sqlite.run('update conversations set last_inbound_at_ms = 1')
    expect((await desk.send(desk.body)).body.code).toBe('window_closed')
    const { data } = await desk.client.post('/api/messages/preview', {
      ...desk.body,
      contact_id: desk.contact['id'],
    })
    expect(data['window_open']).toBe(false)
  })

  test('to a contact out of sight', async () => {
    await using desk = await withMessage()
    const agent = await desk.world.as('agent')
    expect(
      (await agent.post(`/api/contacts/${desk.contact['id']}/messages`, desk.body)).status,
    ).toBe(404)
    expect(
      (await agent.post('/api/messages', { ...desk.body, contact_id: desk.contact['id'] })).status,
    ).toBe(404)
  })
})

describe('a reaction that is refused with Retry-After waits as long as asked', () => {
  test.each([131_056, 131_016])('(%p)', async (code) => {
    await using desk = await withMessage()
    desk.world.simulator.fail({ code, retryAfter: 40 })
    await desk.client.post(`/api/contacts/${desk.contact['id']}/messages`, desk.body)
    await desk.world.settle()
    desk.world.clock.advance({ ms: 39_999 })
    await desk.world.settle()
    expect(reactionsSent(desk)).toEqual([])
    desk.world.clock.advance({ ms: 1 })
    await desk.world.settle()
    expect(reactionsSent(desk)).toHaveLength(1)
  })

  test('(131056) and so does everything else to the contact, also after the minute in which it blocks what follows', async () => {
    await using desk = await withMessage()
    desk.world.simulator.fail({ code: 131_056, retryAfter: 120 })
    await desk.client.post(`/api/contacts/${desk.contact['id']}/messages`, desk.body)
    await desk.world.settle()
    await desk.client.post(`/api/contacts/${desk.contact['id']}/messages`, {
      type: 'text',
      text: 'After it',
    })
    for (const seconds of [59, 30, 30]) {
      desk.world.clock.advance({ seconds })
      await desk.world.settle()
      expect(desk.world.simulator.messages).toEqual([])
    }
    for (const seconds of [1, 6]) {
      desk.world.clock.advance({ seconds })
      await desk.world.settle()
    }
    expect(desk.world.simulator.messages).toHaveLength(2)
  })
})
