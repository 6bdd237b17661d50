import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { keyOf } from '../../../support/keys'
import { deliver, personOf, textTo } from '../../../support/lines'
import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { World } from '../../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
})

afterAll(() => world.stop())

let count = 0
/** Returns a phone number that no contact has. */
const freshNumber = (): string => `1555040${String(count++).padStart(4, '0')}`

const created = async (body: Loose = {}, by: Client = manager): Promise<Loose> =>
  (await by.post('/api/contacts', { phone_number: freshNumber(), ...body })).data

describe('creating a contact', () => {
  test('sets all fields', async () => {
    const admin = await world.as('admin')
    await admin.post('/api/contact-attributes', { key: 'plan', label: 'Plan', type: 'text' })
    const number = freshNumber()
    const answer = await manager.post('/api/contacts', {
      phone_number: `+1 (${number.slice(1, 4)}) ${number.slice(4, 7)}-${number.slice(7)}`,
      name: '  Ana Sol ',
      tags: ['First', 'Second'],
      metadata: { from: 'fair', nested: { deep: [1, null] } },
      attributes: { plan: 'gold' },
      assigned_to: world.tenant.userIds.agent,
      language: 'pt_BR',
      marketing_consent: 'opted_in',
    })
    expect(answer.status).toBe(201)
    expect(answer.data).toMatchObject({
      name: 'Ana Sol',
      profile_name: null,
      display_name: 'Ana Sol',
      phone_number: number,
      wa_id: null,
      country: 'US',
      language: 'pt_BR',
      account_id: null,
      assigned_to: world.tenant.userIds.agent,
      assigned_user: { id: world.tenant.userIds.agent, full_name: 'Acme agent' },
      metadata: { from: 'fair', nested: { deep: [1, null] } },
      attributes: { plan: 'gold' },
      marketing_consent: 'opted_in',
      source: 'manual',
      last_message_at: null,
      window_expires_at: null,
      unread_count: 0,
    })
    expect((answer.data['tags'] as Loose[]).map(({ name }) => name as unknown)).toEqual([
      'First',
      'Second',
    ])
    const {
      identities,
      platform_blocked: _,
      ...shown
    } = (await manager.get(`/api/contacts/${answer.data['id']}`)).data
    expect(shown).toEqual(answer.data)
    expect(identities).toMatchObject([{ kind: 'phone', value: number, account_id: null }])
    expect(
      (await manager.get(`/api/contacts/${answer.data['id']}/consents`)).data['items'],
    ).toMatchObject([{ state: 'opted_in', source: 'agent' }])
  })

  test('accepts a user ID alone and takes the country from it', async () => {
    const answer = await manager.post('/api/contacts', {
      user_id: 'BR.90000000000000000077',
      name: 'Bia',
    })
    expect(answer.data).toMatchObject({
      phone_number: null,
      user_id: 'BR.90000000000000000077',
      parent_user_id: null,
      country: 'BR',
    })
    const parent = await manager.post('/api/contacts', { user_id: 'US.ENT.123' })
    expect(parent.data).toMatchObject({
      user_id: null,
      parent_user_id: 'US.ENT.123',
      display_name: null,
    })
    const without = (await manager.get('/api/contacts?has_phone=false')).data['items'] as Loose[]
    expect(new Set(without.map(({ id }) => id as unknown))).toEqual(
      new Set([answer.data['id'], parent.data['id']]),
    )
  })

  test('uses the default incoming account unless one is given', async () => {
    await using own = await World.create({ isConnected: false })
    const id = await own.connect(own.tenant, { is_default_incoming: true })
    const boss = await own.as('manager')
    expect(
      (await boss.post('/api/contacts', { phone_number: '15550400001' })).data['account_id'],
    ).toBe(id)
    expect(
      (await boss.post('/api/contacts', { phone_number: '15550400002', account_id: null })).data[
        'account_id'
      ],
    ).toBe(id)
  })

  test('with an API key sets the source', async () => {
    const key = await keyOf(world, {
      permissions: ['contacts:create', 'contacts:read', 'contacts:read_all'],
    })
    expect((await created({}, key.client))['source']).toBe('api')
  })

  test('accepts a number in the national format of the organization', async () => {
    await using own = await World.create({ isConnected: false })
    const admin = await own.as('admin')
    const refused = await admin.post('/api/contacts', { phone_number: '(011) 98765-4321' })
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'body.phone_number'])
    await admin.put('/api/organizations/settings', { default_country: 'BR' })
    expect(
      (await admin.post('/api/contacts', { phone_number: '(011) 98765-4321' })).data[
        'phone_number'
      ],
    ).toBe('5511987654321')
    for (const form of ['+55 11 98765-4321', '5511987654321', '551187654321', '11 98765 4321'])
      expect({
        form,
        code: (await admin.post('/api/contacts', { phone_number: form })).body.code,
      }).toEqual({
        form,
        code: 'contact_exists',
      })
  })

  test('publishes it to those who see it', async () => {
    const [all, agent] = [await world.socket('admin'), await world.socket('agent')]
    const mine = await created({ assigned_to: world.tenant.userIds.agent })
    const other = await created()
    await world.settle()
    const news = async (socket: typeof all): Promise<unknown[]> =>
      (await socket.caughtUp())
        .filter(({ type }) => type === 'contact:new')
        .map(({ payload }) => payload['id'] as unknown)
    expect(await news(all)).toEqual([mine['id'], other['id']])
    expect(await news(agent)).toEqual([mine['id']])
  })

  test.each<[what: string, body: Loose, path: string, code?: string]>([
    ['neither number nor id', { phone_number: undefined }, 'body.phone_number'],
    ['a number that is none', { phone_number: '12ab' }, 'body.phone_number'],
    ['a number too short', { phone_number: '12345' }, 'body.phone_number'],
    ['a number too long', { phone_number: '1234567890123456' }, 'body.phone_number'],
    ['an id that is none', { phone_number: undefined, user_id: 'bia' }, 'body.user_id'],
    ['a blank name', { name: ' ' }, 'body.name'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'body.name'],
    ['a language that is none', { language: '?' }, 'body.language'],
    ['an account of nobody', { account_id: NOBODY }, 'body.account_id'],
    ['an assignee who is no member', { assigned_to: NOBODY }, 'body.assigned_to', 'not_a_member'],
    ['a tag id of nobody', { tag_ids: [NOBODY] }, 'body.tag_ids.0', 'unknown_tag'],
    ['a blank tag', { tags: [' '] }, 'body.tags.0', 'unknown_tag'],
    ['51 tags', { tags: Array.from({ length: 51 }, (_, nth) => `T${nth}`) }, 'body.tags'],
    ['metadata over 16 KiB', { metadata: { text: 'x'.repeat(16 * 1024) } }, 'body.metadata'],
    [
      'metadata of six levels',
      { metadata: { a: { b: { c: { d: { e: {} } } } } } },
      'body.metadata.a.b.c.d.e',
    ],
    [
      'a reserved word in the metadata',
      { metadata: { a: { constructor: 1 } } },
      'body.metadata.a.constructor',
    ],
    ['an attribute that is none', { attributes: { nothing: 1 } }, 'body.attributes.nothing'],
    ['a consent that is none', { marketing_consent: 'maybe' }, 'body.marketing_consent'],
  ])('not with %s', async (_, body, path, code = 'invalid_input') => {
    const before = world.rows<{ rows: number }>('select count(*) as rows from contacts')
    const answer = await manager.post('/api/contacts', { phone_number: freshNumber(), ...body })
    expect([answer.status, answer.body.errors?.[0]?.path, answer.body.code]).toEqual([
      400,
      path,
      code,
    ])
    expect(world.rows<{ rows: number }>('select count(*) as rows from contacts')).toEqual(before)
  })

  test.each(['metadata', 'metadata_patch'])(
    'nor with __proto__ as a key of %s, however it is written',
    async (field) => {
      const contact = await created()
      for (const json of [
        `{"${field}": {"__proto__": {"x": 1}}}`,
        `{"${field}": {"a": {"prototype": 1}}}`,
      ]) {
        const answer = await manager.put(`/api/contacts/${contact['id']}`, json)
        expect([json, answer.status]).toEqual([json, 400])
      }
    },
  )
})

describe('creating an existing contact', () => {
  test('returns 409 with its ID', async () => {
    const number = freshNumber()
    const contact = await created({ phone_number: number })
    const again = await manager.post('/api/contacts', { phone_number: `+${number}` })
    expect([again.status, again.body.code, again.body.details]).toEqual([
      409,
      'contact_exists',
      { contact_id: contact['id'] },
    ])
  })

  test('reveals nothing of an invisible contact', async () => {
    const number = freshNumber()
    await created({ phone_number: number, name: 'Secret' })
    const blind = await personWith(world, ['contacts:create', 'contacts:read'])
    const answer = await blind.client.post('/api/contacts', { phone_number: number })
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([
      409,
      'contact_exists',
      undefined,
    ])
    expect(JSON.stringify(answer.body)).not.toContain('Secret')
  })

  test('ignores contacts of other organizations', async () => {
    const number = freshNumber()
    await created({ phone_number: number })
    expect(
      (await created({ phone_number: number }, await world.as('manager', world.other)))[
        'phone_number'
      ],
    ).toBe(number)
  })

  test('restores a deleted contact with its history and the new fields', async () => {
    await deliver(world, textTo(world, 'Once', { person: personOf(70, 'Old Friend') }))
    const number = String(personOf(70).waId)
    const [known] = (await manager.get(`/api/contacts?search=${number}`)).data['items'] as Loose[]
    await manager.delete(`/api/contacts/${known?.['id']}`)
    const back = await manager.post('/api/contacts', { phone_number: number, language: 'de' })
    expect(back.status).toBe(201)
    expect(back.data).toMatchObject({
      id: known?.['id'],
      profile_name: 'Old Friend',
      language: 'de',
      source: 'inbound',
      last_message_preview: 'Once',
    })
    expect((await manager.get(`/api/contacts/${known?.['id']}/messages`)).data['total']).toBe(1)
  })
})

describe('an agent who does not see all contacts', () => {
  test('becomes the assignee of contacts it creates, whatever it requests', async () => {
    const limited = await personWith(world, ['contacts:create', 'contacts:read'])
    const contact = await created({ assigned_to: world.tenant.userIds.agent }, limited.client)
    expect(contact['assigned_to']).toBe(limited.userId)
    expect((await limited.client.get(`/api/contacts/${contact['id']}`)).status).toBe(200)
  })

  test('cannot assign a contact to others without transfers:assign', async () => {
    const clerk = await personWith(world, ['contacts:create', 'contacts:read', 'contacts:read_all'])
    const answer = await clerk.client.post('/api/contacts', {
      phone_number: freshNumber(),
      assigned_to: world.tenant.userIds.agent,
    })
    expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
    expect((await created({ assigned_to: clerk.userId }, clerk.client))['assigned_to']).toBe(
      clerk.userId,
    )
  })

  test('cannot use an unknown tag without permission to create tags', async () => {
    const clerk = await personWith(world, ['contacts:create', 'contacts:read', 'contacts:read_all'])
    await manager.post('/api/tags', { name: 'Known' })
    expect(
      ((await created({ tags: ['KNOWN'] }, clerk.client))['tags'] as Loose[]).map(
        ({ name }) => name as unknown,
      ),
    ).toEqual(['Known'])
    const answer = await clerk.client.post('/api/contacts', {
      phone_number: freshNumber(),
      tags: ['Known', 'Unheard'],
    })
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ path: 'body.tags.1', message: 'is not a tag of this organization' }],
    ])
  })
})

describe('updating a contact', () => {
  test('changes only the sent fields, clears null and rejects an empty body', async () => {
    const contact = await created({ name: 'Ana', language: 'en', metadata: { a: 1 } })
    const path = `/api/contacts/${contact['id']}`
    world.clock.advance({ minutes: 1 })
    const answer = await manager.put(path, { name: 'Anna' })
    expect(answer.data).toMatchObject({ name: 'Anna', language: 'en', metadata: { a: 1 } })
    expect(answer.data['updated_at']).not.toBe(contact['updated_at'])
    expect(
      (await manager.put(path, { name: null, language: null, metadata: null })).data,
    ).toMatchObject({
      name: null,
      language: null,
      metadata: {},
    })
    expect((await manager.put(path, {})).status).toBe(400)
    expect((await manager.put(path, { name: 'Known', unheard_of: 1 })).data).not.toHaveProperty(
      'unheard_of',
    )
    expect((await manager.put(`/api/contacts/${NOBODY}`, { name: 'x' })).status).toBe(404)
  })

  test('replaces metadata or merges it by key', async () => {
    const contact = await created({ metadata: { a: 1, b: { c: 2 } } })
    const put = async (body: Loose): Promise<unknown> =>
      (await manager.put(`/api/contacts/${contact['id']}`, body)).data['metadata']
    expect(await put({ metadata_patch: { a: null, d: 3 } })).toEqual({ b: { c: 2 }, d: 3 })
    expect(await put({ metadata: { e: null } })).toEqual({ e: null })
    expect(await put({ metadata: { f: 1 }, metadata_patch: { g: 2 } })).toEqual({ f: 1, g: 2 })
    const tooLarge = await manager.put(`/api/contacts/${contact['id']}`, {
      metadata_patch: { h: 'x'.repeat(16 * 1024) },
    })
    expect([tooLarge.status, tooLarge.body.errors?.[0]?.path]).toEqual([400, 'body.metadata_patch'])
    expect(await put({ name: 'same' })).toEqual({ f: 1, g: 2 })
  })

  test('merges attributes and checks them against their definitions', async () => {
    const admin = await world.as('admin')
    await admin.post('/api/contact-attributes', { key: 'age', label: 'Age', type: 'number' })
    await admin.post('/api/contact-attributes', {
      key: 'size',
      label: 'Size',
      type: 'select',
      options: ['S', 'L'],
    })
    const contact = await created({ attributes: { age: 5 } })
    const put = (attributes: Loose) => manager.put(`/api/contacts/${contact['id']}`, { attributes })
    expect((await put({ size: 'L' })).data['attributes']).toEqual({ age: 5, size: 'L' })
    expect((await put({ age: null })).data['attributes']).toEqual({ size: 'L' })
    const wrong = await put({ size: 'M', age: 'old' })
    expect([wrong.status, wrong.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['body.attributes.size', 'body.attributes.age'],
    ])
  })

  test('changes the number; the former one identifies it for 30 more days', async () => {
    await using own = await World.create()
    const boss = await own.as('manager')
    await deliver(own, textTo(own, 'Hi', { person: { waId: '15550300001', name: 'Ana' } }))
    const [contact] = (await boss.get('/api/contacts')).data['items'] as Loose[]
    const changed = await boss.put(`/api/contacts/${contact?.['id']}`, {
      phone_number: '+1 555 030 0002',
    })
    expect(changed.data).toMatchObject({ phone_number: '15550300002', wa_id: null })
    await deliver(own, textTo(own, 'Old phone', { person: { waId: '15550300001', name: 'Ana' } }))
    expect((await boss.get('/api/contacts')).data['total']).toBe(1)
    own.clock.advance({ hours: 24 * 31 })
    const later = await own.as('manager')
    await deliver(
      own,
      textTo(own, 'I have this number now', { person: { waId: '15550300001', name: 'Zoe' } }),
    )
    expect(
      ((await later.get('/api/contacts?sort=created_at&order=asc')).data['items'] as Loose[]).map(
        ({ profile_name }) => profile_name as unknown,
      ),
    ).toEqual(['Ana', 'Zoe'])
  })

  test('rejects a number of another contact', async () => {
    const [one, other] = [await created(), await created()]
    const answer = await manager.put(`/api/contacts/${one['id']}`, {
      phone_number: other['phone_number'],
    })
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([
      409,
      'contact_exists',
      { contact_id: other['id'] },
    ])
  })

  test('removes the number only if the contact has another ID', async () => {
    const contact = await created()
    const answer = await manager.put(`/api/contacts/${contact['id']}`, { phone_number: null })
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'body.phone_number'])
    const both = await created({ user_id: 'DE.900000000000000777' })
    expect(
      (await manager.put(`/api/contacts/${both['id']}`, { phone_number: null })).data,
    ).toMatchObject({
      phone_number: null,
      country: 'DE',
    })
    expect((await created({ phone_number: both['phone_number'] }))['id']).not.toBe(both['id'])
  })

  test('replaces all tags', async () => {
    const contact = await created({ tags: ['Old'] })
    const path = `/api/contacts/${contact['id']}/tags`
    const names = (answer: { data: Loose }): unknown[] =>
      (answer.data['tags'] as Loose[]).map(({ name }) => name as unknown)
    const replaced = await manager.put(path, { tags: ['New', 'new', 'Also'] })
    expect([replaced.data['id'], names(replaced)]).toEqual([contact['id'], ['Also', 'New']])
    const [also] = replaced.data['tags'] as Loose[]
    expect(names(await manager.put(path, { tag_ids: [also?.['id']] }))).toEqual(['Also'])
    expect(names(await manager.put(path, { tags: [] }))).toEqual([])
    expect((await manager.put(path, {})).status).toBe(400)
    expect((await manager.put(path, { tag_ids: [NOBODY] })).body.code).toBe('unknown_tag')
    const many = Array.from({ length: 50 }, (_, nth) => `Many ${nth}`)
    expect((await manager.put(path, { tags: many })).status).toBe(200)
    expect(
      (await manager.put(path, { tags: many, tag_ids: [also?.['id']] })).body.errors,
    ).toMatchObject([{ path: 'body.tags' }])
    expect(
      (
        (await manager.put(`/api/contacts/${contact['id']}`, { tags: ['By PUT'] })).data[
          'tags'
        ] as Loose[]
      ).length,
    ).toBe(1)
  })

  test('two people who add and take away single tags at once lose none', async () => {
    const contact = await created({ tags: ['Had', 'Taken', 'New'] })
    const path = `/api/contacts/${contact['id']}/tags`
    const idOf = (name: string): unknown =>
      (contact['tags'] as Loose[]).find((tag) => tag['name'] === name)?.['id']
    await manager.put(path, { tag_ids: [idOf('Had'), idOf('Taken')] })
    const answers = await Promise.all([
      manager.put(path, { add_tag_ids: [idOf('New')], remove_tag_ids: [] }),
      manager.put(path, { add_tag_ids: [], remove_tag_ids: [idOf('Taken'), NOBODY] }),
      manager.put(path, { add_tag_ids: [idOf('New')] }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const names = (
      (await manager.get(`/api/contacts/${contact['id']}`)).data['tags'] as Loose[]
    ).map(({ name }) => name as unknown)
    expect(names).toEqual(['Had', 'New'])
    const refused = async (body: Loose) => {
      const answer = await manager.put(path, body)
      return [answer.status, answer.body.code, answer.body.errors?.[0]?.path]
    }
    expect(await refused({ add_tag_ids: [NOBODY] })).toEqual([
      ...[400, 'unknown_tag', 'body.add_tag_ids.0'],
    ])
    expect((await refused({ tags: ['Had'], add_tag_ids: [idOf('New')] }))[2]).toBe('body')
    expect(
      (await manager.put(path, { tags: Array.from({ length: 49 }, (_, nth) => `Many ${nth}`) }))
        .status,
    ).toBe(200)
    expect((await refused({ add_tag_ids: [idOf('Had'), idOf('New')] }))[2]).toBe('body.add_tag_ids')
    expect((await manager.put(path, { add_tag_ids: [idOf('Had')] })).status).toBe(200)
  })

  test('publishes the changed fields, and nothing without a change', async () => {
    const contact = await created({ name: 'Ana', assigned_to: world.tenant.userIds.agent })
    const [all, agent] = [await world.socket('admin'), await world.socket('agent')]
    const path = `/api/contacts/${contact['id']}`
    await manager.put(path, { name: 'Ana' })
    await manager.put(path, { name: 'Anna', language: 'cs', tags: ['Told'] })
    await world.settle()
    for (const socket of [all, agent]) {
      const frames = (await socket.caughtUp()).filter(({ type }) => type === 'contact:updated')
      expect(frames.map(({ payload }) => payload['changed'] as unknown)).toEqual([
        ['name', 'language', 'tags'],
      ])
      expect(frames[0]?.payload).toMatchObject({
        id: contact['id'],
        name: 'Anna',
        tags: [{ name: 'Told' }],
        visible: true,
      })
    }
  })

  test('requires a visible contact', async () => {
    const contact = await created()
    const blind = await personWith(world, ['contacts:read', 'contacts:update', 'contacts:delete'])
    const id = contact['id'] as string
    for (const answer of [
      await blind.client.get(`/api/contacts/${id}`),
      await blind.client.put(`/api/contacts/${id}`, { name: 'x' }),
      await blind.client.put(`/api/contacts/${id}/tags`, { tags: [] }),
      await blind.client.post(`/api/contacts/${id}/block`),
      await blind.client.delete(`/api/contacts/${id}/block`),
      await blind.client.delete(`/api/contacts/${id}`),
      await blind.client.get(`/api/contacts/${id}/session-data`),
      await blind.client.post(`/api/contacts/${id}/merge`, { source_id: id }),
    ])
      expect(answer.status).toBe(404)
  })

  test('returns empty session data without a chatbot session', async () => {
    const contact = await created()
    expect((await manager.get(`/api/contacts/${contact['id']}/session-data`)).data).toEqual({
      session_id: null,
      flow_id: null,
      flow_name: null,
      session_data: null,
      panel_config: null,
    })
  })
})
