import { get, type IncomingMessage } from 'node:http'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'

import { message, unsupported } from '../../../../src/simulator/payloads'
import { approvedTemplate, setPrice } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { exported } from '../../../support/imports'
import { deliver, lineOf, secondsIn } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'
import { uuidToBytes } from '../../../../src/infra/db/uuid'

let world: World
let manager: Client
let contactId: string
let conversationId: string
let buttonsId: string

const NUMBER = '15550711001'

/** A conversation with everything in it, over midnight of the organization. */
beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  setPrice(world, { micros: 45_600 })
  const ana = world.simulator.customer({ waId: NUMBER, name: 'Ana <Sol>' })
  const hello = await ana.says('Hello,\nis this "open"? <script>alert(1)</script>')
  await world.settle()
  const [found] = (await manager.get('/api/conversations?search=Sol')).data['items'] as Loose[]
  conversationId = String(found?.['id'])
  contactId = String((found?.['contact'] as Loose | undefined)?.['id'])
  const send = async (body: Loose): Promise<Loose> => {
    const answer = await manager.post(`/api/contacts/${contactId}/messages`, body)
    expect(answer.status).toBe(201)
    await world.settle()
    world.clock.advance({ minutes: 5 })
    return answer.data
  }
  const [first] = (await manager.get(`/api/contacts/${contactId}/messages`)).data[
    'items'
  ] as Loose[]
  await send({ type: 'text', text: '=Yes, until 8 p.m.', reply_to: first?.['id'] })
  await ana.reacts(hello.id, '👍')
  await ana.sends({ type: 'image', caption: 'This one?' })
  await ana.sharesLocation({
    latitude: -12.0464,
    longitude: -77.0428,
    name: 'Plaza Mayor',
    address: 'Lima',
  })
  await ana.sharesContact({ name: 'Ben Ray', phone: '+15550711999' })
  await world.settle()
  await manager.post(`/api/contacts/${contactId}/notes`, { content: 'Wants the <b>blue</b> one.' })
  const buttons = await send({
    type: 'interactive',
    interactive: {
      type: 'button',
      body: 'Which color?',
      footer: 'Tap one',
      buttons: [{ id: 'blue', title: 'Blue' }],
    },
  })
  buttonsId = String(buttons['id'])
  const sent = (await manager.get(`/api/messages/${buttonsId}`)).data
  await ana.taps('blue-1', 'Blue', { replyTo: String(sent['wa_message_id']) })
  await world.settle()
  world.clock.advance({ hours: 15 })
  manager = await world.as('manager')
  const templateId = await approvedTemplate(world, { name: 'news' })
  manager = await world.as('manager')
  await manager.post('/api/messages/template', {
    contact_id: contactId,
    template_id: templateId,
    template_params: { '1': 'Ana' },
  })
  await world.settle()
})

afterAll(() => world.stop())

const fetched = async (
  query = '',
  client = manager,
): Promise<{ text: string; response: Response }> => {
  const response = await fetchRaw(client, `/api/conversations/${conversationId}/transcript${query}`)
  return { response, text: await response.text() }
}

const rowsOf = async (query = '', client = manager): Promise<Record<string, string>[]> =>
  parse((await fetched(`?format=csv${query}`, client)).text, { bom: true, columns: true })

const jsonOf = async (query = '', client = manager): Promise<Loose> =>
  JSON.parse((await fetched(`?format=json${query}`, client)).text) as Loose

const NOON_MS = Date.parse('2026-11-22T12:00:00Z')

/** The customer has said so much, a hundred and twenty at each moment. */
function say(count: number, contentOf: (nth: number) => Loose): void {
  const { sqlite } = world.program.http.db
  const accountId = String(world.tenant.accountId)
  const insert = sqlite.query(
    `insert into messages (organization_id, id, conversation_id, contact_id, account_id, type, content, preview, status, source, timestamp_ms, received_at_ms, created_at_ms)
     values (?, ?, ?, ?, ?, 'text', ?, 'x', 'delivered', 'contact', ?, ?, ?)`,
  )
  sqlite.transaction(() => {
    for (let nth = 0; nth < count; nth += 1)
      insert.run(
        ...[
          world.tenant.id,
          world.program.http.ids.next(),
          conversationId,
          contactId,
          accountId,
        ].map(uuidToBytes),
        ...[JSON.stringify(contentOf(nth)), NOON_MS + Math.floor(nth / 120), NOON_MS, NOON_MS],
      )
  })()
}

test('errors reported beside a message are exported with it', async () => {
  await using own = await World.create({ tenants: 1 })
  const about = { line: lineOf(own.tenant), timestamp: secondsIn(own) }
  const errors = [
    { code: 131_052, title: 'Media', error_data: { details: 'The <file> is too large' } },
    { code: 1, title: 'Odd' },
  ]
  await deliver(own, message({ type: 'text', text: { body: 'Hello' }, errors }, about))
  await deliver(own, unsupported('poll', about))
  const client = await own.as('manager')
  const id = String(((await client.get('/api/conversations')).data['items'] as Loose[])[0]?.['id'])
  const transcript = async (format: string): Promise<string> =>
    (await fetchRaw(client, `/api/conversations/${id}/transcript?format=${format}`)).text()
  const rows = parse<Record<string, string>>(await transcript('csv'), { columns: true, bom: true })
  const told = ['The <file> is too large; Odd', 'Message type is currently not supported.']
  expect(rows.map((row) => row['error'])).toEqual(told)
  for (const text of told)
    expect(await transcript('html')).toContain(
      `<p class="error" dir="auto">${Bun.escapeHTML(text)}</p>`,
    )
})

describe('an export of messages', () => {
  const usual = async (): Promise<Record<string, string>[]> => {
    const { text } = await exported(world, manager, {
      table: 'messages',
      filters: { contact_id: contactId },
    })
    return parse(text, { bom: true, columns: true })
  }

  test('has kind, text, coordinates, replies, file URL, times and price', async () => {
    const rows = await usual()
    const of = (type: string, direction: string) =>
      rows.find((row) => row['type'] === type && row['direction'] === direction)
    expect(of('location', 'incoming')).toMatchObject({
      latitude: '-12.0464',
      longitude: '-77.0428',
      text: 'Plaza Mayor\nLima',
    })
    expect(of('contacts', 'incoming')?.['text']).toBe('Ben Ray\n+15550711999')
    expect(of('interactive', 'outgoing')).toMatchObject({
      kind: 'button',
      text: 'Which color?\nTap one\n[Blue]',
      cost: '0.00',
    })
    expect(of('interactive', 'incoming')).toMatchObject({
      kind: 'button_reply',
      text: 'Blue',
      reply_id: 'blue-1',
      reply_to_id: buttonsId,
    })
    expect(of('text', 'outgoing')?.['reply_to_id']).toBe(of('text', 'incoming')?.['id'] ?? '')
    expect(of('interactive', 'incoming')?.['reply_to_wa_message_id']).toStartWith('wamid.')
    const image = of('image', 'incoming')
    expect(image).toMatchObject({ text: 'This one?' })
    expect(image?.['media_url']).toMatch(/^https?:\/\/[^/]+\/api\/media\/[0-9a-f-]{36}$/)
    const template = of('template', 'outgoing')
    expect(template).toMatchObject({
      text: 'Hello Ana, we have news for you today.',
      billable: 'true',
      pricing_category: 'marketing',
      cost: '0.0456',
      currency: 'USD',
    })
    for (const time of ['sent_at', 'delivered_at'])
      expect(template?.[time]).toMatch(/^2026-11-2\dT.*Z$/)
    expect(template?.['read_at']).toBe('')
  })

  test('has the price that was valid when the message was sent', async () => {
    setPrice(world, { micros: 99_000, fromMs: world.clock.nowMs() + 60_000 })
    const [template] = world.rows<{ id: string }>('select id from templates')
    world.clock.advance({ minutes: 2 })
    manager = await world.as('manager')
    await manager.post('/api/messages/template', {
      contact_id: contactId,
      template_id: template?.id,
      template_params: { '1': 'Eve' },
    })
    await world.settle()
    const costs = (await usual())
      .filter(({ billable }) => billable === 'true')
      .map(({ cost }) => cost)
    expect(costs).toEqual(['0.0456', '0.099'])
  })

  test('never truncates a text, whatever its type', async () => {
    const body = 'Long '.repeat(150).trim()
    await manager.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: body })
    await world.settle()
    expect((await usual()).map(({ text }) => text)).toContain(body)
  })
})

describe('a transcript of a conversation', () => {
  test('is an HTML page in order of time, by local days, without scripts', async () => {
    const { response, text } = await fetched()
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('content-disposition'),
    ]).toEqual([200, 'text/html; charset=utf-8', 'inline; filename="transcript-2026-11-22.html"'])
    const policy = response.headers.get('content-security-policy') ?? ''
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? []
    expect(policy).toContain(
      `style-src 'sha256-${new Bun.CryptoHasher('sha256').update(style).digest('base64')}'`,
    )
    expect(policy).toStartWith("default-src 'none'")
    expect(text).not.toMatch(/<script|<b>|Ana <Sol>/)
    expect(text).toContain(
      'Hello,\nis this &quot;open&quot;? &lt;script&gt;alert(1)&lt;/script&gt;',
    )
    const places = [
      'Ana &lt;Sol&gt;</h1>',
      '<h2>Saturday, November 21, 2026',
      'Hello,',
      '=Yes',
      'This one?',
      '-12.0464, -77.0428',
      'Which color?',
      '<h2>Sunday, November 22, 2026',
      'we have news',
      'End of the transcript',
    ]
    const found = places.map((words) => text.indexOf(words))
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(found[0]).toBeGreaterThan(0)
    expect(text).toContain('@page { size: A4')
    expect(text).not.toContain('Wants the')
    expect(text).toContain(
      '<dt>Number</dt><dd>Acme main · +1 555-010-0001</dd><dt>Period</dt><dd>The whole conversation</dd>',
    )
    const told = (of: string): unknown[] =>
      [...text.matchAll(new RegExp(`<p class="${of}"[^>]*>([^<]*)</p>`, 'g'))].map(
        ([, words]) => words,
      )
    expect(told('kind').slice(0, 4)).toEqual(['Photo', 'Location', 'Contact card', 'Template'])
    expect(told('meta').slice(0, 8)).toEqual([
      '09:30',
      '09:30 · Delivered 09:30',
      ...['09:35', '09:35', '09:35'],
      '09:35 · Delivered 09:35',
      '09:40',
      '00:40 · Delivered 00:40 · USD 0.0456',
    ])
  })

  test('can be CSV, with notes on request', async () => {
    const rows = await rowsOf('&notes=true')
    const times = rows.map(({ timestamp }) => timestamp ?? '')
    expect(times).toEqual(times.toSorted())
    expect(rows.find(({ type }) => type === 'note')).toMatchObject({
      text: 'Wants the <b>blue</b> one.',
      sent_by: 'Acme manager',
    })
    expect(rows.map(({ text }) => text)).toContain("'=Yes, until 8 p.m.")
    expect((await rowsOf()).some(({ type }) => type === 'note')).toBe(false)
    expect(rows.find(({ text }) => text?.startsWith('Hello,'))?.['reactions']).toBe('👍 contact')
  })

  test('can be JSON with the messages as the API returns them', async () => {
    const { entries, conversation, format } = await jsonOf('&notes=true')
    expect([format, (conversation as Loose)['id']]).toEqual([
      'switchboard.transcript/1',
      conversationId,
    ])
    const buttons = (entries as Loose[]).find(({ id }) => id === buttonsId)
    const shown = (await manager.get(`/api/messages/${buttonsId}`)).data
    expect(buttons).toEqual({ entry: 'message', ...shown, cost: '0.00', currency: 'USD' })
    expect((entries as Loose[]).filter(({ entry }) => entry === 'note')).toMatchObject([
      { content: 'Wants the <b>blue</b> one.' },
    ])
  })

  test('can be limited to local days, the last included, or to times', async () => {
    const all = ((await jsonOf())['entries'] as Loose[]).length
    const first = ((await jsonOf('&to=2026-11-21'))['entries'] as Loose[]).length
    const second = ((await jsonOf('&from=2026-11-22'))['entries'] as Loose[]).length
    expect([first > 5, second > 0, first + second]).toEqual([true, true, all])
    const periodOf = async (query: string): Promise<unknown> =>
      /<dt>Period<\/dt><dd>([^<]*)/.exec((await fetched(query)).text)?.[1]
    expect([await periodOf('?from=2026-11-22'), await periodOf('?to=2026-11-21')]).toEqual([
      '2026-11-22 to now',
      'beginning to 2026-11-21',
    ])
    expect((await jsonOf('&from=2026-11-23T00:00:00Z'))['entries']).toEqual([])
    const bad: [query: string, path: string][] = [
      ['?from=yesterday', 'query.from'],
      ['?to=2026-02-31', 'query.to'],
      ['?from=2026-11-22&to=2026-11-21', 'query.to'],
      ['?format=pdf', 'query.format'],
    ]
    for (const [query, path] of bad) {
      const { status, body } = await manager.get(
        `/api/conversations/${conversationId}/transcript${query}`,
      )
      expect([query, status, body.errors?.map((error) => error.path)]).toEqual([query, 400, [path]])
    }
  })

  test('of more than one page repeats and omits nothing', async () => {
    const before = ((await jsonOf('&notes=true'))['entries'] as Loose[]).length
    say(350, (nth) => ({ text: `m${nth}` }))
    const { sqlite } = world.program.http.db
    for (let nth = 0; nth < 117; nth += 1)
      changeRows(
        sqlite,
        "insert into notes (organization_id, id, contact_id, content, mentions, is_pinned, created_at_ms, updated_at_ms) values (?, ?, ?, 'n', '[]', 0, ?, ?)",
        [
          world.tenant.id,
          world.program.http.ids.next(),
          contactId,
          NOON_MS + Math.floor(nth / 40),
          NOON_MS,
        ],
      )
    const entries = (await jsonOf('&notes=true'))['entries'] as Loose[]
    expect([entries.length, new Set(entries.map(({ id }) => id)).size]).toEqual([
      before + 467,
      before + 467,
    ])
  })
})

describe('a transcript contains only what the caller may see', () => {
  test('requires both permissions and a visible contact, and is recorded in the audit log', async () => {
    const some = await personWith(world, ['contacts:export', 'contacts:read', 'contacts:read_all'])
    expect(
      (await some.client.get(`/api/conversations/${conversationId}/transcript`)).body,
    ).toMatchObject({
      message:
        'This requires the permission `messages:read`. Ask an admin to grant it to your role ' +
        'or API key.',
    })
    some.may('contacts:export', 'contacts:read', 'messages:read')
    expect((await some.client.get(`/api/conversations/${conversationId}/transcript`)).status).toBe(
      404,
    )
    expect((await manager.get(`/api/conversations/${NOBODY}/transcript`)).status).toBe(404)
    const before = ((
      await (
        await world.as('admin')
      ).get('/api/audit-logs?action=exported&resource_type=conversation')
    ).data['total'] ?? 0) as number
    await manager.put(`/api/contacts/${contactId}/assign`, { user_id: some.userId })
    expect((await fetched('', some.client)).response.status).toBe(200)
    const { data } = await (
      await world.as('admin')
    ).get('/api/audit-logs?action=exported&resource_type=conversation')
    expect([data['total'], (data['items'] as Loose[])[0]]).toMatchObject([
      before + 1,
      { user_id: some.userId, resource_id: conversationId, resource_name: 'transcript.html' },
    ])
  })

  test('masks numbers for callers who may not see them, in every format', async () => {
    await (await world.as('admin')).put('/api/organizations/settings', { mask_phone_numbers: true })
    const some = await personWith(world, [
      'contacts:export',
      'contacts:read',
      'contacts:read_all',
      'messages:read',
    ])
    for (const format of ['html', 'csv', 'json']) {
      const { text } = await fetched(`?format=${format}`, some.client)
      expect(text).not.toContain(NUMBER)
      expect(text).toContain('*******1001')
      expect((await fetched(`?format=${format}`)).text).toContain(NUMBER)
    }
    await (
      await world.as('admin')
    ).put('/api/organizations/settings', { mask_phone_numbers: false })
  })

  test('ends when the permission is removed while it is read', async () => {
    const some = await personWith(world, [
      'contacts:export',
      'contacts:read',
      'contacts:read_all',
      'messages:read',
    ])
    // more than lies between the server and a client that does not read
    say(3_000, (nth) => ({ text: `${nth} ${'long '.repeat(1_000)}` }))
    const whole = (await fetched('?format=json')).text.length
    const answer = Promise.withResolvers<IncomingMessage>()
    const asked = get(
      `${world.url}/api/conversations/${conversationId}/transcript?format=json`,
      { headers: some.client.headers },
      answer.resolve,
    )
    const response = await answer.promise
    response.pause()
    some.may('contacts:read')
    const ended = Promise.withResolvers<{ isWhole: boolean; length: number }>()
    let length = 0
    response.on('data', (part: Buffer) => void (length += part.length))
    response.on('end', () => ended.resolve({ isWhole: true, length }))
    asked.on('error', () => ended.resolve({ isWhole: false, length }))
    for (const event of ['error', 'aborted', 'close'])
      response.on(event, () => ended.resolve({ isWhole: false, length }))
    response.resume()
    const { isWhole, length: got } = await ended.promise
    asked.destroy()
    expect({ isWhole, isLess: got < whole }).toEqual({ isWhole: false, isLess: true })
  })
})
