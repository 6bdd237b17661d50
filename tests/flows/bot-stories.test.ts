/** Stories of a shop owner, told through the API and the simulated platform. */
import { describe, expect, test } from 'bun:test'

import { BotWorld } from '../support/bots'
import type { Loose } from '../support/client'

const FLOWS = '/api/chatbot/flows'

/** Makes a flow from a template and enables it. Returns its ID. */
async function fromTemplate(
  bot: BotWorld,
  template_key: string,
  language: string,
  change: (graph: Loose) => Loose = (graph) => graph,
): Promise<string> {
  const made = await bot.admin.post(`${FLOWS}/from-template`, {
    template_key,
    language,
    name: `${template_key} ${language}`,
  })
  const id = String(made.data['id'])
  const graph = change(made.data['graph'] as Loose)
  const { status } = await bot.admin.put(`${FLOWS}/${id}`, { graph, enabled: true })
  expect(status).toBe(200)
  return id
}

/** The last session as stored. */
const session = (bot: BotWorld): Loose => bot.sessions().at(-1) as Loose

describe('a shop', () => {
  test.each([
    {
      language: 'de',
      hello: 'Hallo! 😀',
      menu: /^Hallo .*! 👋 Wie können wir helfen\? \[Öffnungszeiten\] \[Unsere Produkte\] \[Mit Team sprechen\]$/u,
      hours: ['Öffnungszeiten', 'Wir haben Montag bis Freitag von 9 bis 18 Uhr geöffnet.'],
      again:
        'Können wir noch etwas für Sie tun? [Zurück zum Menü] [Mit Team sprechen] [Nein, danke]',
    },
    {
      language: 'ar',
      hello: 'مرحبا 🌙',
      menu: /^مرحبًا .*! 👋 كيف يمكننا مساعدتك؟ \[ساعات العمل\] \[منتجاتنا\] \[التحدث مع شخص\]$/u,
      hours: ['ساعات العمل', 'نعمل من الاثنين إلى الجمعة من 9 صباحًا إلى 6 مساءً.'],
      again: 'هل يمكننا مساعدتك في شيء آخر؟ [العودة إلى القائمة] [التحدث مع شخص] [لا، شكرًا]',
    },
  ])(
    'greets with a menu of buttons, answers a tap, and goes back to the menu ($language)',
    async ({ language, hello, menu, hours: [title = '', text = ''], again }) => {
      await using bot = await BotWorld.create()
      await fromTemplate(bot, 'welcome_menu', language)
      expect(await bot.say(hello)).toEqual([expect.stringMatching(menu)])
      expect(await bot.tap('hours', title)).toEqual([`${text}\n\n${again}`])
      expect(await bot.say('1')).toEqual([expect.stringMatching(menu)])
      expect(session(bot)).toMatchObject({ status: 'active', waiting_for: 'reply' })
    },
  )

  test('greets with buttons of the settings, one of which begins a flow', async () => {
    await using bot = await BotWorld.create()
    const id = await fromTemplate(bot, 'feedback', 'en')
    await bot.configure({
      greeting_message: 'Welcome to the tea shop! 🍵',
      greeting_buttons: [{ id: `flow:${id}`, title: 'Rate us' }],
    })
    expect(await bot.say('Is anybody there?')).toEqual(['Welcome to the tea shop! 🍵 [Rate us]'])
    expect((await bot.tap(`flow:${id}`, 'Rate us'))[0]).toStartWith(
      'How satisfied are you with us?',
    )
  })

  test('tells the state of an order that its own system knows', async () => {
    const asked: { path: string; key: string | null }[] = []
    const shop = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const { pathname } = new URL(request.url)
        asked.push({ path: pathname, key: request.headers.get('x-shop-key') })
        return pathname.endsWith('/10042')
          ? Response.json({ status: 'on its way 🚚' })
          : new Response('no such order', { status: 404 })
      },
    })
    try {
      await using bot = await BotWorld.create(
        {},
        { env: { EGRESS_ALLOW: `127.0.0.1:${shop.port}` } },
      )
      await fromTemplate(bot, 'order_status', 'en', (graph) => ({
        ...graph,
        nodes: (graph['nodes'] as Loose[]).map((node) =>
          node['type'] === 'api_call'
            ? {
                ...node,
                config: {
                  ...(node['config'] as Loose),
                  url: `http://127.0.0.1:${shop.port}/orders/{{ order_number }}`,
                  headers: { 'X-Shop-Key': 'only for the shop' },
                },
              }
            : node,
        ),
      }))
      expect(await bot.say('Where is my order?')).toEqual([
        expect.stringContaining('What is your order number?'),
      ])
      expect(await bot.say('the blue one')).toEqual([
        'An order number has 4 to 10 digits, for example 10042.',
      ])
      expect(await bot.say('10042')).toEqual(['Order 10042: on its way 🚚 📦'])
      expect(session(bot)).toMatchObject({ status: 'completed' })
      expect(asked).toEqual([{ path: '/orders/10042', key: 'only for the shop' }])
      await bot.say('order')
      expect(await bot.say('99999')).toEqual([
        'We cannot find the order 99999. A colleague looks into it.',
      ])
      expect(session(bot)).toMatchObject({ status: 'transferred' })
      const { data } = await bot.admin.get('/api/chatbot/transfers')
      expect(data['transfers']).toMatchObject([
        { status: 'active', source: 'flow', notes: '99999' },
      ])
    } finally {
      await shop.stop(true)
    }
  })

  test('takes messages while it is closed, and hands over while it is open', async () => {
    await using bot = await BotWorld.create(
      {
        business_hours_enabled: true,
        business_hours: [{ day: 'monday', start_time: '09:00', end_time: '17:00' }],
        allow_automated_outside_hours: true,
      },
      // A Saturday.
      { startMs: Date.UTC(2026, 10, 21, 9, 30, 0) },
    )
    await fromTemplate(bot, 'away', 'es')
    expect(await bot.say('¿Puedo hablar con alguien? 🙏')).toEqual([
      'Ahora estamos cerrados. 🌙 Respondemos el próximo día laborable.\n\n' +
        '¿De qué se trata? Leeremos tu mensaje a primera hora.',
    ])
    expect(await bot.say('Mi tetera está rota')).toEqual([
      'Gracias, tenemos tu mensaje: «Mi tetera está rota»',
    ])
    const { data } = await bot.admin.get('/api/chatbot/transfers')
    expect(data['transfers']).toMatchObject([{ notes: 'Mi tetera está rota' }])
  })

  test('hands over to a person at a word, and the bot is silent until it is given back', async () => {
    await using bot = await BotWorld.create({
      greeting_message: 'Welcome!',
      transfer_keywords: ['human', 'إنسان'],
      sla_enabled: true,
      sla_response_minutes: 15,
    })
    await fromTemplate(bot, 'appointment', 'en')
    await bot.say('I want to book')
    await bot.say('I need a human, please')
    expect(session(bot)).toMatchObject({ status: 'transferred' })
    expect(await bot.say('Hello?')).toEqual([])
    const agent = await bot.world.as('agent')
    const picked = await agent.post('/api/chatbot/transfers/pickup')
    const transfer = picked.data['transfer'] as Loose
    expect(transfer).toMatchObject({ status: 'active', source: 'keyword', first_response_at: null })
    expect(
      Date.parse(String(transfer['sla_response_deadline'])) -
        Date.parse(String(transfer['transferred_at'])),
    ).toBe(15 * 60_000)
    const contactId = String(transfer['contact_id'])
    await agent.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'Here I am.' })
    await bot.world.settle()
    expect(bot.texts().at(-1)).toBe('Here I am.')
    expect(await bot.say('أريد موعدًا')).toEqual([])
    expect(
      (await agent.put(`/api/chatbot/transfers/${String(transfer['id'])}/resume`)).status,
    ).toBe(200)
    await bot.wait({ minutes: 61 })
    expect((await bot.say('I want to book'))[0]).toStartWith('Gladly!')
  })

  test('tells a customer that it takes longer, once, and stops the clock at the first answer', async () => {
    await using bot = await BotWorld.create({
      transfer_keywords: ['mensch'],
      sla_enabled: true,
      sla_response_minutes: 15,
      sla_escalation_minutes: 30,
      sla_warning_message: 'Es dauert heute etwas länger. 🙇',
    })
    await bot.say('Ich möchte mit einem Menschen sprechen: Mensch!')
    const transfer = async (): Promise<Loose> => {
      const admin = await bot.world.as('admin')
      return ((await admin.get('/api/chatbot/transfers')).data['transfers'] as Loose[])[0] as Loose
    }
    expect(await transfer()).toMatchObject({ sla_breached: false, escalation_level: 0 })
    expect(await bot.wait({ minutes: 16 })).toEqual([])
    expect(await transfer()).toMatchObject({ sla_breached: true, escalation_level: 0 })
    expect(await bot.wait({ minutes: 15 })).toEqual(['Es dauert heute etwas länger. 🙇'])
    expect(await transfer()).toMatchObject({ escalation_level: 1 })
    expect(await bot.wait({ minutes: 5 })).toEqual([])
    const agent = await bot.world.as('agent')
    const { data } = await agent.post('/api/chatbot/transfers/pickup')
    const contactId = String((data['transfer'] as Loose)['contact_id'])
    await agent.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'Hallo!' })
    await bot.world.settle()
    expect(await transfer()).toMatchObject({ first_response_at: expect.any(String) })
    expect(await bot.wait({ minutes: 40 })).toEqual([])
  })

  test.each([
    ['en', '5', 'Very satisfied', 'Thank you, that makes us happy! ⭐', null],
    [
      'pt',
      '1',
      'Muito insatisfeito',
      'Sentimos muito. O que devemos melhorar?',
      'Obrigado por nos contar. Vamos cuidar disso.',
    ],
    ['ar', '2', 'غير راضٍ', 'نأسف لذلك. ما الذي علينا تحسينه؟', 'شكرًا لإخبارنا. سنهتم بالأمر.'],
  ] as const)(
    'asks for a rating, and for the reason of a low one (%s, %s)',
    async (language, id, title, answer, thanks) => {
      await using bot = await BotWorld.create()
      await fromTemplate(bot, 'feedback', language)
      const word = { en: 'feedback', pt: 'avaliação', ar: 'تقييم' }[language]
      await bot.say(word)
      expect(await bot.during(() => bot.customer.picks(id, title))).toEqual([answer])
      if (thanks !== null) expect(await bot.say('Too late 🐌')).toEqual([thanks])
      expect(session(bot)).toMatchObject({ status: 'completed' })
      expect(JSON.parse(String(session(bot)['variables']))).toMatchObject(
        thanks === null ? { rating: expect.anything() } : { reason: 'Too late 🐌' },
      )
    },
  )

  test.each([
    ['en', 'cancel', 'All right, we stop here. Write to us any time. 👋'],
    ['de', 'Abbrechen', 'In Ordnung, wir hören hier auf. Schreiben Sie uns jederzeit wieder. 👋'],
    ['ar', 'إلغاء', 'حسنًا، نتوقف هنا. راسلنا في أي وقت. 👋'],
  ])('stops when the customer says so (%s)', async (language, word, goodbye) => {
    await using bot = await BotWorld.create()
    const id = await fromTemplate(bot, 'appointment', language)
    await bot.configure({
      greeting_buttons: [{ id: `flow:${id}`, title: 'A' }],
      greeting_message: 'B',
    })
    await bot.say('x')
    await bot.tap(`flow:${id}`, 'A')
    expect(session(bot)).toMatchObject({ status: 'active', waiting_for: 'reply' })
    const answers = await bot.say(word)
    expect(answers.at(-1)).toBe(goodbye)
    expect(session(bot)).toMatchObject({ status: 'cancelled' })
  })

  test('takes "stop" for what it is: no more marketing, and no more of the bot', async () => {
    await using bot = await BotWorld.create()
    await fromTemplate(bot, 'appointment', 'en')
    await bot.say('booking')
    expect(await bot.say('STOP')).toEqual([
      'You will no longer receive offers from us. To receive them again, write START.',
    ])
    const { data } = await bot.admin.get('/api/contacts')
    expect((data['items'] as Loose[])[0]).toMatchObject({ marketing_consent: 'opted_out' })
  })

  test('finishes a session on the version it began with, also after the flow is deleted', async () => {
    await using bot = await BotWorld.create()
    const id = await fromTemplate(bot, 'appointment', 'en')
    await bot.say('booking')
    const changed = { version: 2, entry_node: 'a', nodes: [{ id: 'a', type: 'end' }], edges: [] }
    await bot.admin.put(`${FLOWS}/${id}`, { graph: changed })
    expect(await bot.tap('visit', 'Visit')).toEqual([expect.stringContaining('On which day')])
    expect((await bot.admin.delete(`${FLOWS}/${id}`)).status).toBe(200)
    expect(await bot.say('2027-01-31')).toEqual(['At what time?'])
    expect(
      bot.world
        .rows('select version from bot_flow_versions order by version')
        .map((row) => row['version']),
    ).toEqual([1])
  })
})
