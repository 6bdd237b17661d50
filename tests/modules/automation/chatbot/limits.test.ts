import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import { approvedTemplate } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { publishedFlow } from '../../../support/flows'

test('a session ends after 1,000 steps', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'That is enough.' })
  const steps = Array.from({ length: 98 }, (_, at): [string, string, Loose] => [
    `n${at}`,
    'set_variable',
    { set: { n: String(at) } },
  ])
  await bot.flow([['ask', 'prompt', { body: 'Again?' }], ...steps], {
    edges: [['n97', 'default', 'ask']],
  })
  expect(await bot.say('begin')).toEqual(['Again?'])
  for (let turn = 0; turn < 10; turn += 1) expect(await bot.say('yes')).toEqual(['Again?'])
  expect(await bot.say('yes')).toEqual([
    'That is enough.\n\nI am handing you over to our team. They will answer you here.',
  ])
  expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'loop_guard' }])
  expect(bot.trace().find(({ outcome }) => outcome === 'loop_guard')).toMatchObject({
    error: 'more than 1000 steps in one session',
  })
})

test('a row of the trace has at most 4 KiB, however long the text was', async () => {
  await using bot = await BotWorld.create()
  await bot.flow([['ask', 'prompt', { body: 'Well?', store_as: 'answer' }]])
  await bot.say('begin')
  await bot.say('😀'.repeat(2_000))
  const rows = bot.world.rows('select * from bot_trace')
  const sizes = rows.map((row) => Buffer.byteLength(JSON.stringify(row)))
  expect(rows.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThan(4_096)
  expect(rows.some(({ input }) => String(input).startsWith('😀'))).toBe(true)
})

test('the trace names the rules whose patterns were not tried for lack of time', async () => {
  await using bot = await BotWorld.create()
  const slow = Array.from({ length: 99 }, (_, at) => `${at}.*[ab]*a[ab]{90}[cd]`)
  for (let at = 0; at < slow.length; at += 50)
    await bot.rule({ keywords: slow.slice(at, at + 50), match_type: 'regex', response: 'Never.' })
  const last = await bot.rule({
    name: 'Last',
    keywords: ['ab'],
    match_type: 'regex',
    priority: -9,
    response: 'x',
  })
  await bot.rule({ name: 'Plain', keywords: ['hello'], priority: -10, response: 'Found.' })
  const text = `hello ${'0123456789'.repeat(10)}${'ab'.repeat(459)}`
  expect(await bot.say(text)).toEqual(['Found.'])
  const rows = bot.trace().filter(({ outcome }) => String(outcome).startsWith('regex_budget'))
  expect(rows).toEqual([
    {
      stage: 'rules',
      node: null,
      outcome: 'regex_budget',
      error: expect.stringContaining(last),
    },
  ])
})

test('a list waits for a row, and a Flow of the platform for its answer', async () => {
  await using bot = await BotWorld.create()
  const form = await publishedFlow(bot.world, bot.admin)
  const rows = [
    { id: 'red', title: 'Red', description: 'Like a rose' },
    { id: 'blue', title: 'Blue' },
  ]
  await bot.flow(
    [
      [
        'list',
        'interactive',
        {
          interactive: { type: 'list', body: 'Pick', button_text: 'Open', sections: [{ rows }] },
          store_as: 'color',
        },
      ],
      ['form', 'whatsapp_flow', { flow_id: form['id'], body: 'Tell us.', cta: 'Open' }],
      ['red', 'end', { message: 'Red.' }],
      ['end', 'end', { message: 'Thanks.' }],
    ],
    {
      edges: [
        ['list', 'button:red', 'red'],
        ['form', 'default', 'end'],
      ],
    },
  )
  expect(await bot.say('begin')).toEqual(['Pick [Red] [Blue]'])
  expect(await bot.during(() => bot.customer.picks('red', 'Red'))).toEqual(['Red.'])
  await bot.say('begin')
  expect(await bot.during(() => bot.customer.picks('blue', 'Blue'))).toEqual(['Tell us.'])
  expect(await bot.during(() => bot.customer.completesFlow({ words: 'Good.' }))).toEqual([
    'Thanks.',
  ])
  expect(bot.sessions().map(({ status }) => status)).toEqual(['completed', 'completed'])
})

test('a file or a template that was deleted since is an error of its node', async () => {
  await using bot = await BotWorld.create()
  const template = await approvedTemplate(bot.world)
  const { data: file } = await upload(bot.admin, {
    bytes: new TextEncoder().encode('Prices'),
    type: 'text/plain',
    name: 'prices.txt',
  })
  await bot.flow(
    [
      ['file', 'media', { media_id: file['id'], kind: 'document' }],
      ['news', 'template', { template_id: template, params: { '1': 'Ana' } }],
      ['end', 'end', { message: 'Both were there.' }],
      ['none', 'message', { message: 'No file.' }],
      ['late', 'template', { template_id: template, params: { '1': 'Ana' } }],
    ],
    {
      edges: [['file', 'error', 'none']],
    },
  )
  expect(await bot.say('begin')).toEqual(['<document>', '<template>', 'Both were there.'])
  await bot.admin.delete(`/api/media/${String(file['id'])}`)
  await bot.admin.delete(`/api/templates/${template}`)
  await bot.world.settle()
  expect(await bot.say('begin')).toEqual([
    'No file.',
    'Sorry, something went wrong. Our team will look at your message.',
  ])
  expect(bot.sessions().at(-1)).toMatchObject({ status: 'failed' })
})
