import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { World } from '../../../support/world'

let world: World
let manager: Client

const SEARCH = '/api/contacts/search'
const GERMAN = { field: 'country', op: 'eq', value: 'DE' }

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
  for (let nth = 0; nth < 5; nth += 1)
    await manager.post('/api/contacts', {
      phone_number: `+49 151 2000000${nth}`,
      name: nth < 3 ? `Berta ${nth}` : `Carl ${nth}`,
    })
  await manager.post('/api/contacts', { phone_number: '+34 600 000 100', name: 'Berta Sol' })
})

afterAll(() => world.stop())

const namesIn = ({ data }: Answer<Loose>): string[] =>
  (data['items'] as Loose[]).map(({ name }) => String(name))
const tagged = async (name: string): Promise<number> =>
  Number((await manager.get(`/api/contacts?tags=${name}`)).data['total'])
const bulk = async (body: Loose): Promise<Answer<Loose>> => {
  const answer = await manager.post('/api/contacts/bulk', { action: 'add_tags', ...body })
  await world.settle()
  return answer
}

describe('a search of contacts by a filter', () => {
  test('goes page by page through what matches', async () => {
    const first = await manager.post(SEARCH, {
      filter: GERMAN,
      search: 'berta',
      sort: 'name',
      limit: 2,
    })
    expect([first.status, namesIn(first), first.data['total']]).toEqual([
      200,
      ['Berta 0', 'Berta 1'],
      3,
    ])
    const rest = await manager.post(SEARCH, {
      ...{ filter: GERMAN, search: 'berta', sort: 'name', limit: 2 },
      cursor: first.data['next_cursor'],
    })
    expect([namesIn(rest), rest.data['next_cursor']]).toEqual([['Berta 2'], null])
    const second = await manager.post(SEARCH, {
      ...{ filter: GERMAN, search: 'berta', sort: 'name', limit: 2, page: 2 },
    })
    expect([namesIn(second), second.data['page'], second.data['total']]).toEqual([
      ['Berta 2'],
      2,
      3,
    ])
  })

  test('names the condition that is wrong', async () => {
    const answer = await manager.post(SEARCH, {
      filter: { all: [GERMAN, { field: 'country', op: 'gt', value: 'D' }] },
    })
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, 'body.filter.all.1.op'])
  })

  test('counts all when asked to', async () => {
    const { data } = await manager.post(SEARCH, { exact_total: true, limit: 1 })
    expect(data['total']).toBe(6)
  })
})

describe('a bulk change by a filter', () => {
  test('changes what matches if as many match as expected', async () => {
    expect((await bulk({ filter: GERMAN, value: ['none'] })).status).toBe(400)
    const early = await bulk({ filter: GERMAN, expected_count: 4, value: ['none'] })
    expect([early.status, early.body.code, early.body.details]).toEqual([
      409,
      'count_changed',
      { count: 5 },
    ])
    expect(await tagged('none')).toBe(0)
    const words = { filter: GERMAN, search: 'carl' }
    expect((await bulk({ ...words, expected_count: 2, value: ['carls'] })).status).toBe(201)
    expect(await tagged('carls')).toBe(2)
  })

  test('changes all contacts only if their number is given', async () => {
    expect((await bulk({ value: ['everyone'] })).status).toBe(400)
    expect((await bulk({ expected_count: 7, value: ['everyone'] })).status).toBe(409)
    expect(await tagged('everyone')).toBe(0)
    expect((await bulk({ expected_count: 6, value: ['everyone'] })).status).toBe(201)
    expect(await tagged('everyone')).toBe(6)
  })

  test('forgets the words when it is over', async () => {
    await bulk({ search: 'Berta', expected_count: 4, value: ['bertas'] })
    expect(await tagged('bertas')).toBe(4)
    const boss = await world.as('super')
    const { data } = await boss.get('/api/jobs?kind=contact.bulk&limit=1')
    const job = await boss.get(`/api/jobs/${String((data['items'] as Loose[])[0]?.['id'])}`)
    expect(job.data['kind']).toBe('contact.bulk')
    expect(JSON.stringify(job.body)).not.toContain('Berta')
  })

  test('records consent with its evidence, and blocks', async () => {
    const what = { filter: { field: 'country', op: 'eq', value: 'ES' }, expected_count: 1 }
    expect((await bulk({ ...what, action: 'opt_in' })).status).toBe(400)
    expect((await bulk({ ...what, action: 'opt_in', value: ' ' })).status).toBe(400)
    expect((await bulk({ ...what, action: 'opt_in', value: 'Fair in May' })).status).toBe(201)
    expect((await bulk({ ...what, action: 'block' })).status).toBe(201)
    const [sol] = (await manager.post(SEARCH, { filter: what.filter })).data['items'] as Loose[]
    expect(sol).toMatchObject({ marketing_consent: 'opted_in', blocked: true })
    const consents = await manager.get(`/api/contacts/${String(sol?.['id'])}/consents`)
    expect((consents.data['items'] as Loose[])[0]).toMatchObject({ evidence: 'Fair in May' })
    await bulk({ ...what, action: 'unblock' })
    const after = (await manager.post(SEARCH, { filter: what.filter })).data['items'] as Loose[]
    expect(after[0]).toMatchObject({ blocked: false })
  })
})

describe('an export', () => {
  const fileOf = async (body: Loose): Promise<string> => {
    const made = await manager.post('/api/export', {
      ...{ table: 'contacts', columns: ['name'] },
      ...body,
    })
    expect(made.status).toBe(201)
    await world.settle()
    return await (
      await fetchRaw(manager, `/api/exports/${String(made.data['id'])}/download`)
    ).text()
  }

  test('has the rows of a filter, or those that were chosen', async () => {
    const file = await fileOf({ filter: GERMAN, filters: { search: 'carl' } })
    expect(file.trim().split('\r\n').slice(1)).toEqual(['Carl 3', 'Carl 4'])
    const spanish = await fileOf({ filter: { field: 'country', op: 'eq', value: 'ES' } })
    expect(spanish.trim().split('\r\n').slice(1)).toEqual(['Berta Sol'])
    // what selected the rows may name people: it is forgotten with the end
    const kept = world.rows<{ options: string }>('select options from exports')
    expect(kept.map(({ options }) => options).join()).not.toContain('country')
    const [one] = (await manager.post(SEARCH, { search: 'Sol' })).data['items'] as Loose[]
    const chosen = await fileOf({ contact_ids: [one?.['id']] })
    expect(chosen.trim().split('\r\n').slice(1)).toEqual(['Berta Sol'])
  })
})
