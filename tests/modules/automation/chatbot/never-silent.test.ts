import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

const notices = (bot: BotWorld): unknown[] =>
  bot.world
    .rows("select distinct body from notifications where kind = 'bot_failed'")
    .map(({ body }) => body)

test('a flow that fails says the fallback once, and its managers learn flow, node and reason', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  await bot.flow(
    [
      ['hi', 'message', { message: 'Hi.' }],
      ['blank', 'message', { message: '{{ nothing }}' }],
    ],
    { name: 'Orders' },
  )
  expect(await bot.say('begin')).toEqual(['Hi.', 'Sorry?'])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', node: 'blank' }])
  expect(await bot.conversation()).toMatchObject({ state: 'open' })
  expect(notices(bot)).toEqual([
    'A conversation stopped in the bot flow "Orders" at the node "blank": empty_text. The customer was told, and the conversation is open.',
  ])
})

test('a flow that fails without a fallback says so in our words, and people are told once an hour', async () => {
  await using bot = await BotWorld.create()
  await bot.flow([['blank', 'message', { message: '{{ nothing }}' }]])
  const ours = 'Sorry, something went wrong. Our team will look at your message.'
  const told = (): number =>
    bot.world.rows("select id from notifications where kind = 'bot_failed'").length
  expect(await bot.say('begin')).toEqual([ours])
  const people = told()
  expect(people).toBeGreaterThan(0)
  expect(await bot.say('begin')).toEqual([ours])
  expect(told()).toBe(people)
  await bot.wait({ minutes: 61 })
  expect(await bot.say('begin')).toEqual([ours])
  expect(told()).toBe(2 * people)
})

test('a blocked contact hears nothing of a session that ends', async () => {
  await using bot = await BotWorld.create()
  await bot.flow([
    ['wait', 'delay', { seconds: 60 }],
    ['end', 'end', { message: 'Good.' }],
  ])
  await bot.say('begin')
  const [{ id } = {}] = bot.world.rows('select id from contacts')
  await bot.admin.post(`/api/contacts/${String(id)}/block`)
  expect(await bot.wait({ seconds: 61 })).toEqual([])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'contact_blocked' }])
  expect(notices(bot)).toEqual([])
})

test('a question that is not answered hands over, and does not go on as if it was', async () => {
  await using bot = await BotWorld.create()
  const id = await bot.flow([
    ['age', 'prompt', { body: 'Your age?', input: 'number', max_retries: 1, store_as: 'age' }],
    ['end', 'end', { message: 'You are {{ age }}.' }],
  ])
  const { data } = await bot.admin.get(`/api/chatbot/flows/${id}`)
  expect(data['warnings']).toEqual([
    {
      path: 'graph.nodes.0',
      message: 'hands over to a person after max_retries: no edge follows',
    },
  ])
  await bot.say('begin')
  expect(await bot.say('old')).toEqual(['Your age?'])
  expect(await bot.say('very old')).toEqual([
    'I am handing you over to our team. They will answer you here.',
  ])
  expect(bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'flow' }])
  expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'flow' }])
})

test('words for a person and to cancel work while a flow waits for a time', async () => {
  await using bot = await BotWorld.create({ transfer_keywords: ['human'] })
  await bot.flow(
    [
      ['wait', 'delay', { seconds: 600 }],
      ['end', 'end', { message: 'Good.' }],
    ],
    { cancel_message: 'All right.' },
  )
  await bot.say('begin')
  expect(await bot.conversation()).toMatchObject({ bot_active: true })
  expect(await bot.say('cancel')).toEqual(['All right.'])
  expect(await bot.wait({ seconds: 601 })).toEqual([])
  await bot.say('begin')
  expect(await bot.say('a human')).toHaveLength(1)
  expect(await bot.wait({ seconds: 601 })).toEqual([])
  expect(bot.sessions()).toMatchObject([
    { end_reason: 'cancel_word' },
    { status: 'transferred', end_reason: 'keyword' },
  ])
})
