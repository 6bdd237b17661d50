import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ALL_TABLES } from '../../src/modules/insight/analytics/rollups/catalog'
import { Client, type Loose } from '../support/client'
import { ServerProcess } from '../support/process'
import {
  columnsOf,
  moveTimes,
  RELEASES,
  STORY,
  tablesOf,
  writeStoryDatabase,
} from '../support/release'
import { APP_SECRET, PASSWORD, ROOT_KEY } from '../support/world'

const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const THIS_VERSION = 'this version'
const released = readdirSync(RELEASES).filter((name) => name.endsWith('.sqlite.gz'))

/** Tables whose rows the program itself adds and deletes while it runs. */
const CLOCKWORK = ['jobs', 'throttle_failures', 'event_heads', 'role_permissions']

/** Tables of counts, which a job folds into larger spans. */
const FOLDED = new Set(ALL_TABLES.map(({ table }) => table))

/** Rows by their table, each as the values of its primary key. */
function keysOf(database: Database): Map<string, string[]> {
  return new Map(
    tablesOf(database)
      .filter((table) => !CLOCKWORK.includes(table) && !FOLDED.has(table))
      .map((table) => [table, keysIn(database, table)]),
  )
}

function keysIn(database: Database, table: string): string[] {
  const columns = database
    .query<{ name: string }, [string]>('select name from pragma_table_info(?) where pk > 0')
    .all(table)
    .map(({ name }) => `"${name}"`)
  return database
    .query<Loose, []>(`select ${columns.join(', ') || 'rowid'} from "${table}"`)
    .all()
    .map((row) => JSON.stringify(row))
}

/** Puts a stored database into a data folder, its times moved to today. */
async function unpack(name: string, path: string): Promise<void> {
  if (name === THIS_VERSION) return await writeStoryDatabase(path)
  writeFileSync(path, Bun.gunzipSync(readFileSync(join(RELEASES, name))))
  const database = new Database(path, { strict: true })
  const newest = database
    .query<{ ms: number }, []>('select max(created_at_ms) as ms from messages')
    .get()
  moveTimes(database, Date.now() - (newest?.ms ?? 0))
  database.close()
}

describe.each([THIS_VERSION, ...released])('the database of %s', (name) => {
  const dataDir = join(folder, name.replaceAll(/\W+/g, '-'))
  const path = join(dataDir, 'switchboard.sqlite')
  let before: Map<string, string[]>

  beforeAll(async () => {
    mkdirSync(dataDir, { mode: 0o700 })
    await unpack(name, path)
    const database = new Database(path, { readonly: true, strict: true })
    before = keysOf(database)
    database.close()
  }, 30_000)

  test('contains the rows that the test needs', () => {
    const tables = ['contacts', 'messages', 'message_statuses', 'conversations', 'events']
    expect(tables.filter((table) => (before.get(table)?.length ?? 0) === 0)).toEqual([])
  })

  test('opens in this version without losing a row, and the server works on it', async () => {
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
    const { data: contacts } = await admin.get('/api/contacts')
    expect(contacts).toMatchObject({ total: 1 })
    const [contact] = contacts['items'] as Loose[]
    const { data: page } = await admin.get(`/api/contacts/${contact?.['id']}/messages`)
    const messages = page['items'] as Loose[]
    expect(messages.map(({ content }) => (content as Loose)['text'] as string).toSorted()).toEqual(
      Object.values(STORY).toSorted(),
    )
    expect(
      messages.find(({ content }) => (content as Loose)['text'] === STORY.answer),
    ).toMatchObject({ status: 'delivered' })
    expect(await server.stop()).toBe(0)

    const after = new Database(path, { readonly: true, strict: true })
    expect(after.query('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    expect(after.query('pragma foreign_key_check').all()).toEqual([])
    for (const [table, keys] of before) {
      expect(columnsOf(after, table).length).toBeGreaterThan(0)
      const known = new Set(keysIn(after, table))
      expect({ table, lost: keys.filter((key) => !known.has(key)) }).toEqual({ table, lost: [] })
    }
    after.close()
  }, 60_000)
})
