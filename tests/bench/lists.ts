import { Database } from 'bun:sqlite'

import { readConfig } from '../../src/config'
import { createApp } from '../../src/app'
import { createProgram, filesOf, machine, openSecrets, platformOf } from '../../src/container'
import { openDb } from '../../src/infra/db'
import { openLog } from '../../src/infra/log'
import { openDataDir } from '../../src/infra/storage-dir'
import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import { machineOf, save } from './report'

const MEMBERS = 100_000
const ROLES = 10_000
const ENTRIES = 100_000
const SIZE = `${MEMBERS.toLocaleString('en-US')} members, ${ROLES.toLocaleString('en-US')} roles, ${ENTRIES.toLocaleString('en-US')} entries in one organization; one request at a time.`
/** Young enough to be kept. */
const NEWEST_MS = Date.now()
const ROUNDS = 200
/** What every list has to stay under, milliseconds. */
const LIMIT_MS = 20

/** One list that is asked, and what it took. */
interface Row {
  list: string
  what: string
  path: string
  p50Ms: number
  p99Ms: number
}

/**
 * Measures the lists of members, users, roles and audit entries over HTTP, in an organization with 100,000 members, 10,000 roles and
 * 100,000 entries, and shows how SQLite finds the rows. `isSaved` writes the table into the README of this folder.
 */
export async function benchLists(options: { isSaved: boolean }): Promise<void> {
  const installation = new Installation({})
  try {
    await (await installation.start()).stop()
    fill(installation.databasePath)
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    server.ignoreOutput()
    const rows: Row[] = []
    for (const asked of await listsOf(client)) rows.push(await measure(client, asked))
    await server.stop()
    const report = [machineOf(installation.folder), '', SIZE, '', tableOf(rows)].join('\n')
    console.log(`\n${report}\n`)
    for (const { list, what, path } of rows) {
      console.log(`${list}, ${what}`)
      for (const line of await plansOf(installation, client, path)) console.log(`  ${line}`)
    }
    if (options.isSaved) save('lists', report)
    const slow = rows.filter(({ p50Ms }) => p50Ms > LIMIT_MS)
    if (slow.length > 0) throw new Error(`over ${LIMIT_MS} ms: ${slow.map(({ list, what }) => `${list}, ${what}`).join('; ')}`)
  } finally {
    installation.remove()
  }
}

/** Writes the rows straight into the database file, while no server runs. */
function fill(path: string): void {
  const sqlite = new Database(path, { strict: true })
  sqlite.run('pragma foreign_keys = off')
  sqlite.transaction(() => {
    for (const statement of FILL) sqlite.run(statement)
  })()
  sqlite.run('pragma wal_checkpoint(truncate)')
  sqlite.close()
}

const count = (rows: number): string => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`
const id = (kind: string, number = 'i'): string => `printf('01900000-0000-7000-${kind}-%012x', ${number})`

const ORGANIZATION = '(select id from organizations limit 1)'
const FIRST_NAMES = "substr('Ann Bob Cleo Dan Eve Finn Gus Hana Ida Jon ', 1 + 4 * (i % 10), 4)"

const FILL = [
  `${count(ROLES)} insert into roles (organization_id, id, name, name_key, description, is_system, is_default, created_at_ms, updated_at_ms)
   select ${ORGANIZATION}, ${id('8001')}, 'Role ' || i, 'role ' || i, 'Number ' || i, 0, 0, i, i from n`,
  ...['contacts:read', 'messages:read', 'messages:create', 'tags:read', 'templates:read'].map(
    (permission) =>
      `insert into role_permissions (organization_id, role_id, permission) select organization_id, id, '${permission}' from roles where is_system = 0`,
  ),
  `${count(MEMBERS)} insert into users (id, email, password_hash, full_name, home_organization_id, created_at_ms, updated_at_ms)
   select ${id('8002')}, 'person' || i || '@example.com', 'none', ${FIRST_NAMES} || 'Person ' || i, ${ORGANIZATION}, i, i from n`,
  `${count(MEMBERS)} insert into memberships (organization_id, id, user_id, role_id, is_active, is_default, is_available, words, created_at_ms, updated_at_ms)
   select ${ORGANIZATION}, ${id('8003')}, ${id('8002')}, ${id('8001', `1 + i % ${ROLES}`)}, i % 50 != 0, 1, i % 3 != 0,
     lower(${FIRST_NAMES} || 'Person ' || i || char(10) || 'person' || i || '@example.com'), i, i from n`,
  `${count(ENTRIES)} insert into audit_logs (organization_id, id, actor_type, user_id, user_name, action, resource_type, resource_id, resource_name, changes, words,
     ip_address, user_agent, request_id, created_at_ms)
   select ${ORGANIZATION}, ${id('8004')}, 'user', ${id('8002', '1 + i % 500')}, 'Person ' || (1 + i % 500),
     case i % 5 when 0 then 'created' when 1 then 'deleted' else 'updated' end, case i % 3 when 0 then 'role' when 1 then 'user' else 'contact' end,
     ${id('8005', 'i % 20000')}, 'Thing ' || (i % 20000),
     '[{"field":"name","old_value":"Before ' || i || '","new_value":"After ' || i || '"},{"field":"description","old_value":null,"new_value":"Some words about it"}]',
     case i % 5 when 0 then 'created' when 1 then 'deleted' else 'updated' end || char(10) || 'thing ' || (i % 20000) || char(10) || 'person ' || (1 + i % 500),
     '192.0.2.' || (i % 250), 'Mozilla/5.0 (X11; Linux x86_64)', ${id('8006')}, ${NEWEST_MS} - (${ENTRIES} - i) * 1000 from n`,
]

type Asked = Omit<Row, 'p50Ms' | 'p99Ms'>

async function listsOf(client: Client): Promise<Asked[]> {
  const at = (seconds: number): string => new Date(NEWEST_MS - (ENTRIES - seconds) * 1_000).toISOString()
  const audit = '/api/audit-logs?limit=50'
  const { data } = await client.get(`${audit}&page=1900`)
  const deep = String(((data as Loose)['next_cursor'] as string | null) ?? '')
  const [role] = (await client.get('/api/roles?search=Role%205000')).data['items'] as Loose[]
  const people = (list: string, path: string): Asked[] => [
    { list, what: 'first page', path: `${path}?limit=50` },
    { list, what: 'page 1,000', path: `${path}?limit=50&page=1000` },
    { list, what: 'search, one found', path: `${path}?limit=50&search=person77777@` },
    { list, what: 'search, 10,000 found', path: `${path}?limit=50&search=cleo` },
    { list, what: 'of one role', path: `${path}?limit=50&role_id=${String(role?.['id'])}` },
    { list, what: 'suspended', path: `${path}?limit=50&is_active=false` },
  ]
  return [
    ...people('members', '/api/organizations/members'),
    ...people('users', '/api/users'),
    { list: 'roles', what: 'first page', path: '/api/roles?limit=50' },
    { list: 'roles', what: 'page 150', path: '/api/roles?limit=50&page=150' },
    { list: 'roles', what: 'search', path: '/api/roles?limit=50&search=7777' },
    { list: 'audit log', what: 'first page', path: audit },
    { list: 'audit log', what: 'page 1,900', path: `${audit}&page=1900` },
    { list: 'audit log', what: 'deep, by cursor', path: `${audit}&cursor=${deep}` },
    { list: 'audit log', what: 'of one person', path: `${audit}&user_id=01900000-0000-7000-8002-000000000007` },
    { list: 'audit log', what: 'of one thing', path: `${audit}&resource_type=role&resource_id=01900000-0000-7000-8005-000000000009` },
    { list: 'audit log', what: 'one action', path: `${audit}&action=deleted` },
    { list: 'audit log', what: 'a span of time', path: `${audit}&from=${at(50_000)}&to=${at(51_000)}` },
    { list: 'audit log', what: 'search, few found', path: `${audit}&search=Thing%2019999` },
    { list: 'audit log', what: 'search, by cursor', path: `${audit}&search=Thing%2019999&cursor=${deep}` },
    { list: 'audit log', what: 'search, nothing found', path: `${audit}&search=nothing+of+that+kind` },
  ]
}

async function measure(client: Client, asked: Asked): Promise<Row> {
  const took: number[] = []
  for (let round = -20; round < ROUNDS; round += 1) {
    const startedMs = performance.now()
    const { status } = await client.get(asked.path)
    if (status !== 200) throw new Error(`${asked.path} answered ${status}`)
    if (round >= 0) took.push(performance.now() - startedMs)
  }
  took.sort((a, b) => a - b)
  const row = { ...asked, p50Ms: took[ROUNDS / 2] ?? 0, p99Ms: took[Math.floor(ROUNDS * 0.99)] ?? 0 }
  console.log(cellsOf(row).join('  '))
  return row
}

/** How SQLite finds what one request reads, from the statements that the program really makes. */
async function plansOf(installation: Installation, client: Client, path: string): Promise<string[]> {
  const config = readConfig(installation.options.env)
  const around = machine()
  const log = openLog({ level: 'error', format: 'json' }, { write: () => undefined })
  const db = openDb(installation.databasePath, { synchronous: 'normal', cacheMib: 64 })
  const program = createProgram(
    config,
    openSecrets(config, openDataDir(config.dataDir)),
    { ...around, log, db, platform: platformOf(config, around.clock), files: filesOf(openDataDir(config.dataDir)) },
    null,
  )
  const { app } = createApp(program)
  const statements = new Set<string>()
  const prepare = db.sqlite.prepare.bind(db.sqlite)
  db.sqlite.prepare = ((sql: string) => {
    statements.add(sql)
    return prepare(sql)
  }) as typeof prepare
  await app.handle(new Request(`http://localhost${path}`, { headers: { ...client.headers, host: 'localhost' } }))
  const lists = /from "(audit_logs|memberships|roles)"/
  const plans = [...statements]
    .filter((sql) => lists.test(sql) && /limit|count\(|instr|like/i.test(sql) && !/where "role_permissions"/.test(sql))
    .flatMap((sql) => prepare(`explain query plan ${sql}`).all() as { detail: string }[])
    .map(({ detail }) => detail)
  db.sqlite.close()
  return [...new Set(plans)]
}

const HEADS = ['list', 'asked for', 'p50 ms', 'p99 ms']

const cellsOf = (row: Row): string[] => [row.list, row.what, row.p50Ms.toFixed(1), row.p99Ms.toFixed(1)]

const tableOf = (rows: Row[]): string =>
  [HEADS, ['---', '---', '---:', '---:'], ...rows.map(cellsOf)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
