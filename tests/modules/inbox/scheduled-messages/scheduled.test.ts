import { afterAll, beforeAll, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Answer, Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { changeRows } from '../../../support/sql'
import { approvedTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

const PATH = '/api/scheduled-messages'

let world: World
let admin: Client
let contactId: string
let fallback: Loose

beforeAll(async () => {
  world = await World.create()
  contactId = String((await world.contactOf())['id'])
  const template = await approvedTemplate(world, {
    components: [{ type: 'BODY', text: 'Hello, we are here for you.' }],
  })
  fallback = { template_id: template['id'] }
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const inMinutes = (minutes: number): string =>
  new Date(world.clock.nowMs() + minutes * 60_000).toISOString()
const schedule = (more: Loose = {}, client = admin): Promise<Answer<Loose>> =>
  client.post(PATH, {
    contact_id: contactId,
    message: { type: 'text', text: 'Good morning' },
    send_at: inMinutes(10),
    ...more,
  })
const scheduled = async (more: Loose = {}, client = admin): Promise<string> => {
  const { status, data } = await schedule(more, client)
  expect(status).toBe(201)
  return String(data['id'])
}
const shown = async (id: string): Promise<Loose> => (await admin.get(`${PATH}/${id}`)).data
const texts = (): string[] =>
  world.simulator.messages.map(({ body }) => String(((body as Loose)['text'] as Loose)?.['body']))
const later = async (minutes: number): Promise<void> => {
  world.clock.advance({ minutes })
  await world.settle()
  admin = await world.as('admin')
}
const notices = async (): Promise<Loose[]> =>
  ((await admin.get('/api/me/notifications')).data['items'] as Loose[]).filter(
    ({ kind }) => kind === 'scheduled_failed',
  )

test('is sent once at its time, as its author, and shown to the author at every step', async () => {
  const socket = await world.socket('admin')
  const agents = await world.socket('agent')
  const { status, data } = await schedule({
    message: { type: 'text', text: 'One', client_ref: 'r1' },
  })
  expect([status, data]).toMatchObject([
    201,
    {
      contact_id: contactId,
      account_id: world.tenant.accountId,
      state: 'scheduled',
      message_id: null,
      created_by: { id: world.tenant.userIds.admin },
    },
  ])
  const id = String(data['id'])
  const moved = await admin.put(`${PATH}/${id}`, {
    send_at: inMinutes(20),
    message: { type: 'text', text: 'Two', client_ref: 'r2' },
  })
  expect(moved.data).toMatchObject({ message: { text: 'Two' } })
  await later(11)
  expect(texts()).toEqual([])
  await later(10)
  expect(texts()).toEqual(['Two'])
  const sent = await shown(id)
  expect(sent).toMatchObject({ state: 'sent', fallback_sent: false, error: null })
  const message = (await admin.get(`/api/contacts/${contactId}/messages`)).data
  expect(
    (message['items'] as Loose[]).find((item) => item['id'] === sent['message_id']),
  ).toMatchObject({
    client_ref: 'r2',
    source: 'agent',
    sent_by: { id: world.tenant.userIds.admin },
  })
  for (const answer of [
    await admin.put(`${PATH}/${id}`, { cancel_on_reply: true }),
    await admin.delete(`${PATH}/${id}`),
    await admin.post(`${PATH}/${id}/send-now`),
  ])
    expect(verdict(answer)).toEqual([409, 'not_scheduled'])
  await socket.next(
    'the end',
    ({ type, payload }) => type === 'scheduled:updated' && payload['state'] === 'sent',
  )
  const steps = socket.frames.filter(({ type }) => type === 'scheduled:updated')
  expect(steps.map(({ payload }) => payload['state'])).toEqual(['scheduled', 'scheduled', 'sent'])
  expect(agents.frames.some(({ type }) => type === 'scheduled:updated')).toBe(false)
  const { data: log } = await admin.get('/api/audit-logs?resource_type=scheduled_message')
  expect((log['items'] as Loose[]).map(({ action }) => action)).toEqual(['updated', 'created'])
  expect(JSON.stringify(log)).not.toContain('Two')
})

test('is sent now on request, and not again at its time; a cancelled one is never sent', async () => {
  const before = texts().length
  const [now, never] = [await scheduled(), await scheduled()]
  const { status, data } = await admin.post(`${PATH}/${now}/send-now`)
  expect([status, data['state']]).toEqual([200, 'sent'])
  expect((await admin.delete(`${PATH}/${never}`)).data['state']).toBe('cancelled')
  await later(15)
  expect(texts().length - before).toBe(1)
  const states = async (query: string): Promise<unknown[]> =>
    ((await admin.get(`${PATH}?contact_id=${contactId}&${query}`)).data['items'] as Loose[]).map(
      ({ state }) => state,
    )
  expect(await states('order=desc&mine=true')).toEqual(['sent', 'cancelled', 'sent'].toSorted())
  expect(await states('state=cancelled')).toEqual(['cancelled'])
})

test('those of a span of time are listed, from its beginning and before its end', async () => {
  const ids = [await scheduled(), await scheduled()]
  const at = String((await shown(ids[0] ?? ''))['send_at'])
  await admin.put(`${PATH}/${ids[1]}`, { send_at: new Date(Date.parse(at) + 60_000).toISOString() })
  const next = new Date(Date.parse(at) + 60_000).toISOString()
  const listed = async (query: string): Promise<unknown[]> =>
    ((await admin.get(`${PATH}?state=scheduled&${query}`)).data['items'] as Loose[])
      .map(({ id }) => id)
      .filter((id) => ids.includes(String(id)))
  expect(await listed(`from=${at}&to=${next}`)).toEqual([ids[0]])
  expect(await listed(`from=${next}`)).toEqual([ids[1]])
  expect(await listed(`to=${at}`)).toEqual([])
  expect((await admin.get(`${PATH}?from=tomorrow`)).status).toBe(400)
  for (const id of ids) await admin.delete(`${PATH}/${id}`)
})

test('a closed window sends the template, or fails and tells the author why', async () => {
  const [withTemplate, without] = [
    await scheduled({ send_at: inMinutes(2_000), fallback_template: fallback }),
    await scheduled({ send_at: inMinutes(2_000) }),
  ]
  await later(2_001)
  expect(await shown(withTemplate)).toMatchObject({ state: 'sent', fallback_sent: true })
  expect(world.simulator.messages.at(-1)?.body).toMatchObject({ type: 'template' })
  expect(await shown(without)).toMatchObject({
    state: 'failed',
    message_id: null,
    error: { code: 'window_closed' },
  })
  const [notice, ...others] = await notices()
  expect([notice?.['link'], others]).toEqual([`/contacts/${contactId}`, []])
  expect(notice?.['body']).toContain('24')
  // Written outside the window, and sent now outside of it: it stays.
  const closed = await scheduled()
  expect(verdict(await admin.post(`${PATH}/${closed}/send-now`))).toEqual([400, 'window_closed'])
  expect((await shown(closed))['state']).toBe('scheduled')
  await admin.delete(`${PATH}/${closed}`)
})

test('more than an hour late it fails as missed; a bit late it is sent', async () => {
  await world.contactOf(world.tenant, 'Open', '491510000077')
  const [late, missed] = [
    await scheduled({ fallback_template: fallback, send_at: inMinutes(60) }),
    await scheduled({ fallback_template: fallback, send_at: inMinutes(2) }),
  ]
  await later(63)
  expect((await shown(late))['state']).toBe('sent')
  expect(await shown(missed)).toMatchObject({ state: 'failed', error: { code: 'missed' } })
})

test('a reply cancels what was to be sent without one', async () => {
  const contact = await world.contactOf(world.tenant, 'Hi', '491510000078')
  const of = { contact_id: contact['id'] }
  const [gone, stays] = [await scheduled({ ...of, cancel_on_reply: true }), await scheduled(of)]
  await world.simulator.customer({ phone: world.tenant.phoneId, waId: '491510000078' }).says('Yes')
  await world.settle()
  expect([(await shown(gone))['state'], (await shown(stays))['state']]).toEqual([
    'cancelled',
    'scheduled',
  ])
  // A merge moves it, undoing the merge brings it back, a block ends it.
  const target = await world.contactOf(world.tenant, 'Hi', '491510000079')
  const { data: merge } = await admin.post(`/api/contacts/${String(target['id'])}/merge`, {
    source_id: contact['id'],
  })
  expect((await shown(stays))['contact_id']).toBe(target['id'])
  await admin.post(`/api/contacts/merges/${String(merge['merge_id'])}/undo`)
  expect((await shown(stays))['contact_id']).toBe(contact['id'])
  await admin.post(`/api/contacts/${String(contact['id'])}/block`)
  expect(await shown(stays)).toMatchObject({ state: 'failed', error: { code: 'contact_blocked' } })
})

test('keeps its files until it has ended', async () => {
  const file = await upload(admin, { bytes: SAMPLES['image/jpeg'], type: 'image/jpeg' })
  const mediaId = String(file.data['id'])
  await world.contactOf(world.tenant, 'Open')
  const id = await scheduled({
    message: { type: 'image', media_id: mediaId },
    send_at: inMinutes(3 * 24 * 60),
  })
  const expiry = (): unknown =>
    world.rows('select expires_at_ms as at from media where id = ?', mediaId)[0]?.['at']
  expect(expiry()).toBeNull()
  await admin.delete(`${PATH}/${id}`)
  expect(expiry()).toBeGreaterThan(world.clock.nowMs())
})

test('refuses what sending refuses, with the place of the field', async () => {
  for (const [more, path] of [
    [{ send_at: inMinutes(0.5) }, 'body.send_at'],
    [{ send_at: inMinutes(31 * 24 * 60) }, 'body.send_at'],
    [{ message: { type: 'text', text: ' ' } }, 'body.message.text'],
    [{ message: { type: 'image' } }, 'body.message.media_id'],
    [{ message: { type: 'text', text: 'x', reply_to: NOBODY } }, 'body.message.reply_to'],
    [{ account_id: NOBODY }, 'body.account_id'],
    [{ fallback_template: { template_id: NOBODY } }, 'body.fallback_template.template_id'],
    [
      { message: { type: 'template', ...fallback }, fallback_template: fallback },
      'body.fallback_template',
    ],
  ] as const) {
    const answer = await schedule(more)
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  }
  expect(verdict(await schedule({ contact_id: NOBODY }))).toEqual([404, 'not_found'])
})

test('belongs to its author, whose rights count when it is sent', async () => {
  const open = await world.contactOf(world.tenant, 'Open', '491510000080')
  const author = await personWith(world, ['messages:create', 'messages:read', 'contacts:read'])
  const reader = await personWith(world, ['messages:create', 'messages:read', 'contacts:read'])
  const assign = async (userId: string): Promise<void> =>
    void (await admin.put(`/api/contacts/${String(open['id'])}/assign`, { user_id: userId }))
  await assign(author.userId)
  const of = { contact_id: open['id'] }
  const [first, second, third] = [
    await scheduled(of, author.client),
    await scheduled({ ...of, send_at: inMinutes(12) }, author.client),
    await scheduled({ ...of, send_at: inMinutes(14) }, author.client),
  ]
  await assign(reader.userId)
  for (const answer of [
    await reader.client.get(`${PATH}/${first}`),
    await reader.client.delete(`${PATH}/${first}`),
    await author.client.get(`${PATH}/${first}`),
  ])
    expect(verdict(answer)).toEqual([404, 'not_found'])
  expect((await reader.client.get(PATH)).data['items']).toEqual([])
  await later(11)
  expect(await shown(first)).toMatchObject({ state: 'failed', error: { code: 'not_found' } })
  author.may('messages:read')
  await later(2)
  expect(await shown(second)).toMatchObject({ error: { code: 'permission_denied' } })
  await admin.delete(`/api/users/${author.userId}`)
  await later(2)
  expect(await shown(third)).toMatchObject({ error: { code: 'permission_denied' } })
})

test('an organization has at most 5,000; one less makes room', async () => {
  const full = await world.contactOf(world.tenant, 'Full', '491510000082')
  const id = await scheduled({ contact_id: full['id'], send_at: inMinutes(60) })
  const { sqlite } = world.program.http.db
  const [open] = world.rows<{ open: number }>(
    "select count(*) as open from scheduled_messages where state = 'scheduled'",
  )
  // copies of one: 5,000 requests would take longer than all other tests together
  const columns = `contact_id, written_for_id, account_id, message, stored_files, send_at_ms,
    cancels_on_reply, state, created_by, created_at_ms, updated_at_ms`
  changeRows(
    sqlite,
    `insert into scheduled_messages (organization_id, id, ${columns})
     with recursive numbers (nth) as (select 1 union all select nth + 1 from numbers where nth < ?)
     select organization_id, randomblob(16), ${columns} from scheduled_messages, numbers where id = ?`,
    [5_000 - (open?.open ?? 0), id],
  )
  const refused = await schedule()
  expect(verdict(refused)).toEqual([409, 'limit_reached'])
  expect(refused.body.message).toContain('organization has 5000')
  expect((await admin.delete(`${PATH}/${id}`)).status).toBe(200)
  await admin.delete(`${PATH}/${await scheduled()}`)
  changeRows(sqlite, 'delete from scheduled_messages where contact_id = ?', [String(full['id'])])
})

test('a contact has at most 20; disconnecting the number fails them with one notice', async () => {
  const busy = await world.contactOf(world.tenant, 'Open', '491510000081')
  const of = { contact_id: busy['id'] }
  for (let nth = 0; nth < 20; nth += 1) await scheduled(of)
  expect(verdict(await schedule(of))).toEqual([409, 'limit_reached'])
  const before = (await notices()).length
  await admin.delete(`/api/accounts/${world.tenant.accountId}`)
  await world.settle()
  const { data } = await admin.get(`${PATH}?contact_id=${String(busy['id'])}&state=failed&limit=50`)
  expect((data['items'] as Loose[]).map(({ error }) => (error as Loose)['code'])).toEqual(
    Array.from({ length: 20 }, () => 'account_deleted'),
  )
  const [notice, ...others] = await notices()
  expect([others.length, notice?.['title']]).toEqual([
    before,
    '20 scheduled messages were not sent',
  ])
})
