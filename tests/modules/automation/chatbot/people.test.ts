import { describe, expect, test } from 'bun:test'

import { AiSimulator } from '../../../simulator/ai/server'
import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { personWith } from '../../../support/people'
import { changeRows } from '../../../support/sql'

const AI = {
  ai_provider: 'openai',
  ai_model: 'gpt-4o-mini',
  ai_purpose: 'Answers questions of the customers of a bakery.',
  ai_enabled: true,
}

async function withAi(settings: Loose = {}) {
  const ai = new AiSimulator()
  const bot = await BotWorld.create({ ...AI, ai_api_key: ai.key, ...settings }, { env: ai.env })
  return {
    ai,
    bot,
    async [Symbol.asyncDispose]() {
      await bot.world.stop()
      await ai.stop()
    },
  }
}

describe('the AI in a turn', () => {
  test('answers what no rule answers, with the greeting and once with its disclosure', async () => {
    await using at = await withAi({ greeting_message: 'Welcome!', fallback_message: 'Sorry?' })
    at.ai.answers = () => 'We bake at four.'
    const [first = ''] = await at.bot.say('When do you bake?')
    expect(first).toStartWith('Welcome!\n\n')
    expect(first).toEndWith('We bake at four.')
    expect(first.length).toBeGreaterThan('Welcome!\n\nWe bake at four.'.length + 10)
    expect(await at.bot.say('And tomorrow?')).toEqual(['We bake at four.'])
    const { data } = await at.bot.admin.get('/api/chatbot/sessions')
    const session = (data['items'] as Loose[])[0] as Loose
    const details = (await at.bot.admin.get(`/api/chatbot/sessions/${session['id']}`)).data
    expect(details['messages']).toMatchObject([
      { direction: 'incoming' },
      { source: 'chatbot', ai_generated: true, ai_model: 'gpt-4o-mini' },
      { direction: 'incoming' },
      { source: 'chatbot', ai_generated: true },
    ])
  })

  test('gives way to the fallback when it fails, and to a person when it asks for one', async () => {
    await using at = await withAi({ fallback_message: 'Sorry?', ai_disclosure: 'off' })
    at.ai.plan({ kind: 'status', status: 400 })
    expect(await at.bot.say('Hello')).toEqual(['Sorry?'])
    at.ai.answers = () => '<handover>'
    expect(await at.bot.say('A person!')).toEqual([
      'I am handing you over to our team. They will answer you here.',
    ])
    expect(at.bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'ai' }])
  })

  test('traces why the greeting that waited for it was not sent', async () => {
    await using at = await withAi({ greeting_message: 'Welcome!', ai_timeout_seconds: 60 })
    at.ai.plan({ kind: 'held' })
    await at.bot.customer.says('When do you bake?')
    const answered = at.bot.world.settle()
    await at.bot.world.eventually(() => at.ai.waiting === 1)
    at.bot.world.clock.advance({ hours: 25 })
    at.ai.letGo()
    await answered
    await at.bot.world.settle()
    expect(at.bot.texts()).toEqual([])
    expect(at.bot.trace()).toContainEqual(
      expect.objectContaining({ stage: 'greeting', error: 'window_closed' }),
    )
  })

  test('answers a node of a flow, or stores its answer', async () => {
    await using at = await withAi({ ai_disclosure: 'off' })
    at.ai.answers = ({ user }) => (user.includes('Say hello to Ana Sol') ? 'Hello!' : 'What?')
    await at.bot.flow([
      [
        'ask',
        'ai_response',
        { prompt_template: 'Say hello to {{contact_name}}', store_as: 'said' },
      ],
      ['say', 'message', { message: '[{{said}}]' }],
    ])
    expect(await at.bot.say('begin')).toEqual(['[Hello!]'])
  })

  test('marks what a flow says of a stored answer, and tells before it that AI wrote it', async () => {
    await using at = await withAi({ coalesce: false })
    at.ai.answers = () => 'sales'
    await at.bot.flow([
      ['ask', 'ai_response', { prompt_template: 'What is it about?', store_as: 'topic' }],
      ['plain', 'message', { message: 'One moment.' }],
      ['copy', 'set_variable', { set: { shout: '{{ topic | upcase }}', other: 'no' } }],
      ['is', 'condition', { expression: "topic == 'sales'" }],
      [
        'menu',
        'buttons',
        { body: 'It is {{ shout }}?', buttons: [{ id: 'y', title: 'Yes' }], store_as: 'topic' },
      ],
      ['said', 'message', { message: 'You said {{ topic }}, {{ other }}.' }],
    ])
    await at.bot.say('begin')
    await at.bot.tap('y', 'Yes')
    expect(at.bot.texts()).toEqual([
      'One moment.',
      'You are chatting with an AI assistant.\n\nIt is SALES? [Yes]',
      'You said Yes, no.',
    ])
    const { data } = await at.bot.admin.get('/api/contacts')
    const [contact] = data['items'] as Loose[]
    const thread = await at.bot.admin.get(`/api/contacts/${String(contact?.['id'])}/messages`)
    const sent = (thread.data['items'] as Loose[])
      .filter(({ direction }) => direction === 'outgoing')
      .map(({ ai_generated, ai_model }) => [ai_generated, ai_model])
    expect(sent).toEqual([
      [false, null],
      [true, 'gpt-4o-mini'],
      [false, null],
    ])
  })
})

describe('contacts with sessions', () => {
  test('that are merged keep one active session, and are erased with them', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Hi' })
    await bot.say('Hello')
    const other = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId })
    await other.says('Hello')
    await bot.world.settle()
    const { data } = await bot.admin.get('/api/contacts?sort=created_at&order=asc')
    const [target, source] = (data['items'] as Loose[]).map(({ id }) => String(id))
    const merged = await bot.admin.post(`/api/contacts/${target}/merge`, { source_id: source })
    expect(merged.status).toBe(200)
    const of = 'select status, end_reason from bot_sessions where contact_id = ? order by id'
    expect(bot.world.rows(of, String(target))).toEqual([
      { status: 'active', end_reason: null },
      { status: 'cancelled', end_reason: 'merged' },
    ])
    expect(
      bot.world.rows(
        "select payload ->> 'reason' as reason from events where type like '%session_ended'",
      ),
    ).toEqual([{ reason: 'merged' }])
    await bot.admin.post(`/api/contacts/merges/${merged.data['merge_id']}/undo`)
    expect(bot.world.rows(of, String(source))).toEqual([
      { status: 'cancelled', end_reason: 'merged' },
    ])
    const erased = await bot.admin.post(`/api/contacts/${target}/erase`, { confirm: target })
    expect(erased.status).toBe(201)
    await bot.world.settle()
    expect(bot.world.rows(of, String(target))).toEqual([])
    const left = 'select id from bot_trace where contact_id = ?'
    expect(bot.world.rows(left, String(target))).toEqual([])
  })

  /** Two contacts: the first has begun a flow, the second has written. Returns their IDs. */
  async function twoContacts(bot: BotWorld): Promise<[string, string]> {
    await bot.say('begin')
    const other = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId })
    await other.says('Hello')
    await bot.world.settle()
    const { data } = await bot.admin.get('/api/contacts?sort=created_at&order=asc')
    return (data['items'] as Loose[]).map(({ id }) => String(id)) as [string, string]
  }

  for (const holder of ['target', 'source'] as const)
    test(`are left to the person who has the ${holder} when they are merged`, async () => {
      await using bot = await BotWorld.create()
      await bot.flow([
        ['wait', 'delay', { seconds: 60 }],
        ['say', 'message', { message: 'A minute later.' }],
      ])
      const [withFlow, held] = await twoContacts(bot)
      await bot.admin.post('/api/chatbot/transfers', { contact_id: held })
      const [target, source] = holder === 'target' ? [held, withFlow] : [withFlow, held]
      await bot.admin.post(`/api/contacts/${target}/merge`, { source_id: source })
      expect(bot.sessions()).toContainEqual(
        expect.objectContaining({ node: 'wait', status: 'transferred', end_reason: 'manual' }),
      )
      expect(await bot.wait({ minutes: 2 })).toEqual([])
    })

  test('whom a person has are not written to by a flow that is under way', async () => {
    await using bot = await BotWorld.create({ session_timeout_minutes: 5 })
    await bot.flow(
      [
        ['wait', 'delay', { seconds: 60 }],
        ['say', 'message', { message: 'A minute later.' }],
      ],
      { trigger_keywords: ['begin'] },
    )
    await bot.flow([['ask', 'prompt', { body: 'Your name?' }]], {
      trigger_keywords: ['ask'],
      timeout_message: 'Bye.',
    })
    const [first, held] = await twoContacts(bot)
    await bot.admin.post('/api/chatbot/transfers', { contact_id: held })
    const third = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId })
    await third.says('ask')
    await bot.world.settle()
    const asked = bot.world.rows("select contact_id from bot_sessions where node = 'ask'")
    // No route leads here: the rows are changed behind the program's back.
    for (const [contact, by] of [
      [first, { minutes: 2 }],
      [String(asked[0]?.['contact_id']), { minutes: 9 }],
    ] as const) {
      const move = 'update transfers set contact_id = ?'
      changeRows(bot.world.program.http.db.sqlite, move, [contact])
      await bot.wait(by)
    }
    expect([bot.texts(), third.received().length]).toEqual([[], 1])
    expect(bot.sessions().map(({ end_reason }) => end_reason)).toEqual([
      'transfer_active',
      'manual',
      'transfer_active',
    ])
  })

  /** Two contacts of whom the second has written a word that waits for the bot, and their merge. */
  async function mergedWhileWaiting(bot: BotWorld) {
    await bot.rule({ keywords: ['prices'], response: 'Our prices.' })
    await bot.say('Hello')
    const other = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId })
    await bot.configure({ debounce_seconds: 5 })
    await other.says('prices')
    await bot.world.settle()
    const { data } = await bot.admin.get('/api/contacts?sort=created_at&order=asc')
    const [target, source] = (data['items'] as Loose[]).map(({ id }) => String(id))
    const merged = await bot.admin.post(`/api/contacts/${target}/merge`, { source_id: source })
    expect(merged.status).toBe(200)
    return { other, mergeId: String(merged.data['merge_id']) }
  }

  test('that are merged while a message waits for the bot get its answer', async () => {
    await using bot = await BotWorld.create()
    const { other } = await mergedWhileWaiting(bot)
    await bot.wait({ seconds: 6 })
    expect([...bot.customer.received(), ...other.received()]).toHaveLength(1)
  })

  test('that are separated again while a message waits get its answer alone', async () => {
    await using bot = await BotWorld.create()
    const { other, mergeId } = await mergedWhileWaiting(bot)
    await bot.admin.post(`/api/contacts/merges/${mergeId}/undo`)
    await bot.wait({ seconds: 6 })
    expect([bot.customer.received().length, other.received().length]).toEqual([0, 1])
    expect(bot.world.rows('select * from bot_inbox')).toEqual([])
  })

  test('show nobody the number that must be masked, whatever the bot wrote', async () => {
    await using bot = await BotWorld.create()
    const { world } = bot
    await bot.admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    await bot.flow([
      ['ask', 'prompt', { body: 'Is {{phone_number}} your number?', store_as: 'answer' }],
      ['set', 'set_variable', { set: { number: '{{phone_number}}' } }],
      [
        'person',
        'transfer',
        { body: 'We call +{{phone_number}}.', notes: 'Call {{phone_number}}.' },
      ],
    ])
    await bot.say('begin')
    const { client } = await personWith(world, [
      ...['contacts:read', 'contacts:read_all', 'messages:read', 'chatbot:read', 'chatbot:update'],
      ...['transfers:read', 'transfers:assign'],
    ])
    const contact = (await bot.conversation())['contact'] as Loose
    const number = String(contact['phone_number'])
    const seesNumber = async (path: string): Promise<boolean> =>
      JSON.stringify((await client.get(path)).body).includes(number)
    expect(await seesNumber('/api/conversations')).toBe(false)
    await bot.say('yes')
    const { data } = await client.get('/api/chatbot/sessions')
    const session = String((data['items'] as Loose[])[0]?.['id'])
    const seen: string[] = []
    for (const path of [
      ...['/api/chatbot/sessions', `/api/chatbot/sessions/${session}`, '/api/chatbot/transfers'],
      ...['/api/conversations', `/api/contacts/${String(contact['id'])}/messages`],
    ])
      if (await seesNumber(path)) seen.push(path)
    expect(seen).toEqual([])
    const preview = { message: 'begin', contact_id: contact['id'] }
    const { body } = await client.post('/api/chatbot/preview', preview)
    expect(JSON.stringify(body)).not.toContain(number)
  })

  test('show them, and cancel them once', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Hi' })
    await bot.say('Hello')
    const { data } = await bot.admin.get('/api/chatbot/sessions?status=active')
    expect(data).toMatchObject({ total: 1, items: [{ status: 'active', waiting_for: 'reply' }] })
    const id = String((data['items'] as Loose[])[0]?.['id'])
    const cancelled = await bot.admin.post(`/api/chatbot/sessions/${id}/cancel`)
    expect(cancelled.data).toMatchObject({ status: 'cancelled', end_reason: 'cancelled' })
    expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
    expect((await bot.admin.post(`/api/chatbot/sessions/${id}/cancel`)).status).toBe(409)
  })
})
