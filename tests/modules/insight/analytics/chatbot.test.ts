import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { secondNumber } from '../../../support/second-number'

const reportOf = async (bot: BotWorld, query = ''): Promise<Loose> =>
  (await bot.admin.get(`/api/analytics/chatbot?${query}`)).data

const summaryOf = async (bot: BotWorld, query = ''): Promise<Loose> =>
  (await reportOf(bot, query))['summary'] as Loose

const outcomesOf = async (bot: BotWorld): Promise<unknown[]> => {
  const summary = await summaryOf(bot)
  return ['total_conversations', 'auto_resolved', 'transferred_to_agent', 'abandoned', 'open'].map(
    (field) => summary[field],
  )
}

/** A bot with a question, a rule, and words that ask for a person. */
async function withSessions(): Promise<BotWorld & { flowId: string; ruleId: string }> {
  const bot = await BotWorld.create({ session_timeout_minutes: 10, transfer_keywords: ['human'] })
  const flowId = await bot.flow(
    [
      ['hello', 'message', { message: 'Hi' }],
      ['color', 'prompt', { body: 'Which color?', store_as: 'color' }],
      ['bye', 'end', { message: 'Bye' }],
    ],
    { name: 'Colors', trigger_keywords: ['colors'] },
  )
  const ruleId = await bot.rule({ keywords: ['hours', 'open'], response: 'From 9 to 5' })
  return Object.assign(bot, { flowId, ruleId })
}

test('every session has one outcome', async () => {
  await using bot = await withSessions()
  await bot.say('colors')
  expect(await outcomesOf(bot)).toEqual([1, 0, 0, 0, 1])
  await bot.say('blue')
  expect(await outcomesOf(bot)).toEqual([1, 1, 0, 0, 0])
  await bot.say('colors')
  await bot.wait({ minutes: 11 })
  expect(await outcomesOf(bot)).toEqual([2, 1, 0, 1, 0])
  await bot.say('what are your hours')
  await bot.wait({ minutes: 11 })
  expect(await outcomesOf(bot)).toEqual([3, 2, 0, 1, 0])
  await bot.say('nothing that the bot knows')
  await bot.wait({ minutes: 11 })
  expect(await outcomesOf(bot)).toEqual([4, 2, 0, 2, 0])
  await bot.say('colors')
  await bot.say('human please')
  expect(await outcomesOf(bot)).toEqual([5, 1, 1, 3, 0])
  expect(await summaryOf(bot)).toMatchObject({ resolution_rate: 20 })
})

test('a person who takes over within 24 hours shows that the bot did not resolve it', async () => {
  await using bot = await withSessions()
  await bot.say('hours?')
  await bot.wait({ minutes: 11 })
  expect(await outcomesOf(bot)).toEqual([1, 1, 0, 0, 0])
  await bot.wait({ hours: 23 })
  const { contact } = (await bot.conversation()) as { contact: Loose }
  const write = async (): Promise<void> => {
    await bot.admin.post(`/api/contacts/${String(contact['id'])}/messages`, {
      type: 'text',
      text: 'May I help?',
    })
    await bot.world.settle()
  }
  await write()
  expect(await outcomesOf(bot)).toEqual([1, 0, 0, 1, 0])
  await bot.wait({ hours: 2 })
  await bot.say('open?')
  await bot.wait({ minutes: 11 })
  await bot.wait({ hours: 25 })
  await bot.customer.says('still there?') // opens the window; nothing answers
  await bot.world.settle()
  expect(await outcomesOf(bot)).toEqual([3, 1, 0, 1, 1])
})

test('tells flows, steps, keywords and messages', async () => {
  await using bot = await withSessions()
  await bot.say('colors')
  await bot.say('blue')
  await bot.say('colors')
  await bot.wait({ minutes: 11 })
  await bot.say('hours')
  await bot.say('OPEN')
  await bot.say('open')
  await bot.wait({ minutes: 11 })
  const report = await reportOf(bot)
  expect(report['by_flow']).toEqual([
    {
      flow_id: bot.flowId,
      flow_name: 'Colors',
      conversations: 2,
      completed: 1,
      transferred: 0,
      abandoned: 1,
      completion_rate: 50,
      drop_off: [{ node_id: 'color', label: null, count: 1 }],
    },
  ])
  expect(report['top_keywords']).toEqual([
    { keyword: 'colors', rule_id: null, flow_id: bot.flowId, count: 2 },
    { keyword: 'open', rule_id: bot.ruleId, flow_id: null, count: 2 },
    { keyword: 'hours', rule_id: bot.ruleId, flow_id: null, count: 1 },
  ])
  // Two of each side, one of each, and three of each: the greeting of a flow joins its question.
  expect(report['summary']).toMatchObject({
    avg_messages_per_conversation: 4,
    messages_per_turn: 1,
    avg_resolution_time_seconds: 330,
  })
  expect(report['ai_usage']).toEqual({
    total_requests: 0,
    failed_requests: 0,
    input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
    avg_tokens_per_request: 0,
    estimated_cost: 0,
    currency: 'USD',
  })
  const timeline = report['timeline'] as Loose[]
  expect([timeline.length, timeline.at(-1)]).toEqual([
    30,
    expect.objectContaining({ conversations: 3, auto_resolved: 2, abandoned: 1 }),
  ])
})

test('tells how many messages a turn is, also one that waits for another system', async () => {
  using shop = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({}) })
  const { host } = shop.url
  await using bot = await BotWorld.create(
    { session_timeout_minutes: 10, coalesce: false },
    { env: { EGRESS_ALLOW: host } },
  )
  await bot.flow([
    ['wait', 'message', { message: 'One moment.' }],
    ['call', 'api_call', { url: `http://${host}` }],
    ['found', 'message', { message: 'Found.' }],
    ['color', 'prompt', { body: 'Which color?', store_as: 'color' }],
    ['bye', 'end', { message: 'Bye' }],
  ])
  expect(await bot.say('begin')).toEqual(['One moment.', 'Found.', 'Which color?'])
  expect(await summaryOf(bot)).toMatchObject({ messages_per_turn: 0 })
  expect(await bot.say('blue')).toEqual(['Bye'])
  expect(await summaryOf(bot)).toMatchObject({
    messages_per_turn: 2,
    avg_messages_per_conversation: 6,
  })
})

test('is limited to a flow or a number of the organization', async () => {
  await using bot = await withSessions()
  await bot.say('hours')
  await bot.say('colors')
  const { accountId } = bot.world.tenant
  expect(await summaryOf(bot, `flow_id=${bot.flowId}`)).toMatchObject({ total_conversations: 1 })
  expect(await summaryOf(bot, `account_id=${accountId}`)).toMatchObject({ total_conversations: 1 })
  expect((await reportOf(bot, `flow_id=${bot.flowId}`))['top_keywords']).toHaveLength(1)
  const second = await secondNumber(bot.world)
  expect(await reportOf(bot, `account_id=${second.accountId}`)).toMatchObject({
    summary: { total_conversations: 0 },
    by_flow: [],
    top_keywords: [],
  })
  const status = async (query: string): Promise<number> =>
    (await bot.admin.get(`/api/analytics/chatbot?${query}`)).status
  expect(await status(`account_id=${bot.world.other.accountId}`)).toBe(404)
  expect(await status(`flow_id=${bot.world.other.accountId}`)).toBe(404)
  expect(await status('granularity=minute')).toBe(400)
  expect((await (await bot.world.as('agent')).get('/api/analytics/chatbot')).status).toBe(403)
  const file = await fetch(`${bot.world.url}/api/analytics/chatbot?format=csv`, {
    headers: bot.admin.headers,
  })
  expect((await file.text()).trimEnd().split('\r\n')).toHaveLength(31)
})

test('stays the same when the customer is erased', async () => {
  await using bot = await withSessions()
  await bot.say('colors')
  await bot.say('blue')
  await bot.say('colors')
  await bot.wait({ minutes: 11 })
  await bot.say('hours')
  await bot.wait({ minutes: 11 })
  const { as_of: _before, ...before } = await reportOf(bot)
  const { contact } = (await bot.conversation()) as { contact: Loose }
  const id = String(contact['id'])
  await bot.admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  await bot.world.settle()
  expect(bot.sessions()).toEqual([])
  const { as_of: _after, ...after } = await reportOf(bot)
  expect(after).toEqual(before)
})
