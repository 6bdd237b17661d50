import { describe, expect, test } from 'bun:test'

import { BotWorld, graphOf } from '../../../support/bots'
import type { Loose } from '../../../support/client'

const PATH = '/api/chatbot/preview'

describe('a preview', () => {
  test('takes a list of messages as a list only', async () => {
    await using bot = await BotWorld.create()
    for (const messages of ['x', { 0: 'x' }, [], [1]]) {
      const { status, body } = await bot.admin.post('/api/chatbot/preview', { messages })
      expect([messages, status, body.code]).toEqual([messages, 400, 'invalid_input'])
    }
  })

  test('shows what the bot would answer, and stores nothing', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Welcome!' })
    await bot.rule({ keywords: ['open'], response: 'At nine.' })
    const before = bot.world.rows('select count(*) as n from events')
    const { status, data } = await bot.admin.post(PATH, { message: 'When do you open?' })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      replies: [{ message: { type: 'text', text: 'Welcome!\n\nAt nine.' }, ai_generated: false }],
      session: { status: 'active', waiting_for: 'reply' },
      outcome: { answered: true, conversation_state: 'pending' },
    })
    expect((data['trace'] as Loose[]).map(({ stage }) => stage)).toEqual(['greeting', 'rules'])
    expect(bot.world.rows('select count(*) as n from events')).toEqual(before)
    expect([bot.sessions(), bot.trace(), bot.texts()]).toEqual([[], [], []])
  })

  test('continues with the session of the last answer', async () => {
    await using bot = await BotWorld.create()
    const graph = graphOf([
      ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
      ['wait', 'delay', { seconds: 3_600 }],
      ['call', 'api_call', { url: 'https://example.com/{{name}}', response_mapping: { n: 'n' } }],
      ['hi', 'message', { message: 'Hello {{name}}{{n}}.' }],
    ])
    const first = await bot.admin.post(PATH, { message: 'Hi', graph })
    expect(first.data).toMatchObject({ replies: [{ message: { text: 'Your name?' } }] })
    const second = await bot.admin.post(PATH, {
      message: 'Ana',
      graph,
      session: first.data['session'],
    })
    expect(second.data).toMatchObject({
      replies: [{ message: { text: 'Hello Ana.' } }],
      session: { status: 'completed', variables: { name: 'Ana', n: null } },
      outcome: {
        conversation_state: 'closed',
        effects: [{ kind: 'request', method: 'GET', url: 'https://example.com/Ana' }],
      },
    })
  })

  test('hears files, a place, contacts and an order, as a customer sends them', async () => {
    await using bot = await BotWorld.create()
    const asks = (id: string, interactive: Loose): [string, string, Loose] => [
      id,
      'interactive',
      { interactive: { body: 'Please', ...interactive }, store_as: id, max_retries: 1 },
    ]
    const graph = graphOf(
      [
        ['photo', 'prompt', { body: 'A photo?', store_as: 'photo', input: 'media' }],
        ['place', 'prompt', { body: 'Where?', store_as: 'place', input: 'location' }],
        asks('person', { type: 'contact_request' }),
        asks('order', { type: 'catalog' }),
        ['no', 'end', { message: 'No.' }],
      ],
      [
        ['photo', 'default', 'place'],
        ['place', 'default', 'person'],
        ['person', 'default', 'order'],
        ['person', 'max_retries', 'no'],
        ['order', 'max_retries', 'no'],
      ],
    )
    const place = { latitude: 52.5, longitude: 13.4, name: 'Berlin' }
    const messages = [
      'Hi',
      'no photo',
      { media: { type: 'sticker', filename: 'a.webp' } },
      { media: { type: 'image' } },
      { location: place },
      { contacts: [{ name: { formatted_name: 'Ana' } }] },
      { order: { catalog_id: '1', items: [] } },
    ]
    const { data } = await bot.admin.post(PATH, { messages, graph })
    expect(data).toMatchObject({
      session: {
        status: 'completed',
        variables: {
          photo: { type: 'sticker', filename: 'a.webp' },
          place,
          person: [{ name: { formatted_name: 'Ana' } }],
          order: { catalog_id: '1' },
        },
      },
    })
    for (const message of [
      { media: { type: 'hologram' } },
      { location: { latitude: 91, longitude: 0 } },
      { contacts: [] },
    ])
      expect((await bot.admin.post(PATH, { message, graph })).status).toBe(400)
  })

  test('previews the draft of a flow, and refuses an invalid graph', async () => {
    await using bot = await BotWorld.create()
    const id = await bot.flow([['a', 'message', { message: 'Published.' }]])
    await bot.admin.put(`/api/chatbot/flows/${id}`, {
      graph: graphOf([['a', 'message', { message: 'Draft.' }]]),
      publish: false,
    })
    const { data } = await bot.admin.post(PATH, { message: 'x', flow_id: id })
    expect(data).toMatchObject({ replies: [{ message: { text: 'Draft.' } }] })
    const refused = await bot.admin.post(PATH, { message: 'x', graph: { nodes: [] } })
    expect([refused.status, refused.body.code]).toEqual([400, 'graph_invalid'])
    expect((await bot.admin.post(PATH, {})).status).toBe(400)
    expect((await bot.admin.post(PATH, { message: 'x', messages: ['y'] })).status).toBe(400)
  })
})

/** The steps of production with what came of them. */
const stepsOf = (rows: Loose[]): unknown[] =>
  rows.map((row) => [
    row['stage'],
    row['node'] ?? row['node_id'] ?? null,
    row['outcome'],
    row['error'],
  ])

describe('a preview refuses what production refuses', () => {
  const messages = Array.from({ length: 25 }, (_, at): [string, string, Loose] => [
    `m${at}`,
    'message',
    { message: `Message ${at}` },
  ])
  for (const [name, nodes, settings, words] of [
    [
      'a text after the window has closed',
      [
        ['wait', 'delay', { seconds: 86_400 }],
        ['end', 'end', { message: 'Too late.' }],
      ],
      {},
      ['begin'],
    ],
    ['more messages than one bot sends', messages, { coalesce: false }, ['begin']],
    [
      'any answer while a person has the customer',
      [['person', 'transfer', { body: 'One moment.' }]],
      {},
      ['begin', 'Hello?', 'begin'],
    ],
    [
      'a text that is empty, and titles that are too long',
      [
        ['name', 'set_variable', { set: { long: '{{ contact_name }} of a very long title' } }],
        ['ask', 'buttons', { body: 'Which?', buttons: [{ id: 'a', title: '{{ long }}' }] }],
        ['empty', 'message', { message: '{{ nothing }}' }],
      ],
      { edges: [['ask', 'error', 'empty']] },
      ['begin'],
    ],
  ] as [string, [string, string, Loose][], Loose, string[]][])
    test(name, async () => {
      const { edges = [], ...own } = settings
      await using bot = await BotWorld.create(own)
      await bot.flow(nodes, { edges: edges as [string, string, string][] })
      const { data } = await bot.admin.post(PATH, { messages: words })
      for (const word of words) await bot.say(word)
      if (nodes[0]?.[1] === 'delay') await bot.wait({ hours: 24 })
      const production = bot.world.rows('select * from bot_trace order by id')
      expect(stepsOf(data['trace'] as Loose[])).toEqual(stepsOf(production))
      const replies = (data['replies'] as Loose[]).map(({ message }) => (message as Loose)['text'])
      expect(replies).toEqual(bot.texts())
    })

  test('a caption that is too long, of a file that it does not fetch', async () => {
    await using bot = await BotWorld.create()
    const file = { kind: 'image', url: 'https://example.com/a.png', caption: '{{ long }}' }
    const graph = graphOf([
      ['set', 'set_variable', { set: { long: 'x'.repeat(1_025) } }],
      ['file', 'media', file],
    ])
    const { data } = await bot.admin.post(PATH, { message: 'x', graph })
    expect(data).toMatchObject({
      replies: [
        { message: { text: 'Sorry, something went wrong. Our team will look at your message.' } },
      ],
      session: { status: 'failed', end_reason: 'invalid_input' },
    })
  })

  test('to write to a contact that a person has, or that is blocked', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Hi', greeting_every_hours: 0 })
    await bot.say('Hello')
    const contact_id = String(((await bot.conversation())['contact'] as Loose)['id'])
    const asked = async (): Promise<unknown> => {
      const { data } = await bot.admin.post(PATH, { message: 'Hello', contact_id })
      return [(data['trace'] as Loose[])[0]?.['outcome'], (data['replies'] as Loose[]).length]
    }
    expect(await asked()).toEqual(['greeted', 1])
    await bot.admin.post('/api/chatbot/transfers', { contact_id })
    expect(await asked()).toEqual(['transfer_active', 0])
    await bot.admin.post(`/api/contacts/${contact_id}/block`)
    expect(await asked()).toEqual(['contact_blocked', 0])
  })
})
