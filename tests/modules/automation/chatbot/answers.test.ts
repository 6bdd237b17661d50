import { describe, expect, test } from 'bun:test'

import { BotWorld, graphOf } from '../../../support/bots'
import type { Loose } from '../../../support/client'

const VALIDATE = '/api/chatbot/flows/validate'

/** A list whose rows are named by variables. */
const list = (rows: { id: string; title: string }[]) => ({
  interactive: { type: 'list', body: 'Which day?', button_text: 'Days', sections: [{ rows }] },
  store_as: 'day',
})

/** The paths and messages of what is wrong with a graph. */
async function problemsOf(bot: BotWorld, graph: Loose): Promise<Loose[]> {
  const { data } = await bot.admin.post(VALIDATE, { graph })
  return data['errors'] as Loose[]
}

/** Previews words of a customer, one after the other. Returns the texts of the replies. */
async function previewed(bot: BotWorld, messages: unknown[]): Promise<unknown[]> {
  const replies: unknown[] = []
  let session: unknown
  for (const message of messages) {
    const before = session === undefined ? {} : { session }
    const { data } = await bot.admin.post('/api/chatbot/preview', { message, ...before })
    session = data['session']
    for (const reply of data['replies'] as Loose[])
      replies.push((reply['message'] as Loose)['text'] ?? 'choices')
  }
  return replies
}

describe('titles with placeholders', () => {
  const edges: [string, string, string][] = [
    ['ask', 'button:today', 'chosen'],
    ['ask', 'default', 'other'],
  ]
  for (const [kind, node] of [
    ['a list', ['ask', 'interactive', list([{ id: 'today', title: '{{ day1 }}' }])]],
    [
      'buttons',
      [
        'ask',
        'buttons',
        { body: 'Which day?', buttons: [{ id: 'today', title: '{{ day1 }}' }], store_as: 'day' },
      ],
    ],
  ] as [string, [string, string, Loose]][])
    test(`of ${kind} are chosen by what the customer sees`, async () => {
      await using bot = await BotWorld.create()
      await bot.flow(
        [
          ['set', 'set_variable', { set: { day1: '{{ now | date: "%d.%m." }}' } }],
          node,
          ['chosen', 'end', { message: 'Chosen: {{ day }}' }],
          ['other', 'end', { message: 'Not understood.' }],
        ],
        { edges },
      )
      const [shown = ''] = await bot.say('begin')
      const title = /\[(.+)\]/.exec(shown)?.[1] ?? ''
      expect(title).toMatch(/^\d\d\.\d\d\.$/)
      expect(await bot.say(title)).toEqual([`Chosen: ${title}`])
      for (const answer of [{ text: '1' }, { button_id: 'today', title }])
        expect(await previewed(bot, ['begin', answer])).toEqual(['choices', `Chosen: ${title}`])
    })

  test('keep the value that was shown, whatever the time is then', async () => {
    await using bot = await BotWorld.create({ session_timeout_minutes: 1_440 })
    const rows = [{ id: 'day', title: '{{ now | date: "%d" }}' }]
    await bot.flow([
      ['ask', 'interactive', list(rows)],
      ['end', 'end', { message: 'Chosen: {{ day }}' }],
    ])
    const [shown = ''] = await bot.say('begin')
    await bot.wait({ hours: 20 })
    expect(await bot.say('1')).toEqual([`Chosen: ${/\[(.+)\]/.exec(shown)?.[1]}`])
  })

  test('are no ids: those are refused with placeholders', async () => {
    await using bot = await BotWorld.create()
    const choice = { id: 'of-{{ n }}', title: 'One' }
    const message = 'must not have placeholders, because edges name it'
    const problems = await problemsOf(
      bot,
      graphOf([
        ['a', 'interactive', list([choice])],
        ['b', 'buttons', { body: 'Which?', buttons: [choice] }],
      ]),
    )
    expect(problems).toEqual([
      { path: 'body.graph.nodes.0.config.interactive.sections.0.rows.0.id', message },
      { path: 'body.graph.nodes.1.config.buttons.0.id', message },
    ])
  })
})

test('texts of nodes are refused when they are only spaces', async () => {
  await using bot = await BotWorld.create()
  const blank = ' \n '
  const button = { id: 'a', title: ' ' }
  const problems = await problemsOf(
    bot,
    graphOf([
      ['a', 'message', { message: blank }],
      ['b', 'prompt', { body: blank, validation_error: blank }],
      ['c', 'buttons', { body: blank, buttons: [button], header: ' ', retry_message: blank }],
      ['d', 'api_call', { url: 'https://example.com', message_template: blank }],
      ['e', 'transfer', { body: blank, notes: blank }],
    ]),
  )
  expect(problems.map(({ path }) => String(path).replace('body.graph.nodes.', ''))).toEqual([
    '0.config.message',
    '1.config.body',
    '1.config.validation_error',
    '2.config.body',
    '2.config.buttons.0.title',
    '2.config.header',
    '2.config.retry_message',
    '3.config.message_template',
    '4.config.body',
    '4.config.notes',
  ])
  expect(problems[0]?.['message']).toBe('must have 1 to 4096 characters and not be blank')
})

describe('a question that is not understood', () => {
  test('is asked again in its own words where the text for that is empty', async () => {
    await using bot = await BotWorld.create()
    const again = '{{ nothing }}'
    await bot.flow([
      ['age', 'prompt', { body: 'Your age?', input: 'number', validation_error: again }],
      [
        'color',
        'buttons',
        { body: 'Color?', buttons: [{ id: 'r', title: 'Red' }], retry_message: again },
      ],
    ])
    await bot.say('begin')
    expect(await bot.say('old')).toEqual(['Your age?'])
    expect(await bot.say('40')).toEqual(['Color? [Red]'])
    expect(await bot.say('mauve')).toEqual(['Color? [Red]'])
  })

  test('leaves the conversation open if the flow ends there without a word', async () => {
    await using bot = await BotWorld.create()
    const color = { body: 'Color?', buttons: [{ id: 'r', title: 'Red' }], max_retries: 0 }
    await bot.flow(
      [
        ['color', 'buttons', color],
        ['end', 'end'],
      ],
      { edges: [['color', 'max_retries', 'end']] },
    )
    await bot.say('begin')
    expect(await bot.say('Where is my parcel?')).toEqual([])
    expect(bot.sessions()).toMatchObject([{ status: 'completed' }])
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
    await bot.say('begin')
    await bot.tap('r', 'Red')
    expect(await bot.conversation()).toMatchObject({ state: 'closed' })
  })

  test('closes the conversation if the flow has a last word', async () => {
    await using bot = await BotWorld.create()
    const color = { body: 'Color?', buttons: [{ id: 'r', title: 'Red' }], max_retries: 0 }
    await bot.flow(
      [
        ['color', 'buttons', color],
        ['end', 'end', { message: 'Never mind.' }],
      ],
      { edges: [['color', 'max_retries', 'end']] },
    )
    await bot.say('begin')
    expect(await bot.say('mauve')).toEqual(['Never mind.'])
    expect(await bot.conversation()).toMatchObject({ state: 'closed' })
  })
})

test('a message that is refused does not take the answer with it', async () => {
  await using bot = await BotWorld.create({ greeting_message: '\0', coalesce: false })
  await bot.rule({ keywords: ['open'], response: 'We open at nine.' })
  await bot.flow([
    ['name', 'prompt', { body: 'Your name?', store_as: 'name' }],
    ['end', 'end', { message: 'Hi {{name}}.' }],
  ])
  expect(await bot.say('When do you open?')).toEqual(['We open at nine.'])
  expect(bot.trace()[0]).toMatchObject({ outcome: 'greeted', error: 'invalid_input' })
  await bot.wait({ hours: 2 })
  expect(await bot.say('begin')).toEqual(['Your name?'])
  expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
})
