import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openPromise } from 'yauzl'

import { openDb } from '../../../../src/infra/db/connection'
import { migrate } from '../../../../src/infra/db/migrate'
import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { handIn, reportOf } from '../../../support/imports'
import type { Fixture } from '../../../support/journey'
import { personWith } from '../../../support/people'
import { World, type WorldOptions } from '../../../support/world'

const NUMBER = '4915112345678'
const folder = mkdtempSync(join(tmpdir(), 'privacy-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const OTHER = '15550799999'

/** Builds a webhook delivery of text messages for a number, by default the tenant's. */
function delivery(
  world: World,
  said: { from: string; text: string }[],
  phoneId = world.tenant.phoneId,
) {
  const messages = said.map(({ from, text }) => ({
    ...{
      from,
      id: `wamid.${Bun.randomUUIDv7()}`,
      timestamp: String(Math.floor(world.clock.nowMs() / 1_000)),
    },
    ...{ type: 'text', text: { body: text } },
  }))
  const metadata = { phone_number_id: phoneId, display_phone_number: '15550100001' }
  const changes = [
    { field: 'messages', value: { messaging_product: 'whatsapp', metadata, messages } },
  ]
  return { object: 'whatsapp_business_account', entry: [{ id: world.tenant.wabaId, changes }] }
}

/** Returns all stored webhook deliveries as a super admin reads them. */
async function rawJournal(world: World): Promise<string> {
  const root = await world.as('super')
  const { data } = await root.get('/api/inbound/events?limit=100')
  const all = await Promise.all(
    (data['items'] as Loose[]).map(({ id }) => root.get(`/api/inbound/events/${id}?include=raw`)),
  )
  return JSON.stringify(all.map(({ data: event }) => event['raw']))
}

/** Returns the files in a ZIP file by name. */
async function unzip(bytes: Uint8Array): Promise<Map<string, string>> {
  const path = join(folder, `${Bun.randomUUIDv7()}.zip`)
  writeFileSync(path, bytes)
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  const found = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    found.set(entry.fileName, Buffer.concat(chunks).toString())
  }
  zip.close()
  return found
}

interface Known {
  world: World
  id: string
  path: string
}

/** Creates a contact with data of every kind. */
async function wellKnown(options: WorldOptions = {}, ...fixtures: Fixture[]): Promise<Known> {
  const world = await World.create({ tenants: 1, ...options })
  for (const fixture of fixtures) world.stays(fixture)
  const contact = await world.contactOf(world.tenant, 'My secret illness is flumoxia', NUMBER)
  const id = contact['id'] as string
  const admin = await world.as('admin')
  const path = `/api/contacts/${id}`
  await admin.put(path, { name: 'Zacharias Unmistakable' })
  await admin.post(`${path}/notes`, { content: 'He mentioned flumoxia twice' })
  const { data: file } = await upload(admin, {
    bytes: new TextEncoder().encode('flumoxia leaflet'),
    type: 'text/plain',
    name: 'leaflet.txt',
  })
  await admin.post(`${path}/messages`, { type: 'document', media_id: file['id'] })
  await admin.post(`${path}/messages`, { type: 'text', text: 'Get well from flumoxia' })
  await world.settle()
  return { world, id, path }
}

describe('erasing a person', () => {
  test('requires the ID as confirmation, is rejected on legal hold, and leaves a receipt', async () => {
    const { world, id, path } = await wellKnown()
    await using _ = world
    const admin = await world.as('admin')
    for (const body of [{ confirm: 'yes' }, { confirm: '01900000-0000-7000-8000-ffffffffffff' }]) {
      const refused = await admin.post(`${path}/erase`, body)
      expect([refused.status, refused.body.code]).toEqual([400, 'confirm_mismatch'])
    }
    expect((await admin.post(`${path}/erase`, {})).status).toBe(400)
    await admin.put('/api/retention', { legal_hold: true })
    for (const answer of [
      await admin.post(`${path}/erase`, { confirm: id }),
      await admin.delete(`${path}?purge=true`),
    ])
      expect([answer.status, answer.body.code]).toEqual([409, 'legal_hold'])
    await admin.put('/api/retention', { legal_hold: false })

    const { status, data } = await admin.post(`${path}/erase`, {
      confirm: id,
      reason: 'Asked by mail',
    })
    expect([status, data['state'], data['receipt']]).toEqual([201, 'running', null])
    await world.settle()
    const { data: done } = await admin.get(`/api/privacy/requests/${data['id']}`)
    expect(done).toMatchObject({
      ...{
        kind: 'erase',
        state: 'completed',
        contact_id: id,
        reason: null,
        requested_by: world.tenant.userIds.admin,
      },
      receipt: {
        counts: { messages: 3, files: 1, notes: 1, conversations: 1 },
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        note: expect.stringContaining('backups'),
      },
    })
    expect((await admin.get(path)).status).toBe(404)
    expect((await admin.post(`${path}/erase`, { confirm: id })).status).toBe(404)
    expect((await admin.get('/api/privacy/requests?kind=erase')).data).toMatchObject({
      total: 1,
      items: [{ id: data['id'] }],
    })
    expect((await admin.get('/api/privacy/requests?kind=export')).data).toMatchObject({ total: 0 })
    expect((await admin.get(`/api/privacy/requests/${data['id']}/download`)).status).toBe(404)
  })

  test('leaves nothing in the bytes of the database or among the files', async () => {
    const place = join(folder, 'bytes.sqlite')
    const db = openDb(place, { synchronous: 'normal', cacheMib: 8 })
    migrate(db.sqlite, { clock: { nowMs: () => Date.UTC(2026, 10, 20) } })
    const { world, id, path } = await wellKnown({ db })
    await using _ = world
    const words = ['flumoxia', 'Unmistakable', 'unmistakable', NUMBER, 'leaflet']
    db.sqlite.run('pragma wal_checkpoint(truncate)')
    const before = readFileSync(place).toString('latin1')
    expect(words.filter((word) => !before.includes(word))).toEqual([])
    const admin = await world.as('admin')
    await admin.post(`${path}/erase`, { confirm: id })
    await world.settle()
    world.clock.advance({ hours: 30 }) // ended jobs and the answers kept for repeated requests go
    await world.settle()
    db.sqlite.run('pragma wal_checkpoint(truncate)')
    const after = readFileSync(place).toString('latin1')
    expect(words.filter((word) => after.includes(word))).toEqual([])
    const left: string[] = []
    for await (const { name } of world.program.http.files.list()) left.push(name)
    expect(left).toEqual([])
  })

  test('continues after a kill', async () => {
    const { world, id, path } = await wellKnown()
    await using _ = world
    const admin = await world.as('admin')
    const { data } = await admin.post(`${path}/erase`, { confirm: id })
    world.program.relay.drain()
    world.rows(
      "update jobs set state = 'executing', attempt = 1, first_attempted_at_ms = 1, attempted_at_ms = 1, lease_until_ms = 1 where kind = 'contact.erase'",
    )
    world.clock.advance({ minutes: 5 })
    await world.settle()
    expect(
      (await (await world.as('admin')).get(`/api/privacy/requests/${data['id']}`)).data['state'],
    ).toBe('completed')
    expect(world.rows('select 1 from messages')).toEqual([])
  })

  test('with more deliveries than one step waits for every step, and an earlier replay request restores nothing', async () => {
    const { world, id, path } = await wellKnown()
    await using _ = world
    world.stays('the journal of webhooks')
    const { sqlite } = world.program.http.db
    const { phoneId: phone_number_id, wabaId } = world.tenant
    const change = (nth: number) => ({
      field: 'messages',
      value: {
        messaging_product: 'whatsapp',
        metadata: { phone_number_id, display_phone_number: '15550100001' },
        messages: [
          {
            from: NUMBER,
            id: `wamid.many-${nth}`,
            timestamp: '1790000000',
            type: 'text',
            text: { body: `flumoxia ${nth}` },
          },
        ],
      },
    })
    const changes = Array.from({ length: 250 }, (_none, nth) => change(nth))
    await world.simulator.post({
      object: 'whatsapp_business_account',
      entry: [{ id: wabaId, changes }],
    })
    await world.settle()
    const root = await world.as('super')
    const queued = (await root.post('/api/inbound/replay', { state: 'done' })).data[
      'queued'
    ] as number
    expect(queued).toBeGreaterThan(250)
    const { data: request } = await (await world.as('admin')).post(`${path}/erase`, { confirm: id })
    // The campaign and import steps finish with the others, even if they are late.
    const partsLeft = () => sqlite.query('select parts_left as parts from privacy_requests').get()
    expect(partsLeft()).toEqual({ parts: 8 })
    await world.settle()
    world.clock.advance({ minutes: 2 })
    await world.settle()
    expect((await root.get(`/api/privacy/requests/${request['id']}`)).data).toMatchObject({
      state: 'completed',
    })
    expect(
      sqlite.query('select count(*) as n from contacts where deleted_at_ms is null').get(),
    ).toEqual({ n: 0 })
    const [event] = (await root.get('/api/inbound/events?limit=1')).data['items'] as Loose[]
    const { data: shown } = await root.get(`/api/inbound/events/${event?.['id']}`)
    expect(JSON.stringify(shown)).not.toContain('flumoxia')
    expect(
      sqlite
        .query("select state, count(*) as n from inbound_events where state <> 'done' group by 1")
        .all(),
    ).toEqual([])
  })

  test('covers deliveries for its numbers while they were not connected, but not those for unassigned numbers', async () => {
    const { world, id, path } = await wellKnown()
    await using _ = world
    world.stays('the journal of webhooks')
    const admin = await world.as('admin')
    expect((await admin.delete(`/api/accounts/${world.tenant.accountId}`)).status).toBe(200)
    const both = [
      { from: NUMBER, text: 'flumoxia again' },
      { from: OTHER, text: 'A stranger speaks' },
    ]
    await world.simulator.post(delivery(world, both))
    await world.simulator.post(
      delivery(world, [{ from: NUMBER, text: 'For nobody we know' }], '399000000000001'),
    )
    await world.settle()
    expect(world.rows("select count(*) as n from inbound_events where state = 'unrouted'")).toEqual(
      [{ n: 2 }],
    )
    const { data } = await admin.post(`${path}/erase`, { confirm: id })
    await world.settle()
    expect((await admin.get(`/api/privacy/requests/${data['id']}`)).data['state']).toBe('completed')
    const raw = await rawJournal(world)
    expect(raw).not.toContain('flumoxia')
    expect(raw).toContain('A stranger speaks')
    expect(raw).toContain('For nobody we know')
  })

  test('is not undone by connecting a number that the person wrote to before', async () => {
    const { world, id, path } = await wellKnown()
    await using _ = world
    world.stays('the journal of webhooks')
    const { data: account } = await (
      await world.as('admin')
    ).get(`/api/accounts/${world.tenant.accountId}`)
    world.rows("update accounts set phone_id = 'not yet'")
    const both = [
      { from: NUMBER, text: 'flumoxia again' },
      { from: OTHER, text: 'A stranger speaks' },
    ]
    await world.simulator.post(delivery(world, both, String(account['phone_id'])))
    await world.settle()
    await (await world.as('admin')).post(`${path}/erase`, { confirm: id })
    await world.settle()
    expect(await rawJournal(world)).toContain('flumoxia again')
    world.clock.advance({ minutes: 5 })
    world.rows('update accounts set phone_id = ?', String(account['phone_id']))
    const root = await world.as('super')
    expect((await root.post('/api/inbound/replay', { state: 'unrouted' })).data['queued']).toBe(1)
    await world.settle()
    const { data: people } = await (await world.as('admin')).get('/api/contacts')
    expect(
      (people['items'] as Loose[]).map((contact) => contact['phone_number'] as string),
    ).toEqual([OTHER])
    const raw = await rawJournal(world)
    expect(raw).toContain('A stranger speaks')
    expect(raw).not.toContain('flumoxia')
    // A person who writes again later is a new contact.
    await world.simulator.post(delivery(world, [{ from: NUMBER, text: 'Me again' }]))
    await world.settle()
    expect((await (await world.as('admin')).get('/api/contacts')).data['total']).toBe(2)
  })

  test('keeps imports from restoring the person in any spelling, but lets the person write again', async () => {
    const { world, path } = await wellKnown()
    await using _ = world
    const admin = await world.as('admin')
    expect((await admin.delete(`${path}?purge=true`)).status).toBe(200)
    await world.settle()
    expect((await admin.get('/api/privacy/requests')).data).toMatchObject({
      total: 1,
      items: [{ kind: 'erase', state: 'completed' }],
    })
    const { data: job } = await handIn(admin, {
      file: `phone_number,name\n+49 151 12345678,Zacharias\n15550700009,Somebody else\n`,
    })
    await world.settle()
    expect(
      (await reportOf(admin, job)).map(({ outcome, errors }) => [
        outcome,
        (errors as Loose[])[0]?.['message'] ?? null,
      ]),
    ).toEqual([
      ['failed', expect.stringContaining('suppressed')],
      ['created', null],
    ])
    await world.simulator
      .customer({ phone: world.tenant.phoneId, waId: NUMBER })
      .says('It is me again')
    await world.settle()
    expect((await admin.get('/api/contacts')).data['total']).toBe(2)
    for (const { mark } of world.rows('select mark from suppressions'))
      expect(mark).toMatch(/^[0-9a-f]{64}$/)
  })

  test('does not suppress a former number that belongs to somebody else now', async () => {
    await using world = await World.create()
    const [former, present] = ['15550700011', '15550700012']
    const phone = world.tenant.phoneId
    const mover = world.simulator.customer({ phone, waId: former })
    await mover.says('I am moving')
    await world.settle()
    await mover.changesNumber(present)
    await world.settle()
    world.clock.advance({ hours: 24 * 200 })
    const successor = world.simulator.customer({ phone, waId: former })
    await successor.says('This number is mine now')
    await world.settle()
    const admin = await world.as('admin')
    const contacts = (await admin.get('/api/contacts')).data['items'] as Loose[]
    expect(contacts.map(({ wa_id }) => String(wa_id)).toSorted()).toEqual([former, present])
    const gone = contacts.find(({ wa_id }) => wa_id === present)
    await admin.post(`/api/contacts/${gone?.['id']}/erase`, { confirm: gone?.['id'] })
    await world.settle()
    const { data: job } = await handIn(admin, {
      file: `phone_number,name\n+${former},Sue Successor\n+${present},Max Mover\n`,
      fields: { update_on_duplicate: 'true' },
    })
    await world.settle()
    expect((await reportOf(admin, job)).map(({ outcome }) => outcome)).toEqual([
      'updated',
      'failed',
    ])
    expect((await admin.get('/api/contacts')).data).toMatchObject({
      total: 1,
      items: [{ name: 'Sue Successor', wa_id: former }],
    })
  })
})

describe('a privacy export', () => {
  test('contains everything that erasing would remove, and is kept for a week', async () => {
    const { world, id, path } = await wellKnown()
    await using _ = world
    const admin = await world.as('admin')
    const { status, data } = await admin.post(`${path}/privacy-export`)
    expect([status, data['kind'], data['state']]).toEqual([201, 'export', 'running'])
    const open = await Promise.all([
      admin.post(`${path}/privacy-export`),
      admin.post(`${path}/erase`, { confirm: id }),
      admin.get(`/api/privacy/requests/${data['id']}/download`),
    ])
    expect(open.map(({ status: code, body }) => [code, body.code])).toEqual([
      [409, 'request_open'],
      [409, 'request_open'],
      [409, 'unfinished'],
    ])
    await world.settle()
    const { data: done } = await admin.get(`/api/privacy/requests/${data['id']}`)
    expect(done).toMatchObject({
      state: 'completed',
      receipt: { counts: { messages: 3, files: 1, notes: 1 } },
    })
    const answer = await fetch(`${world.url}/api/privacy/requests/${data['id']}/download`, {
      headers: admin.headers,
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const bytes = await answer.bytes()
    expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(
      (done['receipt'] as Loose)['sha256'] as string,
    )
    const files = await unzip(bytes)
    const names = [...files.keys()]
    expect(names.filter((name) => !name.startsWith('files/')).toSorted()).toEqual([
      ...[
        'about.json',
        'ai_questions.json',
        'ai_usage.json',
        'bot_sessions.json',
        'bot_trace.json',
        'calls.json',
        'campaigns.json',
        'contact.json',
        'conversations.json',
        'deliveries.jsonl',
        'events.jsonl',
        'flow_responses.json',
        'imports.json',
        'merges.json',
      ],
      ...['messages.jsonl', 'notes.json', 'orders.json', 'privacy_requests.json'],
      ...['reactions.json', 'revisions.json', 'scheduled_messages.json', 'thread_facts.json'],
      ...['timeline.json', 'transfer_changes.json', 'transfers.json'],
    ])
    expect(JSON.parse(files.get('contact.json') ?? '')).toMatchObject({
      id,
      name: 'Zacharias Unmistakable',
      phone_number: NUMBER,
    })
    const said = (files.get('messages.jsonl') ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Loose)
    expect(said.map(({ type, direction }) => [type, direction])).toEqual([
      ['text', 'incoming'],
      ['document', 'outgoing'],
      ['text', 'outgoing'],
    ])
    const [leaflet] = (said[1]?.['files'] ?? []) as Loose[]
    expect(files.get(String(leaflet?.['file']))).toBe('flumoxia leaflet')
    expect(files.get('notes.json')).toContain('He mentioned flumoxia twice')
    for (const text of files.values()) expect(text).not.toContain(world.tenant.token)

    world.clock.advance({ hours: 24 * 7 + 2 })
    await world.settle()
    const late = await (await world.as('admin')).get(`/api/privacy/requests/${data['id']}/download`)
    expect([late.status, late.body.code, late.body.message]).toEqual([
      ...[404, 'expired'],
      'The file has been deleted.',
    ])
    expect(
      (await (await world.as('admin')).get(`/api/privacy/requests/${data['id']}`)).data['state'],
    ).toBe('expired')
  })

  test("contains from each delivery only the person's data, and the logged events", async () => {
    const { world, id, path } = await wellKnown({}, 'the journal of webhooks')
    await using _ = world
    await world.simulator.post(
      delivery(world, [
        { from: OTHER, text: 'A stranger speaks' },
        { from: NUMBER, text: 'Both in one' },
      ]),
    )
    await world.settle()
    const admin = await world.as('admin')
    const { data } = await admin.post(`${path}/privacy-export`)
    await world.settle()
    const answer = await fetch(`${world.url}/api/privacy/requests/${data['id']}/download`, {
      headers: admin.headers,
    })
    const files = await unzip(await answer.bytes())
    const linesOf = (name: string): Loose[] =>
      (files.get(name) ?? '')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Loose)
    const deliveries = linesOf('deliveries.jsonl')
    expect(deliveries.at(-1)).toMatchObject({
      field: 'messages',
      phone_number_id: world.tenant.phoneId,
      parts: [{ place: 'messages[1]', value: { from: NUMBER, text: { body: 'Both in one' } } }],
    })
    expect(files.get('deliveries.jsonl')).toContain('My secret illness is flumoxia')
    expect(files.get('deliveries.jsonl')).not.toMatch(new RegExp(`${OTHER}|stranger`))
    expect(linesOf('events.jsonl').map(({ type }) => type as string)).toContain('message.received')
    const { data: done } = await admin.get(`/api/privacy/requests/${data['id']}`)
    expect((done['receipt'] as Loose)['counts']).toMatchObject({
      deliveries: deliveries.length,
      events: linesOf('events.jsonl').length,
    })
    await admin.post(`${path}/erase`, { confirm: id })
    await world.settle()
    const raw = await rawJournal(world)
    expect(raw).toContain('A stranger speaks')
    expect(raw).not.toMatch(/flumoxia|Both in one/)
  })

  test('is rejected for a caller who sees masked numbers', async () => {
    const { world, path } = await wellKnown()
    await using _ = world
    await (await world.as('admin')).put('/api/organizations/settings', { mask_phone_numbers: true })
    const { client } = await personWith(world, [
      'contacts:read',
      'contacts:read_all',
      'contacts:export',
    ])
    const refused = await client.post(`${path}/privacy-export`)
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  })
})
