import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { migrateWithBackup } from '../../src/migrate'
import { foldAnew } from '../../src/infra/search-keys'
import { indexAllContacts } from '../../src/modules/contacts/search/index-contact'
import { openDataDir } from '../../src/infra/data-dir'
import type { Client, Loose } from '../support/client'
import { World } from '../support/world'

let world: World
let admin: Client

const NAME = 'Čeština ЖУК'

/** Lists that are searched, and where in the answer their rows stand. */
const LISTS: Record<string, string> = {
  '/api/organizations': 'organizations',
  '/api/roles': 'items',
  '/api/api-keys': 'items',
  '/api/users': 'items',
  '/api/organizations/members': 'members',
  '/api/accounts': 'items',
  '/api/tags': 'items',
  '/api/segments': 'items',
  '/api/canned-responses': 'items',
  '/api/contacts': 'items',
  '/api/conversations': 'items',
  '/api/audit-logs': 'items',
}

beforeAll(async () => {
  world = await World.create({ env: { RATE_STANDARD: '0' } })
  admin = await world.as('admin')
  const contact = await world.contactOf()
  const made = [
    await admin.put('/api/organizations/settings', { name: NAME }),
    await admin.post('/api/roles', { name: NAME, permissions: [] }),
    await admin.post('/api/api-keys', { name: NAME }),
    await admin.put('/api/me', { full_name: NAME }),
    await admin.put(`/api/accounts/${world.tenant.accountId}`, { name: NAME }),
    await admin.post('/api/tags', { name: NAME }),
    await admin.post('/api/segments', {
      name: NAME,
      filter: { field: 'country', op: 'eq', value: 'US' },
    }),
    await admin.post('/api/canned-responses', { name: NAME, content: 'x' }),
    await admin.put(`/api/contacts/${contact['id']}`, { name: NAME }),
  ]
  expect(made.map(({ status }) => status).filter((status) => status > 201)).toEqual([])
})

afterAll(() => world.stop())

async function found(path: string, search: string): Promise<number> {
  const { status, data } = await admin.get(`${path}?search=${search}`)
  expect(status).toBe(200)
  return (data[LISTS[path] ?? ''] as Loose[]).length
}

describe('a search', () => {
  for (const path of Object.keys(LISTS))
    test(`of ${path} knows no case in any alphabet`, async () => {
      for (const typed of ['жук', 'ЖУК', 'čEŠTINA', 'Čeština']) {
        const count = await found(path, encodeURIComponent(typed))
        expect({ typed, isFound: count > 0 }).toEqual({ typed, isFound: true })
      }
    })

  for (const path of Object.keys(LISTS))
    test(`of ${path} for signs that nothing holds finds nothing`, async () => {
      const counts = await Promise.all(
        ['%00', '%00%00', '%25', '%5C%25', 'ж_к'].map((typed) => found(path, typed)),
      )
      expect(counts).toEqual([0, 0, 0, 0, 0])
    })

  test('finds roles by their description and answers kept ready by text and shortcut, too', async () => {
    await admin.post('/api/roles', { name: 'Supervisor', description: 'ŽLUTÝ', permissions: [] })
    await admin.post('/api/canned-responses', {
      name: 'Another',
      content: 'ZELENÝ ŽLUŤOUČKÝ',
      shortcut: 'green',
    })
    expect([
      await found('/api/roles', 'žlutý'),
      await found('/api/canned-responses', 'žluťoučký'),
    ]).toEqual([1, 1])
    expect(await found('/api/canned-responses', 'GREEN')).toBe(1)
  })

  test('follows a change of the name', async () => {
    const { data } = await admin.post('/api/roles', { name: 'Before', permissions: [] })
    await admin.put(`/api/roles/${data['id']}`, { name: 'ПОТОМ' })
    expect([await found('/api/roles', 'before'), await found('/api/roles', 'потом')]).toEqual([
      0, 1,
    ])
  })

  test('finds what was named before there were keys, from the next start on', async () => {
    const { db, clock } = world.program.http
    const tables = {
      organizations: 'name_key',
      roles: 'words',
      api_keys: 'name_key',
      accounts: 'name_key',
      canned_responses: 'words',
    }
    const keys = () =>
      Object.entries(tables).map(([table, key]) =>
        world.rows(`select id, ${key} from ${table} order by id`),
      )
    const before = keys()
    for (const [table, key] of Object.entries(tables))
      db.sqlite.run(`update ${table} set ${key} = ''`)
    expect(await found('/api/roles', 'жук')).toBe(0)
    const folder = mkdtempSync(join(tmpdir(), 'keys-'))
    migrateWithBackup(db, openDataDir(folder), clock)
    rmSync(folder, { recursive: true })
    expect(keys()).toEqual(before)
    expect(await found('/api/roles', 'жук')).toBe(1)
  })
})

describe('what was written before letters were folded as they are now', () => {
  test('is found from the migration on, by contacts, messages and names alike', async () => {
    const contact = await world.contactOf(world.tenant, 'Grüße aus der Straße')
    await admin.put(`/api/contacts/${contact['id']}`, { name: 'Łukasz Groß' })
    await admin.post('/api/segments', {
      name: 'Weiß',
      filter: { field: 'country', op: 'eq', value: 'PL' },
    })
    const { db } = world.program.http
    const tables = { contacts: 'sort_name', message_words: 'words', segments: 'name_key' }
    const folded = () =>
      Object.entries(tables).map(([table, column]) =>
        world.rows(`select ${column} from ${table} order by rowid`),
      )
    const before = folded()
    db.sqlite.run(`update contacts set sort_name = 'łukasz groß' where id = '${contact['id']}'`)
    db.sqlite.run('delete from contact_words')
    db.sqlite.run(
      `update message_words set words = 'Grüße aus der Straße' where contact_id = '${contact['id']}'`,
    )
    db.sqlite.run(`update segments set name_key = 'weiß' where name = 'Weiß'`)
    const all = async (): Promise<unknown[]> => [
      await found('/api/contacts', 'lukasz gross'),
      await found('/api/contacts', encodeURIComponent('Ｌukasz')),
      ((await admin.get('/api/messages/search?q=strasse')).data['items'] as Loose[]).length,
      await found('/api/segments', 'weiss'),
    ]
    expect(await all()).toEqual([0, 0, 0, 0])
    for (const [table, column] of Object.entries(tables)) foldAnew(db.sqlite, { table, column })
    indexAllContacts(db)
    expect([await all(), folded()]).toEqual([[1, 1, 1, 1], before])
  })
})

test('organizations are in the order of their names, whatever the case', async () => {
  const person = await world.as('manager')
  const names = ['zeta', 'Alpha', 'Ébène', 'beta', 'Zebra', 'alpha 2']
  for (const name of names)
    expect((await person.post('/api/organizations', { name })).status).toBe(201)
  const sorted = ['Alpha', 'alpha 2', 'beta', NAME, 'Ébène', 'Zebra', 'zeta']
  const namesOf = async (path: string): Promise<unknown[]> =>
    ((await person.get(path)).data['organizations'] as Loose[]).map(({ name }) => name)
  expect(await namesOf('/api/organizations')).toEqual(sorted)
  expect(await namesOf('/api/me/organizations')).toEqual(sorted)
  expect(await namesOf('/api/organizations?limit=3&page=2')).toEqual(sorted.slice(3, 6))
})
