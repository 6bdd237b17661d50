import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac, generateKeyPairSync } from 'node:crypto'

import fc from 'fast-check'

import type { AskOptions, EndpointReply } from '../../../../src/simulator/flow-endpoint'
import type { Client, Loose } from '../../../support/client'
import { ASKING, RULES } from '../../../support/flows'
import { APP_SECRET, World } from '../../../support/world'

interface Heard {
  headers: Record<string, string>
  body: Loose
  text: string
}

let world: World
let contact: Loose
/** A customer's own server, which answers what the test wants. */
let receiver: Bun.Server<undefined>
let heard: Heard[] = []
let answers: (asked: Heard) => Response | Promise<Response> = () =>
  Response.json({ screen: 'SUMMARY', data: { line: 'from outside' } })
let byRules: Loose
let byAddress: Loose
let secret: string

/** Signed in anew when the clock was moved far. */
const manager: Pick<Client, 'get' | 'post' | 'put'> = {
  get: async (path) => (await world.as('manager')).get(path),
  post: async (path, body) => (await world.as('manager')).post(path, body),
  put: async (path, body) => (await world.as('manager')).put(path, body),
} as Pick<Client, 'get' | 'post' | 'put'>

const REPLY = { screen: 'SUMMARY', data: { line: 'from outside' } }

beforeAll(async () => {
  receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text()
      const asked = {
        headers: Object.fromEntries(request.headers),
        body: JSON.parse(text) as Loose,
        text,
      }
      heard.push(asked)
      return await answers(asked)
    },
  })
  world = await World.create({ env: { EGRESS_ALLOW: `127.0.0.1:${receiver.port}` } })
  contact = await world.contactOf()
  await (
    await world.as('admin')
  ).post('/api/contact-attributes', { key: 'mail', label: 'E-mail', type: 'email' })
  await manager.post(`/api/accounts/${world.tenant.accountId}/flow-key`)
  await manager.put(`/api/contacts/${contact['id']}`, { name: 'Ana' })
  byRules = await published({ endpoint_mode: 'rules', endpoint_config: RULES })
  const config = { url: `http://127.0.0.1:${receiver.port}/flows`, headers: { 'x-own': 'mine' } }
  byAddress = await published({ endpoint_mode: 'http', endpoint_config: config })
})

afterAll(async () => {
  await world.stop()
  await receiver.stop(true)
})

/**
 * A published Flow with an endpoint. The platform finds it at the address the test server really
 * has.
 */
async function published(more: Loose): Promise<Loose> {
  const { data: made } = await manager.post('/api/flows', {
    account_id: world.tenant.accountId,
    name: `Endpoint ${String(more['endpoint_mode'])}`,
    categories: ['OTHER'],
    json_definition: ASKING,
    ...more,
  })
  secret = String((made['endpoint_config'] as Loose)['secret'] ?? secret)
  const saved = await manager.post(`/api/flows/${made['id']}/save-to-meta`)
  const there = world.simulator.flow(String(saved.data['meta_flow_id']))
  if (there) there.endpointUri = addressOf()
  return (await manager.post(`/api/flows/${made['id']}/publish`)).data
}

const addressOf = (accountId = world.tenant.accountId): string =>
  `${world.url}/api/flows/endpoint/${accountId}`

/** Sends a Flow and returns its token. */
async function sent(flow: Loose): Promise<string> {
  const answer = await manager.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'interactive',
    interactive: { type: 'flow', body: 'Fill it in', button_text: 'Open', flow_id: flow['id'] },
  })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return String((answer.data['content'] as Loose)['flow_token'])
}

const ask = (payload: Loose, options: AskOptions = {}): Promise<EndpointReply> =>
  world.simulator.askEndpoint({ version: '3.0', ...payload }, { url: addressOf(), ...options })

const exchangesOf = async (flow: Loose): Promise<Loose[]> =>
  (await manager.get(`/api/flows/${flow['id']}/exchanges`)).data['items'] as Loose[]

describe('requests that are rejected', () => {
  test('a ping, encrypted, without a token', async () => {
    const reply = await ask({ action: 'ping' })
    expect([reply.status, reply.type, reply.answer]).toEqual([
      200,
      'text/plain;charset=utf-8',
      { data: { status: 'active' } },
    ])
    expect(reply.text).toMatch(/^[A-Za-z0-9+/]+=*$/)
  })

  test('404 for a number that is unknown, has no key, or is written wrong (400)', async () => {
    const ping = { action: 'ping' }
    expect(
      (await ask(ping, { url: addressOf('01900000-0000-7000-8000-ffffffffffff') })).status,
    ).toBe(404)
    expect((await ask(ping, { url: addressOf(world.other.accountId) })).status).toBe(404)
    expect((await ask(ping, { url: addressOf('nonsense') })).status).toBe(400)
    expect(
      (await ask(ping, { url: addressOf(world.tenant.accountId?.toUpperCase()) })).status,
    ).toBe(200)
  })

  test('432 without the right signature over exactly these bytes; the secret of the account comes first', async () => {
    expect((await ask({ action: 'ping' }, { secret: 'another' })).status).toBe(432)
    expect((await ask({ action: 'ping' }, { secret: null })).status).toBe(432)
    expect((await ask({ action: 'ping' }, { garbles: (text) => `${text} ` })).status).toBe(432)
    await manager.put(`/api/accounts/${world.tenant.accountId}`, {
      app_secret: 'its own app secret',
    })
    expect((await ask({ action: 'ping' }, { secret: APP_SECRET })).status).toBe(432)
    expect((await ask({ action: 'ping' }, { secret: 'its own app secret' })).status).toBe(200)
    await manager.put(`/api/accounts/${world.tenant.accountId}`, { app_secret: null })
  })

  test('400 for a signed malformed body', async () => {
    for (const changes of [
      () => ({}),
      (sealed: object) => ({ ...sealed, initial_vector: 'nö' }),
      (sealed: object) => ({ ...sealed, initial_vector: '' }),
      (sealed: object) => ({ ...sealed, encrypted_aes_key: 7 }),
    ])
      expect((await ask({ action: 'ping' }, { changes })).status).toBe(400)
    const { text } = await ask({ action: 'ping' }, { changes: () => ({}) })
    const parts = ['encrypted_flow_data', 'encrypted_aes_key', 'initial_vector']
    expect(JSON.parse(text)).toMatchObject({
      code: 'invalid_input',
      errors: parts.map((name) => ({ path: `body.${name}`, message: 'must be base64' })),
    })
    expect(
      (
        await ask(
          { action: 'ping' },
          { changes: (sealed) => ({ ...sealed, padding: 'x'.repeat(1024 * 1024) }) },
        )
      ).status,
    ).toBe(413)
  })

  test('421 for a request encrypted for another key', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const reply = await ask(
      { action: 'ping' },
      { publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
    )
    expect([reply.status, (JSON.parse(reply.text) as Loose)['code']]).toEqual([
      421,
      'decryption_failed',
    ])
  })

  test('a flipped bit anywhere is 432, or 421 when somebody signs it; never a fault of the server', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('encrypted_flow_data', 'encrypted_aes_key', 'initial_vector'),
        fc.nat(4_096),
        fc.boolean(),
        async (part, place, isSigned) => {
          world.clock.advance({ ms: 1_100 }) // so that the address is not told to wait
          if (!isSigned) {
            const garbles = (text: string): string => {
              const bytes = Buffer.from(text)
              const at = place % (bytes.length * 8)
              bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7))
              return bytes.toString('latin1')
            }
            expect((await ask({ action: 'ping' }, { garbles })).status).toBe(432)
            return
          }
          const reply = await ask(
            { action: 'ping' },
            {
              changes: (sealed) => {
                const bytes = Buffer.from(sealed[part], 'base64')
                const at = place % (bytes.length * 8)
                bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7))
                return { ...sealed, [part]: bytes.toString('base64') }
              },
            },
          )
          expect(reply.status).toBe(421)
        },
      ),
      { numRuns: 120 },
    )
  })

  test('429 after 60 failures a minute of one IP address, except for verified requests', async () => {
    world.clock.advance({ minutes: 2 })
    const statuses = []
    for (let nth = 0; nth < 62; nth += 1)
      statuses.push((await ask({ action: 'ping' }, { secret: 'another' })).status)
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 432), 429, 429])
    expect((await ask({ action: 'ping' })).status).toBe(200)
    world.clock.advance({ minutes: 2 })
    expect((await ask({ action: 'ping' }, { secret: 'another' })).status).toBe(432)
  })

  test('never counted like other requests', async () => {
    const response = await fetch(addressOf(), { method: 'POST', body: '{}' })
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([432, null])
  })
})

describe('the key', () => {
  test('decrypts with the current and the previous key, not with an older one', async () => {
    const pem = (): string => String(world.simulator.storedKeys(world.tenant.phoneId).publicKey)
    const renew = (): Promise<unknown> =>
      manager.post(`/api/accounts/${world.tenant.accountId}/flow-key`)
    const first = pem()
    await renew()
    const second = pem()
    const statusFor = async (publicKey: string): Promise<number> =>
      (await ask({ action: 'ping' }, { publicKey })).status
    expect(await Promise.all([statusFor(second), statusFor(first)])).toEqual([200, 200])
    await renew()
    expect(await Promise.all([statusFor(pem()), statusFor(second), statusFor(first)])).toEqual([
      200, 200, 421,
    ])
  })

  test('works if the platform has a key whose upload was interrupted', async () => {
    const before = (await manager.get(`/api/accounts/${world.tenant.accountId}/flow-key`)).data
    world.simulator.loseAnswer({ route: 'encryption' })
    world.simulator.answerHtml(502, { route: 'encryption' })
    const renewed = await manager.post(`/api/accounts/${world.tenant.accountId}/flow-key`)
    if (renewed.status === 503)
      expect((await manager.get(`/api/accounts/${world.tenant.accountId}/flow-key`)).data).toEqual(
        before,
      )
    world.simulator.clearFaults()
    expect((await ask({ action: 'ping' })).status).toBe(200)
  })
})

describe('a Flow that was sent', () => {
  test('is led through by rules: by action, screen and conditions, with placeholders, and sets fields of the contact', async () => {
    const token = await sent(byRules)
    const step = async (payload: Loose): Promise<unknown> =>
      (await ask({ flow_token: token, ...payload })).answer
    expect(await step({ action: 'INIT' })).toEqual({
      screen: 'DETAILS',
      data: { greeting: 'Hello Ana' },
    })
    expect(
      await step({ action: 'data_exchange', screen: 'DETAILS', data: { email: 'nothing' } }),
    ).toEqual({
      screen: 'DETAILS',
      data: { greeting: 'That is no e-mail', error_message: 'Try again' },
    })
    expect(
      await step({
        action: 'data_exchange',
        screen: 'DETAILS',
        data: { email: 'ana@example.com' },
      }),
    ).toEqual({
      screen: 'SUMMARY',
      data: { line: 'Your e-mail is ana@example.com' },
    })
    expect((await manager.get(`/api/contacts/${contact['id']}`)).data['attributes']).toEqual({
      mail: 'ana@example.com',
    })
    expect(await step({ action: 'data_exchange', screen: 'SUMMARY', data: {} })).toEqual({
      screen: 'SUCCESS',
      data: { extension_message_response: { params: { confirmed: true, flow_token: token } } },
    })
    expect(await step({ action: 'BACK', screen: 'SUMMARY', data: {} })).toMatchObject({
      screen: 'SUMMARY',
      data: { error_message: expect.any(String) },
    })
    expect(
      await step({ action: 'data_exchange', screen: 'DETAILS', data: { email: 'a@b' } }),
    ).toMatchObject({ screen: 'SUMMARY' })
    const [last, back, done] = await exchangesOf(byRules)
    expect(last).toMatchObject({ outcome: 'answered', error: 'attributes not set: mail' })
    expect(back).toMatchObject({
      action: 'BACK',
      screen: 'SUMMARY',
      outcome: 'error',
      error: 'no_rule_fits',
    })
    expect(done).toEqual({
      at: expect.any(String),
      action: 'data_exchange',
      screen: 'SUMMARY',
      outcome: 'completed',
      duration_ms: 0,
      error: null,
    })
    expect(JSON.stringify(await exchangesOf(byRules))).not.toContain('ana@example.com')
  })

  test('calls the customer endpoint with a signature like webhooks', async () => {
    const token = await sent(byAddress)
    heard = []
    const reply = await ask({
      action: 'data_exchange',
      flow_token: token,
      screen: 'DETAILS',
      data: { email: 'a@b.example' },
    })
    expect(reply.answer).toEqual(REPLY)
    const [asked] = heard
    expect(asked?.body).toMatchObject({
      type: 'flow.exchange',
      organization_id: world.tenant.id,
      data: {
        flow_id: byAddress['id'],
        account_id: world.tenant.accountId,
        contact_id: contact['id'],
        flow_token: token,
        action: 'data_exchange',
        screen: 'DETAILS',
        data: { email: 'a@b.example' },
      },
    })
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': signature,
      'x-own': own,
    } = asked?.headers ?? {}
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const mac = createHmac('sha256', key).update(`${id}.${at}.${asked?.text}`).digest('base64')
    expect([signature, own, Number(at)]).toEqual([
      `v1,${mac}`,
      'mine',
      Math.floor(world.clock.nowMs() / 1_000),
    ])
    expect(id).toMatch(/^msg_[0-9a-f-]{36}$/)
    answers = () => Response.json({ screen: 'SUCCESS', data: { order: 7 } })
    expect(
      (await ask({ action: 'data_exchange', flow_token: token, screen: 'SUMMARY', data: {} }))
        .answer,
    ).toEqual({
      screen: 'SUCCESS',
      data: { extension_message_response: { params: { order: 7, flow_token: token } } },
    })
  })

  const wrong: [what: string, answer: () => Response | Promise<Response>, error: string][] = [
    [
      'a status that is no success',
      () => new Response('no', { status: 500 }),
      'status: answered 500',
    ],
    ['a redirect', () => Response.redirect('https://example.com/', 302), 'redirects'],
    ['no JSON', () => new Response('<html>'), 'not_json'],
    [
      'a screen the Flow does not have',
      () => Response.json({ screen: 'ELSEWHERE', data: {} }),
      'unknown_screen',
    ],
    ['no screen', () => Response.json({ data: {} }), 'no_screen'],
    [
      'data that is no object',
      () => Response.json({ screen: 'SUMMARY', data: [] }),
      'data_is_no_object',
    ],
    [
      'too much',
      () => Response.json({ screen: 'SUMMARY', data: { x: 'x'.repeat(300 * 1024) } }),
      'too_large',
    ],
    [
      'nothing within eight seconds',
      () => new Promise<Response>(() => world.clock.advance({ seconds: 9 })),
      'timeout',
    ],
  ]
  for (const [what, answer, error] of wrong)
    test(`shows a polite error on its screen when the address answers ${what}`, async () => {
      const token = await sent(byAddress)
      answers = answer
      const reply = await ask({
        action: 'data_exchange',
        flow_token: token,
        screen: 'DETAILS',
        data: { email: 'x@y.example' },
      })
      expect([reply.status, reply.answer]).toEqual([
        200,
        { screen: 'DETAILS', data: { error_message: expect.any(String) } },
      ])
      expect((await exchangesOf(byAddress))[0]).toMatchObject({ outcome: 'error', error })
      answers = () => Response.json(REPLY)
    })

  test('acknowledges and logs an error of the phone', async () => {
    const token = await sent(byRules)
    const notice = {
      action: 'data_exchange',
      screen: 'DETAILS',
      data: { error: 'INVALID_SCREEN_TRANSITION', error_message: 'no such way' },
    }
    expect((await ask({ flow_token: token, ...notice })).answer).toEqual({
      data: { acknowledged: true },
    })
    expect((await exchangesOf(byRules))[0]).toMatchObject({
      outcome: 'acknowledged',
      error: 'INVALID_SCREEN_TRANSITION: no such way',
    })
    const wordless = { ...notice, data: { error: 'INVALID_SCREEN_TRANSITION' } }
    expect((await ask({ flow_token: token, ...wordless })).answer).toEqual({
      data: { acknowledged: true },
    })
    expect((await exchangesOf(byRules))[0]).toMatchObject({
      outcome: 'acknowledged',
      error: 'INVALID_SCREEN_TRANSITION',
    })
    expect((await ask({ flow_token: 'unknown', ...notice })).status).toBe(200)
  })

  test('keeps the last 500 exchanges only', async () => {
    const flow = String(byAddress['id'])
    const token = await sent(byAddress)
    for (let round = 0; round < 11; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, () =>
          ask({ action: 'BACK', screen: 'DETAILS', flow_token: token }),
        ),
      )
    expect(world.rows('select id from flow_exchanges where flow_id = ?', flow)).toHaveLength(500)
    expect((await manager.get(`/api/flows/${flow}/exchanges?limit=100&page=5`)).data).toMatchObject(
      { total: 500, total_pages: 5 },
    )
  })

  test('answers an encrypted 427 for an unknown, expired or foreign token, or a deleted Flow', async () => {
    const init = (flow_token: string): Promise<EndpointReply> => ask({ action: 'INIT', flow_token })
    const expired = { status: 427, answer: { error_msg: expect.any(String) } }
    expect(await init('0123456789abcdef0123456789abcdef')).toMatchObject(expired)
    const token = await sent(byRules)
    expect((await init(token)).status).toBe(200)
    await (
      await world.as('admin', world.other)
    ).post(`/api/accounts/${world.other.accountId}/flow-key`)
    const elsewhere = { url: addressOf(world.other.accountId), phone: world.other.phoneId }
    expect(
      await world.simulator.askEndpoint({ action: 'INIT', flow_token: token }, elsewhere),
    ).toMatchObject(expired)
    world.clock.advance({ hours: 7 * 24 - 1 })
    expect((await init(token)).status).toBe(200)
    world.clock.advance({ hours: 1 })
    expect(await init(token)).toMatchObject(expired)
  })
})
