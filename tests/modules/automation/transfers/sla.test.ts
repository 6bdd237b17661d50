import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { changeRows } from '../../../support/sql'
import { Desk, pathOf } from '../../../support/transfers'

const SLA = {
  sla_enabled: true,
  sla_response_minutes: 15,
  sla_resolution_minutes: 60,
  sla_escalation_minutes: 30,
  sla_warning_message: 'We are sorry that you wait.',
}

/** Texts that the system sent to a customer, oldest first. */
async function systemTexts(desk: Desk, nth = 0): Promise<unknown[]> {
  const manager = await desk.world.as('manager')
  const { data } = await manager.get(`${await desk.inbox.contactPath(nth)}/messages?limit=100`)
  return (data['items'] as Loose[])
    .filter(({ source }) => source === 'system')
    .map(({ content }) => (content as Loose)['text'])
}

const kindsOf = (transfer: Loose): unknown[] =>
  (transfer['history'] as Loose[]).map(({ kind }) => kind)

describe('the deadlines of the SLA', () => {
  test('are missed once, escalate twice and stop at the end', async () => {
    await using desk = await Desk.create()
    const supervisor = await desk.supervisor()
    await desk.settings({ ...SLA, sla_escalation_notify_ids: [supervisor.userId] })
    const admin = await desk.world.as('admin')
    const lead = await desk.agent()
    const team = await desk.team([], { assignment_strategy: 'manual', name: 'Second level' })
    await admin.post(`/api/teams/${team}/members`, { user_id: lead.userId, role: 'manager' })
    const transfer = await desk.transfer(0, { team_id: team })
    expect(transfer).toMatchObject({
      sla_response_deadline: '2026-11-21T09:46:00.000Z',
      sla_resolution_deadline: '2026-11-21T10:31:00.000Z',
    })
    await desk.inbox.passes({ minutes: 14 })
    expect(kindsOf(await desk.of(transfer))).toEqual(['created'])
    await desk.inbox.passes({ minutes: 2 })
    expect(await desk.of(transfer)).toMatchObject({
      sla_breached: true,
      sla_breached_at: '2026-11-21T09:47:00.000Z',
    })
    await desk.inbox.passes({ minutes: 15 })
    expect(await desk.of(transfer)).toMatchObject({ escalation_level: 1 })
    await desk.inbox.passes({ minutes: 30 })
    await desk.inbox.passes({ minutes: 300 })
    const after = await desk.of(transfer)
    expect(after).toMatchObject({ status: 'active', escalation_level: 2 })
    expect(kindsOf(after)).toEqual(['created', 'sla_breached', 'escalated', 'escalated'])
    expect(await systemTexts(desk)).toEqual([SLA.sla_warning_message])
    const noticesOf = async (email: string) => {
      const client = await desk.world.signIn(email)
      const { data } = await client.get('/api/me/notifications')
      return (data['items'] as Loose[]).map(({ kind, severity, body }) => [kind, severity, body])
    }
    const waits = 'minutes. It waits in the queue of the team Second level.'
    expect(await noticesOf(supervisor.email)).toEqual([
      ['sla_critical', 'critical', `Nobody has answered a transfer for 61 ${waits}`],
      ['sla_warning', 'warning', `Nobody has answered a transfer for 31 ${waits}`],
    ])
    expect(await noticesOf(lead.email)).toEqual([
      ['sla_critical', 'critical', `Nobody has answered a transfer for 61 ${waits}`],
    ])
  })

  test('stop at the first message of a person, also from the phone app, but not of a key', async () => {
    await using desk = await Desk.create(2)
    await desk.settings(SLA)
    const key = await keyOf(desk.world)
    const [byPerson, byKey] = [await desk.transfer(0), await desk.transfer(1)]
    const hello = { type: 'text', text: 'Hello' }
    await key.client.post(`${await desk.inbox.contactPath(1)}/messages`, hello)
    await desk.manager.post(`${await desk.inbox.contactPath(0)}/messages`, hello)
    await desk.inbox.passes({ minutes: 40 })
    expect(await desk.of(byPerson)).toMatchObject({
      first_response_at: '2026-11-21T09:32:00.000Z',
      sla_breached: false,
      escalation_level: 0,
    })
    expect(await desk.of(byKey)).toMatchObject({
      first_response_at: null,
      sla_breached: true,
      escalation_level: 1,
    })
    await desk.inbox.passes({ minutes: 25 })
    expect(await desk.of(byPerson)).toMatchObject({ sla_breached: true, escalation_level: 0 })
  })

  test('a response after its deadline has missed it', async () => {
    await using desk = await Desk.create()
    await desk.settings(SLA)
    const transfer = await desk.transfer()
    desk.world.clock.advance({ minutes: 16 })
    const manager = await desk.world.as('manager')
    await manager.put(pathOf(transfer, 'resume'))
    expect(await desk.of(transfer)).toMatchObject({ status: 'resumed', sla_breached: true })
  })

  test('run inside business hours only if the settings say so', async () => {
    await using desk = await Desk.create()
    // The clock starts on a Saturday at 09:31 UTC.
    await desk.settings({
      ...SLA,
      sla_business_hours_only: true,
      business_hours_enabled: true,
      business_hours: [
        { day: 'saturday', enabled: true, start_time: '09:00', end_time: '10:00' },
        { day: 'monday', enabled: true, start_time: '08:00', end_time: '12:00' },
      ],
    })
    expect(await desk.transfer()).toMatchObject({
      sla_response_deadline: '2026-11-21T09:46:00.000Z',
      sla_resolution_deadline: '2026-11-23T08:31:00.000Z',
    })
  })

  test('of business hours stand while the conversation is snoozed', async () => {
    await using desk = await Desk.create()
    await desk.settings({
      ...SLA,
      sla_business_hours_only: true,
      business_hours_enabled: true,
      business_hours: [
        { day: 'saturday', enabled: true, start_time: '09:00', end_time: '10:00' },
        { day: 'monday', enabled: true, start_time: '08:00', end_time: '12:00' },
      ],
    })
    const transfer = await desk.transfer()
    const until = '2026-11-23T09:00:00.000Z'
    await desk.manager.post(`${await desk.inbox.path(0)}/snooze`, { until })
    desk.world.clock.advance({ hours: 48 })
    await desk.world.settle()
    expect(await desk.inbox.of(0)).toMatchObject({ state: 'open' })
    // 15 and 60 minutes were left when the snooze began.
    const woke = Date.parse((await desk.inbox.of(0))['updated_at'] as string)
    expect(await desk.of(transfer)).toMatchObject({
      sla_response_deadline: new Date(woke + 15 * 60_000).toISOString(),
      sla_resolution_deadline: new Date(woke + 60 * 60_000).toISOString(),
    })
  })

  test.each([
    ['at all hours', {}],
    [
      'in business hours',
      {
        sla_business_hours_only: true,
        business_hours_enabled: true,
        business_hours: [
          { day: 'saturday', enabled: true, start_time: '09:00', end_time: '18:00' },
        ],
      },
    ],
  ])(
    'that were missed before a snooze stay as they were, and the others move: %s',
    async (_, more) => {
      await using desk = await Desk.create()
      await desk.settings({ ...SLA, ...more })
      const transfer = await desk.transfer()
      await desk.inbox.passes({ minutes: 20 })
      const before = await desk.of(transfer)
      expect(before['sla_breached']).toBe(true)
      const until = new Date(desk.world.clock.nowMs() + 60 * 60_000).toISOString()
      await desk.manager.post(`${await desk.inbox.path(0)}/snooze`, { until })
      desk.world.clock.advance({ minutes: 60 })
      await desk.world.settle()
      expect(await desk.inbox.of(0)).toMatchObject({ state: 'open' })
      const after = await desk.of(transfer)
      expect(after['sla_response_deadline']).toBe(before['sla_response_deadline'])
      expect(Date.parse(after['sla_resolution_deadline'] as string)).toBeGreaterThan(
        Date.parse(before['sla_resolution_deadline'] as string),
      )
    },
  )

  test('say nothing while the number is suspended, and nothing late', async () => {
    await using desk = await Desk.create()
    await desk.settings(SLA)
    const transfer = await desk.transfer()
    const { sqlite } = desk.world.program.http.db
    changeRows(sqlite, "update accounts set status = 'suspended' where id = ?", [
      desk.world.tenant.accountId ?? '',
    ])
    await desk.inbox.passes({ minutes: 31 })
    expect(await desk.of(transfer)).toMatchObject({ escalation_level: 1 })
    changeRows(sqlite, "update accounts set status = 'active' where id = ?", [
      desk.world.tenant.accountId ?? '',
    ])
    await desk.inbox.passes({ minutes: 1 })
    expect(await systemTexts(desk)).toEqual([])
  })

  test('are run by one of two processes, and once over restarts', async () => {
    await using desk = await Desk.create(20)
    await desk.settings(SLA)
    for (let nth = 0; nth < 20; nth += 1) await desk.transfer(nth)
    for (let nth = 0; nth < 3; nth += 1) {
      await desk.inbox.passes({ minutes: 20 })
      // Each start looks at the schedules again.
      desk.world.rows("update job_schedules set slot_ms = 0 where name = 'transfer.run-due'")
      await Promise.all([desk.world.settle(), desk.world.settle()])
    }
    expect(
      desk.world.rows(
        'select kind, count(*) as n from transfer_changes group by kind order by kind',
      ),
    ).toEqual([
      { kind: 'created', n: 20 },
      { kind: 'escalated', n: 40 },
      { kind: 'sla_breached', n: 20 },
    ])
    expect(await systemTexts(desk, 7)).toEqual([SLA.sla_warning_message])
  })
})

describe('the silence of the customer', () => {
  const hello = { type: 'text', text: 'What is your order number?' }

  test('ends a transfer after the hours of the settings, with a last text', async () => {
    await using desk = await Desk.create()
    await desk.settings({ sla_auto_close_hours: 12, sla_auto_close_message: 'Goodbye' })
    const agent = await desk.agent()
    const transfer = await desk.transfer(0, { agent_id: agent.userId })
    expect(transfer['expires_at']).toBeNull()
    await agent.client.post(`${await desk.inbox.contactPath(0)}/messages`, hello)
    expect((await desk.of(transfer))['expires_at']).toBe('2026-11-21T21:31:00.000Z')
    await desk.inbox.passes({ hours: 11 })
    expect(await desk.of(transfer)).toMatchObject({ status: 'active' })
    await desk.inbox.passes({ hours: 2 })
    expect(await desk.of(transfer)).toMatchObject({ status: 'expired', resumed_at: null })
    expect(await desk.inbox.of(0)).toMatchObject({ state: 'closed', transfer: null })
    expect(await systemTexts(desk)).toEqual(['Goodbye'])
  })

  test('ends nothing while the customer waits, and sends nothing outside the window', async () => {
    await using desk = await Desk.create(2)
    await desk.settings({ sla_auto_close_message: 'Goodbye' })
    const [waits, silent] = [await desk.transfer(0), await desk.transfer(1)]
    for (const nth of [0, 1])
      await desk.manager.post(`${await desk.inbox.contactPath(nth)}/messages`, hello)
    await desk.inbox.says(0, '4711')
    expect((await desk.of(waits))['expires_at']).toBeNull()
    await desk.inbox.passes({ hours: 30 })
    expect((await desk.of(waits))['status']).toBe('active')
    expect((await desk.of(silent))['status']).toBe('expired')
    expect(await systemTexts(desk, 1)).toEqual([])
  })

  test('never ends it with `null`', async () => {
    await using desk = await Desk.create()
    await desk.settings({ sla_auto_close_hours: null })
    const transfer = await desk.transfer()
    await desk.manager.post(`${await desk.inbox.contactPath(0)}/messages`, hello)
    await desk.inbox.passes({ hours: 800 })
    expect((await desk.of(transfer))['status']).toBe('active')
  })

  test('is reminded of once, and ended by the client’s time', async () => {
    await using desk = await Desk.create()
    await desk.settings({
      client_reminder_enabled: true,
      client_reminder_minutes: 30,
      client_reminder_message: 'Are you still there?',
      client_auto_close_minutes: 90,
      client_auto_close_message: 'We close this now.',
    })
    const agent = await desk.agent()
    const transfer = await desk.transfer(0, { agent_id: agent.userId })
    const path = `${await desk.inbox.contactPath(0)}/messages`
    await agent.client.post(path, hello)
    await desk.inbox.passes({ minutes: 31 })
    await desk.inbox.passes({ minutes: 31 })
    expect(await systemTexts(desk)).toEqual(['Are you still there?'])
    await desk.inbox.says(0, 'Yes')
    const client = await desk.world.signIn(agent.email)
    await client.post(path, hello)
    await desk.inbox.passes({ minutes: 31 })
    expect(await systemTexts(desk)).toEqual(['Are you still there?', 'Are you still there?'])
    await desk.inbox.passes({ minutes: 61 })
    expect(await systemTexts(desk)).toEqual([
      'Are you still there?',
      'Are you still there?',
      'We close this now.',
    ])
    expect(await desk.of(transfer)).toMatchObject({ status: 'expired' })
  })

  test('counts from the transfer, however long the customer was silent before', async () => {
    await using desk = await Desk.create(2)
    await desk.settings({
      sla_auto_close_hours: 12,
      client_reminder_enabled: true,
      client_reminder_minutes: 30,
      client_reminder_message: 'Are you still there?',
      client_auto_close_minutes: 90,
      client_auto_close_message: 'We close this now.',
    })
    for (const nth of [0, 1])
      await desk.manager.post(`${await desk.inbox.contactPath(nth)}/messages`, hello)
    await desk.inbox.passes({ hours: 13 })
    const agent = await desk.agent()
    const manager = await desk.world.as('manager')
    const [assigned, waiting] = [
      await desk.transfer(0, { agent_id: agent.userId }, manager),
      await desk.transfer(1, {}, manager),
    ]
    expect([assigned['expires_at'], waiting['expires_at']]).toEqual([
      '2026-11-22T00:02:00.000Z',
      '2026-11-22T10:32:00.000Z',
    ])
    await desk.inbox.passes({ minutes: 29 })
    expect(await systemTexts(desk)).toEqual([])
    await desk.inbox.passes({ minutes: 2 })
    expect(await systemTexts(desk)).toEqual(['Are you still there?'])
    await desk.inbox.passes({ minutes: 60 })
    expect((await desk.of(assigned))['status']).toBe('expired')
    expect((await desk.of(waiting))['status']).toBe('active')
    expect(await systemTexts(desk, 1)).toEqual([])
  })

  test('has its consequences once over restarts and with two processes', async () => {
    await using desk = await Desk.create(3)
    await desk.settings({
      client_reminder_enabled: true,
      client_reminder_minutes: 30,
      client_reminder_message: 'Are you still there?',
      client_auto_close_minutes: 90,
      client_auto_close_message: 'We close this now.',
    })
    const agent = await desk.agent()
    for (const nth of [0, 1, 2]) {
      await desk.transfer(nth, { agent_id: agent.userId })
      await agent.client.post(`${await desk.inbox.contactPath(nth)}/messages`, hello)
    }
    for (const minutes of [31, 5, 60, 5]) {
      await desk.inbox.passes({ minutes })
      // Each start looks at the schedules again.
      desk.world.rows("update job_schedules set slot_ms = 0 where name = 'transfer.run-due'")
      await Promise.all([desk.world.settle(), desk.world.settle()])
    }
    for (const nth of [0, 1, 2])
      expect(await systemTexts(desk, nth)).toEqual(['Are you still there?', 'We close this now.'])
    expect(
      desk.world.rows("select count(*) as n from transfer_changes where kind = 'expired'"),
    ).toEqual([{ n: 3 }])
  })

  test('is not reminded of while nobody has the transfer', async () => {
    await using desk = await Desk.create()
    await desk.settings({ client_reminder_enabled: true, client_reminder_message: 'Hello?' })
    await desk.transfer()
    await desk.manager.post(`${await desk.inbox.contactPath(0)}/messages`, hello)
    await desk.inbox.passes({ hours: 2 })
    expect(await systemTexts(desk)).toEqual([])
  })
})
