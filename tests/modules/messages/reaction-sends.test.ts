import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../support/client'
import { openDesk, tracesIn, type Desk } from '../../support/sending'

type DeskWithMessage = Desk & { asked: Loose; react: (emoji: string) => Promise<Loose> }

/** A desk whose contact has just written something that can be reacted to. */
async function withMessage(): Promise<DeskWithMessage> {
  const desk = await openDesk()
  const messages = `/api/contacts/${desk.contact['id']}/messages`
  const { data } = await desk.client.get(messages)
  const asked = (data['items'] as Loose[])[0] as Loose
  const react = async (emoji: string): Promise<Loose> =>
    await desk.client.post(`${messages}/${asked['id']}/reaction`, { emoji })
  return { ...desk, asked, react }
}

const reactionsSent = ({ world }: Desk): Loose[] =>
  world.simulator.messages
    .map(({ body }) => body as Loose)
    .filter((body) => body['type'] === 'reaction')

test.each<[string, (desk: DeskWithMessage) => [path: string, recipient: Loose]]>([
  ['to a contact', ({ contact }) => [`/api/contacts/${contact['id']}/messages`, {}]],
  ['to a contact in the body', ({ contact }) => ['/api/messages', { contact_id: contact['id'] }]],
  [
    'in a conversation',
    ({ asked }) => [`/api/conversations/${asked['conversation_id']}/messages`, {}],
  ],
  ['as a preview', ({ contact }) => ['/api/messages/preview', { contact_id: contact['id'] }]],
])('refuses a reaction sent like a message %s and names its route', async (_, where) => {
  await using desk = await withMessage()
  const before = tracesIn(desk.world)
  const [path, recipient] = where(desk)
  const { status, body } = await desk.client.post(path, {
    ...recipient,
    type: 'reaction',
    message_id: desk.asked['id'],
    emoji: '👍',
  })
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_input' })
  expect(body.errors).toMatchObject([
    {
      path: 'body.type',
      message: expect.stringContaining('POST /api/contacts/{id}/messages/{message_id}/reaction'),
    },
  ])
  expect(tracesIn(desk.world)).toEqual(before)
})

describe('a reaction that is rejected waits as long as Retry-After says', () => {
  test.each([131_056, 131_016])('(%p)', async (code) => {
    await using desk = await withMessage()
    desk.world.simulator.fail({ code, retryAfter: 40 })
    await desk.react('👍')
    await desk.world.settle()
    desk.world.clock.advance({ ms: 39_999 })
    await desk.world.settle()
    expect(reactionsSent(desk)).toEqual([])
    desk.world.clock.advance({ ms: 1 })
    await desk.world.settle()
    expect(reactionsSent(desk)).toHaveLength(1)
  })

  test('(131056) and so do all other messages to the contact, even after a minute', async () => {
    await using desk = await withMessage()
    desk.world.simulator.fail({ code: 131_056, retryAfter: 120 })
    await desk.react('👍')
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
