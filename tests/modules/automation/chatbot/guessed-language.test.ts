import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

const GERMAN = 'Ich übergebe an unser Team. Die Antwort kommt hier.'
const SPANISH = 'Paso su consulta a nuestro equipo. Le responderá aquí.'

test('of a contact without one is guessed from what the customer wrote, and stays through short answers', async () => {
  await using bot = await BotWorld.create({
    greeting_message: '{{ contact.language }}',
    transfer_keywords: ['person'],
  })
  await bot.flow([
    ['size', 'prompt', { body: 'Size?', store_as: 'size' }],
    ['if', 'condition', { expression: "contact.language == 'de'" }],
    ['end', 'end', { message: 'German.' }],
  ])
  expect(await bot.say('Wann habt ihr offen?')).toEqual(['de'])
  await bot.say('begin')
  expect(await bot.say('12')).toEqual(['German.'])
  expect(await bot.say('person')).toEqual([GERMAN])
  // It is a guess, and no fact about the contact.
  expect(bot.world.rows('select language from contacts')).toEqual([{ language: null }])
})

test('that is known is never guessed', async () => {
  await using bot = await BotWorld.create({ transfer_keywords: ['person'] })
  const id = await bot.silently(() => bot.customer.says('Wann habt ihr offen?'))
  await bot.admin.put(`/api/contacts/${id}`, { language: 'es' })
  expect(await bot.say('person')).toEqual([SPANISH])
})

test('is guessed in a preview, also in the one that goes on with it', async () => {
  await using bot = await BotWorld.create({
    fallback_message: '{{ contact.language }}?',
    transfer_keywords: ['person'],
  })
  const preview = async (message: string, session?: unknown) =>
    (await bot.admin.post('/api/chatbot/preview', { message, ...(session ? { session } : {}) }))
      .data as {
      replies: { message: { text: string } }[]
      session: unknown
      outcome: { effects: { kind: string; notes?: string }[] }
    }
  const first = await preview('Wo ist meine Bestellung?')
  expect(first.replies).toMatchObject([{ message: { text: 'de?' } }])
  const second = await preview('person', first.session)
  expect(second.replies).toMatchObject([{ message: { text: GERMAN } }])
  expect(second.outcome.effects).toMatchObject([
    { kind: 'transfer', notes: 'Last question: Wo ist meine Bestellung?' },
  ])
})
