import { describe, expect, test } from 'bun:test'

import { uuidToBytes } from '../../../../src/infra/db/uuid'
import type { Client, Loose } from '../../../support/client'
import { edit, reaction } from '../../../../src/simulator/payloads'
import { deliver, lineOf, personOf, secondsIn, textTo } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

/** Creates a world with two people who write to the same number alternately, a minute apart. */
async function withTwo(texts: [nth: number, text: string][] = TURNS) {
  const world = await World.create()
  for (const [nth, text] of texts) {
    await deliver(world, textTo(world, text, { person: personOf(nth, nth === 1 ? 'One' : 'Two') }))
    world.clock.advance({ minutes: 1 })
  }
  const manager = await world.as('manager')
  const byName = async (name: string): Promise<Loose> =>
    ((await manager.get(`/api/contacts?search=${name}`)).data['items'] as Loose[])[0] as Loose
  const [one, two] = [await byName('One'), await byName('Two')]
  const merge = (target: Loose = one, source: Loose = two) =>
    manager.post(`/api/contacts/${target['id']}/merge`, { source_id: source['id'] })
  return { world, manager, one, two, merge, [Symbol.asyncDispose]: () => world.stop() }
}

/** Two people who wrote to one number; the second one also wrote to another. */
async function withTwoNumbers() {
  const at = await withTwo([
    [1, 'to the first number'],
    [2, 'to the first number too'],
  ])
  const phone = {
    id: '301000000000091',
    wabaId: at.world.tenant.wabaId,
    token: at.world.tenant.token,
  }
  at.world.simulator.addPhone({
    ...phone,
    displayPhoneNumber: '+1 555-010-0091',
    verifiedName: 'Second',
  })
  const admin = await at.world.as('admin')
  await admin.post('/api/accounts', {
    name: 'Second',
    phone_id: phone.id,
    business_id: phone.wabaId,
    access_token: phone.token,
  })
  const line = {
    wabaId: phone.wabaId,
    phoneNumberId: phone.id,
    displayPhoneNumber: '15550100091',
  }
  await deliver(
    at.world,
    textTo(at.world, 'to the second number', { person: personOf(2, 'Two'), line }),
  )
  return at
}

/** Merges a contact known by phone number into one known by user ID. */
async function withNumberAndId() {
  const world = await World.create()
  const manager = await world.as('manager')
  const byId = (await manager.post('/api/contacts', { user_id: 'US.42' })).data
  const byNumber = (await manager.post('/api/contacts', { phone_number: '+1 555 030 0777' })).data
  const { merge_id } = (
    await manager.post(`/api/contacts/${byId['id']}/merge`, { source_id: byNumber['id'] })
  ).data
  const undo = async () =>
    expect((await manager.post(`/api/contacts/merges/${merge_id}/undo`)).status).toBe(200)
  return { world, manager, byId, byNumber, undo, [Symbol.asyncDispose]: () => world.stop() }
}

const TURNS: [number, string][] = [
  [1, 'one, first'],
  [2, 'two, first'],
  [1, 'one, second'],
  [2, 'two, second'],
]

const textsOf = async (by: Client, contact: Loose): Promise<unknown[]> =>
  ((await by.get(`/api/contacts/${contact['id']}/messages`)).data['items'] as Loose[]).map(
    ({ content }) => (content as Loose)['text'] as unknown,
  )

/** Returns all contacts and their related rows, without update times. */
function stateOf(world: World): Loose {
  const volatile = ['updated_at_ms', 'published_at_ms', 'publish_due_at_ms', 'unpublished', 'row']
  const rowsOf = (table: string): unknown[] =>
    world
      .rows(`select * from ${table}`)
      .map((row) =>
        JSON.stringify(Object.entries(row).filter(([name]) => !volatile.includes(name))),
      )
      .toSorted()
  const tables = [
    'contacts',
    'contact_identities',
    'contact_tags',
    'contact_consents',
    'contact_words',
    'contact_terms',
    'conversations',
    'messages',
    'message_words',
    'message_reactions',
    'message_revisions',
    'notes',
  ]
  return Object.fromEntries(tables.map((table) => [table, rowsOf(table)]))
}

describe('merging two contacts', () => {
  test("combines messages by time, conversations and identities, and fills the target's empty fields from the source", async () => {
    await using at = await withTwo()
    await at.manager.put(`/api/contacts/${at.one['id']}`, {
      name: 'Kept',
      metadata: { a: 1 },
      tags: ['Both', 'Only one'],
    })
    await at.manager.put(`/api/contacts/${at.two['id']}`, {
      name: 'Lost',
      language: 'de',
      metadata: { a: 2, b: 2 },
      tags: ['both', 'Only two'],
    })
    await at.manager.post(`/api/contacts/${at.two['id']}/notes`, { content: 'a note' })
    const answer = await at.merge()
    expect(answer.status).toBe(200)
    const { contact } = answer.data as { contact: Loose }
    expect(contact).toMatchObject({
      id: at.one['id'],
      name: 'Kept',
      profile_name: 'One',
      language: 'de',
      metadata: { a: 1, b: 2 },
      unread_count: 4,
      last_message_preview: 'two, second',
      phone_number: at.one['phone_number'],
    })
    expect((contact['tags'] as Loose[]).map(({ name }) => name as unknown)).toEqual([
      'Both',
      'Only one',
      'Only two',
    ])
    await at.world.settle()
    expect(await textsOf(at.manager, at.one)).toEqual([
      'one, first',
      'two, first',
      'one, second',
      'two, second',
    ])
    expect((await at.manager.get('/api/conversations')).data).toMatchObject({
      total: 1,
      items: [{ unread_count: 4, last_message: { preview: 'two, second' } }],
    })
    expect(
      (await at.manager.get(`/api/contacts/${at.one['id']}/notes`)).data['items'],
    ).toMatchObject([{ content: 'a note' }])
    expect((await at.manager.get(`/api/contacts/${at.two['id']}`)).status).toBe(404)
    expect((await at.manager.get('/api/contacts')).data['total']).toBe(1)
    expect(
      (
        (await at.manager.get(`/api/contacts?search=${at.two['phone_number']}`)).data[
          'items'
        ] as Loose[]
      )[0]?.['id'],
    ).toBe(at.one['id'])
    expect((await at.manager.get(`/api/tags?search=both`)).data['items']).toMatchObject([
      { contact_count: 1 },
    ])
    const scopes = at.world.rows<{ contact_id: string; scope: string }>(
      'select contact_id, scope from message_words',
    )
    expect(
      scopes.every(
        ({ contact_id, scope }) =>
          contact_id === at.one['id'] && scope.includes(uuidToBytes(String(at.one['id'])).toHex()),
      ),
    ).toBe(true)
  })

  test('continues one conversation when the source writes again, and sends its pending messages', async () => {
    await using at = await withTwo()
    await at.manager.post(`/api/contacts/${at.two['id']}/messages`, {
      type: 'text',
      text: 'on its way',
    })
    await at.merge()
    await deliver(at.world, textTo(at.world, 'two, again', { person: personOf(2, 'Two') }))
    expect((await textsOf(at.manager, at.one)).at(-1)).toBe('two, again')
    expect(at.world.simulator.messages.length).toBe(1)
    expect((await at.manager.get('/api/contacts')).data['total']).toBe(1)
  })

  test('keeps conversations with other business numbers unchanged', async () => {
    await using at = await withTwoNumbers()
    await at.merge()
    const list = (await at.manager.get('/api/conversations')).data['items'] as Loose[]
    expect(list.map(({ contact }) => (contact as Loose)['id'] as unknown)).toEqual([
      at.one['id'],
      at.one['id'],
    ])
    expect((await textsOf(at.manager, at.one)).length).toBe(3)
  })

  test.each<[one: string | null, two: string | null, merged: string]>([
    ['opted_in', 'opted_out', 'opted_out'],
    ['opted_out', 'opted_in', 'opted_out'],
    [null, 'opted_out', 'opted_out'],
    [null, 'opted_in', 'opted_in'],
    ['opted_in', null, 'opted_in'],
    [null, null, 'unknown'],
  ])('whose consents are %s and %s come to %s', async (one, two, merged) => {
    await using at = await withTwo()
    for (const [contact, state] of [
      [at.one, one],
      [at.two, two],
    ] as const) {
      if (state !== null)
        await at.manager.post(`/api/contacts/${contact['id']}/consents`, { state })
      at.world.clock.advance({ minutes: 1 })
    }
    expect(((await at.merge()).data['contact'] as Loose)['marketing_consent']).toBe(merged)
    const [newest] = (await at.manager.get(`/api/contacts/${at.one['id']}/consents`)).data[
      'items'
    ] as Loose[]
    expect(newest?.['state'] ?? 'unknown').toBe(merged)
  })

  test.each<[first: 'source' | 'target', other: 'target' | 'source']>([
    ['source', 'target'],
    ['target', 'source'],
  ])(
    'of which the %s opted out before the %s opted in: the opt-out counts',
    async (first, other) => {
      await using at = await withTwo()
      const contacts = { target: at.one, source: at.two }
      await at.manager.post(`/api/contacts/${contacts[first]['id']}/consents`, {
        state: 'opted_out',
      })
      at.world.clock.advance({ minutes: 1 })
      await at.manager.post(`/api/contacts/${contacts[other]['id']}/consents`, {
        state: 'opted_in',
      })
      at.world.clock.advance({ minutes: 1 })
      expect(((await at.merge()).data['contact'] as Loose)['marketing_consent']).toBe('opted_out')
      expect(
        (await at.manager.get(`/api/contacts/${at.one['id']}`)).data['marketing_consent'],
      ).toBe('opted_out')
      const ledger = (await at.manager.get(`/api/contacts/${at.one['id']}/consents`)).data[
        'items'
      ] as Loose[]
      expect(ledger.map(({ state }) => state as unknown)).toEqual([
        'opted_out',
        'opted_in',
        'opted_out',
      ])
    },
  )

  test('publishes the source as deleted and the target as changed, also to members who saw only the source', async () => {
    await using at = await withTwo()
    await at.manager.put(`/api/contacts/${at.two['id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    const [all, agent] = [await at.world.socket('admin'), await at.world.socket('agent')]
    await at.merge()
    await at.world.settle()
    for (const socket of [all, agent]) {
      const frames = (await socket.caughtUp()).filter(({ type }) => type.startsWith('contact:'))
      expect(
        frames.filter(({ type }) => type === 'contact:deleted').map(({ payload }) => payload),
      ).toEqual([{ id: at.two['id'], reason: 'merged', merged_into: at.one['id'] }])
      expect(
        frames.some(
          ({ type, payload }) => type === 'contact:updated' && payload['id'] === at.one['id'],
        ),
      ).toBe(true)
    }
    expect((await all.caughtUp()).filter(({ type }) => type === 'message:updated')).toEqual([])
  })

  test('requires two different, existing and visible contacts', async () => {
    await using at = await withTwo()
    expect((await at.merge(at.one, at.one)).status).toBe(400)
    expect((await at.merge(at.one, { id: NOBODY })).status).toBe(404)
    expect((await at.merge({ id: NOBODY }, at.one)).status).toBe(404)
    const limited = await personWith(at.world, ['contacts:read', 'contacts:update'])
    await at.manager.put(`/api/contacts/${at.one['id']}/assign`, { user_id: limited.userId })
    expect(
      (
        await limited.client.post(`/api/contacts/${at.one['id']}/merge`, {
          source_id: at.two['id'],
        })
      ).status,
    ).toBe(404)
    expect((await at.merge()).status).toBe(200)
    expect((await at.merge()).status).toBe(404)
  })
})

describe('undoing a merge', () => {
  test('restores the state before the merge', async () => {
    await using at = await withTwo()
    await at.manager.put(`/api/contacts/${at.one['id']}`, { name: 'Kept', tags: ['Both'] })
    await at.manager.put(`/api/contacts/${at.two['id']}`, {
      language: 'de',
      metadata: { b: 2 },
      tags: ['both', 'Only two'],
    })
    await at.manager.post(`/api/contacts/${at.two['id']}/notes`, { content: 'a note' })
    await at.manager.post(`/api/contacts/${at.one['id']}/consents`, { state: 'opted_in' })
    await at.manager.post(`/api/contacts/${at.two['id']}/consents`, { state: 'opted_out' })
    await at.world.settle()
    const before = stateOf(at.world)
    const { merge_id } = (await at.merge()).data
    await at.world.settle()
    expect(stateOf(at.world)).not.toEqual(before)
    const answer = await at.manager.post(`/api/contacts/merges/${merge_id}/undo`)
    expect((answer.data['contacts'] as Loose[]).map(({ id }) => id as unknown)).toEqual([
      at.one['id'],
      at.two['id'],
    ])
    await at.world.settle()
    expect(stateOf(at.world)).toEqual(before)
  })

  test("keeps each message with its conversation's contact and number", async () => {
    await using at = await withTwoNumbers()
    const { sqlite } = at.world.program.http.db
    const dangling = () => sqlite.query('pragma foreign_key_check').all()
    const before = stateOf(at.world)
    const { merge_id } = (await at.merge()).data
    expect(dangling()).toEqual([])
    expect(() =>
      sqlite.run('update messages set contact_id = ?', [uuidToBytes(String(at.two['id']))]),
    ).toThrow('FOREIGN KEY')
    await at.manager.post(`/api/contacts/merges/${merge_id}/undo`)
    expect(dangling()).toEqual([])
    await at.world.settle()
    expect(stateOf(at.world)).toEqual(before)
  })

  test('gives reactions and edits back with their messages', async () => {
    await using at = await withTwo([[1, 'one, first']])
    const { world } = at
    const line = lineOf(world.tenant)
    const about = (nth: number) => ({ person: personOf(nth), line, timestamp: secondsIn(world) })
    for (const nth of [1, 2]) {
      const id = `wamid.HBgLMTU1NTAxMDAwMD${nth}VAgASGBQzQTdFNDQ3RDIz`
      await deliver(world, textTo(world, 'tpyo', { person: personOf(nth), id }))
      await deliver(world, edit(id, 'typo', about(nth)))
      await deliver(world, reaction(id, '🎉', about(nth)))
    }
    const two = (await at.manager.get(`/api/contacts?search=${personOf(2).waId}`)).data[
      'items'
    ] as Loose[]
    await world.settle()
    const before = stateOf(world)
    const { merge_id } = (await at.merge(at.one, two[0])).data
    await at.manager.post(`/api/contacts/merges/${merge_id}/undo`)
    await world.settle()
    expect(stateOf(world)).toEqual(before)
  })

  test('leaves later messages with the target and routes new ones to each contact', async () => {
    await using at = await withTwo()
    const { merge_id } = (await at.merge()).data
    await at.manager.put(`/api/contacts/${at.one['id']}`, { name: 'Since' })
    await deliver(at.world, textTo(at.world, 'since', { person: personOf(2, 'Two') }))
    await at.manager.post(`/api/contacts/merges/${merge_id}/undo`)
    expect(await textsOf(at.manager, at.two)).toEqual(['two, first', 'two, second'])
    expect(await textsOf(at.manager, at.one)).toEqual(['one, first', 'one, second', 'since'])
    expect((await at.manager.get(`/api/contacts/${at.one['id']}`)).data['name']).toBe('Since')
    await deliver(at.world, textTo(at.world, 'two, own', { person: personOf(2, 'Two') }))
    expect((await textsOf(at.manager, at.two)).at(-1)).toBe('two, own')
    expect((await at.manager.get('/api/conversations')).data['total']).toBe(2)
  })

  test('gives every contact its own messages back, whichever of two merges is undone first', async () => {
    await using at = await withTwo()
    const { manager, one, two } = at
    const into = (await manager.post('/api/contacts', { phone_number: '+1 555 030 0999' })).data
    const before = stateOf(at.world)
    const merges = []
    for (const source of [one, two]) merges.push((await at.merge(into, source)).data['merge_id'])
    for (const id of merges) {
      await at.world.settle()
      expect((await manager.post(`/api/contacts/merges/${String(id)}/undo`)).status).toBe(200)
    }
    expect(await textsOf(manager, one)).toEqual(['one, first', 'one, second'])
    expect(await textsOf(manager, two)).toEqual(['two, first', 'two, second'])
    await at.world.settle()
    expect(stateOf(at.world)).toEqual(before)
  })

  test('returns pending messages to each contact in order, and they can be canceled', async () => {
    await using at = await withTwo()
    await at.manager.post(`/api/contacts/${at.one['id']}/messages`, {
      type: 'text',
      text: 'to one',
    })
    const toTwo = await at.manager.post(`/api/contacts/${at.two['id']}/messages`, {
      type: 'text',
      text: 'to two',
    })
    const { merge_id } = (await at.merge()).data
    await at.manager.post(`/api/contacts/merges/${merge_id}/undo`)
    expect(
      (await at.manager.post(`/api/messages/${toTwo.data['id']}/cancel`)).data['error'],
    ).toMatchObject({ code: 'cancelled' })
    const keys = at.world.rows(
      "select ordering_key from jobs where kind = 'message.send' and state = 'available'",
    )
    expect(keys).toEqual([{ ordering_key: `send:${at.one['id']}` }])
    await at.world.settle()
    expect(at.world.simulator.messages.length).toBe(1)
  })

  test('assigns nothing to a member who has left', async () => {
    await using at = await withTwo()
    const { agent } = at.world.tenant.userIds
    await at.manager.put(`/api/contacts/${at.two['id']}/assign`, { user_id: agent })
    const { merge_id } = (await at.merge()).data
    expect(
      (await (await at.world.as('admin')).delete(`/api/organizations/members/${agent}`)).status,
    ).toBe(200)
    expect((await at.manager.post(`/api/contacts/merges/${merge_id}/undo`)).status).toBe(200)
    const list = (await at.manager.get('/api/conversations')).data['items'] as Loose[]
    expect(list.map(({ assigned_to }) => assigned_to as unknown)).toEqual([null, null])
    expect((await at.manager.get(`/api/contacts/${at.two['id']}`)).data['assigned_to']).toBeNull()
  })

  test('leaves a number with another contact that uses it by now', async () => {
    await using at = await withNumberAndId()
    await at.manager.put(`/api/contacts/${at.byId['id']}`, { phone_number: null })
    const heir = await at.manager.post('/api/contacts', {
      phone_number: at.byNumber['phone_number'],
      name: 'Heir',
    })
    expect(heir.status).toBe(201)
    await at.undo()
    expect((await at.manager.get(`/api/contacts/${at.byNumber['id']}`)).data).toMatchObject({
      phone_number: null,
      identities: [],
    })
    const found = (await at.manager.get(`/api/contacts?search=${at.byNumber['phone_number']}`))
      .data['items']
    expect(found).toMatchObject([{ id: heir.data['id'] }])
  })

  test.each([
    ['was taken away', null],
    ['was replaced', '+1 555 030 0778'],
  ])('gives a number back for good that %s meanwhile', async (_how, phone_number) => {
    await using at = await withNumberAndId()
    expect((await at.manager.put(`/api/contacts/${at.byId['id']}`, { phone_number })).status).toBe(
      200,
    )
    await at.undo()
    at.world.clock.advance({ hours: 24 * 31 })
    await deliver(
      at.world,
      textTo(at.world, 'it is me', {
        person: { waId: String(at.byNumber['phone_number']), name: 'Me' },
      }),
    )
    const manager = await at.world.as('manager')
    expect((await manager.get(`/api/contacts/${at.byNumber['id']}`)).data).toMatchObject({
      profile_name: 'Me',
      phone_number: at.byNumber['phone_number'],
    })
    expect((await manager.get('/api/contacts')).data['total']).toBe(2)
  })

  test('is possible once within 30 days by a member who sees the contact', async () => {
    await using at = await withTwo()
    const undo = (id: unknown, by: Client = at.manager) =>
      by.post(`/api/contacts/merges/${String(id)}/undo`)
    expect((await undo(NOBODY)).status).toBe(404)
    const { merge_id } = (await at.merge()).data
    const limited = await personWith(at.world, ['contacts:read', 'contacts:update'])
    expect((await undo(merge_id, limited.client)).status).toBe(404)
    expect((await undo(merge_id, await at.world.as('manager', at.world.other))).status).toBe(404)
    expect((await undo(merge_id)).status).toBe(200)
    expect((await undo(merge_id)).body.code).toBe('already_undone')
    const again = (await at.merge()).data
    at.world.clock.advance({ hours: 24 * 31 })
    const late = await undo(again['merge_id'], await at.world.as('manager'))
    expect([late.status, late.body.code]).toEqual([409, 'too_late'])
  })

  test('publishes both contacts, and the source is visible again to its viewers', async () => {
    await using at = await withTwo()
    await at.manager.put(`/api/contacts/${at.two['id']}/assign`, {
      user_id: at.world.tenant.userIds.agent,
    })
    const { merge_id } = (await at.merge()).data
    const agent = await at.world.socket('agent')
    await at.manager.post(`/api/contacts/merges/${merge_id}/undo`)
    await at.world.settle()
    const frames = (await agent.caughtUp()).filter(({ type }) => type.startsWith('contact:'))
    expect(
      frames.map(({ type, payload }) => [type, payload['id'], payload['visible']] as unknown),
    ).toContainEqual(['contact:new', at.two['id'], undefined])
    expect((await (await at.world.as('agent')).get(`/api/contacts/${at.two['id']}`)).status).toBe(
      200,
    )
  })
})

test("merging respects the limits on tags and metadata, and undoing restores both contacts' values", async () => {
  await using at = await withTwo()
  const { manager, one, two, merge } = at
  const named = (prefix: string, many: number): string[] =>
    Array.from({ length: many }, (_, nth) => `${prefix} ${String(nth).padStart(2, '0')}`)
  const large = 'x'.repeat(9_000)
  await manager.put(`/api/contacts/${one['id']}`, {
    tags: named('Own', 40),
    metadata: { own: large, both: 'own' },
  })
  await manager.put(`/api/contacts/${two['id']}`, {
    tags: [...named('Own', 5), ...named('Other', 20)],
    metadata: { large, both: 'other', small: 1 },
  })
  const shown = async (contact: Loose): Promise<Loose> =>
    (await manager.get(`/api/contacts/${contact['id']}`)).data
  const before = [
    (await shown(one))['tags'],
    (await shown(two))['tags'],
    (await shown(two))['metadata'],
  ]
  const { merge_id } = (await merge()).data
  const merged = await shown(one)
  expect(
    (merged['tags'] as Loose[]).filter(({ name }) => String(name).startsWith('Own')),
  ).toHaveLength(40)
  expect([(merged['tags'] as Loose[]).length, merged['metadata']]).toEqual([
    50,
    { own: large, both: 'own', small: 1 },
  ])
  await manager.post(`/api/contacts/merges/${String(merge_id)}/undo`)
  expect([
    (await shown(one))['tags'],
    (await shown(two))['tags'],
    (await shown(two))['metadata'],
  ]).toEqual(before)
})

test('undoing restores the numbers and user IDs of both contacts even if either wrote meanwhile', async () => {
  await using at = await withTwo()
  const { world, manager, one, two, merge } = at
  const { merge_id } = (await merge()).data
  world.clock.advance({ minutes: 1 })
  await deliver(world, textTo(world, 'two, meanwhile', { person: personOf(2, 'Two') }))
  expect((await manager.get(`/api/contacts/${one['id']}`)).data).toMatchObject({
    phone_number: personOf(2).waId,
    wa_id: personOf(2).waId,
  })
  expect((await manager.post(`/api/contacts/merges/${String(merge_id)}/undo`)).status).toBe(200)
  for (const [contact, nth] of [
    [one, 1],
    [two, 2],
  ] as const) {
    const { data } = await manager.get(`/api/contacts/${contact['id']}`)
    const { waId, userId } = personOf(nth)
    expect(data).toMatchObject({ phone_number: waId, wa_id: waId, user_id: userId })
    expect((data['identities'] as Loose[]).map(({ value }) => String(value)).toSorted()).toEqual(
      [String(waId), String(userId)].toSorted(),
    )
    await manager.post(`/api/contacts/${contact['id']}/messages`, {
      type: 'text',
      text: `For ${nth}`,
    })
    await world.settle()
    expect(world.simulator.messages.at(-1)?.body).toMatchObject({
      to: `+${String(waId)}`,
      text: { body: `For ${nth}` },
    })
  }
  expect(world.rows('select 1 from contact_identities where expires_at_ms is not null')).toEqual([])
})
