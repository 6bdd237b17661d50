import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { BotWorld } from '../../../support/bots'
import { approvedTemplate } from '../../../support/campaigns'
import type { Person } from '../../../support/world'

const ASK: [string, string, Loose][] = [
  ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
  ['end', 'end', { message: 'Hi {{name}}.' }],
]

const ALSO = 'The first message may have arrived.'

const contactOf = async (bot: BotWorld): Promise<string> =>
  ((await bot.conversation())['contact'] as { id: string }).id

/** The messages to the customer as the API shows them, oldest first. */
async function sent(bot: BotWorld): Promise<Loose[]> {
  const { data } = await bot.admin.get(`/api/contacts/${await contactOf(bot)}/messages?limit=100`)
  return (data['items'] as Loose[])
    .filter(({ direction, source }) => direction === 'outgoing' && source !== 'system')
    .toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
}

const statusesOf = async (bot: BotWorld): Promise<unknown[]> =>
  (await sent(bot)).map(({ status }) => status)

/** The notifications of a person, newest first. */
async function told(bot: BotWorld, person: Person, kind: string): Promise<Loose[]> {
  const { data } = await (await bot.world.as(person)).get('/api/me/notifications?limit=100')
  return (data['items'] as Loose[]).filter((each) => each['kind'] === kind)
}

describe('a reply of the bot that is not confirmed', () => {
  test('is sent again after two minutes, once, and names the message that it repeats', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml(502, { times: 2 })
    expect(await bot.say('begin')).toEqual([])
    expect(await bot.wait({ seconds: 119 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['pending'])
    expect(await bot.wait({ seconds: 1 })).toEqual([])
    const [first, second, ...others] = await sent(bot)
    expect(others).toEqual([])
    expect(first).toMatchObject({
      status: 'unknown',
      error: {
        code: 'outcome_unknown',
        message: expect.stringContaining('sent again'),
        retryable: false,
      },
      ...{ repeat_of: null, resend_of: null, warnings: [] },
    })
    expect(second).toMatchObject({
      ...{ status: 'pending', source: 'chatbot', content: { text: 'Your name?' } },
      ...{ repeat_of: first?.['id'], resend_of: null, warnings: [ALSO] },
    })
    // The repeat failed in the same way, and nothing repeats a repeat.
    expect(await bot.wait({ minutes: 9 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['unknown', 'pending'])
    expect(await bot.wait({ minutes: 1 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['unknown', 'unknown'])
    expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
    expect(await statusesOf(bot)).toEqual(['unknown', 'unknown', 'delivered'])
  })

  test('is sent again after two minutes whenever it would become unknown', async () => {
    for (const minutes of ['1', '60']) {
      await using bot = await BotWorld.create({}, { env: { SEND_UNKNOWN_MINUTES: minutes } })
      await bot.flow(ASK)
      bot.world.simulator.answerHtml()
      await bot.say('begin')
      expect(await bot.wait({ seconds: 119 })).toEqual([])
      expect(await statusesOf(bot)).toEqual(['pending'])
      expect(await bot.wait({ seconds: 1 })).toEqual(['Your name?'])
      expect(await statusesOf(bot)).toEqual(['unknown', 'delivered'])
    }
  })

  test('counts in its session as a message of its step, also the second time', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    expect(await bot.wait({ minutes: 2 })).toEqual(['Your name?'])
    const [first, second] = await sent(bot)
    const [found = {}] = (await bot.admin.get('/api/chatbot/sessions')).data['items'] as Loose[]
    const { trace } = (await bot.admin.get(`/api/chatbot/sessions/${found['id']}`)).data
    expect((trace as Loose[]).at(-1)?.['sent_message_ids']).toEqual([first?.['id'], second?.['id']])
    expect(bot.world.rows('select messages, bot_messages, bot_turns from bot_sessions')).toEqual([
      { messages: 3, bot_messages: 2, bot_turns: 1 },
    ])
    expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
  })

  test('is not sent again if its status arrives in time, and nothing waits for it then', async () => {
    await using bot = await BotWorld.create({ coalesce: false })
    await bot.flow([['one', 'message', { message: 'One.' }], ...ASK])
    const { simulator } = bot.world
    await bot.customer.says('begin')
    await simulator.idle()
    simulator.hold()
    simulator.loseAnswer()
    await bot.world.work()
    expect(bot.texts()).toEqual(['One.'])
    expect(await bot.wait({ seconds: 119 })).toEqual([])
    simulator.release()
    await bot.world.settle()
    expect(bot.texts()).toEqual(['One.', 'Your name?'])
    expect(await bot.wait({ minutes: 12 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['delivered', 'delivered'])
  })

  test('is not sent again if the customer writes meanwhile: that is answered', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    await bot.wait({ seconds: 119 })
    expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
    expect(await bot.wait({ minutes: 12 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['unknown', 'delivered'])
    expect(await told(bot, 'admin', 'bot_repeated')).toEqual([])
  })

  test('is not sent again if the customer has written and the turn still waits for more', async () => {
    await using bot = await BotWorld.create({ debounce_seconds: 10 })
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    await bot.wait({ seconds: 10 })
    await bot.wait({ seconds: 115 })
    expect(await bot.say('Ana')).toEqual([])
    expect(await bot.wait({ seconds: 10 })).toEqual(['Hi Ana.'])
    expect(await statusesOf(bot)).toEqual(['pending', 'delivered'])
  })

  test('is sent again although another customer writes, or the same one to another number', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    const { world } = bot
    const second = { id: '301000000000019', token: 'second', wabaId: '201000000000019' }
    world.simulator.addPhone({ ...second, displayPhoneNumber: '+1 555-010-0019' })
    await bot.admin.post('/api/accounts', {
      ...{ name: 'Second', phone_id: second.id, business_id: second.wabaId },
      access_token: second.token,
    })
    world.simulator.answerHtml()
    await bot.say('begin')
    const other = world.simulator.customer({ phone: world.tenant.phoneId })
    await other.says('begin')
    const elsewhere = world.simulator.customer({
      phone: second.id,
      waId: String(bot.customer.waId),
    })
    await elsewhere.says('begin')
    await world.settle()
    expect(other.received()).toHaveLength(1)
    const before = elsewhere.received().length
    expect(await bot.wait({ minutes: 2 })).toEqual(['Your name?'])
    expect(other.received()).toHaveLength(1)
    expect(elsewhere.received().length - before).toBe(0)
  })

  test.each<[string, (bot: BotWorld) => Promise<unknown>]>([
    [
      'a person answers',
      async (bot) =>
        await bot.admin.post(`/api/contacts/${await contactOf(bot)}/messages`, {
          type: 'text',
          text: 'Hello.',
        }),
    ],
    [
      'the conversation is transferred',
      async (bot) =>
        await bot.admin.post('/api/chatbot/transfers', { contact_id: await contactOf(bot) }),
    ],
    [
      'its session is cancelled',
      async (bot) => {
        const [found = {}] = (await bot.admin.get('/api/chatbot/sessions')).data['items'] as Loose[]
        return await bot.admin.post(`/api/chatbot/sessions/${found['id']}/cancel`, {})
      },
    ],
    ['the bot is switched off', async (bot) => await bot.configure({ chatbot_enabled: false })],
    [
      'the contact is blocked',
      async (bot) => await bot.admin.post(`/api/contacts/${await contactOf(bot)}/block`, {}),
    ],
  ])('is not sent again once %s', async (_, act) => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    await bot.wait({ seconds: 60 })
    const own = await bot.during(() => act(bot))
    expect(own.filter((text) => text === 'Your name?')).toEqual([])
    expect(await bot.wait({ minutes: 2 })).toEqual([])
    expect(await bot.wait({ minutes: 9 })).toEqual([])
    expect((await statusesOf(bot))[0]).toBe('unknown')
  })

  test('is sent again after the process was killed during the call', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    const { world } = bot
    await bot.admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })
    await bot.say('begin')
    // As it is when the process was killed after it had recorded the attempt.
    world.rows("update messages set stage = 'sending' where stage is not null")
    await bot.admin.post('/api/outbox/resume', { account_id: world.tenant.accountId })
    await world.settle()
    expect(await statusesOf(bot)).toEqual(['pending'])
    expect(await bot.wait({ seconds: 119 })).toEqual([])
    expect(await bot.wait({ seconds: 1 })).toEqual(['Your name?'])
    expect(await statusesOf(bot)).toEqual(['unknown', 'delivered'])
  })

  test('is sent again when its number may send again, although it is unknown by then', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    const { world } = bot
    world.simulator.answerHtml()
    await bot.say('begin')
    await bot.admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })
    expect(await bot.wait({ minutes: 11 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['unknown', 'pending'])
    await bot.admin.post('/api/outbox/resume', { account_id: world.tenant.accountId })
    await world.settle()
    expect(bot.texts()).toEqual(['Your name?'])
    expect(await bot.wait({ minutes: 11 })).toEqual([])
    expect(bot.sessions()).toMatchObject([{ status: 'active', waiting_for: 'reply' }])
  })

  test('is sent again two minutes later although the clock was set back', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    expect(await bot.wait({ hours: -1 })).toEqual([])
    expect(await bot.wait({ minutes: 3 })).toEqual(['Your name?'])
    expect(await bot.wait({ minutes: 90 })).toEqual([])
  })

  test('is not sent again if it belongs to an earlier session', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([['end', 'end', { message: 'Goodbye.' }]])
    const later = await bot.flow(ASK, { trigger_keywords: ['other'] })
    const { world } = bot
    await bot.admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })
    await bot.say('begin')
    await bot.admin.post(`/api/chatbot/flows/${later}/start`, { contact_id: await contactOf(bot) })
    world.simulator.answerHtml()
    await bot.admin.post('/api/outbox/resume', { account_id: world.tenant.accountId })
    await world.settle()
    expect(bot.sessions()).toMatchObject([{ status: 'completed' }, { status: 'active' }])
    await bot.wait({ minutes: 2 })
    expect(await bot.wait({ minutes: 12 })).toEqual([])
    expect(bot.texts()).toEqual(['Your name?'])
    expect(await statusesOf(bot)).toEqual(['unknown', 'delivered'])
  })

  test('is not sent again if a program sent it during the session', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    await bot.say('begin')
    const { data } = await bot.admin.post('/api/api-keys', {
      name: 'Shop',
      permissions: ['messages:create', 'messages:read', 'contacts:read', 'contacts:read_all'],
    })
    const key = bot.world.anyone.with({ 'x-api-key': String(data['key']) })
    bot.world.simulator.answerHtml()
    const path = `/api/contacts/${await contactOf(bot)}/messages`
    expect(
      (await key.post(path, { type: 'text', text: 'Your parcel is on its way.' })).status,
    ).toBe(201)
    await bot.world.settle()
    expect(bot.sessions()).toMatchObject([{ status: 'active' }])
    expect(await bot.wait({ minutes: 12 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['delivered', 'unknown'])
  })

  test('says again which AI model wrote it', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    bot.world.rows("update messages set ai_model = 'gpt' where stage is not null")
    await bot.wait({ minutes: 2 })
    expect((await sent(bot)).map(({ ai_model: model }) => model)).toEqual(['gpt', 'gpt'])
  })

  test('is not sent again if its session has ended with it', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([['end', 'end', { message: 'Goodbye.' }]])
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    expect(await bot.wait({ minutes: 12 })).toEqual([])
    expect(await statusesOf(bot)).toEqual(['unknown'])
  })

  test('is not sent again if it is a template', async () => {
    await using bot = await BotWorld.create()
    const template_id = await approvedTemplate(bot.world, {})
    await bot.flow([['offer', 'template', { template_id, params: { '1': 'Ana' } }], ...ASK])
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    await bot.wait({ minutes: 5 })
    expect(bot.texts()).toEqual(['Your name?'])
    await bot.wait({ minutes: 9 })
    expect(bot.texts()).toEqual(['Your name?'])
  })
})

describe('what follows an unconfirmed reply', () => {
  test('is held until that was sent again, and is sent after it', async () => {
    await using bot = await BotWorld.create({ coalesce: false })
    await bot.flow([
      ['one', 'message', { message: 'One.' }],
      ['two', 'message', { message: 'Two.' }],
      ...ASK,
    ])
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    for (let seconds = 10; seconds < 120; seconds += 10)
      expect(await bot.wait({ seconds: 10 })).toEqual([])
    const queue = (await bot.admin.get('/api/outbox')).data['items'] as Loose[]
    expect(queue.map(({ stage, held_reason: reason }) => [stage, reason])).toEqual([
      ['ambiguous', null],
      ['held', 'earlier_unconfirmed'],
      ['queued', null],
    ])
    expect(await bot.wait({ seconds: 10 })).toEqual(['One.', 'Two.', 'Your name?'])
    expect(
      (await sent(bot)).map(({ content, warnings }) => [(content as Loose)['text'], warnings]),
    ).toEqual([
      ['One.', []],
      ['Two.', []],
      ['Your name?', []],
      ['One.', [ALSO]],
    ])
  })

  test('is sent before the answer when the customer writes', async () => {
    await using bot = await BotWorld.create({ coalesce: false })
    await bot.flow([['one', 'message', { message: 'One.' }], ...ASK])
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    await bot.wait({ seconds: 70 })
    expect(await bot.say('Ana')).toEqual(['Your name?', 'Hi Ana.'])
    expect(await bot.wait({ minutes: 12 })).toEqual([])
  })

  test('is the next step, which waits for two minutes', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([
      ['one', 'message', { message: 'One.' }],
      ['wait', 'delay', { seconds: 30 }],
      ['assign', 'set_variable', { set: { step: 'done' } }],
      ...ASK,
    ])
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    expect(await bot.wait({ seconds: 30 })).toEqual([])
    expect(await bot.wait({ seconds: 89 })).toEqual([])
    expect(bot.sessions()).toMatchObject([{ waiting_for: 'timer', node: 'wait', variables: '{}' }])
    expect(await bot.wait({ seconds: 1 })).toEqual(['One.', 'Your name?'])
  })

  test('is the next step, which runs as soon as the outcome is known', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([
      ['one', 'message', { message: 'One.' }],
      ['wait', 'delay', { seconds: 30 }],
      ['two', 'message', { message: 'Two.' }],
      ['later', 'delay', { seconds: 600 }],
      ['three', 'message', { message: 'Three.' }],
      ...ASK,
    ])
    const { simulator } = bot.world
    await bot.customer.says('begin')
    await simulator.idle()
    simulator.hold()
    simulator.loseAnswer()
    await bot.world.work()
    expect(await bot.wait({ seconds: 40 })).toEqual([])
    simulator.release()
    simulator.loseAnswer()
    expect(await bot.during(() => Promise.resolve())).toEqual(['Two.'])
    // Its status was in time too, and the delay is not cut short.
    expect(await bot.wait({ seconds: 590 })).toEqual([])
    expect(await bot.wait({ seconds: 10 })).toEqual(['Three.\n\nYour name?'])
  })

  test('is not a time that is still to come', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([
      ['one', 'message', { message: 'One.' }],
      ['wait', 'delay', { seconds: 300 }],
      ...ASK,
    ])
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    expect(await bot.wait({ seconds: 120 })).toEqual(['One.'])
    expect(await bot.wait({ seconds: 179 })).toEqual([])
    expect(await bot.wait({ seconds: 1 })).toEqual(['Your name?'])
  })

  test('is not the step of a session on another number', async () => {
    await using bot = await BotWorld.create()
    const { world } = bot
    await bot.flow([
      ['one', 'message', { message: 'One.' }],
      ['wait', 'delay', { seconds: 30 }],
      ...ASK,
    ])
    const second = { id: '301000000000019', token: 'second', wabaId: '201000000000019' }
    world.simulator.addPhone({ ...second, displayPhoneNumber: '+1 555-010-0019' })
    await bot.admin.post('/api/accounts', {
      ...{ name: 'Second', phone_id: second.id, business_id: second.wabaId },
      access_token: second.token,
    })
    await bot.flow(
      [
        ['wait', 'delay', { seconds: 300 }],
        ['end', 'end', { message: 'Later.' }],
      ],
      {
        trigger_keywords: ['later'],
      },
    )
    const elsewhere = world.simulator.customer({
      phone: second.id,
      waId: String(bot.customer.waId),
    })
    await elsewhere.says('later')
    world.simulator.answerHtml()
    await bot.say('begin')
    await bot.wait({ seconds: 60 })
    const before = elsewhere.received().length
    expect(await bot.wait({ seconds: 60 })).toEqual(['One.', 'Your name?'])
    expect(elsewhere.received().slice(before)).toEqual([])
    await bot.wait({ seconds: 180 })
    expect(elsewhere.received().slice(before)).toHaveLength(1)
  })

  test('is the end of the session by its timeout, which counts from the repeat', async () => {
    await using bot = await BotWorld.create({ session_timeout_minutes: 1 })
    await bot.flow(ASK, { timeout_message: 'Are you there?' })
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    expect(await bot.wait({ seconds: 90 })).toEqual([])
    expect(await bot.wait({ seconds: 30 })).toEqual(['Your name?'])
    expect(await bot.wait({ seconds: 50 })).toEqual([])
    expect(await bot.wait({ seconds: 40 })).toEqual(['Are you there?'])
  })
})

describe('the people responsible for a reply that was sent again', () => {
  test('are told: the person whose conversation it is', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    const { id } = await bot.conversation()
    await bot.admin.put(`/api/conversations/${id}/assign`, {
      user_id: bot.world.tenant.userIds.agent,
    })
    expect(await bot.conversation()).toMatchObject({ assigned_to: bot.world.tenant.userIds.agent })
    expect(await told(bot, 'agent', 'bot_repeated')).toEqual([])
    expect(await bot.wait({ minutes: 2 })).toEqual(['Your name?'])
    expect(await told(bot, 'agent', 'bot_repeated')).toMatchObject([
      {
        severity: 'warning',
        title: 'The chatbot sent a reply again',
        body: expect.stringContaining('within 2 minutes'),
        link: `/contacts/${await contactOf(bot)}`,
      },
    ])
    expect(await told(bot, 'admin', 'bot_repeated')).toEqual([])
  })

  test('are told: the person whose contact it is, if the conversation is of nobody', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    bot.world.simulator.answerHtml()
    await bot.say('begin')
    await bot.admin.put(`/api/contacts/${await contactOf(bot)}/assign`, {
      user_id: bot.world.tenant.userIds.agent,
    })
    const { id } = await bot.conversation()
    await bot.admin.put(`/api/conversations/${id}/assign`, { user_id: null })
    expect(await bot.conversation()).toMatchObject({ assigned_to: null })
    expect(await bot.wait({ minutes: 2 })).toEqual(['Your name?'])
    expect(await told(bot, 'agent', 'bot_repeated')).toHaveLength(1)
    expect(await told(bot, 'admin', 'bot_repeated')).toEqual([])
  })

  test('are told: those who manage the bot, at most once an hour, where nobody is responsible', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ASK)
    for (const [minutes, notices] of [
      [2, 1],
      [57, 1],
      [5, 2],
    ] as const) {
      bot.world.simulator.answerHtml()
      const other = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId })
      await other.says('begin')
      await bot.world.settle()
      await bot.wait({ minutes })
      expect(other.received()).toHaveLength(1)
      expect(await told(bot, 'admin', 'bot_repeated')).toHaveLength(notices)
      expect(await told(bot, 'agent', 'bot_repeated')).toEqual([])
    }
  })
})
