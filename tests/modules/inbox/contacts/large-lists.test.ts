import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'
import { uuidToBytes } from '../../../../src/infra/db/uuid'

/** More contacts than a search sorts at once or a list scans. */
const CONTACTS = 12_000
/** The older half is called Maria; one contact of each half is called Zebulon. */
const MARIAS = 6_000

let world: World
let manager: Client
let agent: Client

const ID = "unhex(printf('01900000000070008101%012x', i))"

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  agent = await world.as('agent')
  const { sqlite } = world.program.http.db
  const at = [world.tenant.id, world.tenant.userIds.agent].map(uuidToBytes)
  sqlite.transaction(() => {
    sqlite
      .query(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CONTACTS})
         insert into contacts (organization_id, id, name, sort_name, phone_number, source, assigned_to, metadata, last_message_at_ms, first_seen_at_ms, created_at_ms, updated_at_ms)
         select ?1, ${ID}, called || ' ' || i, lower(called) || ' ' || i, 4915100000000 + i, 'inbound', case when i % 2 = 0 then ?2 end,
           json_object('plan', i % 3), case when i % 10 > 0 then i end, i, i, i
         from (select i, case when i % 6000 = 77 then 'Zebulon' when i <= ${MARIAS} then 'Maria' else 'Ben' end as called from n)`,
      )
      .run(...at)
    sqlite.run(
      `insert into contact_words (organization_id, contact_id, words, digits)
       select organization_id, id, ' ' || sort_name, phone_number || ' ' from contacts where name is not null`,
    )
  })()
})

afterAll(() => world.stop())

const pageOf = async (query: string, by = manager): Promise<Loose> => {
  const { status, data } = await by.get(`/api/contacts?${query}`)
  expect(status).toBe(200)
  return data
}
const namesIn = ({ items }: Loose): string[] => (items as Loose[]).map(({ name }) => String(name))

/** Returns the names of all contacts, page by page by cursor. */
async function allNames(query: string, by = manager): Promise<string[]> {
  const names: string[] = []
  for (let cursor = ''; ;) {
    const page = await pageOf(`${query}&limit=100${cursor}`, by)
    names.push(...namesIn(page))
    if (page['next_cursor'] === null) return names
    cursor = `&cursor=${String(page['next_cursor'])}`
  }
}

describe('a search among many contacts', () => {
  test('finds a common name, sorted by newest message, with contacts without a message last', async () => {
    const names = await allNames('search=maria')
    const numbers = names.map((name) => Number(name.split(' ')[1]))
    expect(new Set(names).size).toBe(MARIAS - 1)
    const dated = numbers.filter((number) => number % 10 > 0)
    expect(numbers.slice(0, dated.length)).toEqual(dated.toSorted((a, b) => b - a))
    expect(numbers.slice(dated.length).every((number) => number % 10 === 0)).toBe(true)
  })

  test('by a part of a number finds all who have it, old ones too', async () => {
    const numbers = Array.from({ length: CONTACTS }, (_, nth) => 4_915_100_000_001 + nth)
    const fitting = (digits: string): number =>
      numbers.filter((number) => String(number).includes(digits)).length
    for (const digits of ['06077', '077', '123'])
      expect({ digits, found: (await allNames(`search=${digits}`)).length }).toEqual({
        digits,
        found: fitting(digits),
      })
    expect((await pageOf('search=077'))['total']).toBe(fitting('077'))
  })

  test('has an exact total up to 10,000', async () => {
    expect([
      (await pageOf('search=zebulon'))['total'],
      (await pageOf('search=nobody'))['total'],
    ]).toEqual([2, 0])
    expect(await pageOf('search=ben')).toMatchObject({
      ...{ total: MARIAS - 1, page: 1, limit: 20 },
      total_pages: MARIAS / 20,
    })
  })

  test('returns the same pages by number and by cursor', async () => {
    const names = await allNames('search=maria')
    expect(namesIn(await pageOf('search=maria&limit=100&page=3'))).toEqual(names.slice(200, 300))
    expect(namesIn(await pageOf('search=maria&limit=100&page=60'))).toEqual(names.slice(5900, 6000))
  })

  test('sorts by name and by creation, in both directions', async () => {
    expect(namesIn(await pageOf('search=maria&sort=name&limit=3'))).toEqual([
      'Maria 1',
      'Maria 10',
      'Maria 100',
    ])
    expect(namesIn(await pageOf('search=maria&sort=created_at&order=asc&limit=3'))).toEqual([
      'Maria 1',
      'Maria 2',
      'Maria 3',
    ])
    expect(namesIn(await pageOf('search=maria&sort=last_message_at&order=asc&limit=3'))).toEqual([
      'Maria 1',
      'Maria 2',
      'Maria 3',
    ])
    expect(namesIn(await pageOf('search=maria&sort=name&order=desc&limit=2'))).toEqual([
      'Maria 999',
      'Maria 998',
    ])
  })

  test('finds digits inside a number, and no match for two common words that no contact has both', async () => {
    expect(namesIn(await pageOf('search=00006077'))).toEqual(['Zebulon 6077'])
    expect(await pageOf('search=maria+ben')).toMatchObject({ items: [], total: 0 })
  })

  test('shows an agent only its own contacts', async () => {
    const names = await allNames('search=maria', agent)
    expect(names.length).toBe(MARIAS / 2)
    expect(names.every((name) => Number(name.split(' ')[1]) % 2 === 0)).toBe(true)
  })
})

describe('a list of many contacts', () => {
  test('has an exact total when filtered up to 10,000, and always without a filter', async () => {
    expect([
      (await pageOf('consent=unknown'))['total'],
      (await pageOf('consent=unknown', agent))['total'],
      (await pageOf(''))['total'],
    ]).toEqual([null, CONTACTS / 2, CONTACTS])
  })

  test('lists each contact of an agent once by cursor', async () => {
    const names = await allNames('sort=name', agent)
    expect([names.length, new Set(names).size]).toEqual([CONTACTS / 2, CONTACTS / 2])
  })
})

describe('a segment of many contacts', () => {
  const conditions = (count: number, field: string): unknown => ({
    all: Array.from({ length: count }, (_, nth) => ({
      not: { field, op: 'eq', value: field === 'tags' ? `tag ${nth}` : 100 + nth },
    })),
  })

  test('of fifty conditions is counted', async () => {
    const filter = conditions(50, 'metadata.plan')
    expect((await manager.post('/api/segments/preview', { filter })).data).toMatchObject({
      count: CONTACTS,
      excluded: { opted_out: 0, blocked: 0, no_phone: 0 },
    })
  })

  test('has the same preview figures for all contacts and for an agent', async () => {
    const filter = { field: 'metadata.plan', op: 'eq', value: 0 }
    expect((await manager.post('/api/segments/preview', { filter })).data['count']).toBe(
      CONTACTS / 3,
    )
    expect((await agent.post('/api/segments/preview', { filter })).data['count']).toBe(CONTACTS / 6)
  })

  test('is rejected with the condition that exceeds the budget', async () => {
    const count = (contacts: number): void =>
      void changeRows(
        world.program.http.db.sqlite,
        'update contact_counts set contacts = ? where organization_id = ?',
        [contacts, world.tenant.id],
      )
    const segment = (
      await manager.post('/api/segments', { name: 'Costly', filter: conditions(50, 'tags') })
    ).data
    count(100_000)
    for (const [path, prefix] of [
      ['/api/segments', 'body.filter'],
      ['/api/segments/preview', 'body.filter'],
    ] as const) {
      const { status, body } = await manager.post(path, {
        name: 'Other',
        filter: conditions(50, 'tags'),
      })
      expect([status, body.code, body.errors?.[0]?.path]).toEqual([
        400,
        'segment_too_expensive',
        `${prefix}.all.40.not`,
      ])
    }
    expect(
      (await manager.put(`/api/segments/${segment['id']}`, { filter: conditions(50, 'tags') })).body
        .code,
    ).toBe('segment_too_expensive')
    expect((await manager.get(`/api/segments/${segment['id']}/contacts`)).body.code).toBe(
      'segment_too_expensive',
    )
    expect((await manager.get(`/api/contacts?segment_id=${segment['id']}`)).body.code).toBe(
      'segment_too_expensive',
    )
    expect(
      (await manager.post('/api/segments/preview', { filter: conditions(50, 'metadata.plan') }))
        .status,
    ).toBe(200)
    count(CONTACTS)
  })
})
