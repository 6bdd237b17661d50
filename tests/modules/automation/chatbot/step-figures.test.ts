import { afterAll, beforeAll, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { personWith } from '../../../support/people'

let bot: BotWorld
let shop: string
let more: string
beforeAll(async () => {
  bot = await BotWorld.create({ session_timeout_minutes: 10 })
  more = await bot.flow(
    [
      ['ask', 'prompt', { body: 'Which size?', store_as: 'size' }],
      ['bye', 'end', { message: 'Thanks' }],
    ],
    { trigger_keywords: ['size'] },
  )
  shop = await bot.flow(
    [
      ['hello', 'message', { message: 'Hello' }],
      [
        'ask',
        'buttons',
        {
          body: 'What?',
          buttons: [
            { id: 'a', title: 'Cake' },
            { id: 'b', title: 'Size' },
          ],
        },
      ],
      ['person', 'transfer', { body: 'A moment' }],
      ['other', 'goto_flow', { flow_id: more }],
    ],
    {
      edges: [
        ['hello', 'default', 'ask'],
        ['ask', 'button:a', 'person'],
        ['ask', 'button:b', 'other'],
      ],
    },
  )
})
afterAll(() => bot.world.stop())

/** A customer says these things one after the other. */
async function customer(nth: number, ...texts: string[]): Promise<void> {
  const { world } = bot
  const person = world.simulator.customer({ phone: world.tenant.phoneId, waId: `1555000900${nth}` })
  for (const text of texts) {
    await person.says(text)
    await world.settle()
  }
}
const figures = async (id: string, client = bot.admin): Promise<unknown> =>
  ((await client.get(`/api/chatbot/flows/${id}/figures`)).data['steps'] as Loose[]).map((step) => [
    step['node_id'],
    step['came'],
    step['went_on'],
    step['left'],
  ])

test('steps count who came, went on and left, each conversation once and in its own flow', async () => {
  expect(await figures(shop)).toEqual([])
  await customer(1, 'begin', 'nonsense', 'Cake')
  await customer(2, 'begin', 'Size', 'L')
  await customer(3, 'begin', 'nonsense')
  bot.world.clock.advance({ minutes: 11 })
  await bot.world.settle()
  await customer(4, 'begin', 'Size')
  expect(await figures(shop)).toEqual([
    ['ask', 4, 3, 1],
    ['hello', 4, 4, 0],
    ['other', 2, 2, 0],
    ['person', 1, 1, 0],
  ])
  expect(await figures(more)).toEqual([
    ['ask', 2, 1, 0],
    ['bye', 1, 1, 0],
  ])
  const agent = await bot.world.as('agent')
  const { client: reader } = await personWith(bot.world, ['flows:read'])
  for (const one of [agent, reader])
    expect((await one.get(`/api/chatbot/flows/${shop}/figures`)).status).toBe(403)
  expect((await bot.admin.get(`/api/chatbot/flows/${bot.world.tenant.id}/figures`)).status).toBe(
    404,
  )
  bot.world.clock.advance({ hours: 31 * 24 }) // older traces are not deleted yet
  bot.admin = await bot.world.signIn('admin@acme.example.com')
  expect(await figures(shop)).toEqual([])
})
