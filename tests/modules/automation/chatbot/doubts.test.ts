import { describe, expect, test } from 'bun:test'

import { BotWorld, graphOf } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { approvedTemplate } from '../../../support/templates'

/** A flow as it was saved, and the warnings about it. */
async function saved(bot: BotWorld, flow: Loose): Promise<Loose[]> {
  const { status, body, data } = await bot.admin.post('/api/chatbot/flows', {
    name: `Flow ${Math.random()}`,
    enabled: true,
    ...flow,
  })
  expect([status, body]).toMatchObject([201, { status: 'success' }])
  return data['warnings'] as Loose[]
}

describe('a flow is saved with a warning', () => {
  test('about custom fields that do not exist, and a language that is none', async () => {
    await using bot = await BotWorld.create()
    await bot.admin.post('/api/contact-attributes', { key: 'city', label: 'City', type: 'text' })
    const graph = graphOf([
      [
        'a',
        'update_contact',
        { language: 'x'.repeat(100), attributes: { city: 'Rome', twon: 'Rome' } },
      ],
      ['b', 'update_contact', { language: '{{ lang }}' }],
      ['end', 'end'],
    ])
    const at = 'graph.nodes.0.config'
    const warnings = [
      { path: `${at}.attributes.twon`, message: 'is no custom field, so it is not written' },
      {
        path: `${at}.language`,
        message: 'must be a language such as en or pt_BR, or it is not written',
      },
    ]
    expect(await saved(bot, { graph })).toEqual(warnings)
    const { data } = await bot.admin.post('/api/chatbot/flows/validate', { graph })
    expect(data).toMatchObject({ valid: true, errors: [] })
    expect((data['warnings'] as Loose[]).map(({ path }) => path)).toEqual(
      warnings.map(({ path }) => `body.${path}`),
    )
  })

  test('about parameters that its template needs', async () => {
    await using bot = await BotWorld.create()
    const { id } = await approvedTemplate(bot.world, {
      components: [
        {
          type: 'BODY',
          text: 'Hi {{1}}, your order {{2}} is here.',
          example: { body_text: [['Ana', 'A-1']] },
        },
      ],
    })
    const graph = (params: Loose) =>
      graphOf([
        ['a', 'template', { template_id: id, params }],
        ['end', 'end'],
      ])
    expect(await saved(bot, { graph: graph({ 1: '{{ contact_name }}' }) })).toEqual([
      {
        path: 'graph.nodes.0.config.params',
        message: 'lacks what the template needs, so it is not sent: 2',
      },
    ])
    expect(await saved(bot, { graph: graph({ 1: 'Ana', 2: '{{ order }}' }) })).toEqual([])
  })

  test('about a word that begins another enabled flow', async () => {
    await using bot = await BotWorld.create()
    const graph = graphOf([['a', 'end', { message: 'Hi' }]])
    await saved(bot, { name: 'First', graph, trigger_keywords: ['price', 'Menu!'] })
    await saved(bot, { name: 'Off', graph, trigger_keywords: ['hours'], enabled: false })
    const pattern = { trigger_match_type: 'regex', trigger_keywords: ['menu'] }
    expect(await saved(bot, { graph, ...pattern })).toEqual([])
    expect(
      await saved(bot, { name: 'Second', graph, trigger_keywords: ['hours', 'menu'] }),
    ).toEqual([
      {
        path: 'trigger_keywords.1',
        message: 'also begins the flow "First"; only one of them answers',
      },
    ])
  })

  test('about a pattern that begins another enabled flow', async () => {
    await using bot = await BotWorld.create()
    const graph = graphOf([['a', 'end', { message: 'Hi' }]])
    const patterns = (...words: string[]): Loose => ({
      graph,
      trigger_match_type: 'regex',
      trigger_keywords: words,
    })
    await saved(bot, { name: 'First', ...patterns('order \\d+', '^hi') })
    await saved(bot, { name: 'Draft', ...patterns('bye'), enabled: false, publish: false })
    expect(await saved(bot, patterns('bye', 'order \\d+', 'hi'))).toEqual([
      {
        path: 'trigger_keywords.1',
        message: 'also begins the flow "First"; only one of them answers',
      },
    ])
    expect(await saved(bot, { graph, trigger_keywords: ['/^hi/'] })).toEqual([])
  })

  test('about hours without one open minute', async () => {
    await using bot = await BotWorld.create()
    const entry = { day: 'monday', start_time: '09:00', end_time: '17:00' }
    const graph = (schedule: Loose[] | null): Loose =>
      graphOf(
        [
          ['hours', 'timing', schedule ? { schedule } : { use_business_hours: true }],
          ['end', 'end'],
        ],
        [
          ['hours', 'in_hours', 'end'],
          ['hours', 'out_of_hours', 'end'],
        ],
      )
    const never = [{ ...entry, enabled: false }]
    expect(await saved(bot, { graph: graph(never) })).toEqual([
      {
        path: 'graph.nodes.0.config.schedule',
        message: 'has no open minute, so the outcome is always out_of_hours',
      },
    ])
    for (const schedule of [[...never, entry], null])
      expect(await saved(bot, { graph: graph(schedule) })).toEqual([])
    const rule = async (hours: Loose[]): Promise<unknown> => {
      const path = '/api/chatbot/keywords'
      const { data } = await bot.admin.post(path, {
        name: `Rule ${Math.random()}`,
        keywords: ['hi'],
        response: 'Hi.',
        active_hours: hours,
      })
      return data['warnings']
    }
    expect(await rule(never)).toEqual([
      { path: 'active_hours', message: 'has no minute, so the rule never answers' },
    ])
    for (const hours of [[], [...never, entry]]) expect(await rule(hours)).toEqual([])
  })

  test('about a word that is an opt-out or opt-in word', async () => {
    await using bot = await BotWorld.create()
    const graph = graphOf([['a', 'end', { message: 'Hi' }]])
    const words = ['menu', 'Start!', 'baja', 'bajada']
    expect(await saved(bot, { graph, trigger_keywords: words })).toEqual([
      {
        path: 'trigger_keywords.1',
        message: 'is an opt-in word: a message that is only this word does not begin the flow',
      },
      {
        path: 'trigger_keywords.2',
        message: 'is an opt-out word: a message that is only this word does not begin the flow',
      },
    ])
    await bot.admin.put('/api/consent-settings', { opt_out_keywords: ['STOP'] })
    expect(await saved(bot, { graph, trigger_keywords: ['baja'], enabled: false })).toEqual([])
  })
})

test('business hours without one open minute are saved with a warning', async () => {
  await using bot = await BotWorld.create()
  const entry = { day: 'monday', start_time: '09:00', end_time: '17:00' }
  const warningsAfter = async (settings: Loose): Promise<unknown[]> => {
    const { data } = await bot.admin.put('/api/chatbot/settings', settings)
    return (data['warnings'] as Loose[]).map(({ code }) => code)
  }
  const never = {
    business_hours_enabled: true,
    business_hours: [{ ...entry, enabled: false }],
    holidays: [{ date: '2026-12-24', name: 'Eve', intervals: [] }],
  }
  expect(await warningsAfter(never)).toEqual(['never_open'])
  const intervals = [{ start_time: '09:00', end_time: '12:00' }]
  const openOn = (date: string): Loose => ({
    ...never,
    holidays: [{ date, name: 'Open day', intervals }],
  })
  // It is 21 November 2026. What is past, or years ahead, opens nothing.
  for (const date of ['2025-12-24', '2026-11-20', '2029-12-24'])
    expect([date, await warningsAfter(openOn(date))]).toEqual([date, ['never_open']])
  for (const date of ['2026-11-22', '2026-12-24'])
    expect([date, await warningsAfter(openOn(date))]).toEqual([date, []])
  expect(await warningsAfter({ business_hours_enabled: false })).toEqual([])
  expect(await warningsAfter({ ...never, business_hours: [{ ...entry, enabled: true }] })).toEqual(
    [],
  )
})

test('a contact is changed as far as the values fit, and the trace says what did not', async () => {
  await using bot = await BotWorld.create()
  for (const [key, type] of [
    ['city', 'text'],
    ['age', 'number'],
    ['vip', 'boolean'],
    ['born', 'date'],
  ])
    await bot.admin.post('/api/contact-attributes', { key, label: key, type })
  await bot.flow(
    [
      [
        'a',
        'update_contact',
        {
          name: 'Ana',
          language: 'nonsense!',
          attributes: {
            city: 'Rome',
            age: '{{ message.text }}',
            vip: 'true',
            born: 'x',
            twon: 'y',
          },
        },
      ],
      ['end', 'end', { message: 'Done.' }],
      ['failed', 'end', { message: 'Partly.' }],
    ],
    {
      trigger_keywords: ['40'],
      edges: [
        ['a', 'default', 'end'],
        ['a', 'error', 'failed'],
      ],
    },
  )
  expect(await bot.say('40')).toEqual(['Partly.'])
  const { data } = await bot.admin.get('/api/contacts')
  expect((data['items'] as Loose[])[0]).toMatchObject({
    name: 'Ana',
    language: null,
    attributes: { city: 'Rome', age: 40, vip: true },
  })
  expect(bot.trace().find(({ node }) => node === 'a')).toMatchObject({
    outcome: 'error',
    error:
      'not written: attributes.born must be a date such as 2026-11-21; attributes.twon is not a ' +
      'custom field of this organization; language must be a language such as en or pt_BR',
  })
})
