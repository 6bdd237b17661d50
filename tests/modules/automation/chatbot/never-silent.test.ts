import { describe, expect, test } from 'bun:test'

import { BotWorld, graphOf } from '../../../support/bots'
import type { Answer, Loose } from '../../../support/client'
import { secondNumber } from '../../../support/second-number'

const notices = (bot: BotWorld): unknown[] =>
  bot.world
    .rows("select distinct body from notifications where kind = 'bot_failed'")
    .map(({ body }) => body)

/** Nodes that are more steps than a turn may have. */
function endless(): Parameters<BotWorld['flow']>[0] {
  return Array.from({ length: 101 }, (_, at) => [
    `n${at}`,
    'set_variable',
    { set: { n: String(at) } },
  ])
}

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

test.each([
  ['without a fallback', {}],
  [
    'while nobody is there',
    {
      fallback_transfer_after: 3,
      transfer_outside_hours: 'refuse',
      out_of_hours_notice: false,
      business_hours_enabled: true,
      business_hours: [{ day: 'monday', start_time: '03:00', end_time: '03:01' }],
    },
  ],
])('a session that goes on for ever says so in our words %s', async (_, settings) => {
  await using bot = await BotWorld.create({
    fallback_message: null,
    fallback_transfer_after: null,
    ...settings,
  })
  await bot.flow(endless())
  expect(await bot.say('begin')).toEqual([
    'Sorry, something went wrong. Our team will look at your message.',
  ])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'loop_guard' }])
  expect(notices(bot)).toEqual([expect.stringContaining('The customer was told, and')])
})

test('managers learn that nothing could be said once the window is closed', async () => {
  await using bot = await BotWorld.create()
  await bot.flow([
    ['wait', 'delay', { seconds: 86_400 }],
    ['end', 'end', { message: 'Good.' }],
  ])
  await bot.say('begin')
  expect(await bot.wait({ hours: 25 })).toEqual([])
  expect(bot.sessions()).toMatchObject([{ status: 'failed' }])
  expect(notices(bot)).toEqual([expect.stringContaining('The customer could not be told, and')])
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
    ['age', 'prompt', { body: 'Your age?', input: 'number', store_as: 'age' }],
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
  for (const answer of ['old', 'older', 'very old'])
    expect(await bot.say(answer)).toEqual(['Your age?'])
  expect(await bot.say('I said so')).toEqual([
    'I am handing you over to our team. They will answer you here.',
  ])
  expect(bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'flow' }])
  expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'flow' }])
})

test('a new question says what follows its last repetition; a published one goes on as it was', async () => {
  await using bot = await BotWorld.create()
  const PATH = '/api/chatbot/flows'
  const question = (id: string): [string, string, Loose] => [
    id,
    'prompt',
    { body: `${id}?`, input: 'number', max_retries: 1 },
  ]
  const nodes = [question('age'), question('size'), ['end', 'end'] as [string, string]]
  const graph = graphOf(nodes, [['size', 'max_retries', 'end']])
  const problemOf = (path: string): Loose => ({
    path,
    message: 'needs an edge with the condition max_retries, which says what follows',
  })
  const refusal = ({ status, body }: Answer<unknown>): unknown[] => [status, body.code, body.errors]
  const enabled = { name: 'Ages', graph, enabled: true }
  const refused = [400, 'graph_invalid', [problemOf('body.graph.nodes.0.config.max_retries')]]
  expect(refusal(await bot.admin.post(PATH, enabled))).toEqual(refused)
  expect((await bot.admin.post(`${PATH}/validate`, { graph })).data).toMatchObject({
    valid: false,
    errors: [problemOf('body.graph.nodes.0.config.max_retries')],
  })
  // A draft may be unfinished, and is saved again as it is; it is not published.
  const drafted = await bot.admin.post(PATH, { ...enabled, enabled: false })
  const path = `${PATH}/${String(drafted.data['id'])}`
  const again = await bot.admin.put(path, { graph: drafted.data['graph'] })
  for (const { status, data } of [drafted, again]) {
    expect(status).toBeLessThan(300)
    expect(data['warnings']).toEqual([problemOf('graph.nodes.0.config.max_retries')])
  }
  expect((await bot.admin.post(`${path}/publish`)).body.code).toBe('graph_invalid')
  const edges = (followed: string[]): Loose[] =>
    (graph['edges'] as Loose[]).concat(
      followed.map((from) => ({ from, condition: 'max_retries', to: 'end' })),
    )
  const whole = { ...graph, edges: edges(['age']) }
  expect((await bot.admin.put(path, { graph: whole, enabled: true })).status).toBe(200)
  // Flows were published before such an edge was asked for.
  bot.world.program.http.db.sqlite.run('update bot_flow_versions set graph = ? where version = 1', [
    JSON.stringify(graph),
  ])
  const kept = await bot.admin.put(path, { graph })
  expect([kept.status, kept.data['warnings']]).toEqual([
    200,
    [
      {
        path: 'graph.nodes.0',
        message: 'hands over to a person after max_retries: no edge follows',
      },
    ],
  ])
  const neither = { ...graph, edges: edges([]).filter(({ condition }) => condition === 'default') }
  expect(refusal(await bot.admin.put(path, { graph: neither }))).toEqual([
    400,
    'graph_invalid',
    [problemOf('body.graph.nodes.1.config.max_retries')],
  ])
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
  expect(await bot.conversation()).toMatchObject({
    bot_active: true,
    bot_waits_until: new Date(bot.world.clock.nowMs() + 600_000).toISOString(),
  })
  expect(await bot.say('cancel')).toEqual(['All right.'])
  expect(await bot.conversation()).toMatchObject({ bot_active: false, bot_waits_until: null })
  expect(await bot.wait({ seconds: 601 })).toEqual([])
  await bot.say('begin')
  expect(await bot.say('a human')).toHaveLength(1)
  expect(await bot.wait({ seconds: 601 })).toEqual([])
  expect(bot.sessions()).toMatchObject([
    { end_reason: 'cancel_word' },
    { status: 'transferred', end_reason: 'keyword' },
  ])
})

describe('a bot without a fallback', () => {
  const HAND_OVER = 'I am handing you over to our team. They will answer you here.'
  const GENERAL = { newConversations: 'general' } as const
  const waiting = (bot: BotWorld): Loose[] =>
    bot.world.rows("select source, agent_id from transfers where status = 'active'")

  test('leaves what it does not understand to people at once, and goes on with what it does', async () => {
    await using bot = await BotWorld.create({}, GENERAL)
    await bot.rule({ keywords: ['hours'], response: 'From 9 to 18.' })
    await bot.flow([
      ['ask', 'prompt', { body: 'Your name?' }],
      ['end', 'end', { message: 'Hi!' }],
    ])
    expect(await bot.say('hours')).toEqual(['From 9 to 18.'])
    expect(waiting(bot)).toEqual([])
    expect(await bot.say('My order is broken')).toEqual([])
    expect(waiting(bot)).toEqual([{ source: 'new_conversation', agent_id: null }])
    const agent = await bot.world.as('agent')
    expect((await agent.get('/api/conversations')).data['items']).toMatchObject([
      { state: 'open', bot_active: true },
    ])
    // Nobody has it yet, so the bot answers, and the customer still waits for a person.
    expect(await bot.say('hours')).toEqual(['From 9 to 18.'])
    expect(await bot.say('begin')).toEqual(['Your name?'])
    expect(await bot.say('Ana')).toEqual(['Hi!'])
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
    expect(waiting(bot)).toHaveLength(1)
    // A person takes it, and the bot is silent.
    await bot.say('hours')
    const [{ id } = {}] = (await agent.get('/api/conversations')).data['items'] as Loose[]
    await agent.post(`/api/conversations/${String(id)}/claim`)
    expect(await bot.conversation()).toMatchObject({ bot_active: false })
    expect(await bot.say('hours')).toEqual([])
    expect(bot.sessions().at(-1)).toMatchObject({
      status: 'transferred',
      end_reason: 'new_conversation',
    })
  })

  test('goes on in every way while nobody has taken the conversation', async () => {
    await using bot = await BotWorld.create({}, GENERAL)
    const flow = await bot.flow([
      ['wait', 'delay', { seconds: 60 }],
      ['ask', 'prompt', { body: 'Your name?' }],
    ])
    await bot.say('My order is broken')
    expect(waiting(bot)).toHaveLength(1)
    const { contact } = (await bot.conversation()) as { contact: Loose }
    const start = { contact_id: contact['id'], replace: true }
    expect((await bot.admin.post(`/api/chatbot/flows/${flow}/start`, start)).status).toBe(201)
    await bot.world.settle()
    expect(await bot.wait({ seconds: 61 })).toEqual(['Your name?'])
    await bot.wait({ minutes: 31 })
    expect(bot.sessions().at(-1)).toMatchObject({ status: 'timed_out' })
    expect(waiting(bot)).toHaveLength(1)
  })

  test('hands over after the third text in a row, and says so', async () => {
    await using bot = await BotWorld.create({}, GENERAL)
    await bot.rule({ keywords: ['hours'], response: 'From 9 to 18.' })
    const said: string[][] = []
    for (const text of ['One', 'Two', 'hours', 'Three', 'Four']) said.push(await bot.say(text))
    expect(said).toEqual([[], [], ['From 9 to 18.'], [], []])
    expect(await bot.say('Five')).toEqual([HAND_OVER])
    expect(waiting(bot)).toEqual([{ source: 'fallback', agent_id: null }])
    expect(bot.world.rows("select end_reason from transfers where status <> 'active'")).toEqual([
      { end_reason: 'handed_over' },
    ])
    expect(await bot.say('hours')).toEqual([])
  })

  test('hands over as it is told, also where new conversations wait nowhere', async () => {
    await using bot = await BotWorld.create({ fallback_transfer_after: 2 })
    expect(await bot.say('One')).toEqual([])
    expect(waiting(bot)).toEqual([])
    expect(await bot.say('Two')).toEqual([HAND_OVER])
    await bot.endTransfer()
    await bot.configure({ fallback_transfer_after: null })
    for (const text of ['One', 'Two', 'Three', 'Four']) expect(await bot.say(text)).toEqual([])
  })

  test('takes a word for a person although the conversation waits already', async () => {
    await using bot = await BotWorld.create({ transfer_keywords: ['human'] }, GENERAL)
    await bot.say('My order is broken')
    expect(await bot.say('human')).toEqual([HAND_OVER])
    expect(waiting(bot)).toEqual([{ source: 'keyword', agent_id: null }])
  })

  test('takes a word for a person on another number than that where the customer waits', async () => {
    await using bot = await BotWorld.create({ transfer_keywords: ['human'] }, GENERAL)
    const { world } = bot
    const second = await secondNumber(world)
    const person = { waId: '15550177001', userId: 'US.177001' }
    const here = world.simulator.customer({ phone: world.tenant.phoneId, ...person })
    const there = world.simulator.customer({ phone: second.phoneNumberId, ...person })
    await here.says('My order is broken')
    await there.says('Is this the right number?')
    await world.settle()
    await there.says('human')
    await world.settle()
    expect(there.received()).toHaveLength(1)
    expect(waiting(bot)).toEqual([{ source: 'keyword', agent_id: null }])
    await bot.endTransfer()
    expect(waiting(bot)).toEqual([{ source: 'new_conversation', agent_id: null }])
  })

  test('keeps the place in the queue and the deadlines of who waits already', async () => {
    const sla = { sla_enabled: true, sla_response_minutes: 30, sla_escalation_minutes: 40 }
    const settings = { ...sla, sla_resolution_minutes: 60, session_timeout_minutes: 90 }
    await using bot = await BotWorld.create(settings, GENERAL)
    const active = async (): Promise<Loose[]> =>
      (await bot.admin.get('/api/chatbot/transfers?status=active')).data['transfers'] as Loose[]
    await bot.say('My order is broken')
    const [first = {}] = await active()
    const edit = { priority: 3, notes: 'Asked before' }
    await bot.admin.put(`/api/chatbot/transfers/${String(first['id'])}`, edit)
    await bot.wait({ minutes: 50 })
    const other = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId, name: 'Ben' })
    await other.says('human')
    await bot.world.settle()
    expect(await bot.say('human')).toEqual([HAND_OVER])
    const [mine, others] = await active()
    expect(others).toMatchObject({ contact_name: 'Ben', sla_breached: false })
    const kept = ['transferred_at', 'sla_response_deadline', 'sla_resolution_deadline']
    expect(mine).toMatchObject({
      source: 'keyword',
      priority: 3,
      notes: 'Asked before\nLast question: My order is broken',
      sla_breached: true,
      escalation_level: 1,
      ...Object.fromEntries(kept.map((name) => [name, first[name]])),
    })
    const told = (): unknown[] =>
      bot.world.rows("select id from notifications where kind like 'sla_%'")
    const before = told().length
    await bot.wait({ minutes: 5 })
    expect(told()).toHaveLength(before)
  })
})

test('a photo that gets no answer is left to people, a text that the fallback answers is not', async () => {
  await using bot = await BotWorld.create(
    { fallback_message: 'Sorry?' },
    { newConversations: 'general' },
  )
  const transfers = (): unknown[] => bot.world.rows('select source from transfers')
  expect(await bot.say('Hm')).toEqual(['Sorry?'])
  expect(transfers()).toEqual([])
  expect(await bot.during(() => bot.customer.sends({ type: 'image' }))).toEqual([])
  expect(transfers()).toEqual([{ source: 'new_conversation' }])
})

test('a text during a delay is not left to people, as the flow goes on', async () => {
  await using bot = await BotWorld.create({}, { newConversations: 'general' })
  await bot.flow([
    ['wait', 'delay', { seconds: 60 }],
    ['end', 'end', { message: 'Good.' }],
  ])
  await bot.say('begin')
  expect(await bot.say('Hello?')).toEqual([])
  expect(bot.world.rows('select id from transfers')).toEqual([])
  expect(await bot.wait({ seconds: 61 })).toEqual(['Good.'])
})

describe('while transfers are refused outside business hours', () => {
  const CLOSED = 'We are closed at the moment. We open again: Monday 9:00 AM.'
  const NIGHT = {
    transfer_keywords: ['human'],
    transfer_outside_hours: 'refuse',
    business_hours_enabled: true,
    business_hours: [{ day: 'monday', start_time: '09:00', end_time: '17:00' }],
  }
  const waiting = (bot: BotWorld): Loose[] =>
    bot.world.rows("select source from transfers where status = 'active'")

  test('each word for a person is answered, also in the middle of a flow', async () => {
    await using bot = await BotWorld.create(NIGHT, { newConversations: 'general' })
    await bot.rule({ keywords: ['boss'], response_type: 'transfer', response: 'One moment.' })
    for (const word of ['human', 'a human please', 'boss'])
      expect([word, await bot.say(word)]).toEqual([word, [CLOSED]])
    expect(waiting(bot)).toEqual([{ source: 'new_conversation' }])
    await bot.flow([
      ['ask', 'prompt', { body: 'Your name?' }],
      ['end', 'end', { message: 'Hi!' }],
    ])
    expect(await bot.say('begin')).toEqual(['Your name?'])
    expect(await bot.say('human')).toEqual([CLOSED])
    expect(await bot.say('Ana')).toEqual(['Hi!'])
  })

  test('a flow that would hand over says so each time, and people see who waits', async () => {
    await using bot = await BotWorld.create(NIGHT, { newConversations: 'general' })
    await bot.flow(
      [
        ['ask', 'prompt', { body: 'Your age?', input: 'number', max_retries: 1 }],
        ['person', 'transfer', { body: 'One moment.' }],
      ],
      { edges: [['ask', 'max_retries', 'person']] },
    )
    expect(await bot.say('begin')).toEqual([`${CLOSED}\n\nYour age?`])
    expect(await bot.say('40')).toEqual([CLOSED])
    expect(waiting(bot)).toEqual([{ source: 'new_conversation' }])
    expect(await bot.say('begin')).toEqual(['Your age?'])
    for (const [text, answer] of [
      ['old', 'Your age?'],
      ['older', CLOSED],
    ] as const)
      expect(await bot.say(text)).toEqual([answer])
  })

  test('what nothing answers is told so from the last fallback on', async () => {
    await using bot = await BotWorld.create({ ...NIGHT, fallback_transfer_after: 2 })
    const said: string[][] = []
    for (const text of ['One', 'Two', 'Three']) said.push(await bot.say(text))
    expect(said).toEqual([[CLOSED], [CLOSED], [CLOSED]])
    await bot.configure({ fallback_message: 'Sorry?' })
    expect(await bot.say('Four')).toEqual(['Sorry?'])
  })

  test('who is told only that it is closed waits for a person', async () => {
    await using bot = await BotWorld.create(NIGHT, { newConversations: 'general' })
    await bot.rule({ keywords: ['hours'], response: 'From 9 to 18.' })
    expect(await bot.say('hours')).toEqual([`${CLOSED}\n\nFrom 9 to 18.`])
    expect(waiting(bot)).toEqual([])
    const other = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId })
    await other.says('My order is broken')
    await bot.world.settle()
    expect(other.received()).toHaveLength(1)
    expect(waiting(bot)).toEqual([{ source: 'new_conversation' }])
  })

  test('what needs no person is told once that it is closed', async () => {
    await using bot = await BotWorld.create({ ...NIGHT, allow_automated_outside_hours: false })
    expect(await bot.say('One')).toEqual([CLOSED])
    expect(await bot.say('Two')).toEqual([])
  })
})
