import { describe, expect, test } from 'bun:test'

import { accountNews } from '../../../../src/simulator/coexistence'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn } from '../../../support/lines'
import { World } from '../../../support/world'

const shown = async (world: World): Promise<Loose> =>
  (await (await world.as('admin')).get(`/api/accounts/${world.tenant.accountId}`)).data

/** Delivers news of the first tenant's business account, told now unless another time is said. */
async function tell(
  world: World,
  field: string,
  value: Loose,
  time = secondsIn(world),
): Promise<void> {
  await deliver(world, accountNews(field, value, { line: lineOf(world.tenant), time }))
}

const number = (world: World): Loose => ({
  display_phone_number: lineOf(world.tenant).displayPhoneNumber,
})

/** What those who look after numbers were told: kind and severity, newest first. */
const noticesOf = async (world: World): Promise<[string, string][]> =>
  ((await (await world.as('manager')).get('/api/me/notifications')).data['items'] as Loose[]).map(
    ({ kind, severity }) => [String(kind), String(severity)],
  )

const changesOf = (world: World): Loose[] =>
  world.rows<Loose>('select kind, before, after from account_quality order by id')

describe('a webhook about limits and quality', () => {
  test.each<[string, string, Loose, Loose]>([
    [
      'a limit',
      'phone_number_quality_update',
      { event: 'UPGRADE', current_limit: 'TIER_10K' },
      { messaging_limit_tier: 'TIER_10K' },
    ],
    [
      'a limit in the newer form',
      'phone_number_quality_update',
      { event: 'DOWNGRADE', max_daily_conversations_per_business: 'TIER_250' },
      { messaging_limit_tier: 'TIER_250' },
    ],
    [
      'a higher throughput',
      'phone_number_quality_update',
      { event: 'THROUGHPUT_UPGRADE', current_limit: 'TIER_UNLIMITED' },
      { throughput_level: 'HIGH', throughput_limit: 1_000, messaging_limit_tier: 'TIER_UNLIMITED' },
    ],
    [
      'a capability as a number',
      'business_capability_update',
      { max_daily_conversation_per_phone: 1_000 },
      { messaging_limit_tier: 'TIER_1K' },
    ],
    [
      'a small capability',
      'business_capability_update',
      { max_daily_conversation_per_phone: 250 },
      { messaging_limit_tier: 'TIER_250' },
    ],
    [
      'a capability without end',
      'business_capability_update',
      { max_daily_conversation_per_phone: -1 },
      { messaging_limit_tier: 'TIER_UNLIMITED' },
    ],
    [
      'a capability in the newer form',
      'business_capability_update',
      { max_daily_conversations_per_business: 'TIER_100K' },
      { messaging_limit_tier: 'TIER_100K' },
    ],
  ])(
    '%s changes the number, its history and what sockets show',
    async (_, field, value, expected) => {
      await using world = await World.create()
      const socket = await world.socket('agent')
      await tell(
        world,
        field,
        field === 'phone_number_quality_update' ? { ...number(world), ...value } : value,
      )
      expect(await shown(world)).toMatchObject(expected)
      expect(changesOf(world)).toContainEqual({
        kind: 'limit',
        before: 'TIER_2K',
        after: String((await shown(world))['messaging_limit_tier']),
      })
      await socket.caughtUp()
      expect(socket.events('account:updated')).toMatchObject([
        { payload: { messaging_limit_tier: (await shown(world))['messaging_limit_tier'] } },
      ])
      expect(await noticesOf(world)).toEqual([])
    },
  )

  test('that flags a number sets its quality to red and notifies its managers once', async () => {
    await using world = await World.create()
    const at = secondsIn(world)
    for (const _ of [1, 2])
      await tell(
        world,
        'phone_number_quality_update',
        { ...number(world), event: 'FLAGGED', current_limit: 'TIER_2K' },
        at,
      )
    expect(await shown(world)).toMatchObject({ quality_rating: 'RED', status: 'active' })
    expect(await noticesOf(world)).toEqual([['quality_drop', 'warning']])
    expect((await (await world.as('agent')).get('/api/me/notifications')).data['total']).toBe(0)
    expect(
      (await (await world.as('admin', world.other)).get('/api/me/notifications')).data['total'],
    ).toBe(0)
  })

  test('that removes a flag causes a health check', async () => {
    await using world = await World.create()
    await tell(world, 'phone_number_quality_update', { ...number(world), event: 'FLAGGED' })
    world.clock.advance({ hours: 1 })
    await tell(world, 'phone_number_quality_update', { ...number(world), event: 'UNFLAGGED' })
    expect(await shown(world)).toMatchObject({
      quality_rating: 'GREEN',
      last_checked_at: '2026-11-21T10:30:00.000Z',
    })
  })

  test('that is older than the known state changes nothing', async () => {
    await using world = await World.create()
    const at = secondsIn(world)
    await tell(
      world,
      'phone_number_quality_update',
      { ...number(world), event: 'UPGRADE', current_limit: 'TIER_100K' },
      at,
    )
    await tell(
      world,
      'phone_number_quality_update',
      { ...number(world), event: 'UPGRADE', current_limit: 'TIER_10K' },
      at - 60,
    )
    expect(await shown(world)).toMatchObject({ messaging_limit_tier: 'TIER_100K' })
  })
})

describe('a webhook that notifies people', () => {
  const cases: [string, string, Loose, [string, string][], Loose][] = [
    [
      'an approved name',
      'phone_number_name_update',
      { decision: 'APPROVED', requested_verified_name: 'Acme Global', rejection_reason: null },
      [['account_notice', 'info']],
      { verified_name: 'Acme Global' },
    ],
    [
      'a declined name',
      'phone_number_name_update',
      {
        decision: 'REJECTED',
        requested_verified_name: 'Acme Bank',
        rejection_reason: 'NAME_NOT_CONSISTENT',
      },
      [['account_notice', 'warning']],
      { verified_name: 'Acme' },
    ],
    [
      'a passed review',
      'account_review_update',
      { decision: 'APPROVED' },
      [['account_notice', 'info']],
      {},
    ],
    [
      'a failed review',
      'account_review_update',
      { decision: 'REJECTED' },
      [['account_notice', 'critical']],
      {},
    ],
    [
      'a flat alert',
      'account_alerts',
      {
        alert_severity: 'INFORMATIONAL',
        alert_type: 'INCREASED_CAPABILITIES',
        alert_description: 'More',
      },
      [['account_notice', 'info']],
      {},
    ],
    [
      'a nested alert',
      'account_alerts',
      {
        entity_type: 'BUSINESS',
        alert_info: { alert_severity: 'CRITICAL', alert_type: 'OBA_LOST' },
      },
      [['account_notice', 'critical']],
      {},
    ],
    [
      'a change of the PIN',
      'security',
      { event: 'PIN_CHANGED', requester: '61000000000001' },
      [['account_notice', 'warning']],
      {},
    ],
    ['changed settings', 'account_settings_update', { event: 'X' }, [], {}],
    ['a username', 'business_username_update', { username: 'acme', status: 'approved' }, [], {}],
    [
      'an event of the account',
      'account_update',
      { event: 'VERIFIED_ACCOUNT' },
      [['account_notice', 'info']],
      { status: 'active' },
    ],
  ]
  test.each(cases)(
    '%s is stored on the number and has its severity',
    async (_, field, value, notices, expected) => {
      await using world = await World.create()
      const at = secondsIn(world)
      for (const __ of [1, 2]) await tell(world, field, { ...number(world), ...value }, at)
      expect(await noticesOf(world)).toEqual(notices)
      expect(await shown(world)).toMatchObject(expected)
      const [row] = world.rows<{ platform_updates: string }>(
        'select platform_updates from accounts where id = ?',
        String(world.tenant.accountId),
      )
      expect(
        Object.values(JSON.parse(row?.platform_updates ?? '{}') as Record<string, Loose>),
      ).toMatchObject([{ at_ms: at * 1_000, value }])
    },
  )

  test('names the number and links to it', async () => {
    await using world = await World.create()
    await tell(world, 'account_review_update', { decision: 'REJECTED' })
    const [notice] = (await (await world.as('manager')).get('/api/me/notifications')).data[
      'items'
    ] as Loose[]
    expect(notice).toMatchObject({ link: `/accounts/${world.tenant.accountId}` })
    expect(String(notice?.['title'])).toContain('Acme main')
  })
})

describe('a webhook about a ban', () => {
  const STOPS: Loose[] = [
    { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'today' } },
    { event: 'ACCOUNT_DELETED' },
    { event: 'ACCOUNT_OFFBOARDED' },
    { event: 'PARTNER_REMOVED', waba_info: { waba_id: '1' } },
  ]
  const RETURNS: Loose[] = [
    { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
    { event: 'ACCOUNT_RECONNECTED' },
  ]

  test.each(STOPS)(
    '%p suspends the number and holds its messages until it is reinstated',
    async (stop) => {
      await using world = await World.create()
      const { id } = await world.contactOf()
      const manager = await world.as('manager')
      await (
        await world.as('manager')
      ).post('/api/outbox/pause', { account_id: world.tenant.accountId })
      const { data } = await manager.post(`/api/contacts/${id}/messages`, {
        type: 'text',
        text: 'waits',
      })
      await tell(world, 'account_update', stop)
      await manager.post('/api/outbox/resume', { account_id: world.tenant.accountId })
      await world.settle()
      expect(await shown(world)).toMatchObject({
        status: 'suspended',
        status_reason: String(stop['event']).toLowerCase(),
      })
      expect(await noticesOf(world)).toEqual([['account_suspended', 'critical']])
      expect(changesOf(world)).toEqual([{ kind: 'status', before: 'active', after: 'suspended' }])
      const refused = await manager.post(`/api/contacts/${id}/messages`, {
        type: 'text',
        text: 'refused',
      })
      expect(refused).toMatchObject({ status: 400, body: { code: 'account_inactive' } })
      expect(world.simulator.messages).toEqual([])
      world.clock.advance({ minutes: 5 })
      await tell(world, 'account_update', RETURNS[0] as Loose)
      expect(await shown(world)).toMatchObject({ status: 'active', status_reason: null })
      expect((await manager.get(`/api/messages/${data['id']}`)).data).toMatchObject({
        status: 'delivered',
      })
    },
  )

  test.each(RETURNS)('%p activates a suspended number and changes no other state', async (back) => {
    await using world = await World.create()
    await tell(world, 'account_update', { event: 'ACCOUNT_OFFBOARDED' })
    world.clock.advance({ minutes: 5 })
    await tell(world, 'account_update', back)
    expect(await shown(world)).toMatchObject({ status: 'active', status_reason: null })
    world.program.http.db.sqlite.run("update accounts set status = 'pending'")
    world.clock.advance({ minutes: 5 })
    await tell(world, 'account_update', back)
    expect(await shown(world)).toMatchObject({ status: 'pending' })
  })

  test('that arrives after the reinstatement but was sent before it changes nothing', async () => {
    await using world = await World.create()
    const at = secondsIn(world)
    await tell(world, 'account_update', RETURNS[0] as Loose, at)
    await tell(world, 'account_update', STOPS[0] as Loose, at - 60)
    expect(await shown(world)).toMatchObject({ status: 'active' })
  })

  test('of a restriction is stored with its end and is critical; a reinstatement ends it', async () => {
    await using world = await World.create()
    const untilS = secondsIn(world) + 86_400
    const restriction_info = [
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: untilS },
    ]
    await tell(world, 'account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info })
    const until = (): unknown =>
      world.rows(
        'select restricted_until_ms as until from accounts where id = ?',
        String(world.tenant.accountId),
      )
    expect(until()).toEqual([{ until: untilS * 1_000 }])
    expect(await shown(world)).toMatchObject({ status: 'active' })
    expect(await noticesOf(world)).toEqual([['account_notice', 'critical']])
    world.clock.advance({ minutes: 5 })
    await tell(world, 'account_update', { event: 'ACCOUNT_RECONNECTED' })
    expect(until()).toEqual([{ until: null }])
    // An end that nobody can read is none: better too much waits than what the platform would
    // refuse is sent. Milliseconds instead of seconds are a year with five digits.
    for (const expiration of ['soon', untilS * 1_000]) {
      world.clock.advance({ minutes: 5 })
      await tell(world, 'account_update', {
        event: 'ACCOUNT_RESTRICTION',
        restriction_info: [{ expiration }, 7],
      })
      expect(await shown(world)).toMatchObject({
        restricted_since: expect.any(String) as string,
        restricted_until: null,
      })
    }
  })
})

test.each<[string, unknown]>([
  ['account_update', null],
  ['account_update', { event: 5, restriction_info: 'x' }],
  ['phone_number_quality_update', { event: null, current_limit: {} }],
  ['business_capability_update', {}],
  ['account_alerts', { alert_info: 'x' }],
  ['phone_number_name_update', { decision: 1, requested_verified_name: null }],
  ['account_review_update', {}],
  ['security', {}],
])('broken news of %s (%p) break nothing', async (field, value) => {
  await using world = await World.create()
  const { updated_at: _, template_sync: _sync, ...before } = await shown(world)
  await tell(world, field, value as Loose)
  expect(await shown(world)).toMatchObject(before)
  expect(world.rows('select state from inbound_events where last_error is not null')).toEqual([])
})
