import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

/** A server of a customer that answers when it is told to. */
function slowServer() {
  let answer = Promise.withResolvers<void>()
  let requests = 0
  const own = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch() {
      requests += 1
      await answer.promise
      return Response.json({ total: 7 })
    },
  })
  return {
    requests: () => requests,
    answers: () => {
      answer.resolve()
      answer = Promise.withResolvers()
    },
    url: `http://127.0.0.1:${own.port}`,
    env: { EGRESS_ALLOW: `127.0.0.1:${own.port}` },
    stop: () => own.stop(true),
  }
}

describe('a word that arrives during a call', () => {
  const server = slowServer()
  let bot: BotWorld

  beforeEach(async () => {
    bot = await BotWorld.create({ transfer_keywords: ['human'] }, { env: server.env })
    await bot.flow(
      [
        ['call', 'api_call', { url: server.url }],
        ['found', 'end', { message: 'Found it.' }],
      ],
      { cancel_keywords: ['never mind'], cancel_message: 'All right.' },
    )
  })
  afterEach(async () => {
    server.answers()
    await bot[Symbol.asyncDispose]()
  })

  /** Begins the flow, says something during its call, and lets the call end afterwards. */
  async function during(...texts: string[]): Promise<{ before: string[]; after: string[] }> {
    const requests = server.requests()
    await bot.customer.says('begin')
    const call = bot.world.settle()
    await bot.world.eventually(() => server.requests() > requests)
    for (const text of texts) await bot.customer.says(text)
    const turn = bot.world.settle()
    await bot.hasHeard(1 + texts.length)
    const before = bot.sessions().map(({ status }) => String(status))
    server.answers()
    await Promise.all([call, turn])
    await bot.world.settle()
    return { before, after: bot.texts() }
  }

  test('hands over to a person at once, and nothing comes of the call', async () => {
    const { before, after } = await during('A human, please')
    expect(before).toEqual(['transferred'])
    expect(after).toEqual(['I am handing you over to our team. They will answer you here.'])
    expect(bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'keyword' }])
    expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'keyword' }])
  })

  test('hands over at once by a rule, with its text', async () => {
    await bot.rule({ keywords: ['complaint'], response_type: 'transfer', response: 'One moment.' })
    const { before, after } = await during('A complaint')
    expect(before).toEqual(['transferred'])
    expect(after).toEqual(['One moment.'])
  })

  test('cancels the flow at once, also after another message', async () => {
    const { before, after } = await during('Hm', 'Never mind')
    expect(before).toEqual(['cancelled'])
    expect(after).toEqual(['All right.'])
    expect(bot.sessions()).toMatchObject([{ status: 'cancelled', end_reason: 'cancel_word' }])
  })

  test('does not end the call if no person is reachable', async () => {
    await bot.configure({
      business_hours_enabled: true,
      business_hours: [{ day: 'monday', start_time: '09:00', end_time: '10:00' }],
      transfer_outside_hours: 'refuse',
      out_of_hours_message: 'We are closed.',
    })
    const { before, after } = await during('A human, please')
    expect(before).toEqual(['active'])
    expect(after).toEqual(['We are closed.\n\nFound it.', 'We are closed.'])
  })

  test('does not end the call if it is any other word', async () => {
    await bot.rule({ keywords: ['prices'], response: 'Our prices.' })
    const { before, after } = await during('prices')
    expect(before).toEqual(['active'])
    expect(after).toEqual(['Found it.', 'Our prices.'])
  })
})

describe('the words that end a flow', () => {
  const ask: Parameters<BotWorld['flow']>[0] = [
    ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
    ['end', 'end', { message: 'Hi {{name}}.' }],
  ]

  test('cancel as a message of their own, also beside others', async () => {
    await using bot = await BotWorld.create({ debounce_seconds: 5 })
    await bot.flow(ask, { cancel_message: 'All right.' })
    expect(await bot.say('begin')).toEqual([])
    expect(await bot.wait({ seconds: 5 })).toEqual(['Your name?'])
    expect(await bot.say('Ana, cancel that')).toEqual([])
    expect(await bot.say('Cancel')).toEqual(['All right.'])
  })

  test('of a title are no words if the button belongs to the node that waits', async () => {
    await using bot = await BotWorld.create({ transfer_keywords: ['human'] })
    await bot.rule({ keywords: ['prices'], response: 'Our prices.', interrupts_flow: true })
    const buttons = ['Cancel', 'A human', 'Prices'].map((title, index) => ({
      id: `b${index}`,
      title,
    }))
    await bot.flow(
      [
        ['choose', 'buttons', { body: 'What?', buttons }],
        ['cancel', 'end', { message: 'Order canceled.' }],
        ['human', 'transfer', { body: 'Sales will help.', notes: 'from the menu' }],
        ['prices', 'end', { message: 'From the menu.' }],
      ],
      {
        edges: [
          ['choose', 'button:b0', 'cancel'],
          ['choose', 'button:b1', 'human'],
          ['choose', 'button:b2', 'prices'],
        ],
      },
    )
    for (const [id, title, answer] of [
      ['b0', 'Cancel', 'Order canceled.'],
      ['b2', 'Prices', 'From the menu.'],
      ['b1', 'A human', 'Sales will help.'],
    ] as const) {
      await bot.say('begin')
      expect(await bot.tap(id, title)).toEqual([answer])
    }
    expect(bot.world.rows('select source, notes from transfers')).toEqual([
      { source: 'flow', notes: 'from the menu' },
    ])
    expect(bot.sessions().map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'transferred',
    ])
  })

  test('end it silently if they are opt-out words too', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(ask, { cancel_message: 'All right.', timeout_message: 'Bye.' })
    await bot.admin.put('/api/consent-settings', { opt_out_reply: 'You get no more news.' })
    await bot.say('begin')
    expect(await bot.say('STOP')).toEqual(['You get no more news.'])
    expect(bot.sessions()).toMatchObject([{ status: 'cancelled', end_reason: 'cancel_word' }])
    expect(await bot.wait({ hours: 2 })).toEqual([])
    await bot.say('begin')
    expect(await bot.say('UNSUBSCRIBE')).toEqual(['You get no more news.'])
    expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
  })
})

describe('opt-out words while a question is open', () => {
  const consent = async (bot: BotWorld): Promise<unknown> =>
    ((await bot.admin.get('/api/contacts')).data['items'] as Record<string, unknown>[])[0]?.[
      'marketing_consent'
    ]

  test('answer it if they are ambiguous, and count again after it', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([
      ['ask', 'prompt', { body: 'Which part?', store_as: 'part' }],
      ['end', 'end', { message: '{{part}} it is.' }],
    ])
    await bot.say('begin')
    expect(await bot.say('Ende.')).toEqual(['Ende. it is.'])
    expect(await consent(bot)).toBe('unknown')
    expect(await bot.say('Ende.')).toEqual([expect.stringContaining('Angebote')])
    expect(await consent(bot)).toBe('opted_out')
  })

  test('answer it if it offers them', async () => {
    await using bot = await BotWorld.create()
    const buttons = [
      { id: 'go', title: 'Go' },
      { id: 'halt', title: 'Stop' },
    ]
    const synonyms = { go: ['Start'] }
    await bot.flow(
      [
        ['ask', 'buttons', { body: 'Which?', buttons, synonyms, store_as: 'which' }],
        ['end', 'end', { message: '{{which}} it is.' }],
      ],
      { cancel_keywords: ['never mind'] },
    )
    await bot.say('begin')
    expect(await bot.say('stop!')).toEqual(['Stop it is.'])
    await bot.say('begin')
    expect(await bot.say('START')).toEqual(['Go it is.'])
    expect(await consent(bot)).toBe('unknown')
    await bot.say('begin')
    expect(await bot.say('Unsubscribe')).toEqual([expect.stringContaining('no longer')])
    expect(await consent(bot)).toBe('opted_out')
  })
})

describe('a burst of messages', () => {
  const ask: Parameters<BotWorld['flow']>[0] = [
    ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
    ['more', 'prompt', { body: 'Hi {{name}}. Your city?', store_as: 'city' }],
    ['end', 'end', { message: '{{city}} it is.' }],
  ]

  /** Lets the customer send messages before the bot comes to any of them. */
  async function burst(bot: BotWorld, ...messages: (() => Promise<unknown>)[]): Promise<string[]> {
    return await bot.during(async () => {
      for (const send of messages) await send()
    })
  }

  for (const [name, word, first] of [
    ['cancels', 'cancel', 'All right.'],
    ['opts out', 'UNSUBSCRIBE', 'No more news.'],
  ] as const)
    test(`keeps what follows a word that ${name}`, async () => {
      await using bot = await BotWorld.create({ debounce_seconds: 5, fallback_message: 'Sorry?' })
      await bot.admin.put('/api/consent-settings', { opt_out_reply: 'No more news.' })
      await bot.flow(ask, { cancel_message: 'All right.' })
      await bot.say('begin')
      await bot.wait({ seconds: 5 })
      const says = (text: string) => () => bot.customer.says(text)
      expect(await burst(bot, says('begin'), says(word), says('begin'))).toEqual([first])
      const next = name === 'cancels' ? 'Your name?' : 'Hi begin. Your city?'
      expect(await bot.wait({ seconds: 5 })).toEqual([next])
      expect(bot.world.rows('select * from bot_inbox')).toEqual([])
    })

  test('answers one question with a tap, and the next with the text after it', async () => {
    await using bot = await BotWorld.create({ debounce_seconds: 5 })
    await bot.flow([
      ['ask', 'buttons', { body: 'Which?', buttons: [{ id: 'a', title: 'A' }], store_as: 'which' }],
      ['more', 'prompt', { body: '{{which}}: how many?', store_as: 'count' }],
      ['end', 'end', { message: '{{count}} it is.' }],
    ])
    await bot.say('begin')
    await bot.wait({ seconds: 5 })
    const { customer } = bot
    const taps = () => customer.taps('a', 'A')
    expect(await burst(bot, taps, () => customer.says('Five'))).toEqual(['A: how many?'])
    expect(await bot.wait({ seconds: 5 })).toEqual(['Five it is.'])
  })

  test('without a debounce is one turn up to the word that cancels', async () => {
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
    await bot.flow(ask, { cancel_message: 'All right.' })
    await bot.say('begin')
    const says = (text: string) => () => bot.customer.says(text)
    expect(await burst(bot, says('aaa'), says('cancel'), says('begin'))).toEqual([
      'All right.',
      'Your name?',
    ])
  })
})

test('a text before a flow is started by request does not answer its first question', async () => {
  await using bot = await BotWorld.create({ debounce_seconds: 5, transfer_keywords: ['human'] })
  const id = await bot.flow([
    ['ask', 'prompt', { body: 'How was it?', store_as: 'rating' }],
    ['end', 'end', { message: 'You say: {{rating}}' }],
  ])
  await bot.say('Where is my parcel?')
  const contactId = String(((await bot.conversation())['contact'] as { id: string }).id)
  const start = () => bot.admin.post(`/api/chatbot/flows/${id}/start`, { contact_id: contactId })
  expect(await bot.during(start)).toEqual(['How was it?'])
  await bot.say('Great')
  expect(await bot.wait({ seconds: 5 })).toEqual(['You say: Great'])
  expect(bot.trace()).toContainEqual(
    expect.objectContaining({ stage: 'flow', outcome: 'before_flow' }),
  )
  await bot.say('Hello?')
  expect(await bot.during(start)).toEqual(['How was it?'])
  expect(await bot.wait({ seconds: 5 })).toEqual([])
  expect(await bot.conversation()).toMatchObject({ state: 'pending', bot_active: true })
  expect(await bot.say('I want a human')).toEqual([
    'I am handing you over to our team. They will answer you here.',
  ])
  expect(bot.sessions().at(-1)).toMatchObject({ status: 'transferred' })
})
