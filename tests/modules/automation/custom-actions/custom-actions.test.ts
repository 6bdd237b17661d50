import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { dump } from '../../../support/dump'
import type { Client, Loose } from '../../../support/client'
import { SEES_OWN } from '../../../support/inbox'
import { keyOf } from '../../../support/keys'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

interface Heard {
  method: string
  path: string
  headers: Record<string, string>
  text: string
}

let world: World
let contact: Loose
let heard: Heard[] = []
/** The server that webhooks call. */
let receiver: Bun.Server<undefined>
let answer: () => Response | Promise<Response>

beforeAll(async () => {
  receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      heard.push({
        method: request.method,
        path: `${pathname}${search}`,
        headers: Object.fromEntries(request.headers),
        text: await request.text(),
      })
      return await answer()
    },
  })
  world = await World.create({
    env: { EGRESS_ALLOW: `127.0.0.1:${receiver.port}`, RATE_STANDARD: '0' },
  })
  contact = await world.contactOf()
  const admin = await world.as('admin')
  await admin.post('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'text' })
  const { data } = await admin.put(`/api/contacts/${contact['id']}`, {
    name: 'Ana "the first" Müller & Co',
    attributes: { plan: 'a/b c' },
    metadata: { note: 'one\ntwo' },
  })
  contact = data
})

afterAll(async () => {
  await world.stop()
  await receiver.stop(true)
})

beforeEach(() => {
  heard = []
  answer = () => Response.json({ ticket: 7 })
  world.clock.advance({ minutes: 1 }) // the rate limit starts anew
})

const at = (path = ''): string => `http://127.0.0.1:${receiver.port}${path}`

async function created(config: Loose, more: Loose = {}): Promise<Loose> {
  const { data } = await (
    await world.as('manager')
  ).post('/api/custom-actions', {
    name: 'Create a ticket',
    action_type: 'webhook',
    config,
    ...more,
  })
  return data
}

const run = async (action: Loose, client?: Client) =>
  await (client ?? (await world.as('manager'))).post(
    `/api/custom-actions/${action['id']}/execute`,
    { contact_id: contact['id'] },
  )

describe('a custom action', () => {
  test('is created with its defaults, and headers are write-only', async () => {
    const action = await created({ url: at('/x'), headers: { 'X-Key': 'secret-4711' } })
    expect(action).toEqual({
      id: expect.any(String),
      name: 'Create a ticket',
      icon: null,
      action_type: 'webhook',
      config: { url: at('/x'), method: 'POST', headers: { 'X-Key': '***' }, body: null },
      is_active: true,
      display_order: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { data } = await (await world.as('manager')).get(`/api/custom-actions/${action['id']}`)
    expect(data).toEqual(action)
    expect(JSON.stringify(dump(world.program.http.db.sqlite))).not.toContain('secret-4711')
  })

  test('keeps fields that are not sent, and header values sent as ***', async () => {
    const manager = await world.as('manager')
    const action = await created({ url: at('/x'), headers: { 'X-Key': 'one', 'X-Old': 'two' } })
    const path = `/api/custom-actions/${action['id']}`
    expect((await manager.put(path, { is_active: true, icon: 'bolt' })).data).toMatchObject({
      icon: 'bolt',
      config: action['config'],
    })
    await manager.put(path, {
      config: { url: at('/y'), headers: { 'X-Key': '***', 'X-New': '3' } },
    })
    await run(action)
    expect(heard[0]).toMatchObject({ path: '/y', headers: { 'x-key': 'one', 'x-new': '3' } })
    expect(heard[0]?.headers).not.toHaveProperty('x-old')
    await manager.put(path, { config: { url: at('/z') } })
    await run(action)
    expect(heard[1]).toMatchObject({ path: '/z', headers: { 'x-key': 'one' } })
  })

  test('sends stored header values to no other host', async () => {
    const manager = await world.as('manager')
    const action = await created({ url: at('/x'), headers: { 'X-Key': 'one' } })
    const path = `/api/custom-actions/${action['id']}`
    const away = 'https://elsewhere.example/x'
    const message = 'must be sent again, because `url` leads to another host'
    for (const [config, at] of [
      [{ url: away, headers: { 'X-Key': '***' } }, 'body.config.headers.X-Key'],
      [{ url: away }, 'body.config.headers'],
      [{ url: 'http:///elsewhere.example' }, 'body.config.headers'],
    ] as const) {
      const { status, body } = await manager.put(path, { config })
      expect([status, body.errors?.at(-1)]).toEqual([400, { path: at, message }])
    }
    for (const headers of [{ 'X-Key': 'another' }, {}])
      expect((await manager.put(path, { config: { url: away, headers } })).status).toBe(200)
  })

  test('may change its type with a new configuration', async () => {
    const manager = await world.as('manager')
    const action = await created({ url: at('/x'), headers: { 'X-Key': 'one' } })
    const path = `/api/custom-actions/${action['id']}`
    const missing = await manager.put(path, { action_type: 'url' })
    expect([missing.status, missing.body.errors?.[0]?.path]).toEqual([400, 'body.config'])
    const { data } = await manager.put(path, {
      action_type: 'url',
      config: { url: 'https://example.com/', open_in_new_tab: false },
    })
    expect(data['config']).toEqual({ url: 'https://example.com/', open_in_new_tab: false })
    const back = await manager.put(path, { action_type: 'webhook', config: { url: at('/x') } })
    expect((back.data['config'] as Loose)['headers']).toEqual({})
  })

  const url = { url: 'https://example.com' }
  test.each<[what: string, body: Loose, path: string, code: string]>([
    [
      'of the type javascript',
      { action_type: 'javascript', config: url },
      'body.action_type',
      'unsupported_action_type',
    ],
    [
      'of an unknown type',
      { action_type: 'email', config: url },
      'body.action_type',
      'invalid_input',
    ],
    ['without a URL', { action_type: 'url', config: {} }, 'body.config.url', 'invalid_input'],
    [
      'with another scheme',
      { action_type: 'url', config: { url: 'javascript:alert(1)' } },
      'body.config.url',
      'invalid_input',
    ],
    [
      'with a variable as host',
      { action_type: 'url', config: { url: 'https://{{contact.name}}/' } },
      'body.config.url',
      'invalid_input',
    ],
    [
      'with a variable in the host',
      { action_type: 'url', config: { url: 'https://a.{{contact.name}}.com/' } },
      'body.config.url',
      'invalid_input',
    ],
    [
      'with a segment of dots',
      { action_type: 'url', config: { url: 'https://example.com/{{contact.id}}/%2E./all' } },
      'body.config.url',
      'invalid_input',
    ],
    [
      'with an unknown variable',
      { action_type: 'url', config: { url: 'https://example.com/{{secrets.key}}' } },
      'body.config.url',
      'invalid_input',
    ],
    [
      'with an open brace',
      { action_type: 'url', config: { url: 'https://example.com/?a={{contact.name' } },
      'body.config.url',
      'invalid_input',
    ],
    [
      'with headers of a URL',
      { action_type: 'url', config: { ...url, headers: {} } },
      'body.config.headers',
      'invalid_input',
    ],
    [
      'with a tab of a webhook',
      { action_type: 'webhook', config: { ...url, open_in_new_tab: true } },
      'body.config.open_in_new_tab',
      'invalid_input',
    ],
    [
      'with an unknown method',
      { action_type: 'webhook', config: { ...url, method: 'TRACE' } },
      'body.config.method',
      'invalid_input',
    ],
    [
      'with a reserved header',
      { action_type: 'webhook', config: { ...url, headers: { Host: 'a' } } },
      'body.config.headers.Host',
      'invalid_input',
    ],
    [
      'with a header over two lines',
      { action_type: 'webhook', config: { ...url, headers: { 'X-A': 'a\nb' } } },
      'body.config.headers.X-A',
      'invalid_input',
    ],
    [
      'with a body that is no JSON',
      { action_type: 'webhook', config: { ...url, body: '{"a": {{contact.name}}}' } },
      'body.config.body',
      'invalid_input',
    ],
    [
      'with the body of a GET',
      { action_type: 'webhook', config: { ...url, method: 'GET', body: '{}' } },
      'body.config.body',
      'invalid_input',
    ],
    [
      'to a private address',
      { action_type: 'webhook', config: { url: 'https://10.0.0.1/' } },
      'body.config.url',
      'url_refused',
    ],
    [
      'to plain HTTP',
      { action_type: 'webhook', config: { url: 'http://example.com/' } },
      'body.config.url',
      'url_refused',
    ],
    [
      'at a negative position',
      { action_type: 'url', config: url, display_order: -1 },
      'body.display_order',
      'invalid_input',
    ],
  ])('%s is refused', async (_, body, path, code) => {
    const refused = await (
      await world.as('manager')
    ).post('/api/custom-actions', { name: 'Bad', ...body })
    expect([refused.status, refused.body.code, refused.body.errors?.[0]?.path]).toEqual([
      400,
      code,
      path,
    ])
  })

  test('is listed by position, searched and filtered, and deleted', async () => {
    const manager = await world.as('manager')
    await created({ url: 'https://example.com' }, { name: 'Zebra', display_order: 5 })
    const off = await created(
      { url: 'https://example.com' },
      { name: 'Zebra too', display_order: 4, is_active: false },
    )
    const namesOf = async (query: string): Promise<unknown[]> =>
      (
        (await manager.get(`/api/custom-actions?search=zebra${query}`)).data[
          'custom_actions'
        ] as Loose[]
      ).map(({ name }) => name as unknown)
    expect(await namesOf('')).toEqual(['Zebra too', 'Zebra'])
    expect(await namesOf('&active_only=true')).toEqual(['Zebra'])
    expect((await manager.delete(`/api/custom-actions/${off['id']}`)).status).toBe(200)
    expect((await manager.get(`/api/custom-actions/${off['id']}`)).status).toBe(404)
    expect(await namesOf('')).toEqual(['Zebra'])
  })

  test('leaves entries in the audit log without the values of headers', async () => {
    const manager = await world.as('manager')
    const action = await created({ url: at('/x'), headers: { 'X-Key': 'secret-1' } })
    await manager.put(`/api/custom-actions/${action['id']}`, {
      config: { url: at('/y'), headers: { 'X-Key': 'secret-2' } },
    })
    await run(action)
    const { data } = await (
      await world.as('admin')
    ).get(`/api/audit-logs?resource_type=custom_action&limit=3`)
    const [executed, updated, made] = data['items'] as Loose[]
    expect([executed?.['action'], executed?.['changes']]).toEqual([
      'executed',
      [{ field: 'contact_id', old_value: null, new_value: contact['id'] }],
    ])
    expect(updated?.['changes']).toEqual([
      { field: 'url', old_value: at('/x'), new_value: at('/y') },
      { field: 'headers', old_value: '***', new_value: '***' },
    ])
    expect(made?.['action']).toBe('created')
    expect(JSON.stringify(data)).not.toContain('secret-')
  })

  test('an organization has at most 200', async () => {
    await using own = await World.create({ isConnected: false, env: { RATE_STANDARD: '0' } })
    const admin = await own.as('admin')
    const body = { name: 'One', action_type: 'url', config: { url: 'https://example.com' } }
    for (let number = 0; number < 200; number += 1)
      expect((await admin.post('/api/custom-actions', body)).status).toBe(201)
    const refused = await admin.post('/api/custom-actions', body)
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
  })
})

describe('a webhook action', () => {
  test('sends contact, user and organization, and returns the answer', async () => {
    const { status, data } = await run(await created({ url: at('/tickets') }))
    expect([status, data]).toEqual([
      200,
      {
        success: true,
        message: 'Create a ticket is done.',
        redirect_url: null,
        data: { status: 200, body: { ticket: 7 } },
        toast: { message: 'Create a ticket is done.', type: 'success' },
      },
    ])
    const [request] = heard
    expect(request).toMatchObject({
      method: 'POST',
      path: '/tickets',
      headers: { 'content-type': 'application/json' },
    })
    expect(JSON.parse(request?.text ?? '')).toMatchObject({
      action: { name: 'Create a ticket' },
      contact: { id: contact['id'], name: contact['name'], attributes: { plan: 'a/b c' } },
      user: { id: world.tenant.userIds.manager, email: world.emailOf('manager', world.tenant) },
      organization: { id: world.tenant.id },
    })
  })

  test('escapes variables for their place', async () => {
    const action = await created({
      url: at('/c/{{contact.attributes.plan}}?name={{ contact.name }}&none={{contact.nothing}}'),
      method: 'PUT',
      headers: { 'X-Name': '{{contact.name}}, {{contact.metadata.note}}' },
      body: '{"who": "Dear {{contact.name}}", "note": "{{contact.metadata.note}}", "count": 1, "tags": "{{contact.tags}}"}',
    })
    await run(action)
    const [request] = heard
    const name = String(contact['name'])
    expect(request?.method).toBe('PUT')
    expect(request?.path).toBe(`/c/a%2Fb%20c?name=${encodeURIComponent(name)}&none=`)
    expect(request?.headers['x-name']).toBe('Ana "the first" M%C3%BCller & Co, one%0Atwo')
    expect(JSON.parse(request?.text ?? '')).toEqual({
      who: `Dear ${name}`,
      note: 'one\ntwo',
      count: 1,
      tags: '[]',
    })
  })

  test('escapes variables in forms and keeps plain text', async () => {
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', `name=${encodeURIComponent(String(contact['name']))}`],
      ['text/plain', `name=${contact['name']}`],
    ] as const)
      await run(
        await created({
          url: at('/form'),
          headers: { 'Content-Type': type },
          body: 'name={{contact.name}}',
        }),
      ).then(() =>
        expect(heard.at(-1)).toMatchObject({ headers: { 'content-type': type }, text: body }),
      )
  })

  test('escapes variables in XML', async () => {
    await run(
      await created({
        url: at('/xml'),
        headers: { 'Content-Type': 'application/soap+xml; charset=utf-8' },
        body: '<who name="{{contact.name}}"/>',
      }),
    )
    expect(heard.at(-1)?.text).toBe('<who name="Ana &#34;the first&#34; Müller &#38; Co"/>')
  })

  test('leads to no other address, whatever a contact is called', async () => {
    const manager = await world.as('manager')
    const path = `/api/contacts/${contact['id']}`
    await manager.put(path, { attributes: { plan: '..' } })
    const failed = {
      success: false,
      redirect_url: null,
      message: expect.stringContaining('cannot be part of the address'),
    }
    const url = at('/plans/{{contact.attributes.plan}}/cancel')
    const calls = await run(await created({ url }))
    expect(calls.data).toMatchObject(failed)
    const opens = await run(await created({ url }, { action_type: 'url' }))
    expect(opens.data).toMatchObject(failed)
    expect(heard).toEqual([])
    await manager.put(path, { attributes: { plan: 'a/b c' } })
  })

  test('sends masked numbers for a caller who sees no others', async () => {
    const admin = await world.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const person = await personWith(world, [
      'contacts:read',
      'contacts:read_all',
      'custom_actions:read',
    ])
    await run(await created({ url: at('/x?{{contact.phone_number}}') }), person.client)
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    const number = String(contact['phone_number'])
    expect(JSON.stringify(heard)).not.toContain(number.slice(0, -4))
    expect(JSON.stringify(heard)).toContain(number.slice(-4))
  })

  test.each<[what: string, answer: () => Response, data: unknown, message: string]>([
    [
      'an error',
      () => new Response('no', { status: 503 }),
      { status: 503, body: 'no' },
      'answered with status 503',
    ],
    [
      'an endless redirect',
      () => new Response(null, { status: 302, headers: { location: '/again' } }),
      null,
      'redirect',
    ],
  ])('that gets %s is 200 without success', async (_, given, data, message) => {
    answer = given
    const method = data === null ? 'GET' : 'POST'
    const done = await run(await created({ url: at('/x'), method }))
    expect([done.status, done.data['success'], done.data['data']]).toEqual([200, false, data])
    expect(done.data['message']).toContain(message)
    expect(done.data['toast']).toEqual({ message: done.data['message'], type: 'error' })
  })

  test('to a server that cannot be reached is 200 without success', async () => {
    const gone = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    await using own = await World.create({ env: { EGRESS_ALLOW: `127.0.0.1:${gone.port}` } })
    const manager = await own.as('manager')
    const { data } = await manager.post('/api/custom-actions', {
      name: 'Gone',
      action_type: 'webhook',
      config: { url: `http://127.0.0.1:${gone.port}/` },
    })
    await gone.stop(true)
    const done = await manager.post(`/api/custom-actions/${data['id']}/execute`, {
      contact_id: (await own.contactOf())['id'],
    })
    expect([done.status, done.data['success'], done.data['data']]).toEqual([200, false, null])
  })

  test('reads at most 64 KiB of an answer', async () => {
    answer = () => new Response('x'.repeat(1_000_000))
    const done = await run(await created({ url: at('/x') }))
    expect(done.data).toMatchObject({ success: true, data: { status: 200 } })
    expect(((done.data['data'] as Loose)['body'] as string).length).toBe(64 * 1_024)
  })

  test('needs an active action and a contact in sight', async () => {
    const off = await created({ url: at('/x') }, { is_active: false })
    const refused = await run(off)
    expect([refused.status, refused.body.code]).toEqual([400, 'action_inactive'])
    const action = await created({ url: at('/x') })
    const stranger = await personWith(world, [...SEES_OWN, 'custom_actions:read'])
    expect((await run(action, stranger.client)).status).toBe(404)
    const unknown = await (
      await world.as('manager')
    ).post(`/api/custom-actions/${action['id']}/execute`, { contact_id: NOBODY })
    expect(unknown.status).toBe(404)
    expect(heard).toEqual([])
  })

  test('runs 10 times a minute for one user, together with the own API keys', async () => {
    const action = await created({ url: at('/x') })
    const agent = await personWith(world, [
      'contacts:read',
      'contacts:read_all',
      'custom_actions:read',
    ])
    for (let count = 0; count < 10; count += 1)
      expect((await run(action, agent.client)).status).toBe(200)
    const refused = await run(action, agent.client)
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await run(action)).status).toBe(200)
    world.clock.advance({ minutes: 1 })
    expect((await run(action, agent.client)).status).toBe(200)
    expect(heard.length).toBe(12)
  })
})

describe('a URL action', () => {
  const opened = async (url: unknown): Promise<[number, string | null]> => {
    const response = await world.anyone.get(new URL(String(url)).pathname)
    return [response.status, response.headers.get('location')]
  }
  const shop = { url: 'https://shop.example.com/?q={{contact.name}}&by={{user.email}}' }
  const asUrl = { name: 'Open the shop', action_type: 'url' }

  test('redirects once to the address with the values of the contact', async () => {
    const { data } = await run(await created(shop, asUrl))
    expect(data).toMatchObject({
      success: true,
      data: { open_in_new_tab: true },
      toast: { type: 'info' },
    })
    const url = data['redirect_url']
    expect(String(url)).toStartWith(`${world.program.http.settings.baseUrl}/api/custom-actions/`)
    const token = String(url).split('/').at(-1) ?? ''
    expect(JSON.stringify(dump(world.program.http.db.sqlite))).not.toContain(token)
    await run(await created(shop, asUrl)) // leaves the first link as it is
    const email = encodeURIComponent(world.emailOf('manager', world.tenant))
    expect(await opened(url)).toEqual([
      302,
      `https://shop.example.com/?q=${encodeURIComponent(String(contact['name']))}&by=${email}`,
    ])
    expect(await opened(url)).toEqual([404, null])
    expect(heard).toEqual([])
  })

  test('does not redirect after 60 seconds, nor with an unknown token', async () => {
    const { data } = await run(await created({ ...shop, open_in_new_tab: false }, asUrl))
    expect(data['data']).toEqual({ open_in_new_tab: false })
    world.clock.advance({ seconds: 60 })
    expect(await opened(data['redirect_url'])).toEqual([404, null])
    expect((await world.anyone.get('/api/custom-actions/redirect/unknown')).status).toBe(404)
  })

  test('does not redirect once the action or the contact is deleted', async () => {
    const manager = await world.as('manager')
    const action = await created(shop, asUrl)
    const first = await run(action)
    await manager.delete(`/api/custom-actions/${action['id']}`)
    expect(await opened(first.data['redirect_url'])).toEqual([404, null])
    const other = await created(shop, asUrl)
    const guest = await manager.post('/api/contacts', { phone_number: '+1 555 010 8765' })
    const { data } = await manager.post(`/api/custom-actions/${other['id']}/execute`, {
      contact_id: guest.data['id'],
    })
    await manager.delete(`/api/contacts/${guest.data['id']}`)
    expect(await opened(data['redirect_url'])).toEqual([404, null])
  })

  test('keeps numbers masked for a caller who sees no others', async () => {
    const admin = await world.as('admin')
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const key = await keyOf(world, {
      permissions: ['contacts:read', 'contacts:read_all', 'custom_actions:read'],
    })
    const action = await created({ url: 'https://example.com/?{{contact.phone_number}}' }, asUrl)
    const { data } = await run(action, key.client)
    const [status, location] = await opened(data['redirect_url'])
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
    const number = String(contact['phone_number'])
    expect(status).toBe(302)
    expect(location).toContain(number.slice(-4))
    expect(location).not.toContain(number.slice(0, -4))
  })
})

describe('a test of a custom action', () => {
  const tried = async (action: Loose, body: Loose = {}, client?: Client) =>
    await (client ?? (await world.as('manager'))).post(`/api/custom-actions/${action['id']}/test`, {
      contact_id: contact['id'],
      ...body,
    })

  test('sends what is not saved yet, and shows the request without secrets, and the response', async () => {
    const action = await created(
      { url: at('/x'), headers: { 'X-Key': 'secret-4711' } },
      { is_active: false },
    )
    const config = {
      url: at('/tickets?plan={{contact.attributes.plan}}'),
      method: 'PUT',
      body: '{"who":"{{contact.name}}"}',
    }
    answer = () => Response.json({ ticket: 7 }, { status: 422 })
    const { data } = await tried(action, { config })
    const body = JSON.stringify({ who: 'Ana "the first" Müller & Co' })
    expect(data).toEqual({
      request: {
        method: 'PUT',
        url: at('/tickets?plan=a%2Fb%20c'),
        headers: { 'content-type': 'application/json', 'x-key': '***' },
        body,
      },
      response: { status: 422, body: { ticket: 7 } },
      failure: null,
      duration_ms: expect.any(Number),
    })
    expect(heard).toMatchObject([
      {
        method: 'PUT',
        path: '/tickets?plan=a%2Fb%20c',
        text: body,
        headers: { 'x-key': 'secret-4711' },
      },
    ])
    const manager = await world.as('manager')
    const { data: stored } = await manager.get(`/api/custom-actions/${action['id']}`)
    expect(stored).toEqual(action)
    const log = await (await world.as('admin')).get('/api/audit-logs?action=tested&limit=1')
    expect((log.data['items'] as Loose[])[0]).toMatchObject({ resource_id: action['id'] })
  })

  test('says why there is no response, and opens no address', async () => {
    const action = await created({ url: at('/x'), method: 'GET' })
    answer = () => Response.redirect(at('/again'))
    const { data } = await tried(action)
    expect(data).toMatchObject({ response: null, failure: 'The server redirected too often.' })
    const opened = await tried(action, {
      action_type: 'url',
      config: { url: 'https://shop.example.com/?q={{contact.name}}' },
    })
    expect(opened.data).toEqual({
      request: {
        method: 'GET',
        url: 'https://shop.example.com/?q=Ana%20%22the%20first%22%20M%C3%BCller%20%26%20Co',
        headers: {},
        body: null,
      },
      response: null,
      failure: null,
      duration_ms: 0,
    })
  })

  test('goes to no other host with stored values, and nowhere inside', async () => {
    const action = await created({ url: at('/x'), headers: { 'X-Key': 'one' } })
    const away = await tried(action, { config: { url: 'https://elsewhere.example/x' } })
    expect([away.status, away.body.errors?.[0]?.path]).toEqual([400, 'body.config.headers'])
    const inside = await tried(action, { config: { url: 'https://169.254.1.1/', headers: {} } })
    expect([inside.status, inside.body.code]).toEqual([400, 'url_refused'])
    expect(heard).toEqual([])
  })

  test('needs the right to change actions and to see the contact, and counts as a run', async () => {
    const action = await created({ url: at('/x') })
    expect((await tried(action, {}, await world.as('agent'))).status).toBe(403)
    expect((await tried(action, { contact_id: NOBODY })).status).toBe(404)
    for (let run = 0; run < 10; run += 1) expect((await tried(action)).status).toBe(200)
    expect((await tried(action)).status).toBe(429)
    expect(heard).toHaveLength(10)
  })
})
