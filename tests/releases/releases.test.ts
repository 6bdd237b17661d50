import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { sha256Hex } from '../../src/lib/hash'
import { uuidToBytes } from '../../src/infra/db/uuid'
import {
  toArchived,
  type StoredValue,
} from '../../src/modules/data/organization-archive/archive-values'
import { openArchive, type OpenArchive } from '../support/archive'
import { CHANGED_BY_IMPORTS } from '../support/changed-by-imports'
import { Client, type Loose } from '../support/client'
import { runCommand } from '../support/command'
import { upload } from '../support/files'
import { PASSPHRASE } from '../support/organization-archive'
import { ServerProcess } from '../support/process'
import {
  columnsOf,
  RELEASE_FILES,
  releaseFolders,
  releaseIn,
  rowCounts,
  tablesOf,
} from '../support/release'
import { APP_SECRET, PASSWORD, ROOT_KEY, World } from '../support/world'
import { CHANGED } from './changes'
import { freeze } from './freeze'

/** It fills a whole installation, which a busy machine may need more than a minute for. */
const FREEZE_LIMIT_MS = 240_000

const IMPORT = '/api/admin/organizations/import'

/** Routes that read most tables of an organization. */
const READS = [
  '/api/contacts',
  '/api/contacts?search=49',
  '/api/conversations',
  '/api/messages/search?q=hello',
  '/api/tags',
  '/api/templates',
  '/api/flows',
  '/api/campaigns',
  '/api/segments',
  '/api/chatbot/keywords',
  '/api/chatbot/flows',
  '/api/chatbot/transfers',
  '/api/chatbot/ai-contexts',
  '/api/canned-responses',
  '/api/scheduled-messages',
  '/api/views',
  '/api/webhooks',
  '/api/api-keys',
  '/api/roles',
  '/api/organizations/members',
  '/api/audit-logs',
  '/api/imports',
  '/api/analytics/messages?start_date=2026-11-15&end_date=2026-11-24',
]

/** What an import stores otherwise of this story. */
const CHANGED_HERE = [
  ...CHANGED_BY_IMPORTS,
  'accounts.routing', // the platform is asked, and says where webhooks go
  'accounts.updated_at_ms',
  'scheduled_report_mails.updated_at_ms',
  'webhook_endpoints.probes',
].toSorted()

const folder = mkdtempSync(join(tmpdir(), 'releases-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ON_PURPOSE =
  'rows are lost or changed; list in changes.ts what a later version changed on purpose'

const isChanged = (name: string): boolean => name in CHANGED

const textOf = (row: object): string =>
  JSON.stringify(row, (_, value: unknown) => (value instanceof Uint8Array ? value.toHex() : value))

/** Returns the rows of a table as texts, with these columns. */
const rowsOf = (database: Database, table: string, columns: string[]): string[] =>
  database
    .query<object, []>(
      `select ${columns.map((column) => `"${column}"`).join(', ')} from "${table}"`,
    )
    .all()
    .map(textOf)
    .toSorted()

/** Returns the tables and columns in which the rows of a database differ from those before. */
function lostIn(before: Database, after: Database): string[] {
  const tables = new Set(tablesOf(after))
  return tablesOf(before)
    .filter((table) => !isChanged(table))
    .flatMap((table) => {
      if (!tables.has(table)) return [`the table ${table}`]
      const known = new Set(columnsOf(after, table))
      const columns = columnsOf(before, table).filter((name) => !isChanged(`${table}.${name}`))
      const lost = columns.filter((name) => !known.has(name)).map((name) => `${table}.${name}`)
      if (lost.length > 0) return lost
      const same = Bun.deepEquals(rowsOf(before, table, columns), rowsOf(after, table, columns))
      return same ? [] : [`rows of ${table}`]
    })
}

/** Returns the columns in which rows of an archive differ from those of its import. */
function differencesOf(archive: OpenArchive, world: World): string[] {
  const { manifest } = archive
  const { sqlite } = world.program.http.db
  const tables = new Set(tablesOf(sqlite))
  const id = uuidToBytes(manifest.organization.id)
  const found = new Set<string>()
  for (const { table, kind, columns, key } of manifest.parts) {
    if (kind !== 'carried' || isChanged(table)) continue
    if (!tables.has(table)) found.add(`the table ${table}`)
    const known = new Set(columnsOf(sqlite, table))
    const compared = columns.filter(
      ({ name, type }) =>
        type !== 'secret' && !['row', 'stored_as'].includes(name) && !isChanged(`${table}.${name}`),
    )
    const owner = table === 'organizations' ? 'id' : 'organization_id'
    const own = key.includes('row') ? ['id'] : key
    const nameOf = (row: Record<string, unknown>): string =>
      JSON.stringify(own.map((column) => row[column]))
    const stored = new Map(
      sqlite
        .query<Record<string, StoredValue>, [Uint8Array]>(
          `select * from "${table}" where "${owner}" = ?`,
        )
        .all(id)
        .map((values) =>
          Object.fromEntries(
            columns.map(({ name, type }) => [name, toArchived(values[name] ?? null, type)]),
          ),
        )
        .map((row) => [nameOf(row), row]),
    )
    for (const archived of archive.rows(table)) {
      const row = stored.get(nameOf(archived))
      if (!row) found.add(`a row of ${table}`)
      else
        for (const { name } of compared)
          if (!known.has(name) || row[name] !== archived[name]) found.add(`${table}.${name}`)
    }
  }
  return [...found].toSorted()
}

/** Requires that the files of a release are those that it froze, and unpacks its database. */
function unpack(frozen: string, original: string): void {
  const release = releaseIn(frozen)
  for (const file of ['database', 'archive'] as const)
    expect([file, sha256Hex(readFileSync(join(frozen, RELEASE_FILES[file])))]).toEqual([
      file,
      release[file].sha256,
    ])
  writeFileSync(original, Bun.gunzipSync(readFileSync(join(frozen, RELEASE_FILES.database))))
  using database = new Database(original, { readonly: true, strict: true })
  expect(rowCounts(database)).toEqual(release.database.rows)
}

test(
  'this version can be frozen: every table has rows, or says why not',
  async () => {
    const frozen = join(folder, 'now')
    await freeze(frozen)
    unpack(frozen, join(folder, 'now.sqlite'))
  },
  FREEZE_LIMIT_MS,
)

test('lost rows, columns and tables are seen', () => {
  const original = join(folder, 'newest.sqlite')
  unpack(releaseFolders().at(-1) ?? '', original)
  using before = new Database(original, { strict: true })
  using after = Database.deserialize(before.serialize(), { strict: true })
  for (const { name } of after
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'trigger'")
    .all())
    after.run(`drop trigger "${name}"`)
  expect(lostIn(before, after)).toEqual([])
  after.run('pragma foreign_keys = off')
  after.run('delete from notes where rowid = (select min(rowid) from notes)')
  after.run("update tags set color = 'gray'")
  after.run('drop table boards')
  after.run('alter table teams drop column description')
  expect(lostIn(before, after)).toEqual([
    'the table boards',
    'rows of notes',
    'rows of tags',
    'teams.description',
  ])
})

describe.each(releaseFolders().map((path) => [basename(path), path]))('%s', (name, frozen) => {
  const release = releaseIn(frozen)
  const original = join(folder, `${name}.sqlite`)
  const { BASE_URL: _, ...env } = release.world.env // without HTTPS, nothing is pushed
  const dataDir = join(folder, `data-${name}`)
  const path = join(dataDir, 'switchboard.sqlite')

  beforeAll(() => unpack(frozen, original))
  beforeEach(() => {
    rmSync(dataDir, { recursive: true, force: true })
    mkdirSync(dataDir, { mode: 0o700 })
    copyFileSync(original, path)
  })

  const options = () => ({
    cwd: folder,
    env: {
      ...env,
      DATA_DIR: dataDir,
      SECRET_KEY: ROOT_KEY.toString('hex'),
      APP_SECRET,
      PASSWORD_MEMORY_MIB: '8',
      PLATFORM_BASE_URL: 'http://127.0.0.1:1',
      BACKUP_INTERVAL_HOURS: '0',
    },
  })

  test('the database starts in this version, and people sign in', async () => {
    await using server = await ServerProcess.start(options())
    const { data: session } = await new Client(server.url).post('/api/auth/login', {
      email: 'admin@acme.example.com',
      password: PASSWORD,
    })
    const admin = new Client(server.url, { authorization: `Bearer ${session['access_token']}` })
    expect((await admin.get('/api/me')).status).toBe(200)
    expect(await server.stop()).toBe(0)
    using database = new Database(path, { readonly: true, strict: true })
    expect(database.query('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    expect(database.query('pragma foreign_key_check').all()).toEqual([])
  })

  test('the database is migrated without a change of a row, and everything works on it', async () => {
    expect(await runCommand(['migrate'], options())).toMatchObject({ code: 0 })
    const copy = join(folder, `${name}-migrated.sqlite`)
    {
      using before = new Database(original, { readonly: true, strict: true })
      using after = new Database(path, { strict: true })
      expect(lostIn(before, after), ON_PURPOSE).toEqual([])
      after.run('vacuum into ?', [copy])
    }
    const { tenants, ids, nowMs } = release.world
    await using world = await World.create({
      from: {
        ...{ database: readFileSync(copy), tenants, ids },
        ...{ tokens: new Map(), calls: [], logLines: [] },
      },
      ...{ env, startMs: nowMs },
    })
    const admin = await world.as('admin')
    for (const read of READS) expect([read, (await admin.get(read)).status]).toEqual([read, 200])
    const waId = '4915199990000'
    await world.simulator
      .customer({ phone: world.tenant.phoneId, waId, userId: `DE.${waId}`, name: 'New' })
      .says('Is anybody there?')
    await world.settle()
    const [contact] = (await admin.get(`/api/contacts?search=${waId}`)).data['items'] as Loose[]
    const sent = await admin.post(`/api/contacts/${contact?.['id']}/messages`, {
      ...{ type: 'text', text: 'Yes, we are.' },
    })
    expect(sent.status).toBe(201)
    await world.settle()
    expect((await admin.get(`/api/messages/${sent.data['id']}`)).data).toMatchObject({
      status: 'delivered',
    })
  })

  test('the archive is imported with all of its rows', async () => {
    const made = release.world
    const bytes = readFileSync(join(frozen, RELEASE_FILES.archive))
    await using world = await World.create({
      ...{ names: ['Crux'], firstId: made.ids + 1_000_000, startMs: made.nowMs, env },
    })
    for (const tenant of made.tenants) world.adopt(tenant)
    const superAdmin = await world.as('super')
    const { data: checked } = await upload(superAdmin, {
      ...{ path: IMPORT, bytes: new Uint8Array(bytes), name: 'acme.zip', type: 'application/zip' },
      fields: { passphrase: PASSPHRASE },
    })
    const conflicts = checked['conflicts'] as Loose[]
    expect(conflicts.filter(({ kind }) => kind !== 'left_out')).toEqual([])
    await superAdmin.post(`/api/admin/organizations/imports/${checked['id']}/commit`)
    await world.settle()
    const { data: done } = await superAdmin.get(`/api/admin/organizations/imports/${checked['id']}`)
    expect(done).toMatchObject({ state: 'completed', error: null })
    const open = await openArchive(join(frozen, RELEASE_FILES.archive))
    expect(differencesOf(open, world), ON_PURPOSE).toEqual(CHANGED_HERE)
  })
})
