import { describe, expect, test } from 'bun:test'

import { BotWorld, graphOf } from '../../../support/bots'
import type { Loose } from '../../../support/client'

/** A flow that asks one thing and says what it stored. */
async function asking(config: Loose): Promise<BotWorld> {
  const bot = await BotWorld.create()
  await bot.flow(
    [
      ['ask', 'prompt', { body: 'How much?', store_as: 'it', max_retries: 9, ...config }],
      ['end', 'end', { message: 'Stored: {{ it }}' }],
      ['gone', 'end', { message: 'Never mind.' }],
    ],
    {
      edges: [
        ['ask', 'default', 'end'],
        ['ask', 'max_retries', 'gone'],
      ],
    },
  )
  await bot.say('begin')
  return bot
}

describe('a question with bounds', () => {
  test.each([
    ['a number', { input: 'number', min: 1, max: 10 }, ['0', '10,5', '-3'], '2,5', '2.5'],
    ['a text', { input: 'text', min: 3, max: 5 }, ['ab', 'abcdef', '🙏🙏'], '🙏🙏🙏', '🙏🙏🙏'],
    [
      'a date',
      { input: 'date', min: 'today', max: '2099-12-31' },
      ['yesterday', '1.1.2100', '1.1.99'],
      '31.12.98',
      null,
    ],
  ])('asks again for %s outside of them', async (_kind, config, refused, fits, stored) => {
    await using bot = await asking(config)
    for (const text of refused) expect([text, await bot.say(text)]).toEqual([text, ['How much?']])
    if (stored === null) {
      expect(await bot.say(fits)).toEqual(['How much?'])
      expect(await bot.say('tomorrow')).toHaveLength(1)
      expect(bot.sessions()).toMatchObject([{ status: 'completed' }])
    } else expect(await bot.say(fits)).toEqual([`Stored: ${stored}`])
  })

  test('is refused where they fit nothing', async () => {
    await using bot = await BotWorld.create()
    const { data } = await bot.admin.post('/api/chatbot/flows/validate', {
      graph: graphOf([
        ['a', 'prompt', { body: 'A?', input: 'number', min: 5, max: 1 }],
        ['b', 'prompt', { body: 'B?', input: 'number', min: 'today' }],
        ['c', 'prompt', { body: 'C?', input: 'date', min: 3, max: '2026-02-30' }],
        ['d', 'prompt', { body: 'D?', input: 'email', max: 3 }],
      ]),
    })
    expect(data['errors']).toMatchObject([
      { path: 'body.graph.nodes.0.config.max', message: 'must not be less than `min`' },
      { path: 'body.graph.nodes.1.config.min', message: 'must be a number' },
      { path: 'body.graph.nodes.2.config.min' },
      { path: 'body.graph.nodes.2.config.max' },
      { path: 'body.graph.nodes.3.config.max' },
    ])
  })
})

test('a date in words is one of the time zone of the organization', async () => {
  await using bot = await asking({ input: 'date' })
  const timezone = 'Pacific/Pago_Pago' // 11 hours behind UTC
  await bot.admin.put('/api/organizations/settings', { timezone })
  const now = Temporal.Instant.fromEpochMilliseconds(bot.world.clock.nowMs())
  const here = now.toZonedDateTimeISO(timezone).toPlainDate()
  expect(here.equals(now.toZonedDateTimeISO('UTC').toPlainDate())).toBe(false)
  expect(await bot.say('übermorgen')).toEqual([`Stored: ${here.add({ days: 2 }).toString()}`])
})

describe('synonyms', () => {
  const buttons = [
    { id: 'yes', title: 'Yes' },
    { id: 'no', title: 'No' },
  ]
  const rows = buttons
  const synonyms = { yes: ['sure', 'of course'], no: ['nope'] }
  const edges: [string, string, string][] = [
    ['ask', 'button:yes', 'good'],
    ['ask', 'button:no', 'bad'],
    ['ask', 'default', 'other'],
    ['ask', 'max_retries', 'other'],
  ]
  const ends: [string, string, Loose][] = [
    ['good', 'end', { message: 'Good: {{ it }}' }],
    ['bad', 'end', { message: 'Bad: {{ it }}' }],
    ['other', 'end', { message: 'Other.' }],
  ]

  test.each([
    ['buttons', 'buttons', { body: 'Well?', buttons }],
    [
      'rows of a list',
      'interactive',
      {
        interactive: { type: 'list', body: 'Well?', button_text: 'Open', sections: [{ rows }] },
        max_retries: 2,
      },
    ],
  ])('count as taps on %s, whatever stands around them', async (_kind, type, config) => {
    await using bot = await BotWorld.create()
    await bot.flow([['ask', type, { ...config, synonyms, store_as: 'it' }], ...ends], { edges })
    for (const [said, answer] of [
      ['Of course!', 'Good: Yes'],
      ['yes.', 'Good: Yes'],
      ['Nope', 'Bad: No'],
      ['2.', 'Bad: No'],
    ] as const) {
      await bot.say('begin')
      expect([said, await bot.say(said)]).toEqual([said, [answer]])
    }
  })

  test('name one choice each', async () => {
    await using bot = await BotWorld.create()
    const { data } = await bot.admin.post('/api/chatbot/flows/validate', {
      graph: graphOf([
        ['a', 'buttons', { body: 'A?', buttons, synonyms: { yes: ['NO!'], maybe: ['well'] } }],
      ]),
    })
    const path = 'body.graph.nodes.0.config.synonyms'
    expect(data['errors']).toEqual([
      { path: `${path}.yes.0`, message: 'already means the choice `no`' },
      { path: `${path}.maybe`, message: 'is not the id of a button or row' },
    ])
  })
})

describe('an interactive message with `max_retries`', () => {
  test('is sent again after anything else, in other words, and then gives up', async () => {
    await using bot = await BotWorld.create()
    const interactive = { type: 'location_request', body: 'Where are you?' }
    await bot.flow(
      [
        [
          'ask',
          'interactive',
          { interactive, max_retries: 1, retry_message: 'On the map, please.' },
        ],
        ['end', 'end', { message: 'Thanks.' }],
        ['gone', 'end', { message: 'Never mind.' }],
      ],
      {
        edges: [
          ['ask', 'default', 'end'],
          ['ask', 'max_retries', 'gone'],
        ],
      },
    )
    expect(await bot.say('begin')).toEqual(['Where are you?'])
    expect(await bot.say('at home')).toEqual(['On the map, please.'])
    expect(await bot.say('at home!')).toEqual(['Never mind.'])
  })

  test('accepts what it asks for', async () => {
    await using bot = await BotWorld.create()
    const interactive = { type: 'location_request', body: 'Where are you?' }
    await bot.flow(
      [
        ['ask', 'interactive', { interactive, max_retries: 1, store_as: 'place' }],
        ['end', 'end', { message: 'At {{ place }}.' }],
      ],
      { edges: [['ask', 'max_retries', 'end']] },
    )
    await bot.say('begin')
    expect(
      await bot.during(() =>
        bot.customer.sharesLocation({
          latitude: 52.5,
          longitude: 13.4,
          name: 'Café',
          address: 'Ring 1',
        }),
      ),
    ).toEqual(['At Café, Ring 1.'])
  })
})
