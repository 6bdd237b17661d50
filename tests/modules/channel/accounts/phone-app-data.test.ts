import { describe, expect, test } from 'bun:test'

import { SIMULATED_APP } from '../../../../src/simulator/administration'
import type { PhoneApp } from '../../../../src/simulator/accounts'
import { history, historyDeclined } from '../../../../src/simulator/coexistence'
import { SIGNUP_CONFIG } from '../../../../src/simulator/signup-dialog'
import type { Loose } from '../../../support/client'
import { deliver, lineOf } from '../../../support/lines'
import { World } from '../../../support/world'

const SIGNUP = { APP_ID: SIMULATED_APP, SIGNUP_CONFIG_ID: SIGNUP_CONFIG }
const ANA = { waId: '15550109901', name: 'Ana Sol' }

/** A world in which the first tenant's number is used in the phone app, and is not connected. */
async function openWorld(phoneApp: PhoneApp = {}): Promise<World> {
  const world = await World.create({ isConnected: false, env: SIGNUP })
  world.simulator.addPhone({
    id: world.tenant.phoneId,
    isOnBizApp: true,
    phoneApp: { connectedAtMs: world.clock.nowMs(), ...phoneApp },
  })
  return world
}

/**
 * Connects the number with the code of the dialog. Its webhooks are subscribed with it. Returns the
 * warnings.
 */
async function signUp(world: World): Promise<unknown> {
  const { data } = await (
    await world.as('manager')
  ).post('/api/accounts/exchange-token', { code: world.simulator.issueCode(world.tenant.phoneId) })
  world.tenant.accountId = data['account'].id
  return data['warnings']
}

const accountOf = async (world: World): Promise<Loose> =>
  (await (await world.as('manager')).get(`/api/accounts/${world.tenant.accountId}`)).data

const syncOf = async (world: World): Promise<Loose> =>
  (await accountOf(world))['phone_app_sync'] as Loose

const requested = (world: World): unknown[] =>
  world.simulator
    .callsOf({ route: 'phone_app_data' })
    .map(({ object, body }) => [object, (body as Loose)['sync_type']])

const noticesOf = async (world: World): Promise<string[]> =>
  ((await (await world.as('manager')).get('/api/me/notifications')).data['items'] as Loose[]).map(
    ({ title }) => String(title),
  )

/** What the platform calls the two kinds. */
const both = ({ tenant }: World): unknown[] => [
  [tenant.phoneId, 'smb_app_state_sync'],
  [tenant.phoneId, 'history'],
]

describe('a number of the phone app', () => {
  test('is never registered, and its contacts and chats are requested once each and arrive', async () => {
    await using world = await openWorld()
    // the app has verified it, whatever the platform says
    world.simulator.addPhone({
      id: world.tenant.phoneId,
      codeVerificationStatus: 'NOT_VERIFIED',
      status: 'PENDING',
      canSend: 'AVAILABLE',
    })
    const socket = await world.socket('manager')
    expect(await signUp(world)).toEqual([])
    await world.settle()
    expect(requested(world)).toEqual(both(world))
    expect(await accountOf(world)).toMatchObject({
      status: 'active',
      is_on_phone_app: true,
      throughput_level: 'COEXISTENCE',
      phone_app_sync: {
        until: null,
        contacts: 'requested',
        history: 'done',
        history_progress: 100,
      },
    })
    const manager = await world.as('manager')
    const { items } = (await manager.get('/api/contacts')).data as { items: Loose[] }
    expect(items).toMatchObject([{ display_name: 'Ana Sol', unread_count: 0 }])
    const { data } = await manager.get(`/api/contacts/${String(items[0]?.['id'])}/messages`)
    expect((data['items'] as Loose[]).map(({ content }) => content.text)).toEqual(
      expect.arrayContaining(['Are you open on Sunday?', 'Yes, from 8.']),
    )
    await socket.caughtUp()
    expect(socket.events('account:updated').flatMap(({ payload }) => payload['changed'])).toContain(
      'phone_app_sync',
    )

    expect(await manager.post(`/api/accounts/${world.tenant.accountId}/register`)).toMatchObject({
      status: 409,
      body: { code: 'on_phone_app' },
    })
    expect(world.simulator.callsOf({ route: 'register' })).toEqual([])
    world.clock.advance({ hours: 30 })
    await world.settle()
    expect(requested(world)).toHaveLength(2)
    expect(await noticesOf(world)).toEqual([])
    expect(world.simulator.unexpected).toEqual([])
  })

  test('shows how much of its chats has arrived, whatever the order of the parts', async () => {
    await using world = await openWorld({
      parts: [60, 20].map((progress) => ({
        progress,
        items: [{ id: `wamid.part-${progress}`, timestamp: 1_780_000_000, body: `at ${progress}` }],
      })),
    })
    await signUp(world)
    await world.settle()
    expect(await syncOf(world)).toMatchObject({ history: 'requested', history_progress: 60 })
    const last = [{ id: 'wamid.part-100', timestamp: 1_780_000_060, body: 'at 100' }]
    await deliver(world, history(ANA, last, { line: lineOf(world.tenant), progress: 100 }))
    expect(await syncOf(world)).toMatchObject({ history: 'done', history_progress: 100 })
    const late = [{ id: 'wamid.part-80', timestamp: 1_780_000_030, body: 'at 80' }]
    await deliver(world, history(ANA, late, { line: lineOf(world.tenant), progress: 80 }))
    expect(await syncOf(world)).toMatchObject({ history: 'done', history_progress: 100 })
  })

  test('that was connected by hand waits for its webhooks, because the data comes by them', async () => {
    await using world = await openWorld()
    await world.connect(world.tenant)
    await world.connect(world.other)
    const until = new Date(world.clock.nowMs() + 24 * 3_600_000).toISOString()
    world.clock.advance({ hours: 23 })
    await world.settle()
    expect(requested(world)).toEqual([])
    expect(await syncOf(world)).toEqual({
      ...{ until, contacts: 'waiting', history: 'waiting' },
      history_progress: null,
    })
    const manager = await world.as('manager')
    await manager.post(`/api/accounts/${world.tenant.accountId}/subscribe`, {})
    // the next round begins before the platform has answered
    world.simulator.slow(100, { route: 'phone_app_data', times: 2 })
    const settled = world.settle()
    await world.eventually(() => requested(world).length === 1)
    world.clock.advance({ minutes: 5 })
    await Promise.all([settled, world.settle()])
    await world.settle()
    expect(requested(world)).toEqual(both(world))
    expect(await syncOf(world)).toMatchObject({ until: null, history: 'done' })
    const neighbor = await world.as('manager', world.other)
    expect((await neighbor.get(`/api/accounts/${world.other.accountId}`)).data).toMatchObject({
      is_on_phone_app: false,
      phone_app_sync: null,
    })
  })

  test('misses its data after 24 hours without webhooks, and says so once', async () => {
    await using world = await openWorld()
    await world.connect(world.tenant)
    world.clock.advance({ hours: 24 })
    await world.settle()
    const missed = {
      ...{ until: null, contacts: 'missed', history: 'missed' },
      history_progress: null,
    }
    expect(await syncOf(world)).toEqual(missed)
    world.clock.advance({ hours: 1 })
    await (await world.as('manager')).post(`/api/accounts/${world.tenant.accountId}/subscribe`, {})
    await world.settle()
    expect(await syncOf(world)).toEqual(missed)
    expect(requested(world)).toEqual([])
    expect(await noticesOf(world)).toEqual([
      'The contacts and earlier chats of the phone were not copied: Acme main',
    ])
    const agent = await world.as('agent')
    expect((await agent.get('/api/me/notifications')).data['total']).toBe(0)
  })

  test('is asked again every five minutes while the platform cannot answer', async () => {
    await using world = await openWorld()
    const broken = world.simulator.answerHtml(502, { route: 'phone_app_data', times: Infinity })
    await signUp(world)
    await world.settle()
    expect(requested(world)).toEqual(both(world))
    world.clock.advance({ minutes: 1 })
    await world.settle()
    expect(requested(world).length).toBeLessThanOrEqual(4)
    const before = requested(world).length
    world.clock.advance({ minutes: 5 })
    await world.settle()
    expect(requested(world)).toHaveLength(before + 2)
    expect(await syncOf(world)).toMatchObject({ contacts: 'waiting', history: 'waiting' })
    broken.clear()
    world.clock.advance({ minutes: 5 })
    await world.settle()
    expect(await syncOf(world)).toMatchObject({
      ...{ until: null, contacts: 'requested', history: 'done' },
    })
    expect(await noticesOf(world)).toEqual([])
  })

  test('is not asked for more once the answer was lost: the data is on its way', async () => {
    await using world = await openWorld()
    world.simulator.loseAnswer({ route: 'phone_app_data' })
    await signUp(world)
    await world.settle()
    expect(await syncOf(world)).toMatchObject({ contacts: 'waiting', history: 'done' })
    world.clock.advance({ minutes: 5 })
    await world.settle()
    expect(await syncOf(world)).toMatchObject({ until: null, contacts: 'requested' })
    expect(requested(world)).toHaveLength(3)
  })

  test.each([
    ['requested before', 2_593_107, 'requested', []],
    [
      'too late for the platform',
      2_593_108,
      'missed',
      ['The contacts of the phone were not copied: Acme'],
    ],
    [
      'not shared by the person',
      2_593_109,
      'declined',
      ['The contacts of the phone were not shared: Acme'],
    ],
  ])('keeps that data was %s', async (_, code, state, notices) => {
    await using world = await openWorld()
    world.simulator.fail({ code }, { route: 'phone_app_data' })
    await signUp(world)
    await world.settle()
    expect(await syncOf(world)).toMatchObject({ until: null, contacts: state, history: 'done' })
    expect(await noticesOf(world)).toEqual(notices)
  })

  test.each(['answer', 'webhook'] as const)(
    'says once that the chats are not shared, as an %s says',
    async (declines) => {
      await using world = await openWorld({ declines })
      await signUp(world)
      await world.settle()
      expect(await syncOf(world)).toEqual({
        ...{ until: null, contacts: 'requested', history: 'declined' },
        history_progress: null,
      })
      await deliver(world, historyDeclined({ line: lineOf(world.tenant) }))
      expect(await noticesOf(world)).toEqual([
        'The earlier chats of the phone were not shared: Acme',
      ])
    },
  )

  test('is asked again when it is connected anew in the dialog', async () => {
    await using world = await openWorld({ declines: 'answer' })
    await signUp(world)
    await world.settle()
    expect(await syncOf(world)).toMatchObject({ history: 'declined' })
    world.simulator.addPhone({
      id: world.tenant.phoneId,
      phoneApp: { connectedAtMs: world.clock.nowMs() },
    })
    await signUp(world)
    await world.settle()
    expect(await syncOf(world)).toMatchObject({ contacts: 'requested', history: 'done' })
    expect((await (await world.as('manager')).get('/api/accounts')).data['total']).toBe(1)
  })

  test('waits for its data again, or for none, when its row is used again', async () => {
    await using world = await openWorld()
    await signUp(world)
    await world.settle()
    const { phoneId } = world.tenant
    const admin = await world.as('admin')
    const path = `/api/accounts/${world.tenant.accountId}`
    await admin.delete(path)
    await world.connect(world.tenant)
    expect(await accountOf(world)).toMatchObject({
      is_on_phone_app: true,
      phone_app_sync: { contacts: 'waiting', history: 'waiting', history_progress: null },
    })
    await admin.delete(path)
    world.simulator.addPhone({ id: phoneId, isOnBizApp: false })
    await world.connect(world.tenant)
    const none = { is_on_phone_app: false, phone_app_sync: null }
    expect(await accountOf(world)).toMatchObject(none)

    // and when another number takes its place
    await admin.delete(path)
    world.simulator.addPhone({ id: phoneId, isOnBizApp: true, businessVerification: 'pending' })
    await world.connect(world.tenant)
    expect(await accountOf(world)).toMatchObject({
      ...{ is_on_phone_app: true, registered: true, code_verification_status: 'VERIFIED' },
      business_verification_status: 'pending',
    })
    await admin.put(path, { phone_id: '301000000000099', verify: false })
    expect(await accountOf(world)).toMatchObject({
      ...none,
      ...{ registered: null, code_verification_status: null, business_verification_status: null },
    })
  })

  test('is left alone while another server has it', async () => {
    await using world = await openWorld()
    await world.connect(world.tenant)
    await (await world.as('manager')).post(`/api/accounts/${world.tenant.accountId}/subscribe`, {})
    world.program.http.db.sqlite.run('update accounts set moved_at_ms = 1')
    world.clock.advance({ minutes: 10 })
    await world.settle()
    expect(requested(world)).toEqual([])
    world.program.http.db.sqlite.run('update accounts set moved_at_ms = null')
    world.clock.advance({ minutes: 10 })
    await world.settle()
    expect(requested(world)).toEqual(both(world))
  })

  test('is left alone once it is disconnected', async () => {
    await using world = await openWorld()
    await world.connect(world.tenant)
    const admin = await world.as('admin')
    await admin.delete(`/api/accounts/${world.tenant.accountId}`)
    world.clock.advance({ hours: 24 })
    await world.settle()
    expect(requested(world)).toEqual([])
    expect(await noticesOf(world)).toEqual([])
  })
})
