import { describe, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { approvedTemplate } from '../../../support/campaigns'

const variablesOf = (bot: BotWorld): unknown =>
  JSON.parse(String(bot.sessions().at(-1)?.['variables']))

interface Seen {
  method: string
  path: string
  key: string | null
  /** The header `Content-Length`. */
  length: string | null
  body: string
}

/** A server of a customer that answers JSON. */
function shop(answer: (request: Request, body: string) => Response | Promise<Response>) {
  const seen: Seen[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text()
      const url = new URL(request.url)
      seen.push({
        method: request.method,
        path: `${url.pathname}${url.search}`,
        key: request.headers.get('idempotency-key'),
        length: request.headers.get('content-length'),
        body,
      })
      return await answer(request, body)
    },
  })
  return {
    seen,
    url: `http://127.0.0.1:${server.port}`,
    env: { EGRESS_ALLOW: `127.0.0.1:${server.port}` },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

describe('a bot flow', () => {
  test('takes a phone number as people of the country of the organization write it', async () => {
    await using bot = await BotWorld.create()
    await bot.admin.put('/api/organizations/settings', { default_country: 'DE' })
    await bot.flow([
      ['ask', 'prompt', { body: 'Your number?', store_as: 'number', input: 'phone' }],
      ['thanks', 'end', { message: 'We call {{number}}.' }],
    ])
    await bot.say('begin')
    expect(await bot.say('0151 23456789')).toEqual(['We call 4915123456789.'])
  })

  test('asks, stores answers, decides and completes', async () => {
    await using bot = await BotWorld.create()
    await bot.flow(
      [
        ['hello', 'message', { message: 'Hello {{contact_name}}!' }],
        ['name', 'prompt', { body: 'Your name?', store_as: 'name', input: 'text' }],
        [
          'age',
          'prompt',
          {
            body: 'Your age?',
            store_as: 'age',
            input: 'number',
            validation_error: 'A number, please.',
            max_retries: 1,
          },
        ],
        ['adult', 'condition', { expression: 'age >= 18' }],
        ['yes', 'end', { message: 'Welcome, {{name | upcase}}.' }],
        ['no', 'end', { message: 'Too young.' }],
        ['tired', 'end', { message: 'Never mind.' }],
      ],
      {
        edges: [
          ['adult', 'true', 'yes'],
          ['adult', 'false', 'no'],
          ['age', 'max_retries', 'tired'],
        ],
        completion_message: 'Bye.',
      },
    )
    expect(await bot.say('begin')).toEqual(['Hello Ana Sol!\n\nYour name?'])
    expect(await bot.conversation()).toMatchObject({ state: 'pending', bot_active: true })
    expect(await bot.say('Ana')).toEqual(['Your age?'])
    expect(await bot.say('old')).toEqual(['A number, please.'])
    expect(await bot.say('33')).toEqual(['Welcome, ANA.\n\nBye.'])
    expect(bot.sessions()).toMatchObject([{ status: 'completed' }])
    expect(variablesOf(bot)).toEqual({ name: 'Ana', age: 33 })
    expect(await bot.conversation()).toMatchObject({ state: 'closed', bot_active: false })
    await bot.say('begin')
    await bot.say('Bob')
    await bot.say('no')
    expect(await bot.say('no')).toEqual(['Never mind.\n\nBye.'])
  })

  test('takes a tap, a title and a number for a button', async () => {
    await using bot = await BotWorld.create()
    const buttons = ['Red', 'Green', 'Blue', 'Black'].map((title) => ({
      id: title.toLowerCase(),
      title,
    }))
    await bot.flow(
      [
        [
          'pick',
          'buttons',
          { body: 'Which color?', buttons, store_as: 'color', retry_message: 'One of these.' },
        ],
        ['red', 'end', { message: 'Red it is.' }],
        ['other', 'end', { message: 'So {{color}}.' }],
      ],
      {
        edges: [
          ['pick', 'button:red', 'red'],
          ['pick', 'default', 'other'],
        ],
      },
    )
    const list = 'Which color? [Red] [Green] [Blue] [Black]'
    expect(await bot.say('begin')).toEqual([list])
    expect(await bot.say('pink')).toEqual(['One of these. [Red] [Green] [Blue] [Black]'])
    expect(await bot.during(() => bot.customer.picks('red', 'Red'))).toEqual(['Red it is.'])
    await bot.say('begin')
    expect(await bot.say('  GREEN ')).toEqual(['So Green.'])
    await bot.say('begin')
    expect(await bot.say('3')).toEqual(['So Blue.'])
  })

  test('ends with a cancel word, and times out with a message', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([['ask', 'prompt', { body: 'Your name?' }]], {
      cancel_message: 'Canceled.',
      timeout_minutes: 5,
      timeout_message: 'Are you there?',
    })
    await bot.say('begin')
    expect(await bot.say('Exit')).toEqual(['Canceled.'])
    expect(await bot.conversation()).toMatchObject({ state: 'closed' })
    await bot.say('begin')
    expect(await bot.wait({ minutes: 4 })).toEqual([])
    expect(await bot.wait({ seconds: 90 })).toEqual(['Are you there?'])
    expect(bot.sessions()).toMatchObject([{ status: 'cancelled' }, { status: 'timed_out' }])
    expect(await bot.conversation()).toMatchObject({ state: 'closed', bot_active: false })
  })

  const SILENCE = {
    client_reminder_enabled: true,
    client_reminder_minutes: 5,
    client_reminder_message: 'Still there?',
    client_auto_close_minutes: 12,
    client_auto_close_message: 'Bye for now.',
  }

  test('reminds a silent customer once, and ends by the time of silent clients', async () => {
    await using bot = await BotWorld.create(SILENCE)
    await bot.flow([['ask', 'prompt', { body: 'Your name?' }]], { timeout_message: 'Too late.' })
    await bot.say('begin')
    expect(await bot.wait({ minutes: 4 })).toEqual([])
    expect(await bot.wait({ seconds: 90 })).toEqual(['Still there?'])
    expect(await bot.wait({ minutes: 6 })).toEqual([])
    expect(bot.sessions()).toMatchObject([{ status: 'active' }])
    expect(await bot.wait({ minutes: 1 })).toEqual(['Bye for now.'])
    expect(bot.sessions()).toMatchObject([{ status: 'timed_out', end_reason: 'client_auto_close' }])
    expect(await bot.conversation()).toMatchObject({ state: 'closed', bot_active: false })
    expect(await bot.wait({ hours: 1 })).toEqual([])
  })

  test('says the goodbye of the deadline that comes first', async () => {
    await using bot = await BotWorld.create({ ...SILENCE, client_reminder_minutes: 11 })
    const ask: [string, string, Loose][] = [['ask', 'prompt', { body: 'Your name?' }]]
    const goodbye = { timeout_message: 'Too late.' }
    await bot.flow(ask, { ...goodbye, trigger_keywords: ['short'], timeout_minutes: 5 })
    await bot.flow(ask, { ...goodbye, trigger_keywords: ['long'], timeout_minutes: 60 })
    await bot.say('short')
    expect(await bot.wait({ minutes: 20 })).toEqual(['Too late.'])
    await bot.say('long')
    expect(await bot.wait({ minutes: 11 })).toEqual(['Still there?'])
    expect(await bot.wait({ minutes: 9 })).toEqual(['Bye for now.'])
    expect(bot.sessions().map(({ end_reason }) => end_reason as string | null)).toEqual([
      null,
      'client_auto_close',
    ])
  })

  test('reminds again after another silence, but not of its own silence', async () => {
    await using bot = await BotWorld.create({ ...SILENCE, client_auto_close_minutes: null })
    await bot.flow([
      ['ask', 'prompt', { body: 'Your name?' }],
      ['age', 'prompt', { body: 'Your age?' }],
    ])
    await bot.say('begin')
    expect(await bot.wait({ minutes: 6 })).toEqual(['Still there?'])
    expect(await bot.say('Ada')).toEqual(['Your age?'])
    expect(await bot.wait({ minutes: 6 })).toEqual(['Still there?'])
    expect(await bot.wait({ minutes: 23 })).toEqual([])
    expect(bot.sessions()).toMatchObject([{ status: 'active' }])
    expect(await bot.wait({ minutes: 2 })).toEqual([])
    expect(bot.sessions()).toMatchObject([{ status: 'timed_out', end_reason: null }])
    await bot.rule({ keywords: ['hello'], response: 'Hi.' })
    await bot.say('hello')
    // Nothing answers this one, so the last message is the customer's.
    await bot.say('And now?')
    expect(await bot.wait({ minutes: 20 })).toEqual([])
  })

  test('is interrupted by a rule that may, and waits on', async () => {
    await using bot = await BotWorld.create()
    await bot.rule({ keywords: ['price'], response: '3 euros.', interrupts_flow: true })
    await bot.rule({ keywords: ['open'], response: 'At nine.' })
    await bot.flow([
      ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
      ['bye', 'message', { message: 'Hello {{name}}.' }],
    ])
    await bot.say('begin')
    expect(await bot.say('price?')).toEqual(['3 euros.'])
    expect(await bot.say('open')).toEqual(['Hello open.'])
  })

  test('waits for a delay, survives messages meanwhile, and knows a closed window', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([
      ['one', 'message', { message: 'One.' }],
      ['wait', 'delay', { seconds: 3_600 }],
      ['two', 'message', { message: 'Two.' }],
    ])
    expect(await bot.say('begin')).toEqual(['One.'])
    expect(bot.sessions()).toMatchObject([{ waiting_for: 'timer' }])
    expect(await bot.say('Hello?')).toEqual([])
    expect(await bot.wait({ minutes: 59 })).toEqual([])
    expect(await bot.wait({ minutes: 1 })).toEqual(['Two.'])
    expect(bot.sessions()).toMatchObject([{ status: 'completed' }])
    await bot.flow(
      [
        ['long', 'delay', { seconds: 86_400 }],
        ['late', 'message', { message: 'Late.' }],
      ],
      { trigger_keywords: ['later'] },
    )
    await bot.say('later')
    expect(await bot.wait({ hours: 25 })).toEqual([])
    expect(bot.sessions().at(-1)).toMatchObject({ status: 'failed', end_reason: 'window_closed' })
  })

  test('keeps the conversation while it waits, also when it could not go on at once', async () => {
    await using api = shop(() => Response.json({}))
    await using bot = await BotWorld.create({}, { env: api.env })
    await bot.flow([
      ['look', 'api_call', { url: api.url }],
      ['wait', 'delay', { seconds: 3_600 }],
      ['end', 'end'],
    ])
    await bot.say('begin')
    expect(bot.sessions()).toMatchObject([{ waiting_for: 'timer' }])
    expect(await bot.conversation()).toMatchObject({ state: 'pending', bot_active: true })
  })

  test('calls an API once, with a key, and goes on with its answer', async () => {
    await using api = shop((request) =>
      request.url.includes('missing')
        ? new Response('{}', { status: 404 })
        : Response.json({ order: { items: [{ name: 'Bread' }], total: 7 } }),
    )
    await using bot = await BotWorld.create({}, { env: api.env })
    await bot.flow(
      [
        ['wait', 'message', { message: 'One moment.' }],
        ['ask', 'prompt', { body: 'Order?', store_as: 'order_id' }],
        [
          'call',
          'api_call',
          {
            url: `${api.url}/orders/{{order_id}}`,
            method: 'POST',
            body: '{"q":"{{order_id}}"}',
            headers: { 'x-token': 's3cret' },
            response_mapping: { item: 'order.items[0].name', total: 'order.total' },
            message_template: '{{item}} costs {{total}}.',
          },
        ],
        ['bye', 'end', { message: 'Bye.' }],
        ['sorry', 'end', { message: 'Unknown order.' }],
      ],
      { edges: [['call', 'http:non2xx', 'sorry']] },
    )
    await bot.say('begin')
    expect(await bot.say('A "1"')).toEqual(['Bread costs 7.\n\nBye.'])
    expect(api.seen).toMatchObject([
      { method: 'POST', path: '/orders/A%20%221%22', body: '{"q":"A \\"1\\""}' },
    ])
    expect(api.seen[0]?.key).toMatch(/^[0-9a-f-]{36}-\d+$/)
    expect(variablesOf(bot)).toEqual({ order_id: 'A "1"', item: 'Bread', total: 7 })
    expect(JSON.stringify(bot.world.rows('select * from bot_trace'))).not.toContain('s3cret')
    await bot.say('begin')
    expect(await bot.say('missing')).toEqual(['Unknown order.'])
  })

  test('goes on at once after a call, also while the customer writes more', async () => {
    await using api = shop(() => Response.json({ left: 7 }))
    await using bot = await BotWorld.create({ debounce_seconds: 5 }, { env: api.env })
    await bot.flow([
      ['ask', 'buttons', { body: 'Which?', buttons: [{ id: 'a', title: 'A' }], store_as: 'which' }],
      [
        'get',
        'api_call',
        { url: `${api.url}/stock`, method: 'GET', response_mapping: { left: 'left' } },
      ],
      ['more', 'prompt', { body: '{{left}} left. How many?', store_as: 'count' }],
      ['end', 'end', { message: '{{count}} it is.' }],
    ])
    await bot.say('begin')
    expect(await bot.wait({ seconds: 5 })).toEqual(['Which? [A]'])
    const answers = await bot.during(async () => {
      await bot.customer.taps('a', 'A')
      await bot.customer.says('Five')
    })
    expect(answers).toEqual(['7 left. How many?'])
    expect(await bot.wait({ seconds: 4 })).toEqual([])
    expect(await bot.wait({ seconds: 1 })).toEqual(['Five it is.'])
  })

  test('sends no body with GET, whatever the node has left of another method', async () => {
    await using api = shop(() => Response.json({ total: 7 }))
    await using bot = await BotWorld.create({}, { env: api.env })
    const node = { url: `${api.url}/total`, body: '{"q":1}', message_template: 'Done.' }
    await bot.flow([
      ['get', 'api_call', { ...node, method: 'GET' }],
      ['post', 'api_call', { ...node, method: 'POST' }],
    ])
    expect(await bot.say('begin')).toEqual(['Done.', 'Done.'])
    expect(api.seen.map(({ method, length, body }) => [method, length, body])).toEqual([
      ['GET', null, ''],
      ['POST', '7', '{"q":1}'],
    ])
  })

  test('forgets the values of an earlier response if the next one is no JSON', async () => {
    await using api = shop(() => new Response(api.seen.length > 1 ? 'ok' : '{"total": 7}'))
    await using bot = await BotWorld.create({}, { env: api.env })
    const config = { url: api.url, response_mapping: { total: 'total' } }
    await bot.flow([
      ['first', 'api_call', { ...config, message_template: 'Now {{total}}.' }],
      ['second', 'api_call', { ...config, message_template: 'Then {{total}}.' }],
    ])
    expect(await bot.say('begin')).toEqual(['Now 7.', 'Then .'])
  })

  test('has the named groups of the pattern that began it', async () => {
    await using bot = await BotWorld.create()
    const order = await bot.flow([['tell', 'end', { message: 'Order {{ order }}.' }]], {
      trigger_keywords: ['order (?P<order>[0-9]+)'],
      trigger_match_type: 'regex',
    })
    expect(await bot.say('my order 123 please')).toEqual(['Order 123.'])
    await bot.rule({
      keywords: ['number (?P<order>[0-9]+)'],
      match_type: 'regex',
      response_type: 'flow',
      response_content: { flow_id: order },
    })
    expect(await bot.say('number 45')).toEqual(['Order 45.'])
  })

  test('keeps messages that arrive during a call for the next turn', async () => {
    const gate = Promise.withResolvers<void>()
    await using api = shop(async () => {
      await gate.promise
      return Response.json({})
    })
    await using bot = await BotWorld.create({}, { env: api.env })
    await bot.flow([
      ['call', 'api_call', { url: api.url }],
      ['ask', 'prompt', { body: 'Your name?', store_as: 'name' }],
      ['hi', 'message', { message: 'Hello {{name}}.' }],
    ])
    await bot.customer.says('begin')
    const settled = bot.world.settle()
    await bot.world.eventually(() => api.seen.length === 1)
    await bot.customer.says('Ana')
    gate.resolve()
    await settled
    await bot.world.settle()
    expect(bot.texts()).toEqual(['Your name?', 'Hello Ana.'])
  })

  test('that is canceled during a call gives way to the messages that arrived meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    await using api = shop(async () => {
      await gate.promise
      return Response.json({})
    })
    await using bot = await BotWorld.create({}, { env: api.env })
    await bot.rule({ keywords: ['prices'], response: 'Our prices.' })
    await bot.flow([
      ['call', 'api_call', { url: api.url }],
      ['bye', 'end', { message: 'Found.' }],
    ])
    await bot.customer.says('begin')
    const settled = bot.world.settle()
    await bot.world.eventually(() => api.seen.length === 1)
    await bot.customer.says('prices')
    const meanwhile = bot.world.settle()
    await bot.hasHeard(2)
    const { data } = await bot.admin.get('/api/chatbot/sessions?status=active')
    const id = String((data['items'] as Loose[])[0]?.['id'])
    expect((await bot.admin.post(`/api/chatbot/sessions/${id}/cancel`)).status).toBe(200)
    gate.resolve()
    await Promise.all([settled, meanwhile])
    await bot.world.settle()
    expect(bot.texts()).toEqual(['Our prices.'])
  })

  test('sends a webhook, changes the contact, its tags and its assignment', async () => {
    await using api = shop(() => new Response('ok'))
    await using bot = await BotWorld.create({}, { env: api.env })
    const { admin, world } = bot
    const { data: tag } = await admin.post('/api/tags', { name: 'vip' })
    await admin.post('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'text' })
    await bot.flow(
      [
        ['set', 'set_variable', { set: { plan: 'gold', n: 2 } }],
        ['hook', 'webhook', { url: `${api.url}/hook`, body: '{"plan":"{{plan}}"}' }],
        [
          'update',
          'update_contact',
          {
            name: 'Ana {{n}}',
            language: 'de',
            attributes: { plan: '{{plan}}' },
            marketing_consent: 'opted_in',
          },
        ],
        ['tag', 'tag', { add: [tag['id']], remove: [] }],
        ['assign', 'assign', { user_id: world.tenant.userIds.agent }],
        ['done', 'message', { message: '{{contact.language}}' }],
      ],
      {
        on_complete_action: 'webhook',
        completion_config: { url: `${api.url}/done`, method: 'POST', body: '{"n":{{n}}}' },
      },
    )
    await bot.say('begin')
    expect(api.seen.map(({ path, body }) => [path, body])).toEqual([
      ['/hook', '{"plan":"gold"}'],
      ['/done', '{"n":2}'],
    ])
    const conversation = await bot.conversation()
    expect(conversation['assigned_to']).toBe(world.tenant.userIds.agent)
    const notices = (): Loose[] =>
      world.rows("select user_id, body, link from notifications where kind = 'assigned'")
    expect(notices()).toMatchObject([
      { body: 'A customer waits for your answer.', link: `/inbox/${String(conversation['id'])}` },
    ])
    const { data } = await admin.get(`/api/contacts/${(conversation['contact'] as Loose)['id']}`)
    expect(data).toMatchObject({
      name: 'Ana 2',
      language: 'de',
      attributes: { plan: 'gold' },
      marketing_consent: 'opted_in',
      tags: [{ name: 'vip' }],
    })
    expect(
      bot.world.rows(
        "select distinct action, user_name from audit_logs where resource_type = 'contact'",
      ),
    ).toContainEqual({ action: 'updated', user_name: 'chatbot' })
    // Who has it already is not told again.
    await bot.say('begin')
    expect(notices()).toHaveLength(1)
  })

  test('transfers, and jumps to another flow with its variables', async () => {
    await using bot = await BotWorld.create()
    const second = await bot.flow(
      [['t', 'transfer', { body: 'A colleague answers, {{name}}.', notes: 'About {{name}}' }]],
      { trigger_keywords: ['second'] },
    )
    await bot.flow([
      ['set', 'set_variable', { set: { name: 'Ana' } }],
      ['go', 'goto_flow', { flow_id: second }],
    ])
    expect(await bot.say('begin')).toEqual(['A colleague answers, Ana.'])
    expect(bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'flow' }])
    const { data } = await bot.admin.get('/api/chatbot/transfers')
    expect(data['transfers']).toMatchObject([{ source: 'flow', notes: 'About Ana' }])
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
  })

  test('that goes round for ever ends with the fallback, once', async () => {
    await using bot = await BotWorld.create({
      fallback_message: 'Sorry!',
      fallback_transfer_after: null,
    })
    const other = await bot.flow([['a', 'set_variable', { set: { n: 1 } }]], {
      trigger_keywords: ['other'],
    })
    const first = await bot.flow([['go', 'goto_flow', { flow_id: other }]])
    const { status } = await bot.admin.put(`/api/chatbot/flows/${other}`, {
      graph: {
        version: 2,
        entry_node: 'go',
        nodes: [{ id: 'go', type: 'goto_flow', config: { flow_id: first } }],
        edges: [],
      },
    })
    expect(status).toBe(200)
    expect(await bot.say('begin')).toEqual(['Sorry!'])
    expect(bot.sessions()).toMatchObject([{ status: 'failed', end_reason: 'loop_guard' }])
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
  })

  test('tells its steps by the names that people gave them, of each flow it went through', async () => {
    await using bot = await BotWorld.create()
    const other = await bot.flow([['ask', 'prompt', { body: 'Which size?', store_as: 'size' }]], {
      trigger_keywords: ['other'],
    })
    const first = await bot.flow([['go', 'goto_flow', { flow_id: other }]])
    const rename = async (flow: string, label: string) => {
      const path = `/api/chatbot/flows/${flow}`
      const graph = (await bot.admin.get(path)).data['graph'] as Loose
      const nodes = (graph['nodes'] as Loose[]).map((node) => ({ ...node, label }))
      expect((await bot.admin.put(path, { graph: { ...graph, nodes } })).status).toBe(200)
    }
    await rename(other, 'Size of the cake')
    await rename(first, 'To the cakes')
    expect(await bot.say('begin')).toEqual(['Which size?'])
    const [found = {}] = (await bot.admin.get('/api/chatbot/sessions')).data['items'] as Loose[]
    // what began is told by the names of then
    await rename(other, 'Size')
    const { trace } = (await bot.admin.get(`/api/chatbot/sessions/${found['id']}`)).data
    expect(
      (trace as Loose[]).flatMap(({ node_id: id, node_label }) =>
        id === null ? [] : [node_label],
      ),
    ).toEqual(['To the cakes', 'Size of the cake'])
  })

  test('fails when its message is refused, unless an edge handles it', async () => {
    await using bot = await BotWorld.create()
    const template = await approvedTemplate(bot.world, { name: 'news' })
    await bot.flow([
      ['news', 'template', { template_id: template, params: { '1': 'Dear {{contact_name}}' } }],
    ])
    expect(await bot.say('begin')).toEqual(['<template>'])
    await bot.flow(
      [
        ['empty', 'message', { message: '{{nothing}}' }],
        ['after', 'end', { message: 'Skipped.' }],
      ],
      { trigger_keywords: ['empty'], edges: [['empty', 'error', 'after']] },
    )
    expect(await bot.say('empty')).toEqual(['Skipped.'])
    await bot.flow([['blank', 'message', { message: '{{nothing}}' }]], {
      trigger_keywords: ['blank'],
    })
    expect(await bot.say('blank')).toEqual([
      'Sorry, something went wrong. Our team will look at your message.',
    ])
    expect(bot.sessions().at(-1)).toMatchObject({ status: 'failed', end_reason: 'empty_text' })
  })

  test('is started by an integration, also outside the window if a template comes first', async () => {
    await using bot = await BotWorld.create()
    await bot.say('Hello')
    const { id } = (await bot.conversation())['contact'] as Loose
    const flow = await bot.flow(
      [['ask', 'prompt', { body: 'Hello {{who}}?', store_as: 'answer' }]],
      { trigger_keywords: ['x'] },
    )
    const path = `/api/chatbot/flows/${flow}/start`
    const body = { contact_id: id, variables: { who: 'Ana' } }
    expect((await bot.admin.post(path, body)).body.code).toBe('session_active')
    const started = await bot.admin.post(path, { ...body, replace: true })
    expect([started.status, started.data['status']]).toEqual([201, 'active'])
    expect(await bot.wait({})).toEqual(['Hello Ana?'])
    await bot.say('yes')
    expect(variablesOf(bot)).toEqual({ who: 'Ana', answer: 'yes' })
    await bot.wait({ hours: 25 })
    expect((await bot.admin.post(path, body)).body.code).toBe('window_closed')
    const template = await approvedTemplate(bot.world, { name: 'news' })
    const news = await bot.flow(
      [['t', 'template', { template_id: template, params: { '1': 'Ana' } }]],
      { trigger_keywords: ['y'] },
    )
    expect(
      (await bot.admin.post(`/api/chatbot/flows/${news}/start`, { contact_id: id })).status,
    ).toBe(201)
    expect(await bot.wait({})).toEqual(['<template>'])
    // A list has no large variables.
    const large = { who: 'é'.repeat(2_050) }
    const { data } = await bot.admin.post(`/api/chatbot/flows/${news}/start`, {
      contact_id: id,
      variables: large,
    })
    const { data: list } = await bot.admin.get('/api/chatbot/sessions')
    expect((list['items'] as Loose[]).map(({ variables }) => variables)).toEqual([
      undefined,
      {},
      { who: 'Ana', answer: 'yes' },
      {},
    ])
    const { data: whole } = await bot.admin.get(`/api/chatbot/sessions/${String(data['id'])}`)
    expect(whole['variables']).toEqual(large)
    // Both say who and what it is about.
    const names = { contact: { id, display_name: 'Ana Sol' }, flow: { id: news } }
    const step = { id: 't', type: 'template', label: null }
    expect([(list['items'] as Loose[])[0], whole]).toMatchObject([
      { ...names, step },
      { ...names, step },
    ])
  })
})
