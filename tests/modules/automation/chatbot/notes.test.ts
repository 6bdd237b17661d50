import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

/** The notes of the transfers, oldest first. */
const notesOf = (bot: BotWorld): unknown[] =>
  bot.world.rows('select notes from transfers order by id').map(({ notes }) => notes)

test('a transfer after fallbacks, and one by a word, carry what the customer asked', async () => {
  await using bot = await BotWorld.create({
    fallback_message: 'Sorry?',
    fallback_transfer_after: 2,
    transfer_keywords: ['person'],
  })
  await bot.say('Where is my parcel?')
  await bot.say('the one of Monday')
  expect(notesOf(bot)).toEqual(['Last question: the one of Monday'])
  const [transfer] = bot.world.rows('select id from transfers')
  expect(transfer).toBeDefined()
})

test.each([
  ['person', 'Last question: Where is my parcel?'],
  ['I want a person for my refund', 'Last question: I want a person for my refund'],
])('asking with %p after a question gives the notes %p', async (words, notes) => {
  await using bot = await BotWorld.create({
    fallback_message: 'Sorry?',
    transfer_keywords: ['person'],
  })
  await bot.say('Where is my parcel?')
  await bot.say(words)
  expect(notesOf(bot)).toEqual([notes])
})

test('a transfer out of a flow carries its open question and the answers, by their labels', async () => {
  await using bot = await BotWorld.create({ transfer_keywords: ['person'] })
  await bot.flow(
    [
      ['size', 'prompt', { body: 'Which size, {{ contact_name }}?', store_as: 'size' }],
      ['where', 'interactive', { interactive: place, store_as: 'where' }],
      [
        'color',
        'buttons',
        {
          body: 'Color?',
          buttons: [
            { id: 'r', title: 'Red' },
            { id: 'b', title: 'Blue' },
          ],
          store_as: 'color',
        },
      ],
      ['end', 'end'],
    ],
    {
      panel_config: {
        sections: [{ id: 's', label: 'Shirt', fields: [{ key: 'size', label: 'Shirt size' }] }],
      },
    },
  )
  await bot.say('begin')
  await bot.say('L')
  await bot.customer.sharesLocation({ latitude: 1, longitude: 2, name: 'Café', address: 'Ring 1' })
  await bot.world.settle()
  await bot.say('person')
  expect(notesOf(bot)).toEqual([
    'The bot asked: Color? [Red, Blue]\nShirt size: L\nwhere: Café, Ring 1',
  ])
})

const place = { type: 'location_request', body: 'Where?' }

test('a transfer node without notes carries the answers, and one with notes only these', async () => {
  for (const [config, notes] of [
    [{}, 'order: A-1001'],
    [{ notes: 'About {{ order }}' }, 'About A-1001'],
  ] as const) {
    await using bot = await BotWorld.create()
    await bot.flow([
      ['ask', 'prompt', { body: 'Order?', store_as: 'order' }],
      ['person', 'transfer', config],
    ])
    await bot.say('begin')
    await bot.say('A-1001')
    expect(notesOf(bot)).toEqual([notes])
  }
})

test('notes speak the language of the organization and are not longer than notes may be', async () => {
  await using bot = await BotWorld.create({
    transfer_keywords: ['person'],
    fallback_message: 'Sorry?',
  })
  bot.world.program.http.db.sqlite.run("update users set language = 'de'")
  await bot.flow(
    [
      ...Array.from(
        { length: 14 },
        (_, nth) =>
          [`v${nth}`, 'set_variable', { set: { [`v${nth}`]: 'x'.repeat(4_000) } }] as [
            string,
            string,
            { set: Record<string, string> },
          ],
      ),
      ['ask', 'prompt', { body: 'Welche?' }],
      ['end', 'end'],
    ],
    {},
  )
  await bot.say('begin')
  await bot.say('person')
  const [notes = ''] = notesOf(bot) as string[]
  expect(notes.split('\n').slice(0, 2)).toEqual([
    'Der Bot fragte: Welche?',
    `v0: ${'x'.repeat(199)}…`,
  ])
  expect(notes.length).toBeLessThanOrEqual(4_096)
})
