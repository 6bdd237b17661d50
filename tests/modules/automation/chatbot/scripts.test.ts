import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

test('words are found however keyboards write them', async () => {
  await using bot = await BotWorld.create({ transfer_keywords: ['temsilci'], debounce_seconds: 0 })
  const rules: [keyword: string, answer: string, texts: string[], type?: string][] = [
    ['iade', 'Return', ['İADE istiyorum', 'İade', 'iade', 'i\u0307ade']],
    ['ISI', 'Heat', ['ısı', 'Isı']],
    ['❤', 'Love', ['I ❤️ it', '❤']],
    ['☎️', 'Phone', ['☎', '☎️']],
    ['نعم', 'Yes', ['\u200fنعم', 'نعم\u200e؟', 'نعم'], 'exact'],
  ]
  for (const [keyword, response, , match_type = 'contains'] of rules)
    await bot.rule({ keywords: [keyword], response, match_type })
  for (const [, response, texts] of rules)
    for (const text of texts) expect([text, await bot.say(text)]).toEqual([text, [response]])
  await bot.say('TEMSİLCİ lütfen')
  expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'keyword' }])
})

test('words to cancel and to opt out have no direction', async () => {
  await using bot = await BotWorld.create()
  await bot.flow([['ask', 'prompt', { body: 'Which?' }]], {
    cancel_keywords: ['إلغاء'],
    cancel_message: 'Cancelled.',
  })
  await bot.say('begin')
  expect(await bot.say('\u200fإلغاء\u200e')).toEqual(['Cancelled.'])
  await bot.say('\u200eSTOP')
  const contact = 'select marketing_consent as consent from contacts'
  expect(bot.world.rows(contact)).toEqual([{ consent: 'opted_out' }])
})

test('digits of all scripts, and emoji of keys, are numbers', async () => {
  await using bot = await BotWorld.create()
  const buttons = ['A', 'B', 'C'].map((title) => ({ id: title, title }))
  await bot.flow([
    ['menu', 'buttons', { body: 'Which?', buttons, store_as: 'menu' }],
    ['again', 'buttons', { body: 'And?', buttons, store_as: 'again' }],
    ['count', 'prompt', { body: 'How many?', input: 'number', store_as: 'count' }],
    ['day', 'prompt', { body: 'When?', input: 'date', store_as: 'day' }],
    ['call', 'prompt', { body: 'Number?', input: 'phone', store_as: 'call' }],
    ['end', 'end', { message: '{{menu}} {{again}} {{count}} {{day}} {{call}}' }],
  ])
  await bot.say('begin')
  await bot.say('٢')
  await bot.say('3️⃣')
  expect(await bot.say('1,500')).toEqual(['How many?'])
  await bot.say('١٬٥٠٠')
  await bot.say('\u200f٣١/١٢/٢٠٢٦')
  expect(await bot.say('+٤٩ ١٥١ ٢٣٤٥٦٧٨٩')).toEqual(['B C 1500 2026-12-31 4915123456789'])
})

test('a keyword is one line that can be seen', async () => {
  await using bot = await BotWorld.create()
  for (const keyword of ['a\nb', '\u200b', '\ufe0f', ' ']) {
    const rule = { keywords: [keyword], response: 'x' }
    const { status, body } = await bot.admin.post('/api/chatbot/keywords', rule)
    expect([keyword, status, body]).toMatchObject([
      keyword,
      400,
      { errors: [{ path: 'body.keywords.0' }] },
    ])
  }
})
