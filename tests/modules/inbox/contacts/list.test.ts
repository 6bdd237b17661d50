import { describe, expect, test } from 'bun:test'

import { plainFields } from '../../../../src/modules/inbox/contacts/plain-fields'
import type { Loose } from '../../../support/client'
import { deliver, personOf, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const CONTACT_FIELDS = [
  'id',
  ...plainFields.map(({ field }) => field),
  'profile_name',
  'display_name',
  'phone_number',
  'wa_id',
  'user_id',
  'parent_user_id',
  'username',
  'country',
  'avatar_url',
  'account_id',
  'assigned_to',
  'assigned_user',
  'assigned_team_id',
  'tags',
  'metadata',
  'attributes',
  'marketing_consent',
  'blocked',
  'blocked_at',
  'source',
  'first_seen_at',
  'last_message_at',
  'last_message_preview',
  'last_inbound_at',
  'window_expires_at',
  'unread_count',
  'created_at',
  'updated_at',
]

/** Creates a world with contacts of these names, who wrote one minute apart. */
async function withContacts(...names: string[]) {
  const world = await World.create()
  for (const [nth, name] of names.entries()) {
    await deliver(world, textTo(world, `Text of ${name}`, { person: personOf(nth, name) }))
    world.clock.advance({ minutes: 1 })
  }
  const manager = await world.as('manager')
  const get = async (query = ''): Promise<Loose> =>
    (await manager.get(`/api/contacts${query}`)).data
  const names_ = async (query = ''): Promise<unknown[]> =>
    ((await get(query))['items'] as Loose[]).map((item) => item['profile_name'] as unknown)
  return { world, manager, get, names: names_, [Symbol.asyncDispose]: () => world.stop() }
}

describe('a contact', () => {
  test('has all its fields, with null for missing values', async () => {
    await using at = await withContacts('Ana Sol')
    const [contact] = (await at.get())['items'] as Loose[]
    expect(Object.keys(contact ?? {}).toSorted()).toEqual(CONTACT_FIELDS.toSorted())
    expect(contact).toMatchObject({
      name: null,
      profile_name: 'Ana Sol',
      display_name: 'Ana Sol',
      phone_number: '15550300000',
      wa_id: '15550300000',
      country: 'US',
      account_id: at.world.tenant.accountId,
      assigned_to: null,
      tags: [],
      metadata: {},
      marketing_consent: 'unknown',
      blocked: false,
      source: 'inbound',
      first_seen_at: '2026-11-21T09:30:00.000Z',
      last_message_at: '2026-11-21T09:30:00.000Z',
      last_inbound_at: '2026-11-21T09:30:00.000Z',
      window_expires_at: '2026-11-22T09:30:00.000Z',
      last_message_preview: 'Text of Ana Sol',
      unread_count: 1,
    })
  })

  test('has the preview of the last of what was said or called at one time', async () => {
    await using at = await withContacts()
    const customer = at.world.simulator.customer({ phone: at.world.tenant.phoneId })
    const preview = async (): Promise<unknown> => {
      await at.world.settle()
      return ((await at.get())['items'] as Loose[])[0]?.['last_message_preview']
    }
    await customer.says('One')
    await customer.says('Two')
    expect(await preview()).toBe('Two')
    await customer.calls()
    expect(await preview()).toBe('Incoming call')
    await customer.says('Three')
    expect(await preview()).toBe('Three')
  })

  test('includes its identities when read alone', async () => {
    await using at = await withContacts('Ana Sol')
    const [listed] = (await at.get())['items'] as Loose[]
    const { data } = await at.manager.get(`/api/contacts/${listed?.['id']}`)
    const { identities, platform_blocked, ...rest } = data
    expect(rest).toEqual(listed as Loose)
    expect(platform_blocked).toBe(false)
    expect(identities).toEqual([
      {
        kind: 'phone',
        value: '15550300000',
        account_id: at.world.tenant.accountId,
        first_seen_at: '2026-11-21T09:30:00.000Z',
      },
      {
        kind: 'user_id',
        value: personOf(0).userId,
        account_id: at.world.tenant.accountId,
        first_seen_at: '2026-11-21T09:30:00.000Z',
      },
    ])
  })

  test('returns 404 for an unknown ID and 400 for a malformed one', async () => {
    await using at = await withContacts()
    expect(
      (await at.manager.get('/api/contacts/01900000-0000-7000-8000-ffffffffffff')).status,
    ).toBe(404)
    expect((await at.manager.get('/api/contacts/odd')).status).toBe(400)
  })

  test('is gone when deleted and restored with its history when it writes again', async () => {
    await using at = await withContacts('Ana Sol')
    const [contact] = (await at.get())['items'] as Loose[]
    at.world.program.http.db.sqlite.run('update contacts set deleted_at_ms = 1')
    expect((await at.get())['total']).toBe(0)
    expect((await at.manager.get(`/api/contacts/${contact?.['id']}`)).status).toBe(404)
    expect((await at.manager.get('/api/conversations')).data['total']).toBe(0)
    const socket = await at.world.socket('manager')
    await deliver(at.world, textTo(at.world, 'Back', { person: personOf(0, 'Ana Sol') }))
    expect((await at.get())['items']).toMatchObject([{ id: contact?.['id'], unread_count: 2 }])
    expect((await at.manager.get(`/api/contacts/${contact?.['id']}/messages`)).data['total']).toBe(
      2,
    )
    expect((await socket.caughtUp()).map(({ type }) => type)).toEqual([
      'contact:new',
      'message:new',
      'conversation:updated',
    ])
  })

  test('is recorded silently while blocked: messages are stored as read', async () => {
    await using at = await withContacts('Ana Sol')
    at.world.program.http.db.sqlite.run('update contacts set blocked_at_ms = 1, unread_count = 0')
    await deliver(at.world, textTo(at.world, 'Listen!', { person: personOf(0, 'Ana Sol') }))
    const [contact] = (await at.get())['items'] as Loose[]
    expect(contact).toMatchObject({ blocked: true, unread_count: 0 })
    const messages = (await at.manager.get(`/api/contacts/${contact?.['id']}/messages`)).data[
      'items'
    ] as Loose[]
    expect(messages.map((message) => message['status'] as unknown)).toEqual(['delivered', 'read'])
  })
})

describe('the list of contacts', () => {
  test('is sorted by newest message or by creation, in both directions', async () => {
    await using at = await withContacts('Ana', 'Ben', 'Cid')
    await deliver(at.world, textTo(at.world, 'Again', { person: personOf(0, 'Ana') }))
    expect(await at.names()).toEqual(['Ana', 'Cid', 'Ben'])
    expect(await at.names('?order=asc')).toEqual(['Ben', 'Cid', 'Ana'])
    expect(await at.names('?sort=created_at')).toEqual(['Cid', 'Ben', 'Ana'])
    expect(await at.names('?sort=created_at&order=asc')).toEqual(['Ana', 'Ben', 'Cid'])
  })

  test.each(['desc', 'asc'])(
    'has those without any message last, %s, also by cursor',
    async (order) => {
      await using at = await withContacts('Ana', 'Ben', 'Cid', 'Dan')
      at.world.program.http.db.sqlite.run(
        "update contacts set last_message_at_ms = null where profile_name in ('Ben', 'Cid')",
      )
      const seen: string[] = []
      let page = await at.get(`?limit=1&order=${order}`)
      for (let nth = 0; nth < 6; nth += 1) {
        seen.push(...(page['items'] as Loose[]).map((item) => item['profile_name'] as string))
        if (page['next_cursor'] === null) break
        page = await at.get(`?limit=1&order=${order}&cursor=${page['next_cursor']}`)
      }
      expect(seen.slice(0, 2)).toEqual(order === 'asc' ? ['Ana', 'Dan'] : ['Dan', 'Ana'])
      expect(seen.slice(2).toSorted()).toEqual(['Ben', 'Cid'])
      expect(await at.names(`?order=${order}`)).toEqual(seen)
    },
  )

  test('lists each contact once, by page with totals and by cursor without', async () => {
    await using at = await withContacts(...Array.from({ length: 7 }, (_, nth) => `Person ${nth}`))
    const first = await at.get('?limit=3')
    expect(first).toMatchObject({ total: 7, page: 1, limit: 3, total_pages: 3 })
    const seen = ['Person 6', 'Person 5', 'Person 4']
    expect((first['items'] as Loose[]).map((item) => item['profile_name'] as string)).toEqual(seen)
    await deliver(at.world, textTo(at.world, 'I am new', { person: personOf(9, 'New') }))
    const second = await at.get(`?limit=3&cursor=${first['next_cursor']}`)
    expect(second).toMatchObject({ total: null, page: null, total_pages: null })
    expect((second['items'] as Loose[]).map((item) => item['profile_name'] as string)).toEqual([
      'Person 3',
      'Person 2',
      'Person 1',
    ])
    const third = await at.get(`?limit=3&cursor=${second['next_cursor']}`)
    expect((third['items'] as Loose[]).map((item) => item['profile_name'] as string)).toEqual([
      'Person 0',
    ])
    expect(third['next_cursor']).toBeNull()
    expect(await at.names('?limit=3&page=3')).toEqual(['Person 1', 'Person 0'])
    expect(await at.names('?page=99')).toEqual([])
  })

  test('is searched by name, profile name, username and number in any format', async () => {
    await using at = await withContacts('Ana Sol', 'Zoë Müller', '100% Ben_x')
    const [ben, , ana] = (await at.get())['items'] as Loose[]
    await at.manager.put(`/api/contacts/${ana?.['id']}`, { name: 'Key account' })
    await deliver(
      at.world,
      textTo(at.world, 'My name', {
        person: { ...personOf(2, '100% Ben_x'), username: 'ben.the.best' },
      }),
    )
    expect(ben?.['profile_name']).toBe('100% Ben_x')
    const found = (search: string): Promise<unknown[]> =>
      at.names(`?search=${encodeURIComponent(search)}`)
    expect(await found('ana')).toEqual(['Ana Sol'])
    expect(await found('KEY ACC')).toEqual(['Ana Sol'])
    expect(await found('the.best')).toEqual(['100% Ben_x'])
    expect(await found('%')).toEqual(['100% Ben_x'])
    expect(await found('_')).toEqual(['100% Ben_x'])
    expect(await found('Müller')).toEqual(['Zoë Müller'])
    expect(await found('nobody')).toEqual([])
    for (const number of [
      '15550300001',
      '+1 555-030-0001',
      '(555) 030 0001',
      '0300001',
      '1 555 030 0001',
    ])
      expect({ number, names: await found(number) }).toEqual({ number, names: ['Zoë Müller'] })
    expect((await found('155503')).length).toBe(3)
    expect(await found("'; drop table contacts; --")).toEqual([])
  })

  test('is filtered by account and assignee', async () => {
    await using at = await withContacts('Ana', 'Ben')
    const [ben] = (await at.get())['items'] as Loose[]
    await at.manager.put(`/api/contacts/${ben?.['id']}/assign`, {
      user_id: at.world.tenant.userIds.manager,
    })
    expect(await at.names('?assigned_to=me')).toEqual(['Ben'])
    expect(await at.names('?assigned_to=none')).toEqual(['Ana'])
    expect(await at.names(`?assigned_to=${at.world.tenant.userIds.manager}`)).toEqual(['Ben'])
    expect(await at.names(`?assigned_to=${at.world.tenant.userIds.agent}`)).toEqual([])
    expect(await at.names(`?account_id=${at.world.tenant.accountId}`)).toEqual(['Ben', 'Ana'])
    expect(await at.names(`?account_id=${at.world.other.accountId}`)).toEqual([])
  })

  test.each([
    '?sort=odd',
    '?order=up',
    '?limit=101',
    '?limit=0',
    '?limit=x',
    '?page=0',
    '?assigned_to=odd',
    '?account_id=odd',
    '?cursor=odd',
  ])('rejects %s', async (query) => {
    await using at = await withContacts()
    const answer = await at.manager.get(`/api/contacts${query}`)
    expect([answer.status, (answer.body.errors ?? []).length > 0]).toEqual([400, true])
  })
})
