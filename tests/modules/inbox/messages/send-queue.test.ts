import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Outbox } from '../../../support/outbox'
import { NOBODY } from '../../../support/routes'
import { personWith } from '../../../support/people'
import { changeRows } from '../../../support/sql'

const listed = async (outbox: Outbox, query = ''): Promise<Loose[]> =>
  (await (await outbox.world.as('admin')).get(`/api/outbox${query}`)).data['items'] as Loose[]

/**
 * A world with a message of each stage that can be seen from outside: two contacts queued, one
 * tried again, one without answer.
 */
async function withEachStage() {
  const outbox = await Outbox.open()
  const { world } = outbox
  const contacts = await outbox.contacts(4)
  const [queued, behind, retried, ambiguous] = contacts
  world.simulator.fail({ code: 131_016 }, { recipient: String(retried?.['wa_id']) })
  world.simulator.answerHtml(502, { recipient: String(ambiguous?.['wa_id']) })
  const ids = {
    retried: await outbox.send(retried ?? {}, 'Tried again'),
    ambiguous: await outbox.send(ambiguous ?? {}, 'Who knows'),
  }
  await world.settle()
  world.clock.advance({ ms: 10 })
  return {
    outbox,
    world,
    contacts,
    ids: {
      ...ids,
      queued: await outbox.send(queued ?? {}, 'Queued'),
      behind: await outbox.send(behind ?? {}, 'Behind'),
    },
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

describe('the outbox', () => {
  test('lists waiting messages, oldest first, with the reason', async () => {
    await using at = await withEachStage()
    const items = await listed(at.outbox)
    expect(items.map(({ message_id, stage, attempts }) => [message_id, stage, attempts])).toEqual([
      [at.ids.retried, 'retry_wait', 1],
      [at.ids.ambiguous, 'ambiguous', 1],
      [at.ids.queued, 'queued', 0],
      [at.ids.behind, 'queued', 0],
    ])
    expect(items[0]).toMatchObject({
      account_id: at.world.tenant.accountId,
      contact_id: at.contacts[2]?.['id'],
      type: 'text',
      next_at: '2026-11-21T09:30:01.000Z',
      held_reason: null,
      last_error: 'platform_unavailable (131016)',
      created_at: '2026-11-21T09:30:00.000Z',
    })
    expect(items[2]).toMatchObject({ next_at: null, last_error: null })
    await at.world.settle()
    expect((await listed(at.outbox)).map(({ message_id }) => message_id)).toEqual([
      at.ids.retried,
      at.ids.ambiguous,
    ])
  })

  test('can be filtered by account, stage, contact and age, and paged', async () => {
    await using at = await withEachStage()
    const idsOf = async (query: string): Promise<unknown[]> =>
      (await listed(at.outbox, query)).map(({ message_id }) => message_id)
    expect(await idsOf(`?account_id=${at.world.tenant.accountId}`)).toHaveLength(4)
    expect(await idsOf(`?account_id=${at.world.other.accountId}`)).toEqual([])
    expect(await idsOf('?stage=queued')).toEqual([at.ids.queued, at.ids.behind])
    expect(await idsOf(`?contact_id=${at.contacts[3]?.['id']}`)).toEqual([at.ids.ambiguous])
    for (const ms of ['005', '010'])
      expect(await idsOf(`?older_than=2026-11-21T09:30:00.${ms}Z`)).toEqual([
        at.ids.retried,
        at.ids.ambiguous,
      ])
    const admin = await at.world.as('admin')
    const { data: first } = await admin.get('/api/outbox?limit=3')
    expect([first['total'], (first['items'] as Loose[]).length]).toEqual([4, 3])
    const { data: rest } = await admin.get(`/api/outbox?limit=3&cursor=${first['next_cursor']}`)
    expect([
      (rest['items'] as Loose[]).map(({ message_id }) => message_id as string),
      rest['next_cursor'],
    ]).toEqual([[at.ids.behind], null])
    for (const query of ['?stage=sent', '?older_than=yesterday', '?account_id=x', '?cursor=x'])
      expect((await admin.get(`/api/outbox${query}`)).status).toBe(400)
  })

  test('counts messages by phone number, with its rate and the oldest age', async () => {
    await using at = await withEachStage()
    at.world.clock.advance({ ms: 490 })
    expect(await at.outbox.stats()).toEqual({
      account_id: at.world.tenant.accountId,
      paused: false,
      held_reason: null,
      queued: 2,
      held: 0,
      retry_wait: 1,
      ambiguous: 1,
      rate_now: 80,
      rate_limit: 80,
      oldest_age_ms: 500,
    })
    expect(await at.outbox.stats(at.world.other)).toMatchObject({ queued: 0, oldest_age_ms: null })
  })

  test('hides contacts that are not visible', async () => {
    await using at = await withEachStage()
    const person = await personWith(at.world, [
      'jobs:read',
      'jobs:retry',
      'messages:read',
      'contacts:read',
    ])
    expect((await person.client.get('/api/outbox')).data['items']).toEqual([])
    const { data } = await person.client.get('/api/outbox/stats')
    expect(data['accounts']).toMatchObject([
      { queued: 0, retry_wait: 0, ambiguous: 0, oldest_age_ms: null },
    ])
    const { data: cancelled } = await person.client.post('/api/outbox/cancel', {
      account_id: at.world.tenant.accountId,
    })
    expect(cancelled).toEqual({ cancelled: 0 })
    changeRows(
      at.world.program.http.db.sqlite,
      'update contacts set assigned_to = ? where id = ?',
      [person.userId, String(at.contacts[0]?.['id'])],
    )
    expect(
      ((await person.client.get('/api/outbox')).data['items'] as Loose[]).map(
        ({ message_id }) => message_id as string,
      ),
    ).toEqual([at.ids.queued])
  })

  test('reads one index range, however many messages were sent', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const plan = (query: string): string =>
      outbox.world
        .rows<{ detail: string }>(`explain query plan ${query}`)
        .map(({ detail }) => detail)
        .join('; ')
    const waits = `stage in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`
    const mine = `organization_id = 'x' and ${waits}`
    expect(
      plan(`select * from messages where ${mine} order by created_at_ms, id limit 20`),
    ).toMatch(/USING INDEX messages_waiting \(organization_id=\?\)$/)
    expect(
      plan(
        `select account_id, stage, count(*), min(created_at_ms) from messages where ${mine} group by account_id, stage`,
      ),
    ).toBe('SEARCH messages USING COVERING INDEX messages_unsettled (organization_id=?)')
  })
})

describe('pausing a number', () => {
  test('holds its messages until it is resumed and then sends them in order', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    const admin = await world.as('admin')
    const socket = await world.socket('admin')
    const account_id = world.tenant.accountId
    const pause = await admin.post('/api/outbox/pause', { account_id, reason: 'Wrong prices' })
    expect([pause.status, pause.data]).toEqual([200, { account_id, paused: true }])
    for (const text of ['One', 'Two', 'Three']) await outbox.send(contact ?? {}, text)
    await world.settle()
    world.clock.advance({ hours: 3 })
    await world.settle()
    expect(outbox.calls()).toBe(0)
    expect(await outbox.stats()).toMatchObject({
      paused: true,
      held_reason: 'paused_by_person',
      held: 3,
      queued: 0,
      oldest_age_ms: 3 * 3_600_000,
    })
    expect(await listed(outbox, '?stage=held')).toMatchObject([
      { held_reason: 'paused_by_person' },
      { held_reason: 'paused_by_person' },
      { held_reason: 'paused_by_person' },
    ])
    expect((await outbox.account())['status']).toBe('active')
    const resume = await (await world.as('admin')).post('/api/outbox/resume', { account_id })
    expect(resume.data).toEqual({ account_id, paused: false })
    await world.settle()
    expect(outbox.texts()).toEqual(['One', 'Two', 'Three'])
    await socket.caughtUp()
    expect(
      socket.events('account:updated').map(({ payload }) => payload['changed'] as string[]),
    ).toEqual([['sending_paused'], ['sending_paused']])
    const { data } = await (await world.as('admin')).get('/api/audit-logs?resource_type=account')
    expect((data['items'] as Loose[]).slice(0, 2).map(({ action }) => action as string)).toEqual([
      'sending_resumed',
      'sending_paused',
    ])
  })

  test('is idempotent and requires permission in the same organization', async () => {
    await using outbox = await Outbox.open()
    const { world } = outbox
    const admin = await world.as('admin')
    for (const verb of ['pause', 'resume']) {
      expect(
        (await admin.post(`/api/outbox/${verb}`, { account_id: world.other.accountId })).status,
      ).toBe(404)
      expect(
        (
          await (
            await world.as('agent')
          ).post(`/api/outbox/${verb}`, { account_id: world.tenant.accountId })
        ).status,
      ).toBe(403)
      expect((await admin.post(`/api/outbox/${verb}`, {})).status).toBe(400)
    }
    const before = world.rows('select id from audit_logs').length
    for (let nth = 0; nth < 2; nth += 1)
      await admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })
    expect(world.rows('select id from audit_logs').length).toBe(before + 1)
  })

  test('is independent of automatic pauses: a new token does not end it', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    const admin = await world.as('admin')
    await admin.post('/api/outbox/pause', { account_id: world.tenant.accountId })
    await outbox.send(contact ?? {}, 'Held')
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { access_token: world.tenant.token })
    await world.settle()
    expect(outbox.calls()).toBe(0)
  })
})

describe('canceling waiting messages', () => {
  test('cancels all unsent messages of the phone number and nothing else', async () => {
    await using at = await withEachStage()
    const { world, outbox } = at
    const answer = await (
      await world.as('admin')
    ).post('/api/outbox/cancel', { account_id: world.tenant.accountId })
    expect([answer.status, answer.data]).toEqual([202, { cancelled: 3 }])
    for (const id of [at.ids.retried, at.ids.queued, at.ids.behind])
      expect(await outbox.read(id)).toMatchObject({
        status: 'failed',
        error: { code: 'cancelled', retryable: false },
      })
    expect((await outbox.read(at.ids.ambiguous))['status']).toBe('pending')
    const calls = outbox.calls()
    world.clock.advance({ minutes: 1 })
    await world.settle()
    expect(outbox.calls()).toBe(calls)
    expect(
      world.rows(`select state from jobs where kind = 'message.send' and state = 'cancelled'`),
    ).toHaveLength(3)
  })

  test('can be limited to a contact or to old messages', async () => {
    await using at = await withEachStage()
    const admin = await at.world.as('admin')
    const account_id = at.world.tenant.accountId
    const cancel = async (more: Loose): Promise<Loose> =>
      (await admin.post('/api/outbox/cancel', { account_id, ...more })).data
    expect(await cancel({ contact_id: at.contacts[0]?.['id'] })).toEqual({ cancelled: 1 })
    const strange = await admin.post('/api/outbox/cancel', { account_id, contact_id: NOBODY })
    expect([strange.status, strange.body.message]).toEqual([404, 'Contact not found.'])
    expect(await cancel({ older_than: '2026-11-21T09:30:00.005Z' })).toEqual({ cancelled: 1 })
    expect((await listed(at.outbox)).map(({ message_id }) => message_id)).toEqual([
      at.ids.ambiguous,
      at.ids.behind,
    ])
  })

  test('spans several transactions, publishes each message and is audited', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    const admin = await world.as('admin')
    const account_id = world.tenant.accountId
    await admin.post('/api/outbox/pause', { account_id })
    for (let nth = 0; nth < 620; nth += 1) await outbox.send(contact ?? {}, `Text ${nth}`)
    const socket = await world.socket('admin')
    expect((await admin.post('/api/outbox/cancel', { account_id })).data).toEqual({
      cancelled: 620,
    })
    await world.settle()
    await socket.caughtUp()
    expect(socket.events('message:status')).toHaveLength(620)
    const { data } = await (await world.as('admin')).get('/api/audit-logs?limit=1')
    expect((data['items'] as Loose[])[0]).toMatchObject({
      action: 'outbox_cancelled',
      changes: [{ field: 'cancelled', new_value: 620 }],
    })
  })

  test('is a bulk operation that requires jobs:retry in the same organization', async () => {
    await using outbox = await Outbox.open({ env: { RATE_BULK: '2' } })
    outbox.world.stays('the memory of a process')
    const { world } = outbox
    const admin = await world.as('admin')
    expect(
      (
        await (
          await world.as('agent')
        ).post('/api/outbox/cancel', { account_id: world.tenant.accountId })
      ).status,
    ).toBe(403)
    expect(
      (await admin.post('/api/outbox/cancel', { account_id: world.other.accountId })).status,
    ).toBe(404)
    expect(
      (await admin.post('/api/outbox/cancel', { account_id: world.tenant.accountId })).status,
    ).toBe(202)
    expect(
      (await admin.post('/api/outbox/cancel', { account_id: world.tenant.accountId })).status,
    ).toBe(429)
  })
})

describe('the sweep of waiting messages', () => {
  test('fails messages of a blocked phone number after a day', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    await (
      await world.as('admin')
    ).post('/api/outbox/pause', { account_id: world.tenant.accountId })
    const paused = await outbox.send(contact ?? {}, 'Held by a person')
    await world.settle()
    world.clock.advance({ hours: 23, minutes: 59 })
    await world.settle()
    expect((await outbox.read(paused))['status']).toBe('pending')
    world.clock.advance({ minutes: 2 })
    await world.settle()
    expect(await outbox.read(paused)).toMatchObject({
      status: 'failed',
      error: { code: 'expired' },
    })
    expect(outbox.calls()).toBe(0)
  })

  test('requeues a message that lost its job and logs it', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    const id = await outbox.send(contact ?? {}, 'Forgotten')
    world.program.http.db.sqlite.run(`delete from jobs where kind = 'message.send'`)
    world.clock.advance({ minutes: 4 })
    await world.settle()
    expect((await outbox.read(id))['status']).toBe('pending')
    world.clock.advance({ minutes: 2 })
    await world.settle()
    expect((await outbox.read(id))['status']).toBe('delivered')
    expect(world.logLines.some((line) => line.includes('re-enqueued a message'))).toBe(true)
  })

  test('logs the age of the oldest message', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    await (
      await world.as('admin')
    ).post('/api/outbox/pause', { account_id: world.tenant.accountId })
    await outbox.send(contact ?? {}, 'Held')
    world.clock.advance({ minutes: 15 })
    await world.settle()
    const line = world.logLines
      .map((text) => JSON.parse(text) as Loose)
      .find(({ msg }) => msg === 'messages are waiting to be sent')
    expect(line).toMatchObject({ organization_id: world.tenant.id, oldest_age_ms: 900_000 })
  })
})
