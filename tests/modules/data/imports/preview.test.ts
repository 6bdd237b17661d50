import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client, Loose } from '../../../support/client'
import { fetchRaw, upload } from '../../../support/files'
import { handIn } from '../../../support/imports'
import { personWith } from '../../../support/people'
import { World } from '../../../support/world'

let world: World
let manager: Client

const FILE = [
  'Rufnummer;Customer;Town',
  '+49 151 30000001;Ana;Bremen',
  '12;Ben;Kiel',
  '+49 151 30000003;=Cem;Bremen',
].join('\n')
const MAPPING = JSON.stringify({ Rufnummer: 'phone_number', Customer: 'name' })

beforeAll(async () => {
  world = await World.create()
  manager = await world.as('manager')
})

afterAll(() => world.stop())

/** Reads the beginning of a file. */
const preview = (text: string): Promise<Answer<Loose>> =>
  upload(manager, {
    path: '/api/import/contacts/preview',
    name: 'people.csv',
    bytes: new TextEncoder().encode(text),
    fields: {},
  })

describe('a file before it is imported', () => {
  test('shows its columns, what they are taken for, and examples', async () => {
    const { status, data } = await preview(FILE)
    expect([status, data['columns']]).toEqual([
      200,
      [
        {
          header: 'Rufnummer',
          key: null,
          examples: ['+49 151 30000001', '12', '+49 151 30000003'],
        },
        { header: 'Customer', key: 'name', examples: ['Ana', 'Ben', '=Cem'] },
        { header: 'Town', key: null, examples: ['Bremen', 'Kiel'] },
      ],
    ])
    const known = (await preview('Mobile Phone,Name\n+1,Ana\n')).data
    expect((known['columns'] as Loose[]).map(({ key }) => key)).toEqual(['phone_number', 'name'])
    expect((await preview('')).status).toBe(400)
    expect(readdirSync(join(world.filesFolder, 'incoming'))).toEqual([])
  })
})

describe('a dry run', () => {
  test('shows its first rows, gives the failed ones back, and says how far it is', async () => {
    const socket = await world.socket('manager')
    const { data } = await handIn(manager, {
      file: FILE,
      fields: { dry_run: 'true', column_mapping: MAPPING },
    })
    const path = `/api/imports/${String(data['id'])}`
    await world.settle()
    const { items } = (await manager.get(`${path}/sample`)).data as { items: Loose[] }
    expect(items[0]).toEqual({
      ...{ row: 1, outcome: 'created', errors: [] },
      values: [
        { key: 'phone_number', value: '+49 151 30000001' },
        { key: 'name', value: 'Ana' },
      ],
    })
    expect(items[1]).toMatchObject({ row: 2, outcome: 'failed' })
    const frame = await socket.next('work', ({ type }) => type === 'work:progress')
    expect(frame.payload).toMatchObject({ kind: 'import', id: data['id'], title: 'people.csv' })
    const file = await (await fetchRaw(manager, `${path}/failed-rows`)).text()
    const [head, row, ...rest] = file.trim().split('\r\n')
    expect(head).toContain('Rufnummer,Customer,problem')
    expect(row).toStartWith('12,Ben,phone_number')
    expect(rest).toEqual([])
    const agent = await world.as('agent')
    expect((await agent.get(`${path}/sample`)).status).toBe(403)

    await (await world.as('admin')).put('/api/organizations/settings', { mask_phone_numbers: true })
    const masked = await personWith(world, [
      'contacts:import',
      'contacts:read',
      'contacts:read_all',
    ])
    const seen = (await masked.client.get(`${path}/sample`)).body
    expect(JSON.stringify(seen)).not.toContain('30000001')
    expect(JSON.stringify(seen)).toContain('0001')

    await manager.post(`${path}/commit`)
    await world.settle()
    expect((await manager.get(`${path}/failed-rows`)).status).toBe(409)
    expect((await manager.get(`${path}/sample`)).data['items']).toEqual([])
  })
})

describe('a draft of an import', () => {
  const PATH = '/api/imports'
  const OTHERS = FILE.replaceAll('3000000', '3100000')
  const draftOf = async (file: string): Promise<string> => {
    const { status, data } = await handIn(manager, { file, fields: { draft: 'true' } })
    expect([status, data['status'], data['dry_run']]).toEqual([201, 'draft', true])
    return `${PATH}/${String(data['id'])}`
  }
  const countsAt = async (path: string): Promise<unknown[]> => {
    const { data } = await manager.get(path)
    return [data['status'], data['created'], data['failed']]
  }

  test('keeps its file, is checked once its columns are known, and corrected after the check', async () => {
    const path = await draftOf(OTHERS)
    await world.settle()
    expect(await countsAt(path)).toEqual(['draft', 0, 0])
    expect((await manager.get(`${path}/columns`)).data['columns']).toEqual([
      { header: 'Rufnummer', key: null, examples: ['+49 151 31000001', '12', '+49 151 31000003'] },
      { header: 'Customer', key: 'name', examples: ['Ana', 'Ben', '=Cem'] },
      { header: 'Town', key: null, examples: ['Bremen', 'Kiel'] },
    ])
    const early = await manager.post(`${path}/check`)
    expect([early.status, early.body.code]).toEqual([400, 'missing_column'])
    const wrong = await manager.put(path, { column_mapping: { Phone: 'phone_number' } })
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([400, 'body.column_mapping.Phone'])
    const changed = await manager.put(path, {
      column_mapping: { Rufnummer: 'phone_number' },
      update_on_duplicate: true,
      default_country: 'de',
    })
    expect(changed.data).toMatchObject({ update_on_duplicate: true, default_country: 'DE' })
    expect((await manager.post(`${path}/check`)).data['status']).toBe('queued')
    expect((await manager.put(path, { update_on_duplicate: true })).body.code).toBe('wrong_state')
    await world.settle()
    expect(await countsAt(path)).toEqual(['completed', 2, 1])
    // the column of the names turns out to be another one
    const again = await manager.put(path, { column_mapping: { Customer: null, Town: 'name' } })
    expect([again.data['status'], again.data['created']]).toEqual(['draft', 0])
    expect((await manager.post(`${path}/commit`)).body.code).toBe('wrong_state')
    await manager.post(`${path}/check`)
    await world.settle()
    const { items } = (await manager.get(`${path}/sample`)).data as { items: Loose[] }
    expect(items[0]?.['values']).toEqual([
      { key: 'phone_number', value: '+49 151 31000001' },
      { key: 'name', value: 'Bremen' },
    ])
    await manager.post(`${path}/commit`)
    await world.settle()
    expect((await manager.put(path, { update_on_duplicate: true })).body.code).toBe('wrong_state')
    const { data } = await manager.get('/api/contacts?search=31000001')
    expect((data['items'] as Loose[]).map(({ name }) => name)).toEqual(['Bremen'])
  })

  test('does not hold up the erasure of a person, and loses its file to it', async () => {
    const path = await draftOf(OTHERS)
    const { data } = await manager.get('/api/contacts?search=31000003')
    const [person] = data['items'] as Loose[]
    const id = String(person?.['id'])
    const admin = await world.as('admin')
    expect((await admin.post(`/api/contacts/${id}/erase`, { confirm: id })).status).toBe(201)
    await world.settle()
    expect((await manager.get(path)).data['status']).toBe('cancelled')
    expect((await manager.get(`${path}/columns`)).status).toBe(409)
  })

  test('is listed, can be given up, and is forgotten after seven days', async () => {
    const [given, left] = [await draftOf(OTHERS), await draftOf(OTHERS)]
    const listed = await manager.get(`${PATH}?table=contacts`)
    const statuses = (listed.data['items'] as Loose[]).map(({ status }) => status)
    expect(statuses.slice(0, 2)).toEqual(['draft', 'draft'])
    expect((await manager.get(`${PATH}?table=tags`)).data['items']).toEqual([])
    expect((await manager.post(`${given}/cancel`)).data['status']).toBe('cancelled')
    expect((await manager.put(given, { update_on_duplicate: true })).body.code).toBe('wrong_state')
    world.clock.advance({ hours: 6 * 24 })
    manager = await world.as('manager')
    await world.settle()
    expect((await manager.get(left)).data['status']).toBe('draft')
    world.clock.advance({ hours: 31 })
    manager = await world.as('manager')
    await world.settle()
    expect((await manager.get(left)).data['status']).toBe('cancelled')
    expect((await manager.get(`${left}/columns`)).status).toBe(409)
  })
})
