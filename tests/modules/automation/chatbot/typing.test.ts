import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'

/** A shop that answers when it is told to. */
function slowShop() {
  const waiting: (() => void)[] = []
  let asked = 0
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    hostname: '127.0.0.1',
    async fetch() {
      asked += 1
      await new Promise<void>((resolve) => waiting.push(resolve))
      return Response.json({})
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    env: { EGRESS_ALLOW: `127.0.0.1:${server.port}` },
    isAsked: (times = 1) => asked === times,
    answers: () => waiting.shift()?.(),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** A bot in the middle of a call, whose number sends read receipts or not. */
async function inACall(
  shop: ReturnType<typeof slowShop>,
  autoReadReceipt: boolean,
  calls: string[] = ['call'],
) {
  const bot = await BotWorld.create({}, { env: shop.env })
  await bot.admin.put(`/api/accounts/${bot.world.tenant.accountId}`, {
    auto_read_receipt: autoReadReceipt,
  })
  await bot.flow([
    ...calls.map((id): [string, string, Loose] => [
      id,
      'api_call',
      { url: shop.url, timeout_seconds: 30 },
    ]),
    ['end', 'end', { message: 'Found.' }],
  ])
  await bot.customer.says('begin')
  const settled = [bot.world.settle()]
  await bot.world.eventually(() => shop.isAsked())
  /** Moves the clock and begins what is due then. */
  const passes = (by: Parameters<typeof bot.world.clock.advance>[0]): void => {
    bot.world.clock.advance(by)
    // Each stops at the call: the first shows that the bot is typing, the second tells the platform.
    settled.push(bot.world.settle(), bot.world.settle())
  }
  return { bot, settled, passes }
}

/** The marks that the platform got: those with a typing indicator. */
const typings = (bot: BotWorld): unknown[] =>
  bot.world.simulator.calls
    .map(({ body }) => body as Loose | null)
    .filter((body) => body?.['typing_indicator'] !== undefined)
    .map((body) => body?.['status'])

test('a customer whose answer takes over a second sees that the bot has read and is typing', async () => {
  await using shop = slowShop()
  const { bot, settled, passes } = await inACall(shop, true)
  await using _ = bot
  passes({ ms: 900 })
  await bot.world.eventually(() => dueTypings(bot) === 0)
  expect(typings(bot)).toEqual([])
  passes({ ms: 200 })
  await bot.world.eventually(() => typings(bot).length === 1)
  expect(typings(bot)).toEqual(['read'])
  // It disappears after 25 seconds, so it is shown again.
  passes({ seconds: 20 })
  await bot.world.eventually(() => typings(bot).length === 2)
  shop.answers()
  await Promise.all(settled)
  await bot.wait({ seconds: 30 })
  expect(typings(bot)).toHaveLength(2)
  expect(bot.texts()).toEqual(['Found.'])
  expect(bot.world.rows("select id from jobs where kind = 'chatbot.typing'")).toEqual([])
})

test('calls that take over a second together count as one wait', async () => {
  await using shop = slowShop()
  const { bot, settled, passes } = await inACall(shop, true, ['first', 'second'])
  await using _ = bot
  passes({ ms: 700 })
  shop.answers()
  await bot.world.eventually(() => shop.isAsked(2))
  expect(typings(bot)).toEqual([])
  passes({ ms: 400 })
  await bot.world.eventually(() => typings(bot).length === 1)
  shop.answers()
  await Promise.all(settled)
  expect(bot.texts()).toEqual(['Found.'])
})

test('it is shown during a short delay, and not during a long one', async () => {
  await using bot = await BotWorld.create()
  await bot.admin.put(`/api/accounts/${bot.world.tenant.accountId}`, { auto_read_receipt: true })
  for (const [word, seconds] of [
    ['short', 10],
    ['long', 26],
  ] as const)
    await bot.flow(
      [
        ['wait', 'delay', { seconds }],
        ['end', 'end', { message: 'Done.' }],
      ],
      { trigger_keywords: [word] },
    )
  await bot.say('long')
  for (const seconds of [1, 20, 5]) await bot.wait({ seconds })
  expect([bot.texts(), typings(bot)]).toEqual([['Done.'], []])
  await bot.say('short')
  expect(typings(bot)).toEqual([])
  await bot.wait({ seconds: 1 })
  expect(typings(bot)).toEqual(['read'])
  expect(await bot.wait({ seconds: 9 })).toEqual(['Done.'])
  await bot.wait({ seconds: 30 })
  expect(typings(bot)).toHaveLength(1)
})

test('nothing is shown for a number without read receipts', async () => {
  await using shop = slowShop()
  const { bot, settled, passes } = await inACall(shop, false)
  await using _ = bot
  passes({ seconds: 2 })
  await bot.world.eventually(() => dueTypings(bot) === 0)
  shop.answers()
  await Promise.all(settled)
  expect(typings(bot)).toEqual([])
})

/** Jobs to show it that are due. */
const dueTypings = (bot: BotWorld): number =>
  bot.world.rows(
    "select id from jobs where kind = 'chatbot.typing' and scheduled_at_ms <= ?",
    bot.world.clock.nowMs(),
  ).length
