import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { archiveOf, packed, PASSPHRASE } from '../../../support/organization-archive'
import { World } from '../../../support/world'

let source: World
let target: World
/** The manager, whose account here is of the organization Crux, and of another password. */
let email: string

beforeAll(async () => {
  source = await World.create({ isConnected: false })
  target = await World.create({ names: ['Crux', 'Dune'], firstId: 1_000_000, isConnected: false })
  email = source.emailOf('manager', source.tenant)
  target.program.http.db.sqlite.run('update users set email = ? where email = ?', [
    email,
    target.emailOf('manager', target.tenant),
  ])
})

afterAll(async () => {
  await source.stop()
  await target.stop()
})

async function imported(dryRun: string): Promise<Loose> {
  const superAdmin = await target.as('super')
  const { data } = await upload(superAdmin, {
    bytes: await packed(await archiveOf(source, source.tenant)),
    ...{ path: '/api/admin/organizations/import', name: 'a.zip', type: 'application/zip' },
    fields: { passphrase: PASSPHRASE, dry_run: dryRun },
  })
  await target.settle()
  return (await superAdmin.get(`/api/admin/organizations/imports/${data['id']}`)).data
}

async function erase(name: string): Promise<void> {
  const [row] = target.rows<{ id: string; slug: string }>(
    'select id, slug from organizations where name = ?',
    name,
  )
  const { status } = await (
    await target.as('super')
  ).request('DELETE', `/api/organizations/${row?.id}`, { confirm: row?.slug, erase_now: true })
  expect(status).toBe(200)
  for (let run = 0; run < 6; run += 1) {
    await target.settle()
    target.clock.advance({ minutes: 2 })
  }
  expect(target.rows('select 1 from organizations where name = ?', name)).toEqual([])
}

test('the conflicts of imports forget a person whose account is erased with its organization', async () => {
  const checked = await imported('true')
  const conflict = { kind: 'email_exists', message: expect.stringContaining(email) as string }
  expect(checked['conflicts']).toEqual([expect.objectContaining(conflict)])
  const { sqlite } = target.program.http.db
  const slug = { kind: 'slug_taken', reason: 'slug', message: `Another one has the slug ${email}` }
  sqlite.run('update organization_imports set conflicts = ?', [
    JSON.stringify([slug, ...(checked['conflicts'] as Loose[])]),
  ])

  await erase('Crux')
  const superAdmin = await target.as('super')
  const { data } = await superAdmin.get(`/api/admin/organizations/imports/${checked['id']}`)
  expect(data['conflicts']).toEqual([slug])
  expect(target.rows('select mentions from erased_organizations')).toEqual([{ mentions: 1 }])
})

test('nothing personal of the accounts and of the import of an erased organization is left in its rows', async () => {
  const { state } = await imported('false')
  expect(state).toBe('completed')
  const { db, tables } = target.program.http
  const emptied = tables.filter(
    ({ people }) => 'erased' in people && people.of === 'users' && people.erased === 'columns',
  )
  expect(emptied.map(({ table }) => table)).toEqual(['users', 'organization_imports'])
  const isOfIt: Record<string, string> = {
    users:
      "id in (select user_id from memberships m join organizations o on o.id = m.organization_id where o.name = 'Acme') and is_super_admin = 0",
    organization_imports: "state = 'completed'",
  }
  const places: string[] = []
  for (const { table, declared } of emptied)
    for (const { name, type, class: held } of declared) {
      if (held !== 'personal' || type !== 'text') continue
      places.push(`${table}.${name}`)
      const marker = `"mark of ${table}.${name} "`
      const value =
        name === 'organization'
          ? `json_set(organization, '$.name', '${marker}')`
          : `'${marker}' || ${table === 'users' ? 'hex(id)' : "''"}`
      db.sqlite.run(`update ${table} set "${name}" = ${value} where ${isOfIt[table]}`)
    }
  expect(places).toHaveLength(12)
  const marked = (): unknown[] =>
    emptied.flatMap(({ table }) =>
      target
        .rows(`select * from ${table}`)
        .filter((row) => JSON.stringify(row).includes('mark of')),
    )
  expect(marked().length).toBeGreaterThan(3)
  await erase('Acme')
  expect(marked()).toEqual([])
})
