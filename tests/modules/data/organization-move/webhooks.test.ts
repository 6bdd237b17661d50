import { afterEach, beforeEach, expect, test } from 'bun:test'

import { envelope, textMessage } from '../../../../src/simulator/payloads'
import type { Loose } from '../../../support/client'
import { lineOf } from '../../../support/lines'
import { WorldPair } from '../../../support/moves'
import { changeRows } from '../../../support/sql'
import type { Tenant, World } from '../../../support/world'

let pair: WorldPair

beforeEach(async () => {
  pair = await WorldPair.create()
})
afterEach(() => pair[Symbol.asyncDispose]())

/** Posts a message to the number that moves, at the door of a server. */
const post = (id: string, at: World, secret?: string) =>
  pair.from.simulator.post(
    textMessage(`Text ${id}`, {
      line: lineOf(pair.from.other),
      id,
      timestamp: Math.floor(pair.from.clock.nowMs() / 1_000),
    }),
    { path: `${at.url}/api/webhook`, ...(secret === undefined ? {} : { secret }) },
  )

const messagesOf = (world: World): unknown[] =>
  world.rows('select wa_message_id as id from messages order by id').map(({ id }) => id)

/** What a server has of the webhooks: how they ended. */
const journalOf = (world: World): unknown[] =>
  world.rows('select state, reason from inbound_events order by id')

/** Lets a server not reach the other one. Returns what ends that. */
function cutOff({ program }: World): () => void {
  const { cellClient } = program.http
  const send = cellClient.post.bind(cellClient)
  cellClient.post = () => Promise.resolve({ kind: 'failed', cause: 'ECONNREFUSED' } as never)
  return () => Object.assign(cellClient, { post: send })
}

test('webhooks of a number with its own secret are accepted before, during and after the move', async () => {
  const { from, to } = pair
  const secret = 'the-secret-of-bolt'
  const admin = await from.as('admin', from.other)
  await admin.put(`/api/accounts/${from.other.accountId}`, { app_secret: secret })
  expect((await post('wamid.1', from, secret)).status).toBe(200)
  await from.settle()
  await pair.start()
  await pair.reach('importing', { of: [from] })
  expect((await post('wamid.2', from, secret)).status).toBe(200)
  expect((await post('wamid.x', from, 'another-secret-0123')).status).toBe(401)
  await to.settle() // it has the rows, but no secrets yet
  const early = await post('wamid.3', to, secret)
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '10'])
  await pair.reach('completed')
  expect((await post('wamid.4', from, secret)).status).toBe(200)
  expect((await post('wamid.5', to, secret)).status).toBe(200)
  await pair.pass()
  expect(messagesOf(to)).toEqual(['wamid.1', 'wamid.2', 'wamid.4', 'wamid.5'])
})

test('a body of numbers with the same own secret is passed on after one of them moved', async () => {
  const { from, to } = pair
  const secret = 'the-secret-of-both'
  for (const tenant of [from.tenant, from.other]) {
    const admin = await from.as('admin', tenant)
    await admin.put(`/api/accounts/${tenant.accountId}`, { app_secret: secret })
  }
  await pair.start()
  await pair.reach('importing', { of: [from] })
  const postBoth = (nth: number) => {
    const bodies = [from.tenant, from.other].map((tenant, part) =>
      textMessage('Text', { line: lineOf(tenant), id: `wamid.${nth}${part}` }),
    )
    const body = { ...bodies[0], entry: bodies.flatMap(({ entry }) => entry) }
    return from.simulator.post(body, { path: `${from.url}/api/webhook`, secret })
  }
  expect((await postBoth(1)).status).toBe(200)
  await pair.reach('completed')
  expect((await postBoth(2)).status).toBe(200)
  await pair.pass()
  expect(messagesOf(from)).toEqual(['wamid.10', 'wamid.20'])
  expect(messagesOf(to)).toEqual(['wamid.11', 'wamid.21'])
})

test('after the move each webhook is known to be at the target, or refused to be replayed', async () => {
  const { from, to } = pair
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await post('wamid.1', from)
  await post('wamid.2', to)
  await pair.pass({ of: [from] })
  await pair.reach('completed')
  await pair.pass()
  expect(messagesOf(to)).toEqual(['wamid.1', 'wamid.2'])
  const passedOn = { state: 'ignored', reason: 'passed_on' }
  expect(journalOf(from)).toEqual([passedOn, passedOn])
  changeRows(
    from.program.http.db.sqlite,
    "update inbound_events set state = 'failed', reason = null, organization_id = ?",
    [pair.organization],
  )
  const [failed] = from.rows<{ id: string }>('select id from inbound_events')
  const replayed = await pair.admin.post<Loose>(`/api/inbound/events/${failed?.id}/replay`)
  expect([replayed.status, replayed.body.details]).toEqual([409, { address: to.url }])
  const many = await pair.admin.post<Loose>('/api/inbound/replay', { state: 'failed' })
  expect(many.data['queued']).toBe(0)
  expect(from.rows('select sum(unrouted) as n from inbound_hourly_stats')).toEqual([{ n: 0 }])
})

test('webhooks that were kept are marked although the process was killed after the handover', async () => {
  const { from } = pair
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await post('wamid.1', from)
  await pair.pass({ of: [from] })
  const { db } = from.program.http
  const { beforeCommit } = db
  let killed = 0
  Object.assign(db, {
    beforeCommit: (...args: Parameters<typeof beforeCommit>) => {
      const isMarking = new Error('for its stack').stack?.includes('markKept')
      if (isMarking && killed === 0) {
        killed += 1
        throw new Error('interrupted')
      }
      beforeCommit(...args)
    },
  })
  await pair.reach('completed')
  await pair.pass({ seconds: 60 })
  expect(killed).toBe(1)
  expect(journalOf(from)).toEqual([{ state: 'ignored', reason: 'passed_on' }])
})

test('webhooks that failed before the move are processed at the target', async () => {
  const { from, to } = pair
  const about = (id: string, tenant: Tenant) => ({ id, line: lineOf(tenant) })
  const alone = textMessage('Alone', about('wamid.1', from.other))
  const [first, second] = [
    textMessage('First', about('wamid.2', from.tenant)),
    textMessage('Second', about('wamid.3', from.other)),
  ]
  await from.simulator.post(alone)
  await from.simulator.post({ ...first, entry: [...first.entry, ...second.entry] })
  await from.settle()
  const { sqlite } = from.program.http.db
  changeRows(sqlite, 'delete from messages where organization_id = ?', [pair.organization])
  changeRows(sqlite, "update inbound_events set state = 'failed' where organization_id = ?", [
    pair.organization,
  ])
  await pair.start()
  await pair.reach('completed')
  await pair.pass()
  expect(messagesOf(to)).toEqual(['wamid.1', 'wamid.3'])
  expect(journalOf(from)).toEqual([
    { state: 'ignored', reason: 'passed_on' },
    { state: 'done', reason: null },
    { state: 'ignored', reason: 'passed_on' },
  ])
  expect(from.rows('select count(*) as n from inbound_bodies')).toEqual([{ n: 3 }])
  expect(from.rows('select sum(unrouted) as n from inbound_hourly_stats')).toEqual([{ n: 0 }])
})

test('nothing reacts at the target to a webhook that failed long before the move', async () => {
  const { from, to } = pair
  const timestamp = Math.floor(from.clock.nowMs() / 1_000)
  const about = { id: 'wamid.1', line: lineOf(from.other), timestamp }
  await from.simulator.post(textMessage('Nevermore', about))
  await from.settle()
  const { sqlite } = from.program.http.db
  changeRows(sqlite, 'delete from messages where organization_id = ?', [pair.organization])
  changeRows(sqlite, "update inbound_events set state = 'failed'")
  const admin = await from.as('admin', from.other)
  const replies = { opt_out_keywords: ['nevermore'], opt_out_reply: 'We write no more.' }
  expect((await admin.put('/api/consent-settings', replies)).status).toBe(200)
  for (const { clock } of [from, to]) clock.advance({ hours: 2 })
  const later = await from.as('super')
  expect((await later.post(pair.path, { to: to.url })).status).toBe(202)
  await pair.reach('completed')
  await pair.pass()
  expect(messagesOf(to)).toEqual(['wamid.1'])
})

test('a move that took more than a day loses nothing', async () => {
  const { from, to } = pair
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await post('wamid.1', from)
  await from.settle()
  await to.settle()
  // The target does not answer for two days, after it was told to take over.
  const reconnect = cutOff(from)
  changeRows(from.program.http.db.sqlite, "update organization_moves set step = 'activating'")
  for (const world of [from, to]) world.clock.advance({ hours: 48 })
  await from.settle()
  reconnect()
  await pair.reach('completed')
  await pair.pass()
  expect(messagesOf(to)).toEqual(['wamid.1'])
})

test('a webhook that the target acknowledged outlives its copy', async () => {
  const { from, to } = pair
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await to.settle()
  const reconnect = cutOff(to)
  expect((await post('wamid.1', to)).status).toBe(200)
  await to.settle()
  await pair.admin.delete(pair.path)
  await pair.pass()
  expect(pair.step).toBe('aborting')
  reconnect()
  await pair.reach('aborted')
  await pair.pass({ seconds: 60 })
  expect(messagesOf(from)).toEqual(['wamid.1'])
  expect(pair.states).toEqual(['active', null])
})

test('a person who was erased after an abort does not come back with the next move', async () => {
  const { from, to } = pair
  const admin = await from.as('admin', from.other)
  await pair.start()
  await pair.reach('importing', { of: [from] })
  await from.simulator.customer({ phone: from.other.phoneId }).says('Forget me')
  await pair.pass({ of: [from] })
  await pair.admin.delete(pair.path)
  await pair.reach('aborted')
  expect(journalOf(to)).toEqual([])
  const { data } = await admin.get('/api/contacts')
  const id = String((data['items'] as Loose[])[0]?.['id'])
  expect((await admin.post(`/api/contacts/${id}/erase`, { confirm: id })).status).toBe(201)
  await pair.pass({ seconds: 60 })
  await pair.pass({ seconds: 60 })
  expect((await pair.start()).status).toBe(202)
  await pair.reach('completed')
  await pair.pass()
  expect([messagesOf(to), to.rows('select 1 from contact_identities')]).toEqual([[], []])
}, 20_000)

test('an opt-out reaches both the number that stays and the one that moves', async () => {
  const { from, to } = pair
  const { tenant, other } = from
  const seconds = Math.floor(from.clock.nowMs() / 1_000)
  const people = [tenant, other].map(({ phoneId }, nth) => ({
    phone: phoneId,
    waId: `1555030000${nth}`,
    userId: `US.93000000000000000000${nth}`,
  }))
  for (const person of people) await from.simulator.customer(person).says('Hi')
  await from.settle()
  await pair.start()
  await pair.reach('importing', { of: [from] })
  const value = {
    messaging_product: 'whatsapp',
    contacts: people.map(({ waId, userId }) => ({
      ...{ profile: { name: 'Ana' }, wa_id: waId, user_id: userId },
    })),
    user_preferences: people.map(({ phone, waId, userId }) => ({
      ...{ wa_id: waId, user_id: userId, detail: 'stop', category: 'marketing_messages' },
      ...{ value: 'stop', timestamp: seconds + 5, metadata: { phone_number_id: phone } },
    })),
  }
  await from.simulator.post(
    envelope(value as never, { line: lineOf(tenant), field: 'user_preferences' }),
  )
  await pair.pass({ of: [from] })
  await pair.reach('completed')
  await pair.pass()
  const consentIn = (world: World, organization: string) =>
    world.rows('select marketing_consent from contacts where organization_id = ?', organization)
  const optedOut = [{ marketing_consent: 'opted_out' }]
  expect([consentIn(from, tenant.id), consentIn(to, other.id)]).toEqual([optedOut, optedOut])
})
