import { describe, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'

const QUESTION = 'My order is broken, please call me!'

/** The contact of the only conversation. */
const contactOf = async (bot: BotWorld): Promise<Loose> =>
  (await bot.conversation())['contact'] as Loose

/** The ways in which the bot stops answering a customer. */
const STOPS: [name: string, reason: string, stop: (bot: BotWorld) => Promise<unknown>][] = [
  [
    'the bot is switched off',
    'chatbot_disabled',
    async (bot) => await bot.configure({ chatbot_enabled: false }),
  ],
  [
    'the bot is switched off for the number',
    'chatbot_disabled',
    async (bot) =>
      await bot.admin.put(`/api/chatbot/settings?account_id=${bot.world.tenant.accountId}`, {
        chatbot_enabled: false,
      }),
  ],
  [
    'the contact is excluded',
    'contact_excluded',
    async (bot) =>
      await bot.configure({ excluded_numbers: [(await contactOf(bot))['phone_number']] }),
  ],
]

describe('a customer in a conversation of the bot is left to people', () => {
  for (const [name, reason, stop] of STOPS)
    test(`when ${name}`, async () => {
      await using bot = await BotWorld.create()
      await bot.rule({ keywords: ['hi'], response: 'Ask me anything.' })
      await bot.say('hi')
      expect(await bot.conversation()).toMatchObject({ state: 'pending', bot_active: true })
      await bot.admin.post(`/api/conversations/${(await bot.conversation())['id']}/claim`)
      await stop(bot)
      expect(await bot.say(QUESTION)).toEqual([])
      expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
      expect(bot.sessions()).toMatchObject([{ status: 'cancelled', end_reason: reason }])
      await bot.wait({ hours: 2 })
      expect(await bot.conversation()).toMatchObject({ state: 'open', unread_count: 2 })
    })

  test('who answered a flow just before the bot was switched off', async () => {
    await using bot = await BotWorld.create({ debounce_seconds: 5 })
    await bot.flow([
      ['ask', 'prompt', { body: 'Your name?' }],
      ['thanks', 'message', { message: 'Thank you.' }],
    ])
    await bot.say('begin')
    await bot.wait({ seconds: 6 })
    await bot.say('Ana')
    await bot.configure({ chatbot_enabled: false })
    expect(await bot.wait({ seconds: 6 })).toEqual([])
    expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
    await bot.configure({ chatbot_enabled: true })
    expect(bot.sessions()).toMatchObject([{ end_reason: 'chatbot_disabled' }])
  })

  test('who calls, because the bot takes no calls', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Hi' })
    await bot.say('Hello')
    const call = await bot.customer.calls()
    await bot.wait({ seconds: 30 })
    await call.ends(0)
    await bot.wait({ hours: 1 })
    expect(bot.sessions()).toMatchObject([{ status: 'timed_out' }])
    expect(await bot.conversation()).toMatchObject({ state: 'open', unread_count: 2 })
  })

  test('who is excluded during a delay of a flow', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([
      ['wait', 'delay', { seconds: 60 }],
      ['say', 'message', { message: 'A minute later.' }],
    ])
    await bot.say('begin')
    await bot.configure({ excluded_numbers: [(await contactOf(bot))['phone_number']] })
    expect(await bot.wait({ minutes: 2 })).toEqual([])
    expect(bot.sessions()).toMatchObject([{ end_reason: 'contact_excluded' }])
  })
})

test('an excluded number is excluded in all its spellings', async () => {
  await using bot = await BotWorld.create({
    greeting_message: 'Hi',
    excluded_numbers: ['+55 11 98765-4321', '+52 55 1234 5678', '+54 9 11 1234 5678'],
  })
  for (const waId of ['551187654321', '5215512345678', '541112345678']) {
    const customer = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId, waId })
    await customer.says('Hello')
    await bot.world.settle()
    expect([waId, customer.received()]).toEqual([waId, []])
  }
})

describe('a flow that was started by request gets its answers', () => {
  /** Lets a customer write, and starts a flow with a question. */
  async function started(bot: BotWorld, before: (bot: BotWorld) => Promise<unknown>) {
    const flow = await bot.flow(
      [
        ['ask', 'prompt', { body: 'How was it?', store_as: 'answer' }],
        ['thanks', 'message', { message: 'Thanks for "{{answer}}".' }],
      ],
      { trigger_keywords: [] },
    )
    await bot.say('Hello')
    await before(bot)
    const contact = (await contactOf(bot))['id']
    const start = { contact_id: contact, replace: true }
    const { status } = await bot.admin.post(`/api/chatbot/flows/${flow}/start`, start)
    expect(status).toBe(201)
    await bot.world.settle()
  }

  test('although a person wrote before', async () => {
    await using bot = await BotWorld.create()
    await started(bot, async () => {
      const to = `/api/contacts/${(await contactOf(bot))['id']}/messages`
      await bot.admin.post(to, { type: 'text', text: 'Hi from Ben.' })
    })
    expect(await bot.say('great')).toEqual(['Thanks for "great".'])
    // The flow is over, and the person still has the customer.
    await bot.say('And another thing')
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
  })

  for (const [name, , stop] of STOPS)
    test(`although ${name}`, async () => {
      await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
      await started(bot, stop)
      expect(await bot.say('great')).toEqual(['Thanks for "great".'])
      expect(await bot.say('And another thing')).toEqual([])
      expect(await bot.conversation()).toMatchObject({ state: 'open' })
    })
})
