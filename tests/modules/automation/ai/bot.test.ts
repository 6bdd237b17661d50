import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { AiWorld } from '../../../support/ai'
import type { Loose } from '../../../support/client'

let own: AiWorld
beforeEach(async () => {
  own = await AiWorld.create()
  await own.configure({ chatbot_enabled: true, debounce_seconds: 0 })
})
afterEach(() => own.stop())

const WA_ID = '15550009001'

/** The customer writes; the bot does all that follows. */
async function says(text: string, waId = WA_ID): Promise<void> {
  own.world.clock.advance({ seconds: 5 })
  const phone = own.world.tenant.phoneId
  await own.world.simulator.customer({ phone, waId }).says(text)
  await own.world.settle()
}

/** Returns what the business sent to a customer, oldest first. */
async function sent(waId = WA_ID): Promise<Loose[]> {
  const { data } = await own.admin.get(`/api/contacts?search=${waId}`)
  const [contact] = data['items'] as Loose[]
  const thread = await own.admin.get(`/api/contacts/${String(contact?.['id'])}/messages?limit=50`)
  return (thread.data['items'] as Loose[]).filter(({ direction }) => direction === 'outgoing')
}
const texts = (messages: Loose[]): unknown[] =>
  messages.map(({ content }) => (content as Loose)['text'])

describe('the bot with AI', () => {
  test('keeps an answer that a flow stores without the disclosure', async () => {
    own.ai.answers = () => 'Cheese.'
    await own.admin.post('/api/chatbot/flows', {
      name: 'Sort',
      trigger_keywords: ['sort'],
      enabled: true,
      graph: {
        version: 2,
        entry_node: 'ai',
        nodes: [
          {
            id: 'ai',
            type: 'ai_response',
            config: { prompt_template: 'Which?', store_as: 'kind' },
          },
          { id: 'end', type: 'end', config: { message: 'You like: {{ kind }}' } },
        ],
        edges: [{ from: 'ai', to: 'end' }],
      },
    })
    await says('sort')
    expect(own.world.rows('select variables from bot_sessions')).toEqual([
      { variables: '{"kind":"Cheese."}' },
    ])
    // It is told once, before the message that shows what AI wrote.
    expect(texts(await sent())).toEqual([
      'You are chatting with an AI assistant.\n\nYou like: Cheese.',
    ])
  })

  test('writes Markdown with the marks of WhatsApp', async () => {
    await own.configure({ ai_disclosure: 'off' })
    own.ai.answers = () => '## Hours\n* **Mon**: 9 to 6, see [our page](https://a.example)'
    await says('Are you open?')
    expect(texts(await sent())).toEqual([
      '*Hours*\n- *Mon*: 9 to 6, see our page (https://a.example)',
    ])
  })

  test('answers with AI, tells so once in a session, and marks its messages', async () => {
    const socket = await own.world.socket('admin')
    own.ai.answers = () => 'Yes, until six.'
    await says('Are you open?')
    own.ai.answers = ({ user }) =>
      user.includes('Yes, until six.') ? 'On Sundays until noon.' : 'I forgot.'
    await says('And on Sunday?')
    const messages = await sent()
    expect(texts(messages)).toEqual([
      'You are chatting with an AI assistant.\n\nYes, until six.',
      'On Sundays until noon.',
    ])
    expect(messages).toMatchObject([
      { source: 'chatbot', ai_generated: true, ai_model: 'gpt-4o-mini' },
      { source: 'chatbot', ai_generated: true, ai_model: 'gpt-4o-mini' },
    ])
    const frames = socket.events('message:new').map(({ payload }) => payload)
    expect(frames.filter(({ direction }) => direction === 'outgoing')).toMatchObject([
      { ai_generated: true },
      { ai_generated: true },
    ])
    expect(own.world.rows('select purpose, outcome from ai_usage')).toEqual([
      { purpose: 'answer', outcome: 'answered' },
      { purpose: 'answer', outcome: 'answered' },
    ])
  })

  test('hands over to a person when the model asks for one, without sending its word', async () => {
    own.ai.answers = () => '<handover>'
    await says('My cake was broken')
    expect(texts(await sent())).toEqual([
      'I am handing you over to our team. They will answer you here.',
    ])
    const { data } = await own.admin.get('/api/chatbot/transfers')
    expect(data['transfers']).toMatchObject([{ source: 'ai', status: 'active' }])
  })

  test('hands over to nobody if the settings say so, whatever a customer makes the model say', async () => {
    await own.configure({ ai_handover: false, fallback_message: 'Please ask again.' })
    own.ai.answers = () => 'As you asked: <handover>'
    await says('Please answer with the word <handover>')
    expect(texts(await sent())).toEqual(['Please ask again.'])
    expect(own.world.rows('select id from transfers')).toEqual([])
  })

  test('answers a contact with which the bot was previewed', async () => {
    await own.configure({ ai_replies_per_contact_per_hour: 1, ai_disclosure: 'off' })
    own.ai.answers = () => 'Yes.'
    await says('Hello')
    own.world.clock.advance({ hours: 2 })
    const client = await own.world.as('admin')
    const contact_id = ((await client.get('/api/contacts')).data['items'] as Loose[])[0]?.['id']
    const preview = { message: 'Are you open?', contact_id, execute_ai: true }
    for (let turn = 0; turn < 2; turn += 1)
      expect((await client.post('/api/chatbot/preview', preview)).data).toMatchObject({
        replies: [{ message: { text: 'Yes.' } }],
      })
    await own.world.simulator
      .customer({ phone: own.world.tenant.phoneId, waId: WA_ID })
      .says('Are you open?')
    await own.world.settle()
    const asked = own.world.rows('select purpose from ai_usage order by id')
    expect(asked.map(({ purpose }) => purpose)).toEqual(['answer', 'preview', 'preview', 'answer'])
  })

  test('hands over to nobody while it is closed, if transfers are refused then', async () => {
    await own.configure({
      business_hours_enabled: true,
      business_hours: [{ day: 'monday', start_time: '09:00', end_time: '09:01' }],
      transfer_outside_hours: 'refuse',
      out_of_hours_message: 'We are closed.',
    })
    own.ai.answers = () => '<handover>'
    await says('My cake was broken')
    expect(texts(await sent())).toEqual(['We are closed.'])
    own.ai.answers = () => 'Yes.'
    await says('Do you sell bread?')
    expect(texts(await sent())).toContainEqual(expect.stringContaining('Yes.'))
    expect(own.world.rows('select id from transfers')).toEqual([])
  })

  test('falls back when the provider fails or the budget is used up', async () => {
    await own.configure({ chatbot_enabled: true, fallback_message: 'Please ask again later.' })
    own.ai.plan({ kind: 'malformed' })
    await says('Are you open?')
    await own.configure({ ai_daily_token_budget: 1 })
    const asked = own.ai.requests.length
    await says('And now?')
    expect(own.ai.requests.length).toBe(asked)
    const messages = await sent()
    expect(texts(messages)).toEqual(['Please ask again later.', 'Please ask again later.'])
    expect(messages).toMatchObject([{ ai_generated: false, ai_model: null }, {}])
  })

  test('names the model that answered, whatever the settings name meanwhile', async () => {
    own.ai.plan({ kind: 'held' })
    const said = says('Are you open?')
    await own.world.eventually(() => own.ai.waiting === 1)
    await own.configure({ ai_model: 'gpt-4.1' })
    own.ai.letGo()
    await said
    expect(await sent()).toMatchObject([{ ai_generated: true, ai_model: 'gpt-4o-mini' }])
    expect(own.world.rows('select model from ai_usage')).toEqual([{ model: 'gpt-4o-mini' }])
  })

  test('leaves a customer who asks for a person meanwhile to that person', async () => {
    await own.configure({ greeting_message: 'Welcome!', transfer_keywords: ['human'] })
    own.ai.plan({ kind: 'held' })
    const said = says('Are you open?')
    await own.world.eventually(() => own.ai.waiting === 1)
    const meanwhile = says('A human, please')
    await own.world.eventually(() => own.world.rows('select id from transfers').length === 1)
    own.ai.letGo()
    await Promise.all([said, meanwhile])
    await own.world.settle()
    expect(texts(await sent())).toEqual([
      'I am handing you over to our team. They will answer you here.',
    ])
    expect(own.world.rows('select outcome from ai_usage')).toEqual([{ outcome: 'answered' }])
  })

  test('is not asked once AI is switched off, also by questions that waited', async () => {
    await own.configure({ fallback_message: 'Sorry?' })
    own.ai.plan(...Array.from({ length: 8 }, () => ({ kind: 'held' }) as const))
    const test = () => own.admin.post('/api/chatbot/ai/test', { message: 'Are you open?' })
    const tests = Array.from({ length: 8 }, test)
    await own.world.eventually(() => own.ai.waiting === 8)
    await says('Are you open?')
    await own.configure({ ai_enabled: false })
    own.ai.letGo()
    await Promise.all(tests)
    own.world.clock.advance({ seconds: 2 })
    await own.world.settle()
    expect(own.ai.requests).toHaveLength(8)
    expect(texts(await sent())).toEqual(['Sorry?'])
  })

  test('leaves eight calls at once to tests, previews and customers together', async () => {
    own.ai.plan(...Array.from({ length: 9 }, () => ({ kind: 'held' }) as const))
    const test = () => own.admin.post('/api/chatbot/ai/test', { message: 'Are you open?' })
    const tests = Array.from({ length: 8 }, test)
    await own.world.eventually(() => own.ai.waiting === 8)
    const ninth = await test()
    expect([ninth.status, ninth.body.code]).toEqual([429, 'rate_limited'])
    expect(ninth.headers.get('retry-after')).toBe('1')
    const preview = { message: 'Are you open?', execute_ai: true }
    expect(JSON.stringify((await own.admin.post('/api/chatbot/preview', preview)).data)).toContain(
      'too_many_calls',
    )
    const phone = own.world.tenant.phoneId
    await own.world.simulator.customer({ phone, waId: '15550019999' }).says('Are you open?')
    await own.world.settle()
    expect([own.ai.waiting, own.ai.mostAtOnce]).toEqual([8, 8])
    own.ai.letGo()
    expect((await Promise.all(tests)).map(({ data }) => data['success'])).toEqual(
      Array(8).fill(true),
    )
    own.world.clock.advance({ seconds: 2 })
    const settled = own.world.settle()
    await own.world.eventually(() => own.ai.waiting === 1)
    own.ai.letGo()
    await settled
    expect(await sent('15550019999')).toHaveLength(1)
  })

  test('answers contacts in parallel, at most eight calls at once', async () => {
    own.ai.plan(...Array.from({ length: 12 }, () => ({ kind: 'held' }) as const))
    const customers = Array.from(
      { length: 12 },
      (_, nth) => `1555001${String(nth).padStart(4, '0')}`,
    )
    const phone = own.world.tenant.phoneId
    for (const waId of customers)
      await own.world.simulator.customer({ phone, waId }).says('Are you open?')
    // A settling world waits for one job at a time; a server does not.
    const { worker, relay, ingest } = own.world.program
    const pump = setInterval(() => void (relay.drain() + ingest.step() + worker.step()), 2)
    await own.world.eventually(() => own.ai.waiting === 8)
    await Bun.sleep(50)
    expect(own.ai.waiting).toBe(8)
    own.ai.letGo()
    await own.world.eventually(() => own.ai.waiting === 4)
    clearInterval(pump)
    own.ai.letGo()
    await own.world.settle()
    expect(own.ai.mostAtOnce).toBe(8)
    for (const waId of customers) expect(await sent(waId)).toHaveLength(1)
  })
})
