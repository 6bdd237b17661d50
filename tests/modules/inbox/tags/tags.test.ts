import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { personOf, textTo, deliver } from '../../../support/lines'
import { personWith, type OwnRole } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

let world: World
let manager: Client

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
})

afterAll(() => world.stop())

const tagOf = async (name: string, color?: string): Promise<Loose> =>
  (await manager.post('/api/tags', { name, ...(color === undefined ? {} : { color }) })).data

const namesOf = async (query = ''): Promise<unknown[]> =>
  ((await manager.get(`/api/tags${query}`)).data['items'] as Loose[]).map(
    ({ name }) => name as unknown,
  )

describe('a tag', () => {
  test('is created trimmed and gray by default, with no contacts', async () => {
    const answer = await manager.post('/api/tags', { name: '  VIP ' })
    expect([answer.status, answer.data]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'VIP',
        color: 'gray',
        contact_count: 0,
        created_at: '2026-11-21T09:30:00.000Z',
        updated_at: '2026-11-21T09:30:00.000Z',
      },
    ])
    expect((await manager.get(`/api/tags/${answer.data['id']}`)).data).toEqual(answer.data)
    expect((await tagOf('Red', 'red'))['color']).toBe('red')
  })

  test.each<[what: string, body: unknown, path: string]>([
    ['without a name', {}, 'body.name'],
    ['with a blank name', { name: '  ' }, 'body.name'],
    ['with a name of 51 characters', { name: 'x'.repeat(51) }, 'body.name'],
    ['of a colour that is none', { name: 'Pink', color: 'pink' }, 'body.color'],
  ])('%s is refused', async (_, body, path) => {
    const answer = await manager.post('/api/tags', body)
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  })

  test('has a unique name regardless of case; accents make a difference', async () => {
    const first = await tagOf('Größe')
    for (const name of ['GRÖSSE', 'größe', ' Größe']) {
      const answer = await manager.post('/api/tags', { name })
      expect({ name, status: answer.status, code: answer.body.code }).toEqual(
        name === 'GRÖSSE'
          ? { name, status: 201, code: undefined }
          : { name, status: 409, code: 'name_taken' },
      )
    }
    expect((await manager.post('/api/tags', { name: 'Grösse' })).body.code).toBe('name_taken')
    expect((await manager.post('/api/tags', { name: 'Grosse' })).status).toBe(201)
    const other = await tagOf('Other')
    expect((await manager.put(`/api/tags/${other['id']}`, { name: 'GRÖßE' })).body.code).toBe(
      'name_taken',
    )
    expect((await manager.put(`/api/tags/${first['id']}`, { name: 'GRÖßE' })).data['name']).toBe(
      'GRÖßE',
    )
  })

  test('belongs to its organization, where its name is unique', async () => {
    const tag = await tagOf('Ours')
    const stranger = await world.as('manager', world.other)
    expect((await stranger.post('/api/tags', { name: 'Ours' })).status).toBe(201)
    for (const answer of [
      await stranger.get(`/api/tags/${tag['id']}`),
      await stranger.put(`/api/tags/${tag['id']}`, { name: 'Theirs' }),
      await stranger.delete(`/api/tags/${tag['id']}`),
    ])
      expect(answer.status).toBe(404)
  })

  test('changes only the sent fields', async () => {
    const tag = await tagOf('Before', 'blue')
    expect((await manager.put(`/api/tags/${tag['id']}`, { name: 'After' })).data).toMatchObject({
      name: 'After',
      color: 'blue',
    })
    expect((await manager.put(`/api/tags/${tag['id']}`, { color: 'green' })).data).toMatchObject({
      name: 'After',
      color: 'green',
    })
    expect((await manager.put(`/api/tags/${tag['id']}`, {})).status).toBe(400)
    expect((await manager.put(`/api/tags/${NOBODY}`, { name: 'Nothing' })).status).toBe(404)
  })

  test('appears in the audit log with its changes, of which one that changes nothing is none', async () => {
    const tag = await tagOf('Audited')
    world.clock.advance({ seconds: 5 })
    const same = await manager.put(`/api/tags/${tag['id']}`, { name: 'Audited', color: 'gray' })
    expect(same.data).toEqual(tag)
    const red = await manager.put(`/api/tags/${tag['id']}`, { color: 'red' })
    expect([red.data['created_at'], red.data['updated_at']]).toEqual([
      '2026-11-21T09:30:00.000Z',
      '2026-11-21T09:30:05.000Z',
    ])
    await manager.delete(`/api/tags/${tag['id']}`)
    const admin = await world.as('admin')
    const entries = (
      (await admin.get(`/api/audit-logs?resource_type=tag&resource_id=${tag['id']}`)).data[
        'items'
      ] as Loose[]
    ).toReversed()
    expect(entries.map(({ action }) => action as unknown)).toEqual([
      'created',
      'updated',
      'deleted',
    ])
    expect(entries[1]?.['changes']).toEqual([
      { field: 'color', old_value: 'gray', new_value: 'red' },
    ])
  })
})

test('a tag comes to be with a contact only by somebody who may create tags', async () => {
  const [reader, creator] = [
    await personWith(world, ['contacts:create', 'contacts:read', 'contacts:read_all']),
    await personWith(world, [
      'contacts:create',
      'contacts:read',
      'contacts:read_all',
      'tags:create',
    ]),
  ]
  await tagOf('Known')
  const post = ({ client }: OwnRole, nth: number, tags: string[]) =>
    client.post('/api/contacts', { phone_number: `+1 555 010 77${nth}`, tags })
  const refused = await post(reader, 10, ['known', 'Unheard of'])
  expect([refused.status, refused.body.code, refused.body.errors?.[0]?.path]).toEqual([
    400,
    'unknown_tag',
    'body.tags.1',
  ])
  expect((await post(reader, 11, ['KNOWN'])).data['tags']).toMatchObject([{ name: 'Known' }])
  expect((await post(creator, 12, ['known', 'Unheard of'])).status).toBe(201)
  expect(await namesOf('?search=unheard')).toEqual(['Unheard of'])
})

describe('the list of tags', () => {
  test('is sorted by name, paged and searched in any case, with % and _ taken literally', async () => {
    await using own = await World.create({ isConnected: false })
    const boss = await own.as('manager')
    for (const name of ['beta', 'Alpha', '50%', 'gamma_1']) await boss.post('/api/tags', { name })
    const names = async (query: string): Promise<unknown[]> =>
      ((await boss.get(`/api/tags${query}`)).data['items'] as Loose[]).map(
        ({ name }) => name as unknown,
      )
    expect(await names('')).toEqual(['50%', 'Alpha', 'beta', 'gamma_1'])
    expect(await names('?search=A_1')).toEqual(['gamma_1'])
    expect(await names(`?search=${encodeURIComponent('%')}`)).toEqual(['50%'])
    expect(await names('?search=ALPH')).toEqual(['Alpha'])
    expect((await boss.get('/api/tags?limit=3&page=2')).data).toMatchObject({
      total: 4,
      page: 2,
      limit: 3,
      total_pages: 2,
    })
    expect(await names('?limit=3&page=2')).toEqual(['gamma_1'])
  })
})

describe('deleting a tag', () => {
  test('removes it from contacts, publishes the change and frees its name', async () => {
    await deliver(world, textTo(world, 'Hi', { person: personOf(1) }))
    const [contact] = (await manager.get('/api/contacts')).data['items'] as Loose[]
    const tag = await tagOf('Going')
    await manager.put(`/api/contacts/${contact?.['id']}/tags`, { tag_ids: [tag['id']] })
    expect((await manager.get(`/api/tags/${tag['id']}`)).data['contact_count']).toBe(1)
    const socket = await world.socket('agent')
    expect((await manager.delete(`/api/tags/${tag['id']}`)).status).toBe(200)
    expect((await manager.get(`/api/contacts/${contact?.['id']}`)).data['tags']).toEqual([])
    expect((await manager.get(`/api/tags/${tag['id']}`)).status).toBe(404)
    expect((await manager.delete(`/api/tags/${tag['id']}`)).status).toBe(404)
    await world.settle()
    expect(
      (await socket.caughtUp())
        .filter(({ type }) => type === 'contact:bulk')
        .map(({ payload }) => payload),
    ).toEqual([{ reason: 'bulk_update', job_id: null, created: 0, updated: 1, deleted: 0 }])
    expect((await manager.post('/api/tags', { name: 'Going' })).status).toBe(201)
    expect(await namesOf('?search=going')).toEqual(['Going'])
  })

  test('removes it from more contacts than one transaction takes', async () => {
    await using own = await World.create()
    const boss = await own.as('manager')
    await own.contactOf()
    const tag = (await boss.post('/api/tags', { name: 'Everybody' })).data
    const { sqlite } = own.program.http.db
    sqlite.run(
      `with recursive nth(n) as (select 1 union all select n + 1 from nth where n < 1200)
       insert into contacts (organization_id, id, source, first_seen_at_ms, created_at_ms, updated_at_ms)
       select organization_id, unhex(printf('%032x', n)), 'api', n, n, n from contacts, nth`,
    )
    changeRows(
      sqlite,
      'insert into contact_tags (organization_id, contact_id, tag_id) select organization_id, id, ? from contacts',
      [tag['id'] as string],
    )
    expect((await boss.get(`/api/tags/${tag['id']}`)).data).toMatchObject({ contact_count: 1_201 })
    expect((await boss.delete(`/api/tags/${tag['id']}`)).status).toBe(200)
    expect(own.rows('select count(*) as n from contact_tags')).toEqual([{ n: 0 }])
    expect((await boss.get(`/api/tags/${tag['id']}`)).status).toBe(404)
    expect(
      own.rows(
        "select json_extract(payload, '$.updated') as updated from events where type like 'contact%bulk%'",
      ),
    ).toEqual([{ updated: 1_201 }])
  })

  test('counts only active contacts, and counts restored ones again', async () => {
    await using own = await World.create()
    const boss = await own.as('manager')
    const contact = await own.contactOf()
    const tag = (await boss.post('/api/tags', { name: 'Counted' })).data
    const counted = async (): Promise<unknown> =>
      (await boss.get(`/api/tags/${tag['id']}`)).data['contact_count']
    await boss.put(`/api/contacts/${contact['id']}/tags`, { tag_ids: [tag['id']] })
    expect(await counted()).toBe(1)
    // An agent that sees only its own contacts does not learn the number of contacts.
    expect(
      (await (await own.as('agent')).get(`/api/tags/${tag['id']}`)).data['contact_count'],
    ).toBeNull()
    await boss.delete(`/api/contacts/${contact['id']}`)
    expect(await counted()).toBe(0)
    await boss.post('/api/contacts', { phone_number: contact['phone_number'] })
    expect(await counted()).toBe(1)
  })
})
