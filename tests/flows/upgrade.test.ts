import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { knownMigrations, migrate } from '../../src/infra/db/migrate'
import { Client, type Loose } from '../support/client'
import { ServerProcess } from '../support/process'
import { APP_SECRET, PASSWORD, ROOT_KEY, World } from '../support/world'

const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const columnsOf = (database: Database, table: string): string[] =>
  database
    .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name)

const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'schema_migrations' order by name",
    )
    .all()
    .map(({ name }) => name)

/**
 * What happened in a world, as the very first schema would have held it: its tables with the
 * columns they had.
 */
async function asAtFirst(path: string): Promise<{ contact: string; message: string }> {
  await using world = await World.create()
  const contact = await world.contactOf(world.tenant, 'Is anybody there?')
  await world.contactOf(world.other, 'The other ones')
  const admin = await world.as('admin')
  const { data: sent } = await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Yes, we are.',
  })
  await world.settle()
  await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'This one still waits.',
  })
  const first = knownMigrations()[0]
  if (!first) throw new Error('there is no first migration')
  const old = new Database(path, { create: true, strict: true })
  migrate(old, { clock: world.clock, migrations: [first] })
  old.run('pragma foreign_keys = off')
  const now = world.program.http.db.sqlite
  for (const table of tablesOf(old)) {
    const present = new Set(columnsOf(now, table))
    const common = columnsOf(old, table).filter((column) => present.has(column))
    const rows = now
      .query<Loose, []>(
        `select ${common.map((column) => `"${column}"`).join(', ')} from "${table}"`,
      )
      .all()
    const insert = old.query(
      `insert into "${table}" (${common.map((column) => `"${column}"`).join(', ')}) values (${common.map(() => '?').join(', ')})`,
    )
    for (const row of rows) insert.run(...common.map((column) => row[column] as string))
  }
  const file = {
    state: 'failed',
    mime_type: 'image/jpeg',
    filename: null,
    id: '9001',
    sha256: null,
    error: { code: 'media_failed', message: 'gone' },
  }
  old.run("update messages set type = 'image', media = ? where id = ?", [
    JSON.stringify(file),
    sent['id'] as string,
  ])
  bringToPresent(old, Date.now() - world.clock.nowMs())
  expect(old.query('pragma foreign_key_check').all()).toEqual([])
  old.close()
  return { contact: contact['id'] as string, message: sent['id'] as string }
}

/**
 * Moves every time: the server that opens the database goes by the machine's clock, and clears away
 * what is old.
 */
function bringToPresent(database: Database, byMs: number): void {
  for (const table of tablesOf(database))
    for (const column of columnsOf(database, table).filter((name) => name.endsWith('_ms')))
      database
        .query(`update "${table}" set "${column}" = "${column}" + ? where "${column}" > ?`)
        .run(byMs, Date.UTC(2020, 0))
}

/** Every row by its table, with the columns the table had at first. */
function contentOf(database: Database, shape: Map<string, string[]>): Map<string, Loose[]> {
  return new Map(
    [...shape].map(([table, columns]) => [
      table,
      database
        .query<Loose, []>(
          `select ${columns.map((column) => `"${column}"`).join(', ')} from "${table}" order by 1, 2, 3`,
        )
        .all(),
    ]),
  )
}

/** Columns that are told anew from others, and rows the program itself keeps in step. */
const KEPT_IN_STEP = ['role_permissions']

test('a database of the very first schema is migrated without losing a row, and the server works on it', async () => {
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const path = join(dataDir, 'switchboard.sqlite')
  const ids = await asAtFirst(path)
  const old = new Database(path, { strict: true })
  const tables = tablesOf(old).filter((table) => !KEPT_IN_STEP.includes(table))
  expect(tables.length).toBeGreaterThan(15)
  for (const table of [
    'contacts',
    'messages',
    'message_statuses',
    'conversations',
    'events',
    'inbound_bodies',
    'jobs',
    'sessions',
  ])
    expect({ table, isEmpty: old.query(`select 1 from "${table}"`).get() === null }).toEqual({
      table,
      isEmpty: false,
    })
  const shape = new Map(tables.map((table) => [table, columnsOf(old, table)]))
  const before = contentOf(old, shape)
  old.close()

  await using server = await ServerProcess.start({
    cwd: folder,
    env: {
      DATA_DIR: dataDir,
      SECRET_KEY: ROOT_KEY.toString('hex'),
      APP_SECRET,
      PASSWORD_MEMORY_MIB: '8',
      PLATFORM_BASE_URL: 'http://127.0.0.1:1',
      BACKUP_INTERVAL_HOURS: '0',
    },
  })
  const { data: session } = await new Client(server.url).post('/api/auth/login', {
    email: 'admin@acme.example.com',
    password: PASSWORD,
  })
  const admin = new Client(server.url, { authorization: `Bearer ${session['access_token']}` })
  expect((await admin.get(`/api/contacts/${ids.contact}`)).status).toBe(200)
  const { data: page } = await admin.get(`/api/contacts/${ids.contact}/messages`)
  expect(
    (page['items'] as Loose[])
      .map(({ content }) => (content as Loose)['text'] as string)
      .toSorted(),
  ).toEqual(['Is anybody there?', 'This one still waits.', 'Yes, we are.'].toSorted())
  expect((await admin.get(`/api/messages/${ids.message}`)).data).toMatchObject({
    status: 'delivered',
  })
  expect((await admin.get('/api/contacts')).data).toMatchObject({ total: 1 })
  expect(await server.stop()).toBe(0)

  const upgraded = new Database(path, { readonly: true, strict: true })
  expect(upgraded.query('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(upgraded.query('pragma foreign_key_check').all()).toEqual([])
  const present = new Map(
    [...shape].map(([table, columns]) => [
      table,
      columns.filter((column) => columnsOf(upgraded, table).includes(column)),
    ]),
  )
  const gone = [...shape].flatMap(([table, columns]) =>
    columns
      .filter((column) => !present.get(table)?.includes(column))
      .map((column) => `${table}.${column}`),
  )
  expect(gone).toEqual(['messages.media'])
  expect(upgraded.query('select mime_type, state from media').all()).toEqual([
    { mime_type: 'image/jpeg', state: 'failed' },
  ])
  const after = contentOf(upgraded, present)
  const keyOf = (row: Loose, columns: string[]): string =>
    columns
      .slice(0, 2)
      .map((column) => row[column])
      .join(' ')
  for (const [table, rows] of before) {
    // What went on since: sign-ins, jobs, what the platform was asked.
    const key = (row: Loose): string => keyOf(row, present.get(table) ?? [])
    const known = new Set((after.get(table) ?? []).map(key))
    const isClockwork = ['jobs', 'throttle_failures', 'event_heads'].includes(table)
    expect({
      table,
      lost: isClockwork ? [] : rows.map(key).filter((one) => !known.has(one)),
    }).toEqual({ table, lost: [] })
  }
  for (const table of [
    'contact_identities',
    'inbound_bodies',
    'message_statuses',
    'organizations',
    'users',
  ])
    expect({
      table,
      isSame: Bun.deepEquals(
        withoutClockwork(after.get(table)),
        withoutClockwork(before.get(table)),
      ),
    }).toEqual({
      table,
      isSame: true,
    })
  upgraded.close()
  expect(readdirSync(join(dataDir, 'backups')).some((name) => name.startsWith('before-0001'))).toBe(
    true,
  )
})

/** Rows without the columns that signing in and being seen move. */
const withoutClockwork = (rows: Loose[] = []): Loose[] =>
  rows.map(
    ({
      media: _media,
      last_login_at_ms: _login,
      updated_at_ms: _updated,
      password_hash: _hash,
      ...rest
    }) => rest,
  )
