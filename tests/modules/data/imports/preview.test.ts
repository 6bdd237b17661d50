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
  'Telefon;Customer;Town',
  '+49 151 30000001;Ana;Bremen',
  '12;Ben;Kiel',
  '+49 151 30000003;=Cem;Bremen',
].join('\n')
const MAPPING = JSON.stringify({ Telefon: 'phone_number', Customer: 'name' })

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
          header: 'Telefon',
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
    expect(head).toContain('Telefon,Customer,problem')
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
