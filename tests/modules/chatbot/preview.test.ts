import { describe, expect, test } from 'bun:test'

import { BotWorld, graphOf } from '../../support/bots'
import type { Loose } from '../../support/client'

const PATH = '/api/chatbot/preview'

describe('a preview', () => {
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
