import { systemCtx } from '../../../src/infra/ctx'
import { transact } from '../../../src/infra/db/transact'
import { recordQuestionIn } from '../../../src/modules/automation/ai/questions/record'
import type { Client, Loose } from '../../support/client'
import { upload } from '../../support/files'
import type { World } from '../../support/world'

async function send(client: Client, method: string, path: string, body?: unknown): Promise<Loose> {
  const { status, data, body: answer } = await client.request(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${answer.message}`)
  return data
}

const LONG =
  'You can return everything within 30 days, as long as it is unused and in its box. '.repeat(12)

async function furnishRules(admin: Client, team: string, flow: string): Promise<void> {
  for (const rule of [
    {
      keywords: ['open', 'opening hours', 'when do you open'],
      response: 'We are open *from 9 to 18*, Monday to Friday, {{ contact_name }}.',
      priority: 50,
    },
    {
      name: 'Delivery and everything else that has to do with it, also on Saturdays',
      keywords: ['delivery', 'deliver', 'shipping', 'bring it'],
      response_type: 'buttons',
      response: 'We deliver within the city. What would you like to know?',
      response_content: {
        header: 'Delivery',
        footer: 'Free above 30 euros',
        buttons: [{ title: 'Costs' }, { title: 'Times' }, { title: 'Talk to somebody' }],
      },
      priority: 40,
    },
    { keywords: ['return', 'refund'], response: LONG.slice(0, 900), priority: 40 },
    {
      keywords: ['complaint', 'broken'],
      response_type: 'transfer',
      response: 'I am sorry! A colleague looks at it right away.',
      response_content: { team_id: team, notes: 'Complaint: {{ message.text }}' },
      priority: 90,
    },
    { keywords: ['ساعات العمل', 'متى تفتحون'], response: 'نفتح من التاسعة صباحًا.', priority: 30 },
    { keywords: ['opening', 'stop'], response: 'Soon more.', priority: 10, enabled: false },
    {
      name: '<b>"Regular" & expressions</b>',
      keywords: ['order (?P<order>[0-9]+)'],
      match_type: 'regex',
      response_type: 'flow',
      response_content: { flow_id: flow },
      priority: 20,
    },
  ])
    await send(admin, 'POST', '/api/chatbot/keywords', rule)
}

async function furnishKnowledge(admin: Client): Promise<void> {
  const make = async (body: Loose): Promise<string> =>
    String((await send(admin, 'POST', '/api/chatbot/ai-contexts', body))['id'])
  await make({ name: 'Returns and refunds', content: LONG, trigger_keywords: ['return', 'refund'] })
  await make({ name: 'أسئلة شائعة', content: 'نفتح من التاسعة صباحًا حتى السادسة مساءً.' })
  await make({
    name: 'Stock of the shop',
    context_type: 'api',
    api_config: {
      url: 'https://shop.example.com/stock.json',
      headers: { authorization: 'Bearer 4711' },
      response_path: 'data.items',
    },
  })
  const handbook = await make({ name: 'Handbook' })
  const menu = await make({ name: 'Menu (scanned)' })
  const path = (id: string): string => `/api/chatbot/ai-contexts/${id}/document`
  const bytes = new TextEncoder().encode(`${LONG}\n\n`.repeat(20))
  await upload(admin, { path: path(handbook), name: 'handbook.txt', bytes })
  const broken = new TextEncoder().encode('%PDF-1.4 nothing to read')
  await upload(admin, { path: path(menu), name: 'menu for the summer.pdf', bytes: broken })
}

/** Gives the first organization a bot with rules, a flow, knowledge, and customers who talk to it. */
export async function furnishBot(world: World): Promise<void> {
  const { simulator, tenant } = world
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/teams?limit=1')
  const [known] = data['items'] as Loose[]
  const team =
    known ?? ((await send(admin, 'POST', '/api/teams', { name: 'Counter' }))['team'] as Loose)
  const flow = await send(admin, 'POST', '/api/chatbot/flows', {
    name: 'Find an order',
    trigger_keywords: ['order'],
    enabled: true,
    graph: {
      version: 2,
      entry_node: 'ask',
      nodes: [
        {
          ...{ id: 'ask', type: 'prompt', label: 'Ask for the number' },
          config: { body: 'What is your *order number*?', store_as: 'order' },
        },
        {
          ...{ id: 'person', type: 'transfer' },
          config: { body: 'We look it up.', notes: 'Order {{ order }}' },
        },
      ],
      edges: [{ from: 'ask', to: 'person' }],
    },
  })
  await furnishRules(admin, String(team['id']), String(flow['id']))
  await furnishKnowledge(admin)
  await send(admin, 'PUT', '/api/chatbot/settings', {
    chatbot_enabled: true,
    greeting_message: 'Hello {{ contact_name }}! This is the *bot* of the bakery.',
    greeting_buttons: [
      { title: 'Opening hours' },
      { title: 'Find my order', id: `flow:${String(flow['id'])}` },
    ],
    fallback_message: 'Sorry, I did not understand that. Write "person" to talk to somebody.',
    transfer_keywords: ['counter', 'shop'],
    excluded_numbers: ['+49 170 1234567'],
    ai_provider: 'openai',
    ai_model: 'gpt-4o-mini',
    ai_api_key: 'sk-nothing-4711',
    ai_purpose: 'Answers questions of the customers of a bakery about cakes and opening hours.',
    system_prompt: 'You are friendly and brief.\nYou never promise a date.',
    ai_daily_token_budget: 100_000,
    ai_monthly_token_budget: 2_000_000,
    allow_automated_outside_hours: true,
  })
  const phone = tenant.phoneId
  for (const [name, ...said] of [
    ['Ivy Quinn', 'When do you open?'],
    ['Omar Haddad', 'order'],
    ['محمد الهاشمي', 'ساعات العمل'],
    ['Zoë Müller 🚲', 'order', 'A-4711'],
    ['<b>Bobby</b>', 'My cake is broken'],
  ]) {
    const customer = simulator.customer({ phone, name: name ?? '' })
    for (const words of said) {
      await customer.says(words)
      await world.settle()
      world.clock.advance({ seconds: 5 })
      await world.settle()
    }
  }
  await furnishQuestions(world, admin)
}

/** What customers asked the AI in vain. */
async function furnishQuestions(world: World, admin: Client): Promise<void> {
  const { data } = await admin.get('/api/contacts?limit=4')
  const people = (data['items'] as Loose[]).map(({ id }) => String(id))
  const ctx = systemCtx(world.program.http, world.tenant.id)
  const texts = [
    'Do you deliver to Austria?',
    '<b>Vegan</b> cakes & gluten?',
    'هل لديكم موقف سيارات؟',
  ]
  for (const [nth, contactId] of people.entries())
    for (const text of [...texts.slice(0, 3 - (nth % 3)), `${LONG.slice(0, 60 + nth)}?`])
      transact(ctx.db, (tx) => {
        recordQuestionIn(tx, ctx, { contactId, messageId: null, text })
      })
}
