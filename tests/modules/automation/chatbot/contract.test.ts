import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { BotWorld, graphOf } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { Receiver } from '../../../support/receiver'

let bot: BotWorld
beforeAll(async () => {
  bot = await BotWorld.create()
})
afterAll(() => bot[Symbol.asyncDispose]())

/** Previews messages with a graph. */
async function preview(
  nodes: Parameters<typeof graphOf>[0],
  messages: unknown[],
  more: Loose & { edges?: Parameters<typeof graphOf>[1] } = {},
) {
  const { edges = [], ...body } = more
  const { data } = await bot.admin.post('/api/chatbot/preview', {
    messages,
    graph: graphOf(nodes, edges),
    ...body,
  })
  const replies = (data['replies'] as Loose[]).map(({ message }) => (message as Loose)['text'])
  return { replies, session: data['session'] as Loose, trace: data['trace'] as Loose[] }
}

describe('a question', () => {
  test.each<[input: string, fits: [string, unknown][], doesNotFit: string[]]>([
    ['text', [['  Ana ', 'Ana']], []],
    [
      'number',
      [
        ['12', 12],
        ['-3,5', -3.5],
        ['+7.25', 7.25],
      ],
      ['twelve', '1.2.3', '1e5', '12 kg'],
    ],
    ['email', [['Ana@Example.com', 'ana@example.com']], ['ana', 'ana@example', 'a b@example.com']],
    ['phone', [['+49 30 901820', '4930901820']], ['12', 'no number']],
    [
      'date',
      [
        ['2027-02-28', '2027-02-28'],
        ['1.2.2027', '2027-02-01'],
        ['31/12/2026', '2026-12-31'],
      ],
      ['2027-02-29', '31.11.2026', 'soon', '12/31/2026'],
    ],
    ['media', [], ['a text']],
    ['location', [], ['a text']],
  ])('for %s takes what fits, and asks again otherwise', async (input, fits, doesNotFit) => {
    const ask = { body: 'Well?', store_as: 'answer', input, validation_error: 'Again.' }
    for (const [text, answer] of fits) {
      const { session } = await preview([['ask', 'prompt', ask]], ['begin', text])
      expect(session).toMatchObject({ status: 'completed', variables: { answer } })
    }
    for (const text of doesNotFit) {
      const { replies, session } = await preview([['ask', 'prompt', ask]], ['begin', text])
      expect([text, replies.at(-1), session['status']]).toEqual([text, 'Again.', 'active'])
    }
  })

  test('with a pattern takes texts that match, and gives up after its retries', async () => {
    const { replies, session } = await preview(
      [
        ['ask', 'prompt', { body: 'Code?', validation_regex: '^[A-Z]{2}$', max_retries: 1 }],
        ['end', 'end', { message: 'Thanks.' }],
        ['no', 'end', { message: 'Never mind.' }],
      ],
      ['begin', 'ab', 'cd'],
      { edges: [['ask', 'max_retries', 'no']] },
    )
    expect(replies).toEqual(['Code?', 'Code?', 'Never mind.'])
    expect(session['status']).toBe('completed')
  })
})

test('the answers that one question refused are not held against the next', async () => {
  await using own = await BotWorld.create()
  const ask = { validation_regex: '^[A-Z]{2}$', max_retries: 1, validation_error: 'Again.' }
  await own.flow(
    [
      ['first', 'prompt', { ...ask, body: 'Country?' }],
      ['second', 'prompt', { ...ask, body: 'State?' }],
      ['end', 'end', { message: 'Thanks.' }],
      ['no', 'end', { message: 'Never mind.' }],
    ],
    {
      edges: [
        ['first', 'default', 'second'],
        ['first', 'max_retries', 'no'],
        ['second', 'default', 'end'],
        ['second', 'max_retries', 'no'],
      ],
    },
  )
  const answers: string[][] = []
  for (const text of ['begin', 'us', 'US', 'ny', 'NY']) answers.push(await own.say(text))
  expect(answers).toEqual([['Country?'], ['Again.'], ['State?'], ['Again.'], ['Thanks.']])
})

describe('the limits of a session', () => {
  const set = (id: string, to: string, value: unknown): [string, string, Loose] => [
    id,
    'set_variable',
    { set: { [to]: value } },
  ]

  test.each<[what: string, nodes: Parameters<typeof graphOf>[0], error: string]>([
    [
      'more than 100 variables',
      Array.from({ length: 6 }, (_, at) => [
        `n${at}`,
        'set_variable',
        {
          set: Object.fromEntries(
            Array.from({ length: 18 }, (_each, nth) => [`v${at}_${nth}`, 'x']),
          ),
        },
      ]),
      'more than 100 variables',
    ],
    [
      'more than 64 KiB of variables',
      Array.from({ length: 20 }, (_, at) => set(`n${at}`, `v${at}`, 'x'.repeat(4_000))),
      'variables of more than 64 KiB',
    ],
    [
      'more than 100 steps in a turn',
      Array.from({ length: 101 }, (_, at) => set(`n${at}`, 'n', String(at))),
      'more than 100 steps in one turn',
    ],
  ])('end it: %s', async (_, nodes, error) => {
    const { session, trace } = await preview(nodes, ['begin'])
    expect(session).toMatchObject({ status: 'failed', end_reason: 'loop_guard' })
    expect(trace.at(-1)).toMatchObject({ stage: 'guard', outcome: 'loop_guard', error })
  })
})

test('a flow decides by its own hours and by those of the settings', async () => {
  const monday = [{ day: 'monday', start_time: '09:00', end_time: '17:00' }]
  await bot.configure({ business_hours_enabled: true, business_hours: monday })
  const timing = (config: Loose): Parameters<typeof graphOf>[0] => [
    ['t', 'timing', config],
    ['open', 'end', { message: 'open' }],
    ['closed', 'end', { message: 'closed' }],
  ]
  const edges: Parameters<typeof graphOf>[1] = [
    ['t', 'default', 'open'],
    ['t', 'out_of_hours', 'closed'],
  ]
  const said: unknown[] = []
  for (const config of [
    { use_business_hours: true },
    { schedule: [{ day: 'tuesday', start_time: '22:00', end_time: '06:00' }] },
  ])
    for (const at of ['2026-11-23T10:00:00Z', '2026-11-25T05:59:00Z'])
      said.push((await preview(timing(config), ['begin'], { at, edges })).replies.at(-1))
  expect(said).toEqual(['open', 'closed', 'closed', 'open'])
  await bot.configure({ business_hours_enabled: false })
})

test('a flow knows its name, its number of the customer and the time', async () => {
  await bot.flow([['a', 'end', { message: '{{_flow_name}}, {{now | date: "%Y"}}' }]], {
    name: 'Known',
    trigger_keywords: ['known'],
  })
  expect(await bot.say('known')).toEqual(['Known, 2026'])
})

describe('a message without text', () => {
  test('gets the fallback only if the settings say so, and rules do not see it', async () => {
    await using own = await BotWorld.create({
      fallback_message: 'Sorry?',
      transfer_keywords: ['a'],
    })
    await own.rule({ keywords: ['.'], match_type: 'regex', response: 'A rule.' })
    const sends = () =>
      own.during(() => own.customer.sharesLocation({ latitude: 52.5, longitude: 13.4 }))
    expect(await sends()).toEqual([])
    expect(own.trace().at(-1)).toMatchObject({ stage: 'fallback', outcome: 'no_match' })
    expect(await own.conversation()).toMatchObject({ state: 'open' })
    await own.configure({ fallback_on_media: true })
    expect(await sends()).toEqual(['Sorry?'])
  })
})

test('nothing answers an excluded number, and silence is no fallback', async () => {
  await using own = await BotWorld.create({ greeting_message: 'Hi' })
  await own.silently(() => own.customer.says('x'))
  const { phone_number: number } = (await own.conversation())['contact'] as Loose
  await own.configure({ excluded_numbers: [number] })
  expect(await own.say('Hello')).toEqual([])
  expect([own.sessions(), own.trace()]).toEqual([[], []])
  await own.configure({ excluded_numbers: [], greeting_message: null })
  expect(await own.say('Hello')).toEqual([])
  expect(own.trace().at(-1)).toMatchObject({ stage: 'fallback', outcome: 'no_match' })
})

test('a flow is not started for a blocked contact, nor without a published version', async () => {
  await using own = await BotWorld.create()
  await own.say('Hello')
  const { id } = (await own.conversation())['contact'] as Loose
  const codes: unknown[] = []
  const draft = await own.flow([['a', 'end', { message: 'x' }]], { enabled: false })
  const start = async (flow: string): Promise<void> => {
    const path = `/api/chatbot/flows/${flow}/start`
    const { status, body } = await own.admin.post(path, { contact_id: id, replace: true })
    codes.push([status, body.code])
  }
  await start(draft)
  const flow = await own.flow([['a', 'end', { message: 'x' }]])
  await own.admin.post(`/api/contacts/${String(id)}/block`)
  await start(flow)
  expect(codes).toEqual([
    [400, 'flow_not_published'],
    [400, 'contact_blocked'],
  ])
})

test('traces are kept for 30 days', async () => {
  await using own = await BotWorld.create({ greeting_message: 'Hi' })
  await own.say('Hello')
  const isGreeted = () => own.trace().some(({ stage }) => stage === 'greeting')
  await own.wait({ hours: 29 * 24 })
  expect(isGreeted()).toBe(true)
  await own.wait({ hours: 2 * 24 })
  expect(isGreeted()).toBe(false)
})

test('endpoints hear of the end of a session', async () => {
  await using receiver = new Receiver()
  const env = { EGRESS_ALLOW: new URL(receiver.url).host }
  await using own = await BotWorld.create({}, { env })
  const events = ['chatbot.session_ended']
  await own.admin.post('/api/webhooks', { name: 'CRM', url: receiver.url, events })
  await own.flow([['a', 'end', { message: 'x' }]])
  await own.say('begin')
  expect(receiver.received.map(({ body }) => body)).toMatchObject([
    { type: 'chatbot.session_ended', data: { status: 'completed' } },
  ])
})

test('what was deleted since is skipped, or becomes the general queue', async () => {
  await using own = await BotWorld.create()
  const made = async (path: string, body: Loose): Promise<string> => {
    const { data } = await own.admin.post(path, body)
    return String(((data['team'] ?? data) as Loose)['id'])
  }
  const tag = await made('/api/tags', { name: 'VIP', color: 'red' })
  const team = await made('/api/teams', { name: 'Sales' })
  await own.flow([
    ['tag', 'tag', { add: [tag] }],
    ['team', 'assign', { team_id: team }],
    ['person', 'transfer', { body: 'One moment.', team_id: team }],
  ])
  const statuses = [
    (await own.admin.delete(`/api/tags/${tag}`)).status,
    (await own.admin.delete(`/api/teams/${team}`)).status,
    (await own.admin.delete(`/api/teams/${team}?force=true`)).status,
  ]
  expect(statuses).toEqual([200, 409, 200])
  expect(await own.say('begin')).toEqual(['One moment.'])
  expect(own.world.rows('select status, team_id from transfers')).toEqual([
    { status: 'active', team_id: null },
  ])
})
