import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { systemNumberChanged, systemUserIdChanged } from '../../../../src/simulator/payloads'
import { deliver, lineOf, secondsIn, takenBodies, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const USER = 'US.90000000000000000077'
const NUMBER = '15550300001'

const contactsOf = async (world: World): Promise<Loose[]> =>
  (await (await world.as('manager')).get('/api/contacts?sort=created_at&order=asc')).data[
    'items'
  ] as Loose[]

const identitiesOf = async (world: World, id: unknown): Promise<string[]> => {
  const { data } = await (await world.as('manager')).get(`/api/contacts/${String(id)}`)
  return (data['identities'] as Loose[]).map(({ kind, value }) => `${kind} ${value}`)
}

describe('a user ID and a number known as two contacts', () => {
  test.each([
    ['the user id', { userId: USER, name: 'Ana' }, { waId: NUMBER, name: 'Ana' }],
    ['the number', { waId: NUMBER, name: 'Ana' }, { userId: USER, name: 'Ana' }],
  ])(
    'are one as soon as a message names both; the older one stays, here %s',
    async (_, first, second) => {
      await using world = await World.create()
      await deliver(world, textTo(world, 'first', { person: first }))
      world.clock.advance({ minutes: 1 })
      await deliver(world, textTo(world, 'second', { person: second }))
      const [older, younger] = await contactsOf(world)
      expect(younger).toBeDefined()
      world.clock.advance({ minutes: 1 })
      await deliver(
        world,
        textTo(world, 'both', { person: { waId: NUMBER, userId: USER, name: 'Ana' } }),
      )
      const now = await contactsOf(world)
      expect(now.map(({ id, unread_count }) => [id, unread_count] as unknown)).toEqual([
        [older?.['id'], 3],
      ])
      expect(await identitiesOf(world, older?.['id'])).toEqual([
        `phone ${NUMBER}`,
        `user_id ${USER}`,
      ])
      const manager = await world.as('manager')
      const texts = (await manager.get(`/api/contacts/${older?.['id']}/messages`)).data[
        'items'
      ] as Loose[]
      expect(texts.map(({ content }) => (content as Loose)['text'] as unknown)).toEqual([
        'first',
        'second',
        'both',
      ])
      expect((await manager.get('/api/conversations')).data['total']).toBe(1)
    },
  )

  test('can be separated again', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'first', { person: { userId: USER, name: 'Ana' } }))
    await deliver(world, textTo(world, 'second', { person: { waId: NUMBER, name: 'Bea' } }))
    await deliver(
      world,
      textTo(world, 'both', { person: { waId: NUMBER, userId: USER, name: 'Ana' } }),
    )
    const [merge] = world.rows<{ id: string }>('select id from contact_merges')
    const answer = await (await world.as('manager')).post(`/api/contacts/merges/${merge?.id}/undo`)
    expect(answer.status).toBe(200)
    expect((await contactsOf(world)).map(({ profile_name }) => profile_name as unknown)).toEqual([
      'Ana',
      'Bea',
    ])
  })

  test('are merged also when one of them was deleted', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'first', { person: { userId: USER, name: 'Ana' } }))
    await deliver(world, textTo(world, 'second', { person: { waId: NUMBER, name: 'Ana' } }))
    const [older] = await contactsOf(world)
    await (await world.as('manager')).delete(`/api/contacts/${older?.['id']}`)
    await deliver(
      world,
      textTo(world, 'both', { person: { waId: NUMBER, userId: USER, name: 'Ana' } }),
    )
    expect((await contactsOf(world)).map(({ id }) => id as unknown)).toEqual([older?.['id']])
  })

  test('stay separate in two organizations', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'here', { person: { userId: USER } }))
    await world.contactOf(world.other, 'there', NUMBER)
    await deliver(world, textTo(world, 'here', { person: { waId: NUMBER, userId: USER } }))
    const stranger = await world.as('manager', world.other)
    expect((await stranger.get('/api/contacts')).data['total']).toBe(1)
    expect((await contactsOf(world)).length).toBe(1)
  })
})

test("a number entered by a user and the variant that writes are one contact, addressed by the platform's spelling", async () => {
  await using world = await World.create()
  const manager = await world.as('manager')
  const { data } = await manager.post('/api/contacts', {
    phone_number: '+55 11 98765-4321',
    name: 'Bia',
  })
  await deliver(world, textTo(world, 'Oi', { person: { waId: '551187654321', name: 'Bia' } }))
  expect(await contactsOf(world)).toMatchObject([
    { id: data['id'], name: 'Bia', phone_number: '5511987654321', wa_id: '551187654321' },
  ])
  await manager.post(`/api/contacts/${data['id']}/messages`, { type: 'text', text: 'Olá' })
  await world.settle()
  expect(takenBodies(world)).toMatchObject([{ to: '+551187654321' }])
})

describe('a customer that reports another number', () => {
  const lineIn = (world: World) => ({ line: lineOf(world.tenant), timestamp: secondsIn(world) })

  test('is found by both for 30 days, after which the former one is free', async () => {
    await using world = await World.create()
    const person = { waId: NUMBER, name: 'Ana' }
    await deliver(world, textTo(world, 'Hi', { person }))
    await deliver(world, systemNumberChanged('15550300002', { person, ...lineIn(world) }))
    const [contact] = await contactsOf(world)
    expect(contact).toMatchObject({ phone_number: '15550300002', wa_id: '15550300002' })
    expect(await identitiesOf(world, contact?.['id'])).toEqual([
      `phone ${NUMBER}`,
      'phone 15550300002',
    ])
    await deliver(
      world,
      textTo(world, 'new phone', { person: { waId: '15550300002', name: 'Ana' } }),
    )
    await deliver(world, textTo(world, 'old phone', { person }))
    expect((await contactsOf(world)).length).toBe(1)
    world.clock.advance({ hours: 24 * 31 })
    await deliver(world, textTo(world, 'somebody else', { person: { waId: NUMBER, name: 'Zoe' } }))
    expect((await contactsOf(world)).map(({ profile_name }) => profile_name as unknown)).toEqual([
      'Ana',
      'Zoe',
    ])
    expect(await identitiesOf(world, contact?.['id'])).toEqual(['phone 15550300002'])
  })

  test('is merged with the contact of the new number', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'Hi', { person: { waId: NUMBER, name: 'Ana' } }))
    await deliver(world, textTo(world, 'Hi', { person: { waId: '15550300002', name: 'Ana new' } }))
    await deliver(
      world,
      systemNumberChanged('15550300002', {
        person: { waId: NUMBER, name: 'Ana' },
        ...lineIn(world),
      }),
    )
    expect((await contactsOf(world)).length).toBe(1)
  })

  test('or another user ID is found by both', async () => {
    await using world = await World.create()
    const person = { waId: NUMBER, userId: USER, name: 'Ana' }
    await deliver(world, textTo(world, 'Hi', { person }))
    await deliver(
      world,
      systemUserIdChanged('US.90000000000000000078', { person, ...lineIn(world) }),
    )
    await deliver(
      world,
      textTo(world, 'Hi again', { person: { userId: 'US.90000000000000000078', name: 'Ana' } }),
    )
    const contacts = await contactsOf(world)
    expect(contacts).toMatchObject([{ user_id: 'US.90000000000000000078' }])
    expect(await identitiesOf(world, contacts[0]?.['id'])).toEqual([
      `phone ${NUMBER}`,
      `user_id ${USER}`,
      'user_id US.90000000000000000078',
    ])
  })
})
