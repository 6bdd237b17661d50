import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { openSendFixture, tracesIn, type SendFixture } from '../../../support/sending'

type FixtureWithMessage = SendFixture & { asked: Loose; react: (emoji: string) => Promise<Loose> }

/** A fixture whose contact has just written something that can be reacted to. */
async function withMessage(): Promise<FixtureWithMessage> {
  const fixture = await openSendFixture()
  const messages = `/api/contacts/${fixture.contact['id']}/messages`
  const { data } = await fixture.client.get(messages)
  const asked = (data['items'] as Loose[])[0] as Loose
  const react = async (emoji: string): Promise<Loose> =>
    await fixture.client.post(`${messages}/${asked['id']}/reaction`, { emoji })
  return { ...fixture, asked, react }
}

const reactionsSent = ({ world }: SendFixture): Loose[] =>
  world.simulator.messages
    .map(({ body }) => body as Loose)
    .filter((body) => body['type'] === 'reaction')

test.each<[string, (fixture: FixtureWithMessage) => [path: string, recipient: Loose]]>([
  ['to a contact', ({ contact }) => [`/api/contacts/${contact['id']}/messages`, {}]],
  ['to a contact in the body', ({ contact }) => ['/api/messages', { contact_id: contact['id'] }]],
  [
    'in a conversation',
    ({ asked }) => [`/api/conversations/${asked['conversation_id']}/messages`, {}],
  ],
  ['as a preview', ({ contact }) => ['/api/messages/preview', { contact_id: contact['id'] }]],
])('refuses a reaction sent like a message %s and names its route', async (_, where) => {
  await using fixture = await withMessage()
  fixture.world.stays('jobs')
  const before = tracesIn(fixture.world)
  const [path, recipient] = where(fixture)
  const { status, body } = await fixture.client.post(path, {
    ...recipient,
    type: 'reaction',
    message_id: fixture.asked['id'],
    emoji: '👍',
  })
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_input' })
  expect(body.errors).toMatchObject([
    {
      path: 'body.type',
      message: expect.stringContaining('POST /api/contacts/{id}/messages/{message_id}/reaction'),
    },
  ])
  expect(tracesIn(fixture.world)).toEqual(before)
})

test('a reaction tells who gave it', async () => {
  await using fixture = await withMessage()
  const { client, contact, asked } = fixture
  const given = {
    emoji: '👍',
    by: 'user',
    user_id: fixture.world.tenant.userIds.manager,
    user_name: 'Acme manager',
  }
  const { data } = (await fixture.react('👍')) as { data: Loose }
  expect(data['reactions']).toMatchObject([given])
  const thread = await client.get(`/api/contacts/${contact['id']}/messages`)
  expect(
    (thread.data['items'] as Loose[]).find(({ id }) => id === asked['id'])?.['reactions'],
  ).toMatchObject([given])
})

describe('a reaction that is rejected waits as long as Retry-After says', () => {
  test.each([131_056, 131_016])('(%p)', async (code) => {
    await using fixture = await withMessage()
    fixture.world.simulator.fail({ code, retryAfter: 40 })
    await fixture.react('👍')
    await fixture.world.settle()
    fixture.world.clock.advance({ ms: 39_999 })
    await fixture.world.settle()
    expect(reactionsSent(fixture)).toEqual([])
    fixture.world.clock.advance({ ms: 1 })
    await fixture.world.settle()
    expect(reactionsSent(fixture)).toHaveLength(1)
  })

  test('(131056) and so do all other messages to the contact, even after a minute', async () => {
    await using fixture = await withMessage()
    fixture.world.simulator.fail({ code: 131_056, retryAfter: 120 })
    await fixture.react('👍')
    await fixture.world.settle()
    await fixture.client.post(`/api/contacts/${fixture.contact['id']}/messages`, {
      type: 'text',
      text: 'After it',
    })
    for (const seconds of [59, 30, 30]) {
      fixture.world.clock.advance({ seconds })
      await fixture.world.settle()
      expect(fixture.world.simulator.messages).toEqual([])
    }
    for (const seconds of [1, 6]) {
      fixture.world.clock.advance({ seconds })
      await fixture.world.settle()
    }
    expect(fixture.world.simulator.messages).toHaveLength(2)
  })
})
