import { expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { handIn } from '../../../support/imports'
import { deliver, personOf, textTo, valueOf } from '../../../support/lines'
import { entriesOf } from '../../../support/privacy-export'
import { World } from '../../../support/world'

async function exportOf(world: World, admin: Client, id: string): Promise<Map<string, string>> {
  const { data } = await admin.post(`/api/contacts/${id}/privacy-export`)
  await world.settle()
  return await entriesOf(world, admin, String(data['id']))
}

const linesOf = (text: string | undefined): Loose[] =>
  (text ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Loose)

/** Returns the text of the last message in a delivery. */
const bodyOf = ({ parts }: Loose): unknown =>
  ((parts as Loose[]).at(-1)?.['value'] as { text?: { body: string } } | undefined)?.text?.body

test("a privacy export uses the API's names and values and contains all data about a contact", async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('the event log')
  const { id } = await world.contactOf(world.tenant, '[sic] hello', '4915112345678')
  const admin = await world.as('admin')
  const path = `/api/contacts/${id}`
  await admin.post('/api/contact-attributes', { key: 'city', label: 'City', type: 'text' })
  const changes = { name: 'Zacharias', attributes: { city: 'Kiel' }, tags: ['VIP'] }
  expect((await admin.put(path, changes)).status).toBe(200)
  expect((await admin.post(`${path}/consents`, { state: 'opted_in' })).status).toBe(201)
  expect((await admin.post(`${path}/notes`, { content: '{not json' })).status).toBe(201)
  await handIn(admin, { file: 'phone_number,name\n+49 151 12345678,Zacharias\n' })
  await world.settle()

  const files = await exportOf(world, admin, String(id))
  expect(JSON.parse(files.get('about.json') ?? '')).toEqual({
    format: 'switchboard.privacy-export/1',
    organization_id: world.tenant.id,
    contact_id: id,
    made_at: '2026-11-21T09:30:00.000Z',
  })
  const contact = JSON.parse(files.get('contact.json') ?? '') as Loose
  expect(contact).toMatchObject({
    id,
    name: 'Zacharias',
    attributes: { city: 'Kiel' },
    metadata: {},
    marketing_consent: 'opted_in',
    created_at: '2026-11-21T09:30:00.000Z',
    blocked_at: null,
    identities: [
      { kind: 'phone', value: '4915112345678' },
      { kind: 'user_id', contact_id: id, first_seen_at: '2026-11-21T09:30:00.000Z' },
    ],
    consents: [{ state: 'opted_in' }],
    tags: ['VIP'],
  })
  for (const internal of ['organization_id', 'sort_name', 'created_at_ms'])
    expect(contact).not.toHaveProperty(internal)
  expect(JSON.parse(files.get('notes.json') ?? '')).toMatchObject([
    { content: '{not json', mentions: [], created_by_name: 'Acme admin' },
  ])
  expect(JSON.parse(files.get('imports.json') ?? '')).toMatchObject([
    { row: 1, outcome: 'skipped', target_id: id, identity: '4915112345678' },
  ])
  expect(linesOf(files.get('messages.jsonl'))).toMatchObject([
    {
      ...{ direction: 'incoming', content: { text: '[sic] hello' }, preview: '[sic] hello' },
      ...{ timestamp: '2026-11-21T09:30:00.000Z', read_at: null, statuses: [], files: [] },
    },
  ])
  expect(linesOf(files.get('events.jsonl'))[0]).toEqual({
    at: '2026-11-21T09:30:00.000Z',
    type: 'contact.created',
    payload: { contact_id: id },
  })
  expect(linesOf(files.get('deliveries.jsonl'))).toMatchObject([
    {
      received_at: '2026-11-21T09:30:00.000Z',
      parts: [{ place: 'contacts[0]' }, { place: 'messages[0]' }],
    },
  ])
})

test("a privacy export names media files by ID and extension, and lists each message's statuses", async () => {
  await using world = await World.create({ tenants: 1 })
  const { id } = await world.contactOf()
  const admin = await world.as('admin')
  const sent: { name: string; mediaId: string }[] = []
  for (const name of ['plan.PDF.txt', 'none', 'odd.toolongextension', 'a.md?']) {
    const { data } = await upload(admin, {
      bytes: new TextEncoder().encode(`leaflet ${name}`),
      type: 'text/plain',
      name,
    })
    const mediaId = String(data['id'])
    sent.push({ name, mediaId })
    await admin.post(`/api/contacts/${id}/messages`, { type: 'document', media_id: mediaId })
  }
  await world.settle()
  const files = await exportOf(world, admin, String(id))
  const [plan, ...others] = sent
  const expected = [`files/${plan?.mediaId}.txt`, ...others.map((each) => `files/${each.mediaId}`)]
  expect([...files.keys()].filter((name) => name.startsWith('files/'))).toEqual(expected)
  for (const [nth, { name }] of sent.entries())
    expect(files.get(expected[nth] ?? '')).toBe(`leaflet ${name}`)
  const outgoing = linesOf(files.get('messages.jsonl')).slice(1)
  const filesIn = ({ files: own }: Loose): Loose[] => own as Loose[]
  expect(outgoing.map((message) => filesIn(message).map(({ file }) => file as string))).toEqual(
    expected.map((name) => [name]),
  )
  expect(outgoing.map((message) => filesIn(message)[0]?.['filename'])).toEqual(
    sent.map(({ name }) => name),
  )
  for (const message of outgoing) {
    expect(message).not.toHaveProperty('send_options')
    const statuses = (message['statuses'] as Loose[]).map(({ status }) => status as string)
    expect(statuses.toSorted()).toEqual(['delivered', 'sent'])
  }
})

test('a privacy export contains more messages and deliveries than one step reads, each once and in order', async () => {
  await using world = await World.create({ tenants: 1 })
  const { id } = await world.contactOf(world.tenant, 'text 0', '15550700001')
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId: '15550700001' })
  for (let nth = 1; nth < 130; nth += 1) {
    world.clock.advance({ seconds: 1 })
    await customer.says(`text ${nth}`)
  }
  await world.settle()
  const files = await exportOf(world, await world.as('admin'), String(id))
  const texts = Array.from({ length: 130 }, (_, nth) => `text ${nth}`)
  expect(linesOf(files.get('messages.jsonl')).map(({ preview }) => preview as string)).toEqual(
    texts,
  )
  expect(linesOf(files.get('deliveries.jsonl')).map(bodyOf)).toEqual(texts)
  const events = linesOf(files.get('events.jsonl'))
  expect(events.filter(({ type }) => type === 'message.received')).toHaveLength(130)
})

test('a privacy export contains deliveries for a business number while it was not connected', async () => {
  await using world = await World.create({ tenants: 1 })
  const { id } = await world.contactOf(world.tenant, 'While connected', '15550700001')
  const admin = await world.as('admin')
  expect((await admin.delete(`/api/accounts/${world.tenant.accountId}`)).status).toBe(200)
  const said = (phone_number_id: string, body: string) => ({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: world.tenant.wabaId,
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { phone_number_id, display_phone_number: '15550100001' },
              messages: [
                {
                  ...{ from: '15550700001', id: `wamid.${body}`, timestamp: '1795253400' },
                  ...{ type: 'text', text: { body } },
                },
              ],
            },
          },
        ],
      },
    ],
  })
  await world.simulator.post(said(world.tenant.phoneId, 'Disconnected'))
  await world.simulator.post(said('399000000000001', 'For nobody we know'))
  await world.settle()
  const text = (await exportOf(world, admin, String(id))).get('deliveries.jsonl')
  expect(linesOf(text).map(bodyOf)).toEqual(['While connected', 'Disconnected'])
})

/** Returns the paths of values in an entry that look like milliseconds since 1970. */
function millisecondsIn(value: unknown, path: string): string[] {
  if (typeof value === 'number') return value > 1e11 ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key.endsWith('Ms') || (key.endsWith('_ms') && key !== 'answered_after_ms')
      ? [`${path}.${key}`]
      : millisecondsIn(each, `${path}.${key}`),
  )
}

test('a privacy export writes every time in ISO 8601', async () => {
  await using world = await World.create({ tenants: 1 })
  const webhook = textTo(world, 'wamid.ad', { person: personOf(0) })
  ;(valueOf(webhook)['messages'][0] as Loose)['referral'] = {
    ...{ source_type: 'ad', source_id: '1', source_url: 'https://example.com/ad' },
  }
  await deliver(world, webhook)
  const admin = await world.as('admin')
  const { data: page } = await admin.get('/api/contacts')
  const id = String((page['items'] as Loose[])[0]?.['id'])
  await admin.post(`/api/contacts/${id}/consents`, { state: 'opted_in' })
  const now = world.clock.nowMs()
  world.program.http.db.sqlite.run('update contacts set undeliverable_since_ms = ?', [now])
  world.program.http.db.sqlite.run(
    'update conversations set snoozed_until_ms = ?, unanswered_since_ms = ?',
    [now + 60_000, now],
  )

  const files = await exportOf(world, admin, id)
  const contact = JSON.parse(files.get('contact.json') ?? '') as Loose
  expect(contact).toMatchObject({
    undeliverable_since: '2026-11-21T09:30:00.000Z',
    consents: [{ at: '2026-11-21T09:30:00.000Z' }],
  })
  expect(JSON.parse(files.get('conversations.json') ?? '')).toMatchObject([
    {
      snoozed_until: '2026-11-21T09:31:00.000Z',
      unanswered_since: '2026-11-21T09:30:00.000Z',
      first_referral: { at: '2026-11-21T09:30:00.000Z', referral: { source_id: '1' } },
    },
  ])
  const found = [...files]
    .filter(([name]) => name !== 'deliveries.jsonl') // values of the platform, as they came
    .flatMap(([name, text]) =>
      name.endsWith('.jsonl')
        ? linesOf(text).flatMap((line) => millisecondsIn(line, name))
        : millisecondsIn(JSON.parse(text), name),
    )
  expect(found).toEqual([])
})
