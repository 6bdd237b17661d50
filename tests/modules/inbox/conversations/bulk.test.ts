import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { systemCtx } from '../../../../src/infra/ctx'
import { changeConversations } from '../../../../src/modules/inbox/messages/conversation/bulk/change'
import type { ConversationsChange } from '../../../../src/modules/inbox/messages/jobs'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

const PATH = '/api/conversations/bulk'

let world: World
let admin: Client
const ids: string[] = []

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
  for (const phone of ['491510000001', '491510000002', '491510000003'])
    await world.contactOf(world.tenant, 'Hello', phone)
  const { data } = await admin.get('/api/conversations')
  ids.push(...(data['items'] as Loose[]).map(({ id }) => String(id)))
})

afterAll(() => world.stop())

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const stateOf = async (id: string | undefined): Promise<Loose> =>
  (await admin.get(`/api/conversations/${id}`)).data
const lastNotice = async (): Promise<Loose> =>
  ((await admin.get('/api/me/notifications')).data['items'] as Loose[])[0] as Loose

test('changes conversations as single requests would, and names those it cannot change', async () => {
  const set = {
    state: 'closed',
    priority: 'high',
    assigned_to: world.tenant.userIds.agent,
    tags_add: ['VIP', 'fair'],
    read: true,
  }
  const { status, data } = await admin.post(PATH, { ids: [ids[0], ids[1], NOBODY], set })
  expect([status, data['name'] ?? data['kind']]).toEqual([201, 'conversation.bulk'])
  await world.settle()
  for (const id of ids.slice(0, 2)) {
    const shown = await stateOf(id)
    expect(shown).toMatchObject({
      state: 'closed',
      priority: 'high',
      assigned_to: world.tenant.userIds.agent,
      unread_count: 0,
    })
    expect(((shown['contact'] as Loose)['tags'] as Loose[]).map(({ name }) => name)).toEqual([
      'fair',
      'VIP',
    ])
  }
  expect(await stateOf(ids[2])).toMatchObject({ state: 'open', unread_count: 1 })
  const notice = await lastNotice()
  expect(notice).toMatchObject({ kind: 'bulk_done', title: '2 conversations changed' })
  expect(notice['body']).toContain(NOBODY)
  await admin.post(PATH, {
    ids: [ids[0]],
    set: { tags_remove: ['VIP'], snoozed_until: 'reply', read: false },
  })
  await world.settle()
  const snoozed = await stateOf(ids[0])
  expect(snoozed).toMatchObject({ state: 'snoozed', unread_count: 1 })
  expect(((snoozed['contact'] as Loose)['tags'] as Loose[]).map(({ name }) => name)).toEqual([
    'fair',
  ])
})

test('a filter must match as many conversations as expected', async () => {
  const request = { filter: { account_id: world.tenant.accountId }, set: { priority: 'low' } }
  const refused = await admin.post(PATH, { ...request, expected_count: 2 })
  expect([...verdict(refused), refused.body.details]).toEqual([409, 'count_changed', { count: 3 }])
  expect((await admin.post(PATH, { ...request, expected_count: 3 })).status).toBe(201)
  await world.settle()
  for (const id of ids) expect((await stateOf(id))['priority']).toBe('low')
  const { data: log } = await admin.get('/api/audit-logs?action=bulk_change')
  expect((log['items'] as Loose[]).length).toBe(3)
})

test('rejects what contradicts itself, with its path', async () => {
  for (const [body, path] of [
    [{ set: { read: true } }, 'body.ids'],
    [{ ids, filter: {}, expected_count: 3, set: { read: true } }, 'body.ids'],
    [{ filter: {}, set: { read: true } }, 'body.expected_count'],
    [{ filter: null, expected_count: 3, set: { read: true } }, 'body.filter'],
    [{ filter: { state: 'x' }, expected_count: 3, set: { read: true } }, 'body.filter.state'],
    [{ filter: { unread: 'yes' }, expected_count: 3, set: { read: true } }, 'body.filter.unread'],
    [
      { filter: { asigned_to: 'me' }, expected_count: 3, set: { read: true } },
      'body.filter.asigned_to',
    ],
    [{ ids, set: {} }, 'body.set'],
    [{ ids, set: { state: 'open', snoozed_until: 'reply' } }, 'body.set.snoozed_until'],
    [{ ids, set: { assigned_to: NOBODY } }, 'body.set.assigned_to'],
    [{ ids, set: { tags_add: [NOBODY] } }, 'body.set.tags_add.0'],
  ] as const) {
    const answer = await admin.post(PATH, body)
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  }
})

test('needs the permission of each field, when asked and when it runs', async () => {
  const { client, may } = await rights(['messages:create', 'messages:read', 'contacts:read'])
  for (const set of [{ assigned_to: null }, { tags_add: ['VIP'] }, { tags_remove: ['VIP'] }])
    expect(verdict(await client.post(PATH, { ids, set }))).toEqual([403, 'permission_denied'])
  // It sees none of the contacts.
  const none = await client.post(PATH, {
    filter: {},
    expected_count: 0,
    set: { priority: 'urgent' },
  })
  expect(none.status).toBe(201)
  const { data } = await client.post(PATH, { ids, set: { priority: 'urgent' } })
  may('messages:read')
  await world.settle()
  expect((await admin.get(`/api/jobs/${String(data['id'])}`)).data).toMatchObject({
    state: 'discarded',
  })
  expect((await stateOf(ids[0]))['priority']).toBe('low')
})

test('continues where it was interrupted, and notifies once', async () => {
  // Far more than is stored at a time: every conversation 83 times.
  const many = Array.from({ length: 83 }, () => ids).flat()
  const { data } = await admin.post(PATH, { ids, set: { state: 'closed' } })
  const jobId = String(data['id'])
  const { http } = world.program
  const [row] = world.rows<{ args: string }>('select args from jobs where id = ?', jobId)
  const change = { ...(JSON.parse(row?.args ?? '{}') as ConversationsChange), ids: many }
  const stop = new AbortController()
  const facts = { jobId, attempt: 1, isLastAttempt: false, gateKey: '', signal: stop.signal }
  const run = changeConversations({ ...systemCtx(http, world.tenant.id), ...facts }, change)
  const progress = (): { done: number } | undefined =>
    (
      JSON.parse(
        world.rows<{ args: string }>('select args from jobs where id = ?', jobId)[0]?.args ?? '{}',
      ) as ConversationsChange
    ).progress
  await world.eventually(() => progress() !== undefined)
  stop.abort()
  await run.catch(() => undefined)
  const done = progress()?.done ?? 0
  expect([done % 100, done > 0, done < many.length]).toEqual([0, true, true])
  const before = await bulkNotices()
  await world.settle()
  expect((await bulkNotices()) - before).toBe(1)
  expect(await lastNotice()).toMatchObject({ title: `${many.length} conversations changed` })
})

const bulkNotices = async (): Promise<number> =>
  ((await admin.get('/api/me/notifications?limit=100')).data['items'] as Loose[]).filter(
    ({ kind }) => kind === 'bulk_done',
  ).length

async function rights(
  permissions: string[],
): Promise<{ client: Client; may: (...permissions: string[]) => void }> {
  const person = await personWith(world, permissions)
  return { client: person.client, may: (...wanted) => person.may(...wanted) }
}
