import { furnishContent, furnishData, furnishForms } from './data-settings'
import type { Customer } from '../../../src/simulator/customers'
import { approvedTemplate, numbersOf, setPrice } from '../../support/campaigns'
import type { Client, Loose } from '../../support/client'
import type { World } from '../../support/world'
import { furnishBot } from './bot-data'

/** How long before now the data begins, hours. */
const PAST_HOURS = 50

/** When the clock of a furnished world starts, epoch milliseconds. */
export const screensStartMs = (): number => Date.now() - PAST_HOURS * 3_600_000

/** Names that are hard to show. */
export const LONG_NAME =
  'Maximilian-Alexander von und zu Donaudampfschifffahrtsgesellschaft the Third'
const NAMES = [
  LONG_NAME,
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'محمد عبد الرحمن بن عبد العزيز الهاشمي',
  'שרה כהן-לוי',
  '👩‍👩‍👧‍👦🌸✨',
  'Мария Петрова',
  'Zoë Müller 🚲',
  'O',
]
/** What they say last. */
const WORDS = [
  'Could you please send me the invoice with the number 2026-11-4711-0815 once more, and also the one from October that I never received, thank you very much in advance for your help!',
  'Supercalifragilisticexpialidocious'.repeat(6),
  'مرحبا، هل الطلب رقم 4711 جاهز للاستلام اليوم؟',
  'היי, מתי אתם פתוחים ביום ראשון?',
  '🎉🎉🎉',
  'Здравствуйте! Есть ли столик на четверых завтра в семь?',
  'Is my bike ready? *Please* call me at +49 170 1234567.',
  'k',
]
const FIRST = ['Ivy', 'Omar', 'Luís', 'Pia', 'Noah', 'Aylin', 'Jonas', 'Chloé', 'Emre', 'Sofia']
const LAST = ['Stone', 'Haddad', 'Prado', 'Holm', 'Weber', 'Kaya', 'Berg', 'Dupont']
const QUESTIONS = [
  'Do you deliver on Saturdays?',
  'Thank you, that was quick! 🙏',
  'What does the blue one cost?',
  'I would like to change my order.',
  'See you tomorrow at ten.',
]
const PEOPLE = [
  'Alba Ruiz',
  'Marc-Antoine Dupont-Lefèvre de la Rochefoucauld',
  'ليلى حسن',
  'Tom Weber',
]

/** Sends a request that has to succeed. */
async function send(client: Client, method: string, path: string, body?: unknown): Promise<Loose> {
  const { status, data, body: answer } = await client.request(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${answer.message}`)
  return data
}

/** Does all work, then moves the clock: the server refuses webhooks that wait for long. */
async function pass(world: World, by: { hours?: number; minutes?: number }): Promise<void> {
  await world.settle()
  world.clock.advance(by)
}

/** The conversation of a customer, as the admin sees it. */
async function conversationOf(admin: Client, search: string): Promise<Loose> {
  const { data } = await admin.get(
    `/api/conversations?limit=1&search=${encodeURIComponent(search)}`,
  )
  const [found] = data['items'] as Loose[]
  if (!found) throw new Error(`no conversation matches ${search}`)
  return found
}

/** A picture that looks like one: a gradient with text. */
export type Painter = (words: string) => Promise<Uint8Array>

/** What customers see of a number, with texts that take much room. */
async function furnishNumber(admin: Client, id: string): Promise<void> {
  await send(admin, 'PUT', `/api/accounts/${id}/business_profile`, {
    about: 'Bicycles for every day 🚲',
    description: 'We repair, rent and sell bicycles. '.repeat(8),
    address: 'Long Lane 114, Northern Quarter',
    email: 'hello@acme.example.com',
    websites: ['https://acme.example.com/bicycles-for-every-day'],
    vertical: 'RETAIL',
  })
  await send(admin, 'PUT', `/api/accounts/${id}/calling`, {
    status: 'ENABLED',
    countries: ['DE', 'AT', 'CH'],
    hours: [
      { day: 'monday', start_time: '09:00', end_time: '12:00' },
      { day: 'monday', start_time: '13:00', end_time: '18:00' },
      { day: 'saturday', start_time: '10:00', end_time: '14:00' },
    ],
  })
  await send(admin, 'PUT', `/api/accounts/${id}/entry-points`, {
    links: [
      { message: 'Is my bicycle ready?' },
      { message: 'I saw your poster at the station and would like to rent two bicycles.' },
    ],
    ice_breakers: ['When are you open?', 'What does a repair cost?'],
    commands: [{ name: 'order', description: 'Where is my order?' }],
    welcome: true,
    username: 'acme.bicycles',
  })
}

/** Templates, tags, teams, people and everything else that settings show. */
async function furnishSettings(world: World, admin: Client): Promise<void> {
  const { simulator, tenant } = world
  const templates = [
    ['order_ready', 'Hello {{1}}, your order is ready. You can pick it up until {{2}}.'],
    ['appointment_reminder', 'This is a reminder of your appointment on {{1}} at {{2}}.'],
    ['hello_world', 'Hello from Acme. How can we help you?'],
  ] as const
  for (const [name, text] of templates)
    simulator.keepTemplate(
      {
        name,
        components: [
          {
            type: 'BODY',
            text,
            ...(text.includes('{{1}}')
              ? { example: { body_text: [text.includes('{{2}}') ? ['Ana', 'Friday'] : ['Ana']] } }
              : {}),
          },
        ],
      },
      tenant.wabaId,
    )
  await send(admin, 'POST', '/api/templates/sync', { account_id: tenant.accountId })
  await furnishNumber(admin, tenant.accountId ?? '')
  for (const [name, color] of [
    ['Regular', 'green'],
    ['Wholesale', 'blue'],
    ['Needs an invoice with the address of the company', 'red'],
  ])
    await send(admin, 'POST', '/api/tags', { name, color })
  for (const name of ['Returns', 'Workshop and deliveries in the northern districts'])
    await send(admin, 'POST', '/api/teams', { name })
  for (const [index, full_name] of PEOPLE.entries())
    await send(admin, 'POST', '/api/users', {
      email:
        index === 1
          ? `${'marc'.repeat(8)}@a-very-long-domain.example.com`
          : `p${index}@acme.example.com`,
      password: 'correct horse battery staple',
      full_name,
      role_id: index === 0 ? tenant.roleIds.manager : tenant.roleIds.agent,
    })
  await send(admin, 'POST', '/api/organizations/invitations', {
    email: 'new.colleague@example.com',
  })
  for (const [name, shortcut, content] of [
    [
      'Opening hours',
      'hours',
      'Hello {{ contact_name }}, we are open from *9 to 18*, Monday to Saturday.',
    ],
    ['Returns', 'returns', 'You can return everything within 30 days. '.repeat(12)],
    ['ساعات العمل', 'ar-hours', 'نحن مفتوحون من التاسعة صباحا حتى السادسة مساء.'],
  ])
    await send(admin, 'POST', '/api/canned-responses', { name, shortcut, content })
  await send(admin, 'POST', '/api/roles', {
    name: 'Senior agent',
    description: 'Answers customers, and looks after those of colleagues who are away.',
    permissions: ['contacts:read', 'contacts:read_all', 'messages:read', 'messages:create'],
  })
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
  await send(admin, 'PUT', '/api/chatbot/settings', {
    business_hours_enabled: true,
    business_hours: days.flatMap((day) => [
      { day, start_time: '09:00', end_time: '12:30' },
      { day, start_time: '14:00', end_time: '18:00' },
    ]),
    holidays: [
      { date: '2027-12-25', name: 'Christmas' },
      { date: '2027-12-24', intervals: [{ start_time: '09:00', end_time: '13:00' }] },
    ],
    out_of_hours_notice: false,
    sla_enabled: true,
    client_reminder_enabled: true,
  })
  await send(admin, 'POST', '/api/api-keys', { name: 'Shop', permissions: ['contacts:read'] })
}

/** Writes an answer and lets it arrive. */
async function answer(world: World, client: Client, conversation: Loose, text: string) {
  await send(client, 'POST', `/api/conversations/${String(conversation['id'])}/messages`, {
    type: 'text',
    text,
  })
  await world.settle()
}

/** A conversation with every kind of message. */
async function furnishThread(world: World, ana: Customer, paint: Painter): Promise<void> {
  const { simulator } = world
  const minutes = (count: number): Promise<void> => pass(world, { minutes: count })
  let admin = await world.as('admin')
  await ana.says('Hello! I ordered a cake for Saturday 🎂')
  await world.settle()
  const conversation = await conversationOf(admin, 'Ana Sol')
  await minutes(2)
  await answer(world, admin, conversation, 'Hello Ana, *with pleasure*. Which one was it?')
  await answer(world, admin, conversation, 'We have _lemon_, ~plum~ and `chocolate`.')
  await minutes(3)
  await ana.sends({
    type: 'image',
    mime: 'image/jpeg',
    bytes: await paint('cake'),
    caption: 'This one, for twelve people',
  })
  await ana.sharesLocation({
    latitude: 52.52,
    longitude: 13.405,
    name: 'Community hall',
    address: 'Karl-Liebknecht-Straße 1, 10178 Berlin',
  })
  await ana.sends({ type: 'audio', voice: true })
  await ana.sends({ type: 'video', caption: 'How the candles looked last year' })
  await minutes(40)
  await ana.sends({
    type: 'document',
    filename: 'guest list and allergies of everybody (final, really final version 3).pdf',
  })
  await ana.sharesContact({ name: 'Luís Prado, caretaker', phone: '+351 912 345 678' })
  await ana.orders([
    { product_retailer_id: 'lemon-cake-12', quantity: 1, item_price: 38, currency: 'EUR' },
    { product_retailer_id: 'candles', quantity: 30, item_price: 0.4, currency: 'EUR' },
  ])
  const call = await ana.calls()
  await call.ends(0)
  await world.settle()
  await pass(world, { hours: 20 })
  admin = await world.as('admin')
  const contact = `/api/contacts/${String((conversation['contact'] as Loose)['id'])}`
  const said = await ana.says('Does it contain nuts? One of the children is *allergic*.')
  await world.settle()
  await send(admin, 'POST', `${contact}/notes`, {
    content: 'Allergy: nuts. Please ask the bakery before every order, and write it on the box.',
    pinned: true,
  })
  await send(admin, 'PUT', `${contact}/tags`, { tags: ['Regular', 'Wholesale'] })
  await send(admin, 'PUT', `${contact}/assign`, { user_id: world.tenant.userIds.agent })
  const { data } = await admin.get(
    `/api/conversations/${String(conversation['id'])}/messages?limit=1`,
  )
  const [question] = data['items'] as Loose[]
  await send(admin, 'POST', `/api/conversations/${String(conversation['id'])}/messages`, {
    type: 'text',
    text: 'No nuts at all. We bake it in a separate oven, so that there are no traces either: https://bakery.example/allergies',
    reply_to: String(question?.['id']),
  })
  await world.settle()
  await minutes(1)
  const [last] = ana.received().slice(-1)
  if (last?.wamid !== undefined) {
    await ana.reads(last.wamid)
    await ana.reacts(last.wamid, '❤️')
  }
  simulator.fail({ code: 131_026 })
  await answer(world, admin, conversation, 'This one will not arrive.')
  await minutes(2)
  await ana.says('Great, thank you! Then see you on *Saturday*.', { replyTo: said.id })
  await world.settle()
}

/** Customers with a question each. */
async function furnishInbox(world: World): Promise<void> {
  const { simulator, tenant } = world
  const phone = tenant.phoneId
  const bob = simulator.customer({ phone, name: 'Bob Late' })
  await bob.says('Are you still open?')
  await pass(world, { hours: 25 })
  for (let index = 0; index < 60; index += 1) {
    const name = `${FIRST[index % FIRST.length]} ${LAST[index % LAST.length]}`
    await simulator.customer({ phone, name }).says(QUESTIONS[index % QUESTIONS.length] ?? '')
    if (index % 4 === 0) await pass(world, { minutes: 7 })
  }
  await world.settle()
  for (const [index, name] of NAMES.entries()) {
    await simulator.customer({ phone, name }).says(WORDS[index] ?? '')
    await pass(world, { minutes: 1 })
  }
  await world.settle()
}

/** Changes that show in the list: owners, states, priorities, transfers. */
async function furnishStates(world: World): Promise<void> {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/conversations?limit=40')
  const items = data['items'] as Loose[]
  for (const [index, { id, contact }] of items.entries()) {
    const contact_id = String((contact as Loose)['id'])
    if (index % 5 === 2)
      await send(admin, 'PUT', `/api/conversations/${id}`, { priority: 'urgent' })
    if (index % 3 === 1)
      await send(admin, 'PUT', `/api/contacts/${contact_id}/assign`, {
        user_id: world.tenant.userIds.agent,
      })
    if (index % 6 === 4) await send(admin, 'POST', `/api/conversations/${id}/read`, {})
    if (index > 0 && index % 7 === 0)
      await send(admin, 'POST', '/api/chatbot/transfers', {
        contact_id,
        team_id: 'general',
        notes:
          index % 2
            ? 'Asks for a refund of the whole order, and says that nobody has answered two emails.'
            : '',
      })
  }
  await world.settle()
}

/** Templates in several states, and campaigns. */
async function furnishOutreach(world: World): Promise<void> {
  const { simulator, tenant } = world
  const news = await approvedTemplate(world, { name: 'spring_news' })
  const refused = await approvedTemplate(world, { name: 'discount_for_regular_customers' })
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/templates?limit=100')
  const platformId = (data['items'] as Loose[]).find(({ id }) => id === refused)?.['platform_id']
  await simulator.review(String(platformId), { event: 'REJECTED', reason: 'INVALID_FORMAT' })
  setPrice(world, { micros: 61_300, currency: 'EUR' })
  const draft = async (name: string, people: number, more: Loose = {}): Promise<string> => {
    const made = await send(await world.as('admin'), 'POST', '/api/campaigns', {
      ...{ name, account_id: tenant.accountId, template_id: news },
      ...{ variable_mapping: { '1': { field: 'name', default: 'there' } }, ...more },
    })
    const path = `/api/campaigns/${String(made['id'])}`
    const recipients = numbersOf(people, 15_550_900_000).map((phone_number) => ({ phone_number }))
    await send(admin, 'POST', `${path}/recipients/import`, { recipients })
    return path
  }
  const start = async (path: string, seconds: number): Promise<void> => {
    await send(await world.as('admin'), 'POST', `${path}/start`, {})
    for (let second = 0; second < seconds; second += 1) {
      await world.settle()
      world.clock.advance({ seconds: 1 })
    }
    await world.settle()
  }
  await start(await draft('Spring news', 40), 5)
  const slow = { rate_limit: 1 }
  const paused = await draft('Opening of the second shop in the northern districts', 60, slow)
  await start(paused, 12)
  await send(admin, 'POST', `${paused}/pause`)
  await start(await draft('عروض الصيف', 1_250, slow), 3)
  await draft('Christmas', 12)
  await send(admin, 'POST', '/api/campaigns', {
    ...{ name: 'Winter coats', account_id: tenant.accountId, template_id: news },
    variable_mapping: { '1': 'name' },
    audience: { filter: { all: [{ field: 'created_at', op: 'within_days', value: 365 }] } },
  })
}

/** Endpoints of programs: one that cannot be reached, and one that is paused. */
async function furnishDevelopers(world: World): Promise<void> {
  const admin = await world.as('admin')
  await send(admin, 'POST', '/api/webhooks', {
    name: 'Warehouse and bookkeeping of the shops in the northern districts',
    url: 'https://warehouse.example.com/a-very-long-path/for/events/of/switchboard?key=4711',
    events: ['message.*', 'order.created'],
    is_active: false,
  })
  await send(admin, 'POST', '/api/webhooks', {
    name: 'CRM',
    url: 'https://crm.invalid/hooks/switchboard', // a reserved name, which nobody has
    events: ['contact.*', 'message.received'],
    headers: { Authorization: 'Bearer 4711' },
  })
  const ivy = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ivy Quinn' })
  for (const words of ['Is the blue bike still there?', '<b>Hello</b> & thanks'])
    await ivy.says(words)
  await pass(world, { minutes: 1 })
  await ivy.says('Never mind, I will call.')
  await pass(world, { minutes: 1 })
}

/** Orders, calls, messages for later, and two contacts that are one person. */
async function furnishRecords(world: World): Promise<void> {
  const { simulator, tenant } = world
  const phone = tenant.phoneId
  const admin = await world.as('admin')
  for (const [index, name] of NAMES.slice(0, 4).entries()) {
    const customer = simulator.customer({ phone, name: `${name} ${index + 1}` })
    const items = [
      { product_retailer_id: 'gift-basket-large-with-wine', quantity: 2, item_price: 59.9 },
      { product_retailer_id: 'candles', quantity: 12, item_price: 0.4 },
    ]
    await customer.orders(items.map((item) => ({ ...item, currency: 'EUR' })))
    const call = await customer.calls()
    await pass(world, { minutes: 4 })
    await call.ends(index % 2 === 0 ? 187 : 0)
    if (index === 0) await Promise.all([call.isRecorded(), call.isTranscribed('[]')])
    await pass(world, { minutes: 3 })
  }
  await world.settle()
  const { data } = await admin.get('/api/orders?limit=4')
  for (const [index, { id, contact_id }] of (data['items'] as Loose[]).entries()) {
    if (index > 1) await send(admin, 'PUT', `/api/orders/${id}`, { state: 'confirmed' })
    const text = 'Good morning! Your basket is ready; you can pick it up until six in the evening.'
    const later = await send(admin, 'POST', '/api/scheduled-messages', {
      ...{ contact_id, account_id: tenant.accountId, message: { type: 'text', text } },
      send_at: new Date(world.clock.nowMs() + (index + 1) * 90_000_000).toISOString(),
    })
    if (index === 3) await send(admin, 'DELETE', `/api/scheduled-messages/${later['id']}`)
    if (index === 2) await send(admin, 'POST', `/api/contacts/${contact_id}/block`)
  }
  for (const [index, name] of ['Zoë Müller', 'Zoe Mueller (shop)'].entries())
    await send(admin, 'POST', '/api/contacts', {
      ...{ name, phone_number: `+4915550007${index}1`, metadata: { email: 'zoe@example.com' } },
    })
}

/** Fills the first organization of a world with all that is hard to show. The second stays empty. */
export async function furnish(world: World, paint: Painter): Promise<void> {
  const admin = await world.as('admin')
  await furnishSettings(world, admin)
  await world.settle()
  await furnishInbox(world)
  const ana = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
  await furnishThread(world, ana, paint)
  await furnishStates(world)
  await furnishOutreach(world)
  await furnishRecords(world)
  await furnishDevelopers(world)
  await furnishContent(world)
  await furnishBot(world)
  await furnishForms(world)
  await furnishData(world)
}

/** The address of the endpoint that fails, or of its latest delivery. */
export async function endpointOf(world: World, part: '' | 'deliveries' | 'delivery') {
  const admin = await world.as('admin')
  const { data } = await admin.get('/api/webhooks?search=CRM')
  const id = String((data['items'] as Loose[])[0]?.['id'])
  const path = `/settings/webhooks/${id}`
  if (part !== 'delivery') return part === '' ? path : `${path}/${part}`
  const { data: deliveries } = await admin.get(`/api/webhooks/${id}/deliveries?limit=1`)
  return `${path}/deliveries/${String((deliveries['items'] as Loose[])[0]?.['id'])}`
}

/** The address of the latest delivery of WhatsApp. */
export async function incomingOf(world: World): Promise<string> {
  const { data } = await (await world.as('admin')).get('/api/inbound/events?limit=1')
  return `/settings/incoming/${String((data['items'] as Loose[])[0]?.['id'])}`
}

/** The address of a customer's conversation. */
export async function addressOf(world: World, search: string): Promise<string> {
  return `/inbox/${String((await conversationOf(await world.as('admin'), search))['id'])}`
}

/** The address of a customer's profile. */
export async function profileOf(world: World, search: string): Promise<string> {
  const { contact } = await conversationOf(await world.as('admin'), search)
  return `/contacts/${String((contact as Loose)['id'])}`
}
