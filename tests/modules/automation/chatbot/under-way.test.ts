import { describe, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import { SAMPLES } from '../../../../src/simulator/sample-files'

/** A server of a customer. */
function server(answer: () => Response | Promise<Response>) {
  const seen: { path: string; body: string; header: string | null }[] = []
  const own = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      seen.push({ path, body: await request.text(), header: request.headers.get('x-who') })
      return answer()
    },
  })
  return {
    seen,
    url: `http://127.0.0.1:${own.port}`,
    env: { EGRESS_ALLOW: `127.0.0.1:${own.port}` },
    [Symbol.asyncDispose]: () => own.stop(true),
  }
}

const picture = (url: string) => ({
  keywords: ['picture'],
  response_type: 'media',
  response: 'Our shop.',
  response_content: { url, kind: 'image' },
  interrupts_flow: true,
})

describe('a flow that a rule with a file interrupts', () => {
  test('waits on for its answer once the file was fetched', async () => {
    await using files = server(() => new Response(SAMPLES['image/png']))
    await using bot = await BotWorld.create({}, { env: files.env })
    await bot.flow([
      ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
      ['end', 'end', { message: 'Hi {{name}}.' }],
    ])
    await bot.rule(picture(files.url))
    await bot.say('begin')
    expect(await bot.say('picture')).toEqual(['Our shop.'])
    expect(bot.sessions()).toMatchObject([{ status: 'active', waiting_for: 'reply', node: 'ask' }])
    expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
  })

  test('takes the text as its answer if no other rule that interrupts can answer', async () => {
    await using files = server(() => new Response('no', { status: 500 }))
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?' }, { env: files.env })
    await bot.flow([
      ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
      ['end', 'end', { message: 'Hi {{name}}.' }],
    ])
    const id = await bot.rule(picture(files.url))
    await bot.rule({ name: 'Silent in flows', keywords: ['picture'], response: 'Not here.' })
    await bot.say('begin')
    expect(await bot.say('picture')).toEqual(['Hi picture.'])
    expect(bot.trace()).toContainEqual(
      expect.objectContaining({ outcome: `rule:${id}`, error: 'media_url_refused' }),
    )
    await bot.rule({
      name: 'Next',
      keywords: ['picture'],
      response: 'No picture now.',
      interrupts_flow: true,
      priority: 5,
    })
    await bot.say('begin')
    expect(await bot.say('picture')).toEqual(['No picture now.'])
    expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
  })

  test('waits on for its time', async () => {
    await using files = server(() => new Response(SAMPLES['image/png']))
    await using bot = await BotWorld.create({}, { env: files.env })
    await bot.flow([
      ['wait', 'delay', { seconds: 60 }],
      ['end', 'end', { message: 'A minute later.' }],
    ])
    await bot.rule(picture(files.url))
    await bot.say('begin')
    expect(await bot.say('picture')).toEqual(['Our shop.'])
    expect(await bot.wait({ seconds: 55 })).toEqual([])
    expect(await bot.wait({ seconds: 10 })).toEqual(['A minute later.'])
  })

  test('gives way to the flow of the next rule, whose delay is its own', async () => {
    await using files = server(() => new Response('no', { status: 500 }))
    await using bot = await BotWorld.create({}, { env: files.env })
    const other = await bot.flow(
      [
        ['wait', 'delay', { seconds: 3_600 }],
        ['end', 'end', { message: 'An hour later.' }],
      ],
      { trigger_keywords: ['other'] },
    )
    await bot.flow([
      ['wait', 'delay', { seconds: 60 }],
      ['end', 'end', { message: 'A minute later.' }],
    ])
    await bot.rule({ ...picture(files.url), priority: 20 })
    await bot.rule({
      name: 'Next',
      keywords: ['picture'],
      response_type: 'flow',
      response_content: { flow_id: other },
      interrupts_flow: true,
      priority: 5,
    })
    await bot.say('begin')
    await bot.say('picture')
    expect(await bot.wait({ minutes: 59 })).toEqual([])
    expect(await bot.wait({ minutes: 2 })).toEqual(['An hour later.'])
  })
})

test('the next rule answers if the one before is disabled while its file is fetched', async () => {
  let meanwhile = (): Promise<unknown> => Promise.resolve()
  await using files = server(async () => {
    await meanwhile()
    return new Response(SAMPLES['image/png'])
  })
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' }, { env: files.env })
  const id = await bot.rule({ ...picture(files.url), priority: 20 })
  await bot.rule({ name: 'Next', keywords: ['picture'], response: 'No picture.', priority: 5 })
  meanwhile = () => bot.admin.put(`/api/chatbot/keywords/${id}`, { enabled: false })
  expect(await bot.say('picture')).toEqual(['No picture.'])
  expect(files.seen).toHaveLength(1)
})

test('a webhook has the values of its step, and those of the message', async () => {
  let isDown = true
  await using own = server(() => new Response(null, { status: isDown ? 503 : 200 }))
  await using bot = await BotWorld.create({}, { env: own.env })
  const body = '{"n": "{{n}}", "said": "{{message.text}}"}'
  await bot.flow(
    [
      ['one', 'set_variable', { set: { n: 'one' } }],
      [
        'hook',
        'webhook',
        { url: `${own.url}/{{n}}`, body, headers: { 'x-who': '{{contact_name}}' } },
      ],
      ['two', 'set_variable', { set: { n: '{{message.text}}' } }],
      ['dots', 'webhook', { url: `${own.url}/a/{{dots}}`, body }],
      ['ask', 'prompt', { body: '{{n}}?', store_as: 'n' }],
    ],
    {
      on_complete_action: 'webhook',
      completion_config: { url: `${own.url}/end`, method: 'POST', body },
    },
  )
  expect(await bot.say('begin')).toEqual(['begin?'])
  await bot.say('{{contact_name}}')
  isDown = false
  await bot.wait({ hours: 1 })
  const heard = new Set(own.seen.map(({ path, body: text }) => `${path} ${text}`))
  expect([...heard].toSorted()).toEqual([
    '/a/ {"n": "begin", "said": "begin"}',
    '/end {"n": "{{contact_name}}", "said": "{{contact_name}}"}',
    '/one {"n": "one", "said": "begin"}',
  ])
  expect(own.seen.find(({ path }) => path === '/one')?.header).toBe('Ana Sol')
  expect(bot.world.rows("select state ->> 'webhooks' as webhooks from bot_sessions")).toEqual([
    { webhooks: '{}' },
  ])
})

test('the copy of a flow calls with the same header values', async () => {
  await using own = server(() => new Response(null, { status: 200 }))
  await using bot = await BotWorld.create({}, { env: own.env })
  const id = await bot.flow([['end', 'end', { message: 'Done.' }]], {
    on_complete_action: 'webhook',
    completion_config: { url: `${own.url}/end`, method: 'POST', headers: { 'x-who': 'shop' } },
  })
  const { data: copy } = await bot.admin.post(`/api/chatbot/flows/${id}/duplicate`, {})
  await bot.admin.delete(`/api/chatbot/flows/${id}`)
  await bot.admin.put(`/api/chatbot/flows/${copy['id']}`, { enabled: true })
  expect(await bot.say('begin')).toEqual(['Done.'])
  expect(own.seen.map(({ path, header }) => [path, header])).toEqual([['/end', 'shop']])
})

describe('a bot that is switched off', () => {
  test('says nothing more in the sessions that customers began', async () => {
    await using bot = await BotWorld.create({ client_reminder_enabled: true })
    await bot.configure({ client_reminder_minutes: 5, client_reminder_message: 'Still there?' })
    await bot.flow([
      ['wait', 'delay', { seconds: 60 }],
      ['end', 'end', { message: 'A minute later.' }],
    ])
    await bot.flow([['ask', 'prompt', { body: 'Your name?' }]], {
      trigger_keywords: ['name'],
      timeout_message: 'Bye.',
    })
    await bot.say('begin')
    await bot.configure({ chatbot_enabled: false })
    expect(await bot.wait({ seconds: 70 })).toEqual([])
    expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
    await bot.configure({ chatbot_enabled: true })
    await bot.say('name')
    await bot.configure({ chatbot_enabled: false })
    expect(await bot.wait({ minutes: 6 })).toEqual([])
    expect(await bot.wait({ minutes: 40 })).toEqual([])
    expect(bot.sessions()).toMatchObject([
      { status: 'cancelled', end_reason: 'chatbot_disabled' },
      { status: 'timed_out' },
    ])
  })

  test('goes on with the flows that were started by request', async () => {
    await using bot = await BotWorld.create()
    const flow = await bot.flow([
      ['wait', 'delay', { seconds: 60 }],
      ['end', 'end', { message: 'A minute later.' }],
    ])
    const contact = await bot.silently(() => bot.customer.says('Hi'))
    await bot.configure({ chatbot_enabled: false })
    await bot.admin.post(`/api/chatbot/flows/${flow}/start`, { contact_id: contact })
    await bot.world.settle()
    expect(await bot.wait({ seconds: 70 })).toEqual(['A minute later.'])
  })
})

test('a session goes on with its version when fifty newer ones were published', async () => {
  await using bot = await BotWorld.create()
  const id = await bot.flow([
    ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
    ['end', 'end', { message: 'Hi {{name}}.' }],
  ])
  await bot.say('begin')
  const { graph } = (await bot.admin.get(`/api/chatbot/flows/${id}`)).data
  const later = (nth: number): unknown =>
    JSON.parse(JSON.stringify(graph).replace('Hi {{name}}.', `Bye ${nth}.`))
  for (let nth = 2; nth <= 53; nth += 1) {
    if (nth % 20 === 0) bot.world.clock.advance({ minutes: 1 }) // within what one may ask a minute
    const { status } = await bot.admin.put(`/api/chatbot/flows/${id}`, { graph: later(nth) })
    if (status !== 200) throw new Error(`version ${nth} was answered ${status}`)
  }
  const kept = async (): Promise<number> =>
    (await bot.admin.get(`/api/chatbot/flows/${id}/versions?limit=1`)).data['total'] as number
  expect(await kept()).toBe(51)
  expect(await bot.say('Ana')).toEqual(['Hi Ana.'])
  await bot.admin.put(`/api/chatbot/flows/${id}`, { graph: later(54) })
  expect(await kept()).toBe(50)
})
