import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

/** Somebody asks for a person, somebody cancels, and somebody asks in more words, in each language. */
const SAID = {
  ar: ['أريد موظف', 'إلغاء', 'أريد التحدث إلى شخص'],
  de: ['Ich will einen Mitarbeiter!', 'Abbrechen.', 'Kann ich mit einem Menschen reden?'],
  en: ['A HUMAN, please', 'Cancel!', 'I want to talk to a person'],
  es: ['¿Hay un asesor?', 'salir', 'Quiero hablar con una persona'],
  fr: ['Un conseiller svp', 'ANNULER', 'Puis-je parler à quelqu’un ?'],
  hi: ['मुझे एजेंट चाहिए', 'रद्द करें', 'किसी से बात करनी है'],
  id: ['mau bicara dengan petugas', 'batal', 'saya mau bicara dengan orang'],
  it: ['vorrei un operatore', 'annulla', 'Posso parlare con qualcuno?'],
  pt: ['Quero falar com um atendente', 'Sair', 'Queria falar com alguém'],
  tr: ['TEMSİLCİ lütfen', 'İPTAL', 'müşteri temsilcisine bağlanmak istiyorum'],
} as const

const OURS = { person_words_languages: null }

let bot: BotWorld
beforeAll(async () => {
  bot = await BotWorld.create()
  await bot.flow([['ask', 'prompt', { body: 'Your name?', store_as: 'name' }]], {
    cancel_message: 'All right.',
  })
})
// So many messages within a minute look like two bots that talk to each other.
beforeEach(() => bot.wait({ minutes: 2 }))
afterAll(() => bot[Symbol.asyncDispose]())

test.each(Object.entries(SAID))('%s: both words are heard by default', async (_, said) => {
  await bot.configure(OURS)
  const [person, cancel, longer] = said
  expect(await bot.say('begin')).toEqual(['Your name?'])
  expect(await bot.say(cancel)).toEqual(['All right.'])
  for (const words of [person, longer]) {
    await bot.say('begin')
    expect(await bot.say(words)).toHaveLength(1)
    expect(bot.sessions().at(-1)).toMatchObject({ status: 'transferred', end_reason: 'keyword' })
    await bot.endTransfer()
  }
})

test('are heard in the languages of the settings only, beside the own ones', async () => {
  await bot.configure({ person_words_languages: ['de'], transfer_keywords: ['nurse'] })
  await bot.say('begin')
  expect(await bot.say('Annuler')).toEqual([])
  await bot.say('begin')
  expect(await bot.say('exit.')).toEqual(['All right.'])
  await bot.say('begin')
  expect(await bot.say('Abbruch')).toEqual(['All right.'])
  for (const text of ['conseiller', 'Kundenberaterkreis']) expect(await bot.say(text)).toEqual([])
  for (const text of ['the nurse', 'Mitarbeiter', 'eine Kundenberaterin', 'Ansprechpartnerin']) {
    expect(await bot.say(text)).toHaveLength(1)
    await bot.endTransfer()
  }
})

test('to cancel that a flow has by default are answers while the open question offers them', async () => {
  await using fresh = await BotWorld.create()
  await fresh.flow(
    [
      [
        'choose',
        'buttons',
        {
          body: 'What?',
          buttons: ['Cancel', 'Stop', 'Go on'].map((title) => ({ id: title, title })),
          synonyms: { 'Go on': ['exit'] },
          store_as: 'chosen',
        },
      ],
      ['why', 'prompt', { body: '{{ chosen }}: why?' }],
    ],
    { cancel_message: 'Canceled.' },
  )
  for (const [said, chosen] of [
    ['Cancel', 'Cancel'],
    ['stop!', 'Stop'],
    ['EXIT', 'Go on'],
  ] as const) {
    await fresh.say('begin')
    expect(await fresh.say(said)).toEqual([`${chosen}: why?`])
    // The next question does not offer it.
    expect(await fresh.say('cancel')).toEqual(['Canceled.'])
  }
  await fresh.say('begin')
  expect(await fresh.say('quit')).toEqual(['Canceled.'])
})

test('to cancel are answers where the question offers them, and do nothing in a flow without any', async () => {
  await bot.configure(OURS)
  const choose = await bot.flow(
    [
      ['choose', 'buttons', { body: 'What?', buttons: [{ id: 'c', title: 'Abbrechen' }] }],
      ['end', 'end', { message: 'From the menu.' }],
    ],
    { trigger_keywords: ['menu'], cancel_message: 'Canceled.' },
  )
  await bot.say('menu')
  expect(await bot.say('abbrechen')).toEqual(['From the menu.'])
  await bot.say('menu')
  expect(await bot.say('annuler')).toEqual(['Canceled.'])
  await bot.admin.put(`/api/chatbot/flows/${choose}`, {
    cancel_keywords: ['abbrechen', 'leave', 'x!'],
  })
  await bot.say('menu')
  expect(await bot.say('Abbrechen')).toEqual(['From the menu.'])
  await bot.say('menu')
  expect(await bot.say('leave')).toEqual(['Canceled.'])
  await bot.say('menu')
  expect(await bot.say('X!')).toEqual(['Canceled.'])
  await bot.admin.put(`/api/chatbot/flows/${choose}`, { cancel_keywords: [] })
  await bot.say('menu')
  expect(await bot.say('annuler')).not.toEqual(['Canceled.'])
})

test('that a rule or a flow has as its own keyword are answered by it, except in a flow', async () => {
  await using fresh = await BotWorld.create({ transfer_keywords: ['nurse'] })
  await fresh.rule({ keywords: ['travel agent'], response: 'We are one.' })
  await fresh.rule({ keywords: ['nurse'], response: 'Nobody reads this.' })
  await fresh.flow([['ask', 'prompt', { body: 'About what?' }]], { trigger_keywords: ['human'] })
  expect(await fresh.say('Are you a travel agent?')).toEqual(['We are one.'])
  for (const text of ['an agent', 'the nurse']) {
    expect(await fresh.say(text)).toEqual([expect.stringContaining('I am handing you over')])
    await fresh.endTransfer()
  }
  expect(await fresh.say('a human')).toEqual(['About what?'])
  expect(await fresh.say('a human')).toEqual([expect.stringContaining('I am handing you over')])
})
