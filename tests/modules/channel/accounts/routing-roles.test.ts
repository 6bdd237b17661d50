import { describe, expect, test } from 'bun:test'

import { asStandby, handover, TO_AGENT } from '../../../../src/simulator/standby'
import type { Client, Loose } from '../../../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const EVERY = ['customer_service', 'marketing', 'utility', 'ctwa', 'calls']
const NOTHING_ARRIVES =
  'This app has no role in the routing of the number, so nothing that customers write arrives ' +
  'here. Give it a role in the routing of Meta Business Suite.'
const ONLY_OBSERVES =
  'This app has no role in the routing of the number, so another app answers every customer, and ' +
  'their messages are shown as observed. Give it a role in the routing of Meta Business Suite.'

const pathOf = (world: World): string => `/api/accounts/${String(world.tenant.accountId)}`

const share = (world: World, roles: string[], isStandby = true): void =>
  world.simulator.shareNumber({ phone: world.tenant.phoneId, roles, isStandby })

/** Lets the daily check of the number run. */
async function nextDay(world: World): Promise<void> {
  world.clock.advance({ hours: 24 })
  await world.settle()
}

const routingIn = async (world: World): Promise<Loose> => {
  const { data } = await (await world.as('admin')).get(`${pathOf(world)}/routing`)
  const { roles, is_standby, checked_at } = data
  return { roles, is_standby, checked_at }
}

/** Titles and bodies of the notices about the number, from old to new. */
const noticesOf = async (world: World, tenant = world.tenant): Promise<unknown[]> => {
  const { data } = await (await world.as('admin', tenant)).get('/api/me/notifications')
  return (data['items'] as Loose[])
    .toReversed()
    .map(({ severity, title, body, link }) => ({ severity, title, body, link }))
}

const conversationOf = async (client: Client): Promise<Loose> => {
  const [first] = (await client.get('/api/conversations')).data['items'] as Loose[]
  if (!first) throw new Error('there is no conversation')
  return first
}

const asked = (world: World): number =>
  world.simulator.callsOf({ route: 'routing_roles', object: world.tenant.phoneId }).length

describe('the roles of a number', () => {
  test('are read when it is connected and once a day, and shown', async () => {
    await using world = await World.create()
    expect(await routingIn(world)).toEqual({
      roles: EVERY,
      is_standby: false,
      checked_at: '2026-11-21T09:30:00.000Z',
    })
    share(world, ['marketing', 'calls'])
    const socket = await world.socket('admin')
    await nextDay(world)
    expect(await routingIn(world)).toEqual({
      roles: ['marketing', 'calls'],
      is_standby: true,
      checked_at: '2026-11-22T09:30:00.000Z',
    })
    const { data } = await (await world.as('admin')).get(pathOf(world))
    expect(data['routing_roles']).toEqual(['marketing', 'calls'])
    await socket.caughtUp()
    expect(socket.events('account:updated').map(({ payload }) => payload['changed'])).toEqual([
      ['routing_roles'],
    ])
  })

  test('are read from a list with one element too', async () => {
    await using world = await World.create()
    world.simulator.respondOnce('routing_roles', {
      data: [{ roles: ['utility', 'escalation'], is_standby: true }],
    })
    await nextDay(world)
    expect(await routingIn(world)).toMatchObject({
      roles: ['utility', 'escalation'],
      is_standby: true,
    })
  })

  test.each<[string, (world: World) => unknown]>([
    ['error 100', ({ simulator }) => simulator.fail({ code: 100 }, { route: 'routing_roles' })],
    [
      'an unknown path',
      ({ simulator }) => simulator.fail({ code: 2500 }, { route: 'routing_roles' }),
    ],
    [
      'a missing permission',
      ({ simulator }) => simulator.fail({ code: 10 }, { route: 'routing_roles' }),
    ],
    ['a page', ({ simulator }) => simulator.answerHtml(502, { route: 'routing_roles' })],
    ['no answer', ({ simulator }) => simulator.loseAnswer({ route: 'routing_roles' })],
    ['no roles', ({ simulator }) => simulator.respondOnce('routing_roles', { is_standby: true })],
    ['an empty list', ({ simulator }) => simulator.respondOnce('routing_roles', { data: [] })],
    [
      'roles in another form',
      ({ simulator }) =>
        simulator.respondOnce('routing_roles', { roles: [{ name: 'calls' }], is_standby: false }),
    ],
  ])('are unknown after %s, which forbids nothing and says nothing', async (_, fail) => {
    await using world = await World.create()
    share(world, ['marketing'])
    await deliver(
      world,
      handover({ control: TO_AGENT }, { line: lineOf(world.tenant), timestamp: secondsIn(world) }),
    )
    await world.settle()
    const manager = await world.as('manager')
    expect(await conversationOf(manager)).toMatchObject({ can_take: false, can_call: false })
    const before = await noticesOf(world)
    fail(world)
    await nextDay(world)
    expect(await routingIn(world)).toEqual({
      roles: null,
      is_standby: null,
      checked_at: '2026-11-22T09:30:00.000Z',
    })
    const { data } = await (await world.as('admin')).get(pathOf(world))
    expect(data).toMatchObject({ routing_roles: null, status: 'active', last_error: null })
    expect(await conversationOf(await world.as('manager'))).toMatchObject({
      can_take: true,
      can_call: true,
    })
    expect(await noticesOf(world)).toEqual(before)
    await nextDay(world)
    expect(await routingIn(world)).toMatchObject({ roles: ['marketing'] })
    expect(await noticesOf(world)).toEqual(before)
  })

  test('decide who may take a thread and call, in the list and in events', async () => {
    await using world = await World.create()
    const manager = await world.as('manager')
    await deliver(world, textTo(world, 'Hi', { person: personOf(1) }))
    // nobody shares the number yet
    expect(await conversationOf(manager)).toMatchObject({ can_take: false, can_call: true })
    for (const [roles, can_take, can_call] of [
      [['escalation'], true, false],
      [['calls', 'utility'], false, true],
      [['escalation', 'calls'], true, true],
      [[], false, false],
    ] as const) {
      share(world, [...roles])
      await deliver(
        world,
        asStandby(textTo(world, 'Hi?', { person: personOf(1), timestamp: secondsIn(world) })),
      )
      await nextDay(world)
      const socket = await world.socket('manager')
      const client = await world.as('manager')
      const conversation = await conversationOf(client)
      expect(conversation).toMatchObject({ can_take, can_call })
      const priority = conversation['priority'] === 'high' ? 'low' : 'high'
      world.clock.advance({ seconds: 1 })
      await client.put(`/api/conversations/${String(conversation['id'])}`, { priority })
      await world.settle()
      await socket.caughtUp()
      expect(socket.events('conversation:updated').at(-1)?.payload).toMatchObject({
        can_take,
        can_call,
      })
    }
  })

  test('are asked for at once when the number turns out to be shared, and not again', async () => {
    await using world = await World.create()
    await world.settle()
    const before = asked(world)
    share(world, ['calls'])
    const about = () => ({ person: personOf(1), timestamp: secondsIn(world) })
    await deliver(world, asStandby(textTo(world, 'Hi', about())))
    await world.settle()
    expect(asked(world)).toBe(before + 1)
    expect(await routingIn(world)).toMatchObject({ roles: ['calls'] })
    await deliver(world, asStandby(textTo(world, 'Hello', about())))
    await deliver(
      world,
      handover({ control: TO_AGENT }, { line: lineOf(world.tenant), ...about() }),
    )
    await world.settle()
    expect(asked(world)).toBe(before + 1)
  })
})

describe('a number without any role', () => {
  test('is a critical notice, once, and again only after it had one', async () => {
    await using world = await World.create()
    share(world, [], false)
    await nextDay(world)
    const notice = {
      severity: 'critical',
      title: 'Phone number receives nothing: Acme main',
      body: NOTHING_ARRIVES,
      link: pathOf(world).replace('/api', ''),
    }
    expect(await routingIn(world)).toMatchObject({ roles: [], is_standby: false })
    expect(await noticesOf(world)).toEqual([notice])
    expect(await noticesOf(world, world.other)).toEqual([])
    await nextDay(world)
    world.simulator.fail({ code: 100 }, { route: 'routing_roles' })
    await nextDay(world)
    await nextDay(world)
    expect(await noticesOf(world)).toEqual([notice])
    share(world, EVERY)
    await nextDay(world)
    share(world, [], false)
    await nextDay(world)
    expect(await noticesOf(world)).toEqual([notice, notice])
    const { data } = await (await world.as('admin')).post(`${pathOf(world)}/test`)
    expect(data['warnings']).toContain(NOTHING_ARRIVES)
  })

  test('that sees the messages of others is a warning with another sentence', async () => {
    await using world = await World.create()
    share(world, [], true)
    await nextDay(world)
    expect(await noticesOf(world)).toMatchObject([
      {
        severity: 'warning',
        title: 'Phone number only observes: Acme main',
        body: ONLY_OBSERVES,
      },
    ])
    share(world, [], false)
    await nextDay(world)
    expect(await noticesOf(world)).toMatchObject([
      { body: ONLY_OBSERVES },
      { body: NOTHING_ARRIVES },
    ])
  })

  test('is told when it is connected', async () => {
    await using world = await World.create({ isConnected: false })
    share(world, [], false)
    const admin = await world.as('admin')
    const { phoneId, wabaId, token } = world.tenant
    const body = { name: 'Shop', phone_id: phoneId, business_id: wabaId, access_token: token }
    expect((await admin.post('/api/accounts', body)).data).toMatchObject({ routing_roles: [] })
    expect(await noticesOf(world)).toMatchObject([
      { title: 'Phone number receives nothing: Shop', body: NOTHING_ARRIVES },
    ])
  })
})

test('a number that loses roles is a notice that names them, once', async () => {
  await using world = await World.create()
  share(world, ['customer_service', 'ctwa', 'calls', 'concierge'])
  await nextDay(world)
  const lost = (names: string) => ({
    severity: 'warning',
    title: 'Phone number lost a role: Acme main',
    body:
      `Another app now has: ${names}. Messages or calls of that kind no longer arrive here. The ` +
      'business sets the roles in the routing of Meta Business Suite.',
  })
  const first = lost('answers to marketing, answers to utility messages')
  expect(await noticesOf(world)).toMatchObject([first])
  await nextDay(world)
  expect(await noticesOf(world)).toHaveLength(1)
  share(world, ['customer_service', 'marketing'])
  await nextDay(world)
  expect(await noticesOf(world)).toMatchObject([first, lost('chats from ads, calls, concierge')])
})
