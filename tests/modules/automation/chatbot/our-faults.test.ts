import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

/** Makes every step of the bot fail whose trace fits a condition, as a bug of this server would. */
const breakSteps = (bot: BotWorld, condition: string): void =>
  void bot.world.program.http.db.sqlite.run(
    `create trigger broken before insert on bot_trace when ${condition}
     begin select raise(abort, 'a bug'); end`,
  )

/** Lets a job that fails be tried until it is discarded. Returns what the customer receives. */
async function untilGivenUp(bot: BotWorld): Promise<string[]> {
  const said: string[] = []
  for (let nth = 0; nth < 12; nth += 1) said.push(...(await bot.wait({ minutes: 15 })))
  return said
}

const noticesOf = (bot: BotWorld): unknown[] =>
  bot.world
    .rows("select distinct body from notifications where kind = 'bot_failed'")
    .map(({ body }) => body)

const noticeAt = (where: string): string =>
  `A conversation stopped${where}: internal_error. The customer was told, and the conversation is open.`

test('a step that fails for ever says the fallback once, and its managers learn where', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  await bot.flow(
    [
      ['wait', 'delay', { seconds: 60 }],
      ['last', 'end', { message: 'Good.' }],
    ],
    { name: 'Orders' },
  )
  breakSteps(bot, "new.node = 'last'")
  expect(await bot.say('begin')).toEqual([])
  expect(await untilGivenUp(bot)).toEqual(['Sorry?'])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'internal_error' }])
  expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
  expect(noticesOf(bot)).toEqual([noticeAt(' in the bot flow "Orders" at the node "wait"')])
})

test('a turn that fails for ever leaves the customer to people, who are told', async () => {
  await using bot = await BotWorld.create({}, { newConversations: 'general' })
  breakSteps(bot, "new.stage = 'rules' and new.outcome <> 'failed'")
  await bot.rule({ keywords: ['hello'], response: 'Hi.' })
  const ours = 'Sorry, something went wrong. Our team will look at your message.'
  expect([...(await bot.say('hello')), ...(await untilGivenUp(bot))]).toEqual([ours])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'internal_error' }])
  expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'new_conversation' }])
  expect(noticesOf(bot)).toEqual([noticeAt('')])
})

test('an answer that fails for ever ends its flow at the question', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  await bot.flow(
    [
      ['name', 'prompt', { body: 'Your name?', input: 'text', store_as: 'name' }],
      ['last', 'end', { message: 'Good.' }],
    ],
    { name: 'Orders', timeout_minutes: 1_440 },
  )
  expect(await bot.say('begin')).toEqual(['Your name?'])
  breakSteps(bot, "new.node = 'name'")
  expect([...(await bot.say('Ana')), ...(await untilGivenUp(bot))]).toEqual(['Sorry?'])
  expect(noticesOf(bot)).toEqual([noticeAt(' in the bot flow "Orders" at the node "name"')])
})

test('a session whose timeout fails ends with the fallback, too', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  await bot.flow([['name', 'prompt', { body: 'Your name?', input: 'text', store_as: 'name' }]])
  await bot.say('begin')
  breakSteps(bot, "new.outcome = 'timed_out'")
  expect(await bot.wait({ hours: 2 })).toEqual(['Sorry?'])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'internal_error' }])
  expect(noticesOf(bot)).toHaveLength(1)
})

test('a session that cannot even say so ends', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  await bot.flow([['name', 'prompt', { body: 'Your name?', input: 'text', store_as: 'name' }]])
  await bot.say('begin')
  breakSteps(bot, 'true')
  expect(await bot.wait({ hours: 2 })).toEqual([])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'internal_error' }])
  expect(await bot.conversation()).toMatchObject({ state: 'open' })
})

test('a person who has the customer meanwhile is not interrupted by the fallback', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  await bot.flow([
    ['wait', 'delay', { seconds: 60 }],
    ['last', 'end', { message: 'Good.' }],
  ])
  breakSteps(bot, "new.node = 'last' or new.outcome = 'chatbot_disabled'")
  await bot.say('begin')
  await bot.wait({ seconds: 61 })
  await bot.configure({ chatbot_enabled: false })
  expect(await untilGivenUp(bot)).toEqual([])
  expect(bot.sessions()).toMatchObject([{ status: 'cancelled', end_reason: 'chatbot_disabled' }])
  expect(noticesOf(bot)).toEqual([])
})

test('a session that lost its job says the fallback once', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  await bot.flow([['wait', 'delay', { seconds: 60 }]], { name: 'Orders' })
  await bot.say('begin')
  bot.world.program.http.db.sqlite.run("delete from jobs where kind = 'chatbot.step'")
  expect(await bot.wait({ minutes: 7 })).toEqual(['Sorry?'])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'lost' }])
  expect(noticesOf(bot)).toHaveLength(1)
})
