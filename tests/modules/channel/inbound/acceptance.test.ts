import { describe, expect, test } from 'bun:test'

import {
  batch,
  envelope,
  message,
  textMessage,
  type Webhook,
} from '../../../../src/simulator/payloads'
import { platformJson, signatureOf } from '../../../../src/simulator/signing'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, textTo } from '../../../support/lines'
import { APP_SECRET, World } from '../../../support/world'

const MIB = 1024 * 1024

const journaled = (world: World): number =>
  world.rows('select id from inbound_bodies union all select id from inbound_staging').length

const states = (world: World): string[] =>
  world
    .rows<{ state: string }>('select state from inbound_events order by id')
    .map(({ state }) => state)

const isEnvelope = (json: unknown): boolean =>
  (json as Loose | undefined)?.['status'] === 'error' && (json as Loose)['data'] === null

/** A text whose body is padded to exactly so many bytes. */
function paddedTo(webhook: Webhook, bytes: number): string {
  const text = JSON.stringify({ ...webhook, padding: '' })
  return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`)
}

describe('a delivery', () => {
  test('signed with the app secret is stored and answered 200, in any case of the digits, without rate-limit headers', async () => {
    await using world = await World.create({ env: { RATE_STANDARD: '5' }, isConnected: false })
    for (let nth = 0; nth < 12; nth += 1) {
      const body = platformJson(textTo(world, `Text ${nth}`))
      const signature = signatureOf(APP_SECRET, body)
      const posted = await world.simulator.post(body, {
        signature: nth % 2 ? signature.toUpperCase().replace('SHA256=', 'sha256=') : signature,
      })
      expect(posted.json).toEqual({ status: 'success', data: { status: 'ok' } })
      expect(
        [...posted.headers.keys()].filter(
          (name) => name.startsWith('x-ratelimit') || name === 'retry-after',
        ),
      ).toEqual([])
    }
    expect(journaled(world)).toBe(12)
  })

  const text = textMessage('Hi')
  const good = signatureOf(APP_SECRET, platformJson(text))
  test.each<[string, string | null]>([
    ['no signature', null],
    ['an empty signature', ''],
    ['another prefix', good.replace('sha256=', 'sha1=')],
    ['no prefix', good.replace('sha256=', '')],
    ['63 digits', good.slice(0, -1)],
    ['65 digits', `${good}0`],
    ['digits that are none', `${good.slice(0, -1)}g`],
    ['the signature of another body', signatureOf(APP_SECRET, 'other')],
    ['a signature with another secret', signatureOf('not-the-secret', platformJson(text))],
    [
      'a signature with an empty secret',
      `sha256=${new Bun.CryptoHasher('sha256', '').update(platformJson(text)).digest('hex')}`,
    ],
    ['two signatures', `${good}, ${good}`],
  ])('with %s is 401 and nothing is written', async (_, signature) => {
    await using world = await World.create()
    const posted = await world.simulator.post(text, { signature })
    expect([posted.status, isEnvelope(posted.json)]).toEqual([401, true])
    expect(journaled(world)).toBe(0)
  })

  test('signed by SHA-1 only is 401, and a SHA-1 header beside a good signature is ignored', async () => {
    await using world = await World.create()
    expect(
      (await world.simulator.post(text, { signature: null, headers: { 'x-hub-signature': good } }))
        .status,
    ).toBe(401)
    expect(
      (await world.simulator.post(text, { headers: { 'x-hub-signature': 'sha1=wrong' } })).status,
    ).toBe(200)
  })

  test('is rejected with 401 if one byte changed after signing', async () => {
    await using world = await World.create()
    const body = platformJson(textTo(world, 'Pay 10 euros'))
    const signature = signatureOf(APP_SECRET, body)
    for (const changed of [
      body.replace('10', '90'),
      `${body} `,
      body.replace('{', '{ '),
      body.replaceAll('\\/', '/'),
    ])
      if (changed !== body)
        expect((await world.simulator.post(changed, { signature })).status).toBe(401)
    expect(journaled(world)).toBe(0)
  })

  test("signed with another tenant's own secret is 401", async () => {
    await using world = await World.create()
    const bolt = await world.as('admin', world.other)
    await bolt.put(`/api/accounts/${world.other.accountId}`, { app_secret: 'the-secret-of-bolt' })
    expect(
      (await world.simulator.post(textTo(world, 'Hi'), { secret: 'the-secret-of-bolt' })).status,
    ).toBe(401)
    const own = await world.simulator.post(textTo(world, 'Hi', { line: lineOf(world.other) }), {
      secret: 'the-secret-of-bolt',
    })
    expect(own.status).toBe(200)
    await bolt.put(`/api/accounts/${world.other.accountId}`, { app_secret: null })
    expect(
      (
        await world.simulator.post(textTo(world, 'Ho', { line: lineOf(world.other) }), {
          secret: 'the-secret-of-bolt',
        })
      ).status,
    ).toBe(401)
  })

  test.each<[string, string]>([
    ['broken JSON', '{"object":"whatsapp_business_account"'],
    ['nothing', ''],
    ['a list', '[]'],
    ['a word', '"hello"'],
    ['null', 'null'],
    ['a form', 'object=whatsapp_business_account'],
    ['JSON with a comment', '{} // hi'],
  ])('that is %s is 400 with a good signature and 401 with another', async (_, body) => {
    await using world = await World.create()
    const signed = await world.simulator.post(body)
    expect([signed.status, isEnvelope(signed.json)]).toEqual([400, true])
    expect((await world.simulator.post(body, { secret: 'wrong' })).status).toBe(401)
    expect((await world.simulator.post(body, { signature: null })).status).toBe(401)
    expect(journaled(world)).toBe(0)
  })

  test('is rejected with 400 if it is not valid UTF-8', async () => {
    await using world = await World.create()
    const bytes = Buffer.concat([
      Buffer.from('{"object":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ])
    const signature = `sha256=${new Bun.CryptoHasher('sha256', APP_SECRET).update(bytes).digest('hex')}`
    const answer = await fetch(`${world.url}/api/webhook`, {
      method: 'POST',
      headers: { 'x-hub-signature-256': signature },
      body: bytes,
    })
    expect(answer.status).toBe(400)
  })

  test.each<[string, unknown, string[]]>([
    ['of another object', { ...textMessage('Hi'), object: 'page' }, ['ignored']],
    ['without entries', { object: 'whatsapp_business_account' }, ['ignored']],
    [
      'with an empty list of entries',
      { object: 'whatsapp_business_account', entry: [] },
      ['ignored'],
    ],
    [
      'with an empty list of changes',
      { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [] }] },
      ['ignored'],
    ],
    [
      'with entries that are numbers',
      { object: 'whatsapp_business_account', entry: [1, null, 'x'] },
      ['ignored'],
    ],
    ['that is an empty object', {}, ['ignored']],
  ])('%s is 200, journaled and ignored', async (_, body, expected) => {
    await using world = await World.create()
    expect((await world.simulator.post(body)).status).toBe(200)
    await world.settle()
    expect(states(world)).toEqual(expected)
    expect(world.rows('select id from contacts')).toEqual([])
  })

  test('with unknown fields, odd changes and extra keys is applied as far as possible', async () => {
    await using world = await World.create()
    const line = lineOf(world.tenant)
    const metadata = {
      phone_number_id: line.phoneNumberId,
      display_phone_number: line.displayPhoneNumber,
    }
    const body = {
      object: 'whatsapp_business_account',
      surprise: true,
      entry: [
        {
          id: line.wabaId,
          changes: [
            { field: 'brand_new_field', value: { metadata, x: 1 } },
            'odd',
            { field: 'messages', value: 7 },
          ],
        },
        textTo(world, 'In the middle').entry[0],
        {
          id: 42,
          changes: [
            {
              field: 'messages',
              value: { metadata, messages: 'none', statuses: {}, errors: null },
            },
          ],
        },
      ],
    }
    expect((await world.simulator.post(body)).status).toBe(200)
    await world.settle()
    expect(states(world).toSorted()).toEqual(['done', 'done', 'ignored', 'ignored', 'unrouted'])
    expect(world.rows('select content from messages')).toEqual([
      { content: '{"text":"In the middle"}' },
    ])
  })

  test('is stored once when repeated; with another byte it is stored again and changes no row', async () => {
    await using world = await World.create()
    const body = platformJson(textTo(world, 'Hi'))
    for (let nth = 0; nth < 3; nth += 1) expect((await world.simulator.post(body)).status).toBe(200)
    await world.settle()
    expect([journaled(world), world.rows('select id from messages').length]).toEqual([1, 1])
    expect((await world.simulator.post(`${body} `)).status).toBe(200)
    await world.settle()
    expect([journaled(world), world.rows('select id from messages').length]).toEqual([2, 1])
  })

  test.each([
    ['gzip', 400],
    ['br', 400],
    ['identity', 200],
    ['Identity', 200],
  ])('with Content-Encoding %s is %p', async (encoding, status) => {
    await using world = await World.create()
    const posted = await world.simulator.post(textTo(world, 'Hi'), {
      headers: { 'content-encoding': encoding },
    })
    expect(posted.status).toBe(status)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-8',
  ])('of content type %s is taken as it is', async (type) => {
    await using world = await World.create()
    expect(
      (await world.simulator.post(textTo(world, 'Hi'), { headers: { 'content-type': type } }))
        .status,
    ).toBe(200)
    await world.settle()
    expect(world.rows('select id from messages').length).toBe(1)
  })

  test('with excessive nesting does not crash the server', async () => {
    await using world = await World.create()
    const deep = `{"object":"whatsapp_business_account","entry":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    expect((await world.simulator.post(deep, { secret: 'wrong' })).status).toBe(401)
    expect((await world.simulator.post(deep)).status).toBe(200)
    await deliver(world, textTo(world, 'Still here'))
    expect(world.rows('select id from messages').length).toBe(1)
  })
})

describe('the size of a delivery', () => {
  const LIMIT = 3.5 * MIB

  test('accepts a body of 3 MiB with a thousand messages', async () => {
    await using world = await World.create()
    const body = paddedTo(batch(1_000, { line: lineOf(world.tenant) }), 3 * MIB)
    expect(body.length).toBe(3 * MIB)
    expect((await world.simulator.post(body)).status).toBe(200)
    await world.settle()
    expect(world.rows('select count(*) as messages from messages')).toEqual([{ messages: 1_000 }])
    expect(states(world)).toEqual(['done'])
  })

  test('stores all changes of a large delivery and rejects one above the maximum', async () => {
    await using world = await World.create()
    const webhook = textTo(world, 'Hi')
    const [change] = webhook.entry[0]?.changes ?? []
    const status = (nth: number) => ({
      field: 'messages',
      value: {
        metadata: change?.value['metadata'],
        statuses: [{ id: `wamid.${nth}`, status: 'read', timestamp: '1', recipient_id: '1' }],
      },
    })
    const many = {
      ...webhook,
      entry: [
        {
          ...webhook.entry[0],
          changes: [...Array.from({ length: 2_700 }, (_, nth) => status(nth)), change],
        },
      ],
    }
    expect((await world.simulator.post(many as Webhook)).status).toBe(200)
    await world.settle()
    const places =
      "select count(*) as changes, count(distinct hex(body_id) || ' ' || change_index) as different from inbound_events"
    expect(world.rows(places)).toEqual([{ changes: 2_701, different: 2_701 }])
    const before = journaled(world)
    expect(world.rows('select count(*) as statuses from message_statuses')).toEqual([
      { statuses: 2_700 },
    ])
    expect(world.rows('select received from inbound_hourly_stats')).toEqual([{ received: 2_701 }])
    expect((await (await world.as('manager')).get('/api/contacts')).data['total']).toBe(1)
    const tooMany = Array.from({ length: 20_001 }, () => ({}))
    for (const entry of [[{ changes: tooMany }], tooMany]) {
      const refused = await world.simulator.post({ ...webhook, entry } as unknown as Webhook)
      expect([refused.status, isEnvelope(refused.json), journaled(world)]).toEqual([
        413,
        true,
        before,
      ])
    }
  })

  test('accepts exactly 3.5 MiB and rejects one more byte with 413 before parsing', async () => {
    await using world = await World.create()
    expect((await world.simulator.post(paddedTo(textTo(world, 'Hi'), LIMIT))).status).toBe(200)
    const over = await world.simulator.post(paddedTo(textTo(world, 'Ho'), LIMIT + 1), {
      signature: null,
    })
    expect([over.status, isEnvelope(over.json)]).toEqual([413, true])
    expect(journaled(world)).toBe(1)
  })

  test('cuts off a stream without a declared length at the limit', async () => {
    await using world = await World.create()
    let sent = 0
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent > 8 * MIB) controller.close()
        else controller.enqueue(new Uint8Array(256 * 1024).fill(120))
        sent += 256 * 1024
      },
    })
    const answer = await fetch(`${world.url}/api/webhook`, {
      method: 'POST',
      body: stream,
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    })
    expect(answer.status).toBe(413)
    expect(isEnvelope(await answer.json())).toBe(true)
    expect(journaled(world)).toBe(0)
  })

  test('accepts a stream within the limit', async () => {
    await using world = await World.create()
    const body = platformJson(textTo(world, 'Streamed'))
    const parts = new Blob([body.slice(0, 50), body.slice(50)]).stream()
    const answer = await fetch(`${world.url}/api/webhook`, {
      method: 'POST',
      body: parts,
      headers: { 'x-hub-signature-256': signatureOf(APP_SECRET, body) },
    })
    expect(answer.status).toBe(200)
    await world.settle()
    expect(world.rows('select content from messages')).toEqual([{ content: '{"text":"Streamed"}' }])
  })
})

describe('the secrets', () => {
  test('accepts the current and the previous app secret during a rotation', async () => {
    await using world = await World.create({ appSecrets: [APP_SECRET, 'the-former-secret'] })
    expect((await world.simulator.post(textTo(world, 'New'))).status).toBe(200)
    expect(
      (await world.simulator.post(textTo(world, 'Old'), { secret: 'the-former-secret' })).status,
    ).toBe(200)
    expect(
      (await world.simulator.post(textTo(world, 'None'), { secret: 'the-secret-before-that' }))
        .status,
    ).toBe(401)
    await world.settle()
    expect(world.rows('select id from messages').length).toBe(2)
  })

  test.each([
    [1_999, 200],
    [2_000, 401],
  ])(
    'that names %i numbers before the one whose own secret signed it is answered %i',
    async (others, status) => {
      await using world = await World.create({ appSecrets: [] })
      await (
        await world.as('admin')
      ).put(`/api/accounts/${world.tenant.accountId}`, { app_secret: 'the-secret-of-acme' })
      const numbers = [
        ...Array.from({ length: others }, (_, nth) => `9${nth}`),
        world.tenant.phoneId,
      ]
      const change = {
        field: 'user_preferences',
        value: {
          user_preferences: numbers.map((id) => ({ metadata: { phone_number_id: id } })),
        },
      }
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [change] }],
      })
      const signature = signatureOf('the-secret-of-acme', body)
      expect((await world.simulator.post(body, { signature })).status).toBe(status)
    },
  )

  test("without an app secret, accepts only deliveries signed with an account's own secret", async () => {
    await using world = await World.create({ appSecrets: [] })
    await (
      await world.as('admin')
    ).put(`/api/accounts/${world.tenant.accountId}`, { app_secret: 'the-secret-of-acme' })
    expect(
      (await world.simulator.post(textTo(world, 'Own'), { secret: 'the-secret-of-acme' })).status,
    ).toBe(200)
    expect((await world.simulator.post(textTo(world, 'None'), { signature: null })).status).toBe(
      401,
    )
    expect(
      (
        await world.simulator.post(textTo(world, 'Bolt', { line: lineOf(world.other) }), {
          secret: 'x',
        })
      ).status,
    ).toBe(401)
  })

  test('accepts one signature for two accounts that share a secret', async () => {
    await using world = await World.create()
    for (const tenant of world.tenants)
      await (
        await world.as('admin', tenant)
      ).put(`/api/accounts/${tenant.accountId}`, { app_secret: 'the-shared-secret' })
    const body = {
      object: 'whatsapp_business_account',
      entry: world.tenants.flatMap(
        (tenant) => textTo(world, tenant.name, { line: lineOf(tenant) }).entry,
      ),
    }
    expect((await world.simulator.post(body, { secret: 'the-shared-secret' })).status).toBe(200)
    await world.settle()
    expect(states(world)).toEqual(['done', 'done'])
  })

  test('logs rejections without the body, at most once a minute per reason', async () => {
    await using world = await World.create()
    for (let nth = 0; nth < 5; nth += 1)
      await world.simulator.post(message({ type: 'text', text: { body: 'very private' } }), {
        secret: 'wrong',
      })
    const lines = world.logLines.filter((line) => line.includes('webhook delivery rejected'))
    expect(lines.length).toBe(1)
    expect(world.logLines.join('')).not.toContain('very private')
    world.clock.advance({ seconds: 61 })
    await world.simulator.post(envelope({}), { secret: 'wrong' })
    expect(world.logLines.filter((line) => line.includes('webhook delivery rejected')).length).toBe(
      2,
    )
  })
})
