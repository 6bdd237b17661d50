import { describe, expect, test } from 'bun:test'

import { permutations } from '../../../support/permutations'
import { systemUserIdChanged, userIdUpdate, type Webhook } from '../../../../src/simulator/payloads'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const ANA = { waId: '15550300001', userId: 'US.90000000000000000001', name: 'Ana' }
const NEXT = 'US.90000000000000000002'
const LAST = 'US.90000000000000000003'

const at = (world: World, person = ANA) => ({
  line: lineOf(world.tenant),
  person,
  timestamp: secondsIn(world),
})

/** The contacts with their IDs as the API shows them. */
async function contactsOf(world: World): Promise<Loose[]> {
  const manager = await world.as('manager')
  const listed = (await manager.get('/api/contacts')).data['items'] as Loose[]
  return await Promise.all(
    listed.map(async ({ id }) => {
      const { data } = await manager.get(`/api/contacts/${String(id)}`)
      const identities = (data['identities'] as Loose[]).map(({ value }) => String(value))
      return { user_id: data['user_id'], identities: identities.toSorted() }
    }),
  )
}

describe('a new user ID in the field user_id_update', () => {
  test('moves the identity once, whether the system message about it comes too or not', async () => {
    const told: ((world: World) => Webhook)[] = [
      (world) => userIdUpdate(NEXT, at(world)),
      (world) => systemUserIdChanged(NEXT, at(world)),
    ]
    for (const order of [[0], [0, 0], [0, 1], [1, 0], [1, 0, 0]]) {
      await using world = await World.create()
      await deliver(world, textTo(world, 'Hi', { person: ANA }))
      for (const nth of order) {
        world.clock.advance({ seconds: 1 })
        await deliver(world, told[nth]?.(world) as Webhook)
      }
      await deliver(world, textTo(world, 'Again', { person: { userId: NEXT, name: 'Ana' } }))
      expect(await contactsOf(world)).toEqual([
        { user_id: NEXT, identities: [ANA.waId, ANA.userId, NEXT] },
      ])
    }
  })

  test('ends at the last ID in whatever order two updates come', async () => {
    const told: ((world: World) => Webhook)[] = [
      (world) => userIdUpdate(NEXT, at(world)),
      (world) => userIdUpdate(LAST, at(world, { ...ANA, userId: NEXT })),
    ]
    for (const order of permutations(told)) {
      await using world = await World.create()
      await deliver(world, textTo(world, 'Hi', { person: ANA }))
      for (const webhook of order) await deliver(world, webhook(world))
      expect(await contactsOf(world)).toEqual([
        { user_id: LAST, identities: [ANA.waId, ANA.userId, NEXT, LAST] },
      ])
    }
  })

  test('makes no contact of an erased person, and one of a stranger', async () => {
    await using world = await World.create()
    world.stays('the journal of webhooks')
    await deliver(world, textTo(world, 'Hi', { person: ANA }))
    const manager = await world.as('admin')
    const [ana] = (await manager.get('/api/contacts')).data['items'] as Loose[]
    const path = `/api/contacts/${String(ana?.['id'])}/erase`
    expect((await manager.post(path, { confirm: ana?.['id'] })).status).toBe(201)
    await world.settle()
    world.clock.advance({ seconds: 1 })
    await deliver(world, userIdUpdate(NEXT, at(world)))
    expect(await contactsOf(world)).toEqual([])
    expect(
      world.rows("select state from inbound_events where field = 'user_id_update'"),
    ).toMatchObject([{ state: 'done' }])
    await deliver(
      world,
      userIdUpdate(NEXT, at(world, { ...ANA, userId: LAST, waId: '15550300009' })),
    )
    expect(await contactsOf(world)).toMatchObject([{ user_id: NEXT }])
  })

  test('adds no message and is never applied to another organization', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', { person: ANA }))
    await deliver(world, textTo(world, 'Hi', { person: ANA, line: lineOf(world.other) }))
    await deliver(world, userIdUpdate(NEXT, at(world)))
    expect(world.rows('select id from messages')).toHaveLength(2)
    expect(
      world.rows('select user_id from contacts where organization_id = ?', world.other.id),
    ).toEqual([{ user_id: ANA.userId }])
  })

  test.each<[string, unknown, string]>([
    ['is a number', 7, 'not_an_object'],
    ['has no new ID', { wa_id: ANA.waId, user_id: { previous: ANA.userId } }, 'no_value'],
    ['names nobody', { user_id: { current: NEXT } }, 'no_sender'],
  ])('that %s fails alone and changes nothing', async (_, item, reason) => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', { person: ANA }))
    const webhook = userIdUpdate(NEXT, at(world))
    const value = webhook.entry[0]?.changes[0]?.value as Loose
    value['user_id_update'] = [item]
    await deliver(world, webhook)
    expect(await contactsOf(world)).toMatchObject([{ user_id: ANA.userId }])
    expect(
      world.rows("select state, last_error from inbound_events where field = 'user_id_update'"),
    ).toEqual([{ state: 'failed', last_error: reason }])
  })
})
