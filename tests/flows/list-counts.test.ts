import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'

import { knownMigrations, migrate } from '../../src/infra/db/migrate'
import { keyOf } from '../support/keys'
import type { Client } from '../support/client'
import { personWith } from '../support/people'
import { World } from '../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

/** What each list of counts holds, and the count of the same rows. */
const COUNTS: Record<string, [kept: string, counted: string]> = {
  audit: [
    'select organization_id, actor, action, resource_type, entries as n from audit_counts',
    `select organization_id, actor, action, resource_type, count(*) as n
     from (select *, '' as actor from audit_logs union all select *, user_id from audit_logs union all select *, api_key_id from audit_logs)
     where actor is not null group by 1, 2, 3, 4`,
  ],
}

/** Where the texts of each list lie, of which column and facts they are. */
const TEXTS = [
  ['audit_logs', 'audit_texts', 'words', "upper(resource_type) || ' ' || upper(action)"],
] as const

/** What a list is searched by, as triggers keep it and as its rows are. */
const textsOf = (
  sqlite: Database,
  [table, texts, text, facts]: (typeof TEXTS)[number],
): { kept: string[]; made: string[] } => ({
  kept: sqlite
    .query<{ place: string; lines: string }, []>(
      `select organization_id || block as place, lines from ${texts} where block <> ''`,
    )
    .all()
    .flatMap(({ place, lines }) =>
      lines
        .slice(0, -1)
        .split('\n')
        .map((line) => place + line),
    )
    .toSorted(),
  made: sqlite
    .query<{ line: string }, []>(
      `select organization_id || substr(id, -3) || replace(${text}, char(10), char(31)) || char(31) || ${facts} || char(31) || printf('%011X', created_at_ms) as line
       from ${table} where ${text} is not null`,
    )
    .all()
    .map(({ line }) => line)
    .toSorted(),
})

const read = (sqlite: Database, statement: string): unknown[] =>
  sqlite.query(`${statement} order by 1, 2, 3, 4`).all()

function requireAgreement(sqlite: Database): void {
  for (const [what, [kept, counted]] of Object.entries(COUNTS))
    expect({ what, rows: read(sqlite, kept) }).toEqual({ what, rows: read(sqlite, counted) })
  for (const list of TEXTS) {
    const { kept, made } = textsOf(sqlite, list)
    expect({ list: list[0], kept }).toEqual({ list: list[0], kept: made })
  }
}

const sqlite = (): Database => world.program.http.db.sqlite

const INVITATIONS = '/api/organizations/invitations'

test('what triggers count and keep for searches is what is in the rows, whatever happens to people, invitations and the log', async () => {
  requireAgreement(sqlite())
  const guest = await personWith(world, ['tags:read'])
  const person = await personWith(world, [], world.other)
  const superAdmin = await world.as('super')
  const own = { email: guest.email, role_id: world.tenant.roleIds.manager }
  const { data: invited } = await admin.post(INVITATIONS, { email: person.email })
  const key = await keyOf(world)
  for (const act of [
    () => key.client.post('/api/tags', { name: 'By a program' }),
    () => admin.put(`/api/users/${guest.userId}`, { role_id: own.role_id }),
    () => admin.put(`/api/users/${guest.userId}`, { is_active: false }),
    () => admin.put(`/api/users/${guest.userId}`, { is_active: true }),
    () => superAdmin.put(`/api/users/${guest.userId}`, { account_disabled: true }),
    () => superAdmin.put(`/api/users/${guest.userId}`, { account_disabled: false }),
    () => admin.put('/api/me/availability', { is_available: false }),
    () => person.client.post('/api/me/invitations/accept', { token: invited['token'] }),
    () => admin.post(INVITATIONS, { email: 'first@example.net' }),
    () => admin.post(INVITATIONS, { email: 'first@example.net', expires_in_hours: 100 }),
    () => admin.delete(`/api/roles/${guest.roleId}`),
    () => admin.delete(`/api/users/${guest.userId}`),
  ]) {
    const { status } = await act()
    expect([200, 201]).toContain(status)
    await world.settle()
    requireAgreement(sqlite())
  }
  sqlite().run('delete from invitations where accepted_at_ms is not null')
  requireAgreement(sqlite())
})

test('rows of before are counted and can be searched after the migration', () => {
  const all = knownMigrations()
  const earlier = all.slice(
    0,
    all.findIndex(({ tag }) => tag.endsWith('list_counts')),
  )
  const old = new Database(':memory:', { strict: true })
  migrate(old, { clock: world.clock, migrations: earlier })
  old.run('pragma foreign_keys = off')
  for (const table of [
    'organizations',
    'users',
    'roles',
    'memberships',
    'audit_logs',
    'invitations',
  ]) {
    const columnsIn = (database: Database): { name: string }[] =>
      database.query<{ name: string }, [string]>('select name from pragma_table_info(?)').all(table)
    const today = new Set(columnsIn(sqlite()).map(({ name }) => name))
    const columns = columnsIn(old).filter(({ name }) => today.has(name)) // some are gone since
    const names = columns.map(({ name }) => name).join(', ')
    const write = old.query(
      `insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of sqlite().query(`select ${names} from ${table}`).values())
      write.run(...(row as string[]))
  }
  migrate(old, { clock: world.clock })
  expect(read(old, COUNTS['audit']?.[0] ?? '').length).toBeGreaterThan(5)
  requireAgreement(old)
})

test('pages from either end are the same list, and beyond it there is nothing', async () => {
  const lists = [
    '/api/organizations/members',
    '/api/users',
    INVITATIONS,
    '/api/audit-logs',
    '/api/audit-logs?resource_type=user',
  ]
  for (const path of lists) {
    const at = (page: number, limit: number): string =>
      `${path}${path.includes('?') ? '&' : '?'}page=${page}&limit=${limit}`
    const all = await (await world.as('admin')).get(at(1, 100))
    const name = path.endsWith('members') ? 'members' : 'items'
    const items = all.data[name] as unknown[]
    expect(items.length).toBeGreaterThan(1)
    expect(all.data['total']).toBe(items.length)
    for (const limit of [1, 2, 3]) {
      const pages: unknown[] = []
      for (let page = 1; page <= Math.ceil(items.length / limit); page += 1) {
        const { data } = await (await world.as('admin')).get(at(page, limit))
        expect(data['total']).toBe(items.length)
        pages.push(...(data[name] as unknown[]))
      }
      expect(pages).toEqual(items)
    }
    expect((await (await world.as('admin')).get(at(items.length + 1, 1))).data[name]).toEqual([])
  }
})

test('what is too old and goes is not counted any more', async () => {
  world.clock.advance({ hours: 24 * 800 })
  world.clock.advance({ minutes: 15 })
  await world.settle()
  expect(world.rows("select action from audit_logs where resource_type = 'role'")).toEqual([])
  requireAgreement(sqlite())
})
