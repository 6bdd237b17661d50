import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { ZipFile } from 'yazl'

import { readManifest } from '../../src/infra/backup/manifest'
import { smallDisk } from '../chaos/disks'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client, type Loose } from '../support/client'
import { runCommand, type CommandResult } from '../support/command'
import { runHere } from '../support/command-here'
import { upload } from '../support/files'
import { ServerProcess } from '../support/process'
import { TestSocket } from '../support/socket'
import { changeRows } from '../support/sql'

const PASSWORD = 'correct horse battery'
const APP_SECRET = 'secret-of-the-app'

let folder: string
let simulator: Simulator
let server: ServerProcess
let admin: Client
let contactId: string
let heldId: string
let fileId: string
let logId: string
let backup: Loose

const data = (): string => join(folder, 'data')
const env = (more: Record<string, string> = {}): Record<string, string> => ({
  DATA_DIR: data(),
  ADMIN_PASSWORD: PASSWORD,
  APP_SECRET,
  PASSWORD_MEMORY_MIB: '8',
  PLATFORM_BASE_URL: simulator.url,
  ...more,
})
const run = (args: string[], more: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand(args, { cwd: folder, env: env(more) })
/** Runs what is refused. */
const here = (args: string[], more: Record<string, string> = {}): Promise<CommandResult> =>
  runHere(args, { cwd: folder, env: env(more) })

async function start(more: Record<string, string> = {}): Promise<ServerProcess> {
  const started = await ServerProcess.start({ cwd: folder, env: env(more) })
  simulator.setCallback(`${started.url}/api/webhook`, APP_SECRET)
  const { data: session } = await new Client(started.url).post('/api/auth/login', {
    email: 'admin@switchboard.local',
    password: PASSWORD,
  })
  admin = new Client(started.url, { authorization: `Bearer ${session['access_token']}` })
  return started
}

/** Returns the ID of the event log, as clients receive it. */
async function logOf(): Promise<string> {
  const socket = await TestSocket.open(
    `${server.url.replace('http', 'ws')}/ws?token=${admin.token}&since=0&log=01900000-0000-7000-8000-ffffffffffff`,
  )
  const told = (): { payload: Loose } | undefined =>
    socket.frames.find(({ type }) => type === 'resync')
  await socket.until('resync', () => told() !== undefined)
  const frame = told()
  await socket.close()
  return String(frame?.payload['log'])
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backup-'))
  simulator = await startSimulator({ appSecret: APP_SECRET })
  server = await start()
  const { id, wabaId, token } = simulator.phone
  const { data: account } = await admin.post('/api/accounts', {
    name: 'Main',
    phone_id: id,
    business_id: wabaId,
    access_token: token,
  })
  await simulator.customer({ name: 'Ana Sol' }).says('Is anybody there?')
  for (let round = 0; contactId === undefined && round < 500; round += 1) {
    contactId = ((await admin.get('/api/contacts')).data['items'] as Loose[])[0]?.['id'] as string
    await Bun.sleep(10)
  }
  fileId = (
    await upload(admin, { bytes: new TextEncoder().encode('the price list'), type: 'text/plain' })
  ).data['id'] as string
  await admin.post('/api/outbox/pause', { account_id: account['id'] })
  heldId = (
    await admin.post(`/api/contacts/${contactId}/messages`, {
      type: 'text',
      text: 'To be sent later.',
    })
  ).data['id'] as string
  logId = await logOf()
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await simulator.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('creates a backup while the server runs', async () => {
  const { code, out, errors } = await run(['backup', '--json'])
  expect([code, errors]).toEqual([0, ''])
  backup = JSON.parse(out) as Loose
  expect({ ...backup }).toMatchObject({
    state: 'completed',
    verified: true,
    files: { count: 1, missing: 0 },
    path: expect.stringContaining('backups'),
  })
  expect((await admin.get(`/api/admin/backups/${backup['id']}`)).data).toMatchObject({
    state: 'completed',
    sha256: backup['sha256'],
  })
  const file = join(folder, 'copy.zip')
  const written = await run(['backup', '--out', file, '--no-verify'])
  expect([written.code, written.out.split('\n')[1]]).toEqual([0, file])
  const again = await here(['backup', '--out', file])
  expect([again.code, again.errors.trim()]).toEqual([1, `${file} already exists.`])
  expect(readdirSync(folder).filter((name) => name.startsWith('.backup'))).toEqual([])
})

test('refuses a backup without enough disk space before writing; a backup of hard links needs none', async () => {
  const { bavail, bsize } = statfsSync(folder)
  const large = join(data(), 'media', 'ab', 'c'.repeat(30))
  mkdirSync(dirname(large), { recursive: true })
  writeFileSync(large, '')
  truncateSync(large, bavail * bsize + 2 ** 30) // a sparse file
  try {
    const before = readdirSync(folder)
    const refused = await here(['backup', '--out', join(folder, 'all.zip')])
    expect(refused).toMatchObject({ code: 1, out: `Data folder: ${data()}\n` })
    expect(refused.errors).toMatch(
      /^Not enough disk space for a backup: \d+ MiB must be free, including a reserve of 512 MiB, but only \d+ MiB are\.\n$/,
    )
    expect(readdirSync(folder)).toEqual(before)
    expect(await run(['backup', '--json'], { BACKUP_DIR: join(folder, 'linked') })).toMatchObject({
      code: 0,
    })
    const disk = smallDisk(560)
    if (!disk) return // the rest needs a separate disk
    try {
      const elsewhere = await run(['backup'], { BACKUP_DIR: disk.folder })
      expect(elsewhere).toMatchObject({
        code: 1,
        errors: expect.stringContaining('Not enough disk space'),
      })
      expect(readdirSync(disk.folder)).toEqual([])
    } finally {
      disk.remove()
    }
  } finally {
    rmSync(large)
    rmSync(join(folder, 'linked'), { recursive: true, force: true })
  }
})

describe('refuses to restore', () => {
  const refused = async (args: string[], code: number, word: string): Promise<void> => {
    const result = await here(['restore', ...args])
    expect({ args, code: result.code, out: result.out }).toEqual({
      args,
      code,
      out: `Data folder: ${data()}\n`,
    })
    expect(result.errors.trimEnd().split('\n').at(-1)).toContain(word)
  }
  /** Returns a copy of the backup with a change. */
  const spoiled = (name: string, spoil: (path: string) => void): string => {
    const path = join(folder, name)
    cpSync(String(backup['path']), path, { recursive: true })
    spoil(path)
    return path
  }

  test('while a server uses the folder', async () => {
    await refused([String(backup['path']), '--yes'], 1, 'Another Switchboard process')
    await admin.post('/api/contacts', { phone_number: '15550700001' })
    expect(await server.stop()).toBe(0)
  })

  test('without a backup or without --yes', async () => {
    const asked = await here(['restore'])
    expect([asked.code, asked.out]).toEqual([2, expect.stringContaining(String(backup['path']))])
    expect(asked.errors.trimEnd().split('\n').at(-1)).toBe('restore needs the path of a backup.')
    await refused([String(backup['path'])], 2, '--yes')
    await refused([join(folder, 'nothing'), '--yes'], 1, 'no backup at')
    writeFileSync(join(folder, 'text.zip'), 'just a text')
    await refused([join(folder, 'text.zip'), '--yes'], 1, 'A backup is a folder in BACKUP_DIR')
    mkdirSync(join(folder, 'empty'))
    await refused([join(folder, 'empty'), '--yes'], 1, 'manifest is missing')
  })

  test('a backup that was changed', async () => {
    const changed = spoiled('changed', (path) => {
      const database = new Database(join(path, 'switchboard.sqlite'))
      database.run("update contacts set name = 'Somebody else'")
      database.close()
    })
    await refused([changed, '--yes'], 1, 'checksum mismatch')
    const broken = spoiled('broken', (path) =>
      writeFileSync(join(path, 'switchboard.sqlite'), 'no database'),
    )
    await refused([broken, '--yes'], 1, 'damaged')
    const lacking = spoiled('lacking', (path) => rmSync(join(path, 'media'), { recursive: true }))
    await refused([lacking, '--yes'], 1, 'is missing')
  })

  /** Changes the database of a copied backup and updates its manifest to match. */
  const changeDatabase = (path: string, change: (database: Database) => void): void => {
    const place = join(path, 'switchboard.sqlite')
    const database = new Database(place)
    database.run('pragma journal_mode = delete')
    change(database)
    const tables = database
      .query<{ name: string }, []>(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and sql not like 'create virtual%'",
      )
      .all()
    const countOf = (name: string): number =>
      database.query<{ n: number }, []>(`select count(*) as n from "${name}"`).get()?.n ?? 0
    const rowCounts = Object.fromEntries(tables.map(({ name }) => [name, countOf(name)]))
    database.close()
    const bytes = readFileSync(place)
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    changeManifest(path, (manifest) => ({
      ...manifest,
      database: { ...(manifest['database'] as Loose), rowCounts, sha256, sizeBytes: bytes.length },
    }))
  }
  const changeManifest = (path: string, change: (manifest: Loose) => Loose): void => {
    const place = join(path, 'manifest.json')
    writeFileSync(place, JSON.stringify(change(JSON.parse(readFileSync(place, 'utf8')) as Loose)))
  }
  const mediaOf = (path: string): string =>
    join(path, 'media', readFileSync(join(path, 'files.txt'), 'utf8').split(' ')[0] ?? '')

  test('a database with more or fewer schema objects than this version creates', async () => {
    const changes: [sql: string[], word: string][] = [
      [
        ['create trigger spy after insert on messages begin delete from contacts; end'],
        'the trigger spy does not belong to it',
      ],
      [['drop table notifications'], 'the table notifications is missing'],
      [
        ['drop table notifications', 'create view notifications as select 1 as id'],
        'notifications is a view instead of a table',
      ],
      [['create table extra (id integer)'], 'the table extra does not belong to it'],
      [["update media set stored_as = '../../secret.key'"], 'names an invalid file'],
    ]
    for (const [index, [statements, word]] of changes.entries()) {
      const path = spoiled(`schema-${index}`, (copy) =>
        changeDatabase(copy, (database) => {
          database.run('pragma foreign_keys = off')
          for (const statement of statements) changeRows(database, statement)
        }),
      )
      await refused([path, '--yes'], 1, word)
      // Also refused as a bare database, as replication tools return it.
      if (!word.includes('files'))
        await refused([join(path, 'switchboard.sqlite'), '--yes'], 1, word)
    }
  })

  test('files outside the backup, links and truncated files', async () => {
    const secret = readFileSync(join(data(), 'secret.key'), 'utf8')
    const outside = spoiled('outside', (path) => {
      writeFileSync(join(folder, 'not-yours'), 'x')
      writeFileSync(join(path, 'files.txt'), '../../../secret.key 1\n')
    })
    await refused([outside, '--yes'], 1, 'damaged at: ../../../secret.key')
    expect(readFileSync(join(data(), 'secret.key'), 'utf8')).toBe(secret)
    const linked = spoiled('linked', (path) => {
      rmSync(mediaOf(path))
      symlinkSync('/etc/hostname', mediaOf(path))
    })
    await refused([linked, '--yes'], 1, 'is not a regular file')
    const linkedFolder = spoiled('linked-folder', (path) => {
      renameSync(join(path, 'media'), join(folder, 'moved-media'))
      symlinkSync(join(folder, 'moved-media'), join(path, 'media'))
    })
    await refused([linkedFolder, '--yes'], 1, 'is not a regular file')
    const linkedDatabase = spoiled('linked-database', (path) => {
      renameSync(join(path, 'switchboard.sqlite'), join(folder, 'moved.sqlite'))
      symlinkSync(join(folder, 'moved.sqlite'), join(path, 'switchboard.sqlite'))
    })
    await refused([linkedDatabase, '--yes'], 1, 'is not a regular file')
    await refused([join(linkedDatabase, 'switchboard.sqlite'), '--yes'], 1, 'is not a regular file')
    const cutOff = spoiled('cut-off', (path) => truncateSync(mediaOf(path), 3))
    await refused([cutOff, '--yes'], 1, 'was changed or is incomplete')
  })

  test('objects hidden from schema inspection', async () => {
    const spy = 'create trigger tags after insert on messages begin delete from contacts; end'
    const late = spoiled('late', (path) =>
      changeDatabase(path, (database) => {
        const wanted = database
          .query<{ sql: string }, []>(
            "select sql from sqlite_schema where tbl_name = 'tags' and sql is not null",
          )
          .all()
        database.run('pragma foreign_keys = off')
        changeRows(database, spy)
        database.run('drop table tags')
        // the table of that name is now listed after the trigger
        for (const { sql } of wanted) changeRows(database, sql)
      }),
    )
    await refused([late, '--yes'], 1, 'the trigger tags does not belong to it')
    const statistics = spoiled('statistics', (path) => {
      const place = join(path, 'switchboard.sqlite')
      changeDatabase(path, (database) => changeRows(database, spy.replace('tags', 'sqliteXstat9')))
      // SQLite itself creates no such name
      const bytes = readFileSync(place, 'latin1').replaceAll('sqliteXstat9', 'sqlite_stat9')
      writeFileSync(place, bytes, 'latin1')
      changeDatabase(path, () => undefined)
    })
    await refused([statistics, '--yes'], 1, 'the trigger sqlite_stat9 does not belong to it')
    const covered = spoiled('covered', (path) => {
      changeDatabase(path, (database) => {
        database.run('pragma journal_mode = wal')
        changeRows(database, spy)
        database.run('pragma wal_checkpoint(truncate)')
      })
      const place = join(path, 'switchboard.sqlite')
      const evil = readFileSync(place)
      const database = new Database(place)
      database.run('drop trigger tags')
      const journal = readFileSync(`${place}-wal`)
      database.close()
      writeFileSync(place, evil)
      writeFileSync(`${place}-wal`, journal)
    })
    await refused([covered, '--yes'], 1, 'switchboard.sqlite-wal does not belong to a backup')
    const other = join(folder, 'other.sqlite')
    new Database(other).run('create table recipes (id integer)')
    await refused([other, '--yes'], 1, 'is not a Switchboard database')
  })

  test('pipes and links, without waiting for them', async () => {
    const pipe = join(folder, 'pipe')
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
    await refused([pipe, '--yes'], 1, 'neither a directory nor a regular file')
    const piped = spoiled('piped', (path) => {
      rmSync(join(path, 'manifest.json'))
      Bun.spawnSync(['mkfifo', join(path, 'manifest.json')])
    })
    await refused([piped, '--yes'], 1, 'manifest is missing or damaged')
    const linked = spoiled('linked-manifest', (path) => {
      renameSync(join(path, 'manifest.json'), join(folder, 'moved.json'))
      symlinkSync(join(folder, 'moved.json'), join(path, 'manifest.json'))
    })
    await refused([linked, '--yes'], 1, 'manifest is missing or damaged')
  })

  test('a ZIP file with a duplicate entry', async () => {
    const zip = new ZipFile()
    for (const _ of [1, 2])
      zip.addFile(join(String(backup['path']), 'manifest.json'), 'manifest.json')
    zip.end()
    const twice = join(folder, 'twice.zip')
    await pipeline(zip.outputStream, createWriteStream(twice))
    await refused([twice, '--yes'], 1, 'it contains manifest.json twice')
  })

  test('a manifest with a false value in any field', async () => {
    const lies: Loose[] = [
      { id: '../elsewhere' },
      { format: 2 },
      { state: 'running' },
      { label: 7 },
      { isAutomatic: 'no' },
      { program: null },
      { startedAtMs: 1e20 },
      { startedAtMs: 8_000_000_000_000_000 },
      { finishedAtMs: null },
      { jobId: 5 },
      { database: null },
      { files: null },
      { isVerified: 1 },
      { error: 'it failed' },
      { extra: true },
      ...[
        { sizeBytes: 1 },
        { sha256: 'x' },
        { schemaVersion: '0000_x' },
        { rowCounts: {} },
        { rowCounts: 'none' },
      ].map((database) => ({
        database,
      })),
      ...[{ count: 2 }, { sizeBytes: 1 }, { missing: 1 }].map((files) => ({ files })),
    ]
    const told = (lie: Loose) => (manifest: Loose) =>
      Object.fromEntries(
        Object.entries({ ...manifest, ...lie }).map(([name, value]) => {
          const isPart = typeof lie[name] === 'object' && lie[name] !== null
          return [name, isPart ? { ...(manifest[name] as Loose), ...(lie[name] as Loose) } : value]
        }),
      )
    /** Whether nothing can be read of the manifest with this lie: the command refuses all of those alike. */
    const isUnreadable = (lie: Loose): boolean => {
      const place = mkdtempSync(join(folder, 'manifest-'))
      copyFileSync(join(String(backup['path']), 'manifest.json'), join(place, 'manifest.json'))
      expect(readManifest(place)).not.toBeNull()
      changeManifest(place, told(lie))
      return readManifest(place) === null
    }
    const unreadable = lies.filter(isUnreadable)
    expect(unreadable.length).toBeGreaterThan(8)
    const readable = lies.filter((lie) => !unreadable.includes(lie))
    for (const [index, lie] of [...readable, ...unreadable.slice(0, 1)].entries()) {
      const path = spoiled(`lie-${index}`, (copy) => changeManifest(copy, told(lie)))
      const { code, out, errors } = await here(['restore', path, '--yes'])
      expect({
        lie,
        code,
        out,
        lines: errors.trim().split('\n').length,
        isTold: /manifest|Choose another|checksum/.test(errors),
      }).toEqual({
        lie,
        code: 1,
        out: `Data folder: ${data()}\n`,
        lines: 1,
        isTold: true,
      })
    }
  }, 120_000)

  test('a backup of a newer version', async () => {
    const newer = spoiled('newer', (path) => {
      const place = join(path, 'switchboard.sqlite')
      const database = new Database(place)
      database.run('pragma journal_mode = delete')
      database.run(
        "insert into schema_migrations (tag, hash, applied_at_ms) values ('9999_later', 'x', 1)",
      )
      database.close()
      const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as {
        database: Loose
      }
      const { row_counts: _, ...rest } = manifest.database
      const rowCounts = { ...(rest['rowCounts'] as Record<string, number>) }
      rowCounts['schema_migrations'] = (rowCounts['schema_migrations'] ?? 0) + 1
      const sha256 = new Bun.CryptoHasher('sha256').update(readFileSync(place)).digest('hex')
      writeFileSync(
        join(path, 'manifest.json'),
        JSON.stringify({ ...manifest, database: { ...rest, rowCounts, sha256 } }),
      )
    })
    const own = 'Restore it with the version that made it, or a later one.'
    await refused([newer, '--yes'], 1, `The backup is newer than this version (9999_later). ${own}`)
  })

  test('and leaves the data unchanged', () => {
    const database = new Database(join(data(), 'switchboard.sqlite'), { readonly: true })
    expect(database.query('select count(*) as n from contacts').get()).toEqual({ n: 2 })
    database.close()
    expect(readdirSync(data()).filter((name) => name.includes('restor'))).toEqual([])
  })
})

/** The time of the newest row that a server wrote into a database. */
function newestRowIn(path: string): string {
  const database = new Database(path, { readonly: true })
  const { ms } = database
    .query(
      'select max((select max(at_ms) from events), (select max(slot_ms) from job_schedules)) as ms',
    )
    .get() as { ms: number }
  database.close()
  return new Date(ms).toISOString()
}

test('restores the backed-up data, sends nothing twice and keeps the replaced data', async () => {
  const backedUpAt = newestRowIn(join(String(backup['path']), 'switchboard.sqlite'))
  const { code, out, errors } = await run(['restore', String(backup['path']), '--yes', '--json'])
  expect([code, errors]).toEqual([0, ''])
  const { former, ...facts } = JSON.parse(out) as Loose
  expect(facts).toMatchObject({
    ...{ id: backup['id'], migrations: [], marked_unknown: 1 },
    made_at: backup['started_at'],
    newest_row_at: backedUpAt,
  })
  expect(
    (former as string[]).every(
      (name) => name.endsWith('.before-restore') && existsSync(join(data(), name)),
    ),
  ).toBe(true)
  expect((former as string[]).some((name) => name.startsWith('switchboard.sqlite.'))).toBe(true)
  const replaced = new Database(
    join(data(), (former as string[]).find((name) => name.startsWith('switchboard.sqlite.')) ?? ''),
    {
      readonly: true,
    },
  )
  expect(replaced.query('select count(*) as n from contacts').get()).toEqual({ n: 2 })
  replaced.close()

  server = await start()
  expect((await admin.get('/api/contacts')).data).toMatchObject({
    total: 1,
    items: [{ id: contactId, profile_name: 'Ana Sol' }],
  })
  expect((await admin.get(`/api/messages/${heldId}`)).data).toMatchObject({
    status: 'unknown',
    error: { code: 'outcome_unknown' },
  })
  expect(
    await (await fetch(`${server.url}/api/media/${fileId}`, { headers: admin.headers })).text(),
  ).toBe('the price list')
  expect(await logOf()).not.toBe(logId)
  const accounts = (await admin.get('/api/accounts')).data['items'] as Loose[]
  await admin.post('/api/outbox/resume', { account_id: accounts[0]?.['id'] })
  expect((await admin.get('/api/outbox')).data['total']).toBe(0)
  expect(
    simulator.calls.filter((call) => JSON.stringify(call).includes('To be sent later')),
  ).toEqual([])
  expect(await server.stop()).toBe(0)
})

test('requires the key of the backup before it changes anything', async () => {
  const elsewhere = join(folder, 'elsewhere')
  const there = { DATA_DIR: elsewhere }
  const copy = join(folder, 'copy.zip')
  const missingKey = (inPlace = ''): string =>
    `The file ${elsewhere}/secret.key is missing. Put it back, write the key of the recovery sheet ` +
    'into it, or set SECRET_KEY. No backup contains it. If it is lost, "switchboard restore" with ' +
    `--discard-secrets keeps everything else${inPlace}.\n`
  const asArchive = await here(['organization', 'import', copy])
  expect([asArchive.code, asArchive.errors]).toEqual([
    1,
    expect.stringMatching(/contains files\.txt\. It is a backup, for "switchboard restore"\.\n$/),
  ])
  const keyless = await here(['restore', copy], there)
  expect([keyless.code, keyless.errors]).toEqual([1, missingKey()])
  expect(existsSync(elsewhere)).toBe(false)
  const wrong = await here(['restore', copy], { ...there, SECRET_KEY: 'ab'.repeat(32) })
  expect([wrong.code, wrong.errors]).toEqual([
    1,
    expect.stringContaining('is not the key this database was encrypted with'),
  ])
  expect(readdirSync(elsewhere).filter((name) => name !== 'lock')).toEqual([])
  copyFileSync(join(data(), 'secret.key'), join(elsewhere, 'secret.key'))
  const { code, errors } = await run(['restore', copy], there)
  expect([code, errors]).toEqual([0, ''])
  // A lost key is not replaced by a new one.
  renameSync(join(elsewhere, 'secret.key'), join(folder, 'put-away.key'))
  const lost = await run(['serve'], there)
  expect([lost.code, lost.errors]).toEqual([
    2,
    missingKey(
      `, also of this database: "switchboard restore ${elsewhere}/switchboard.sqlite --discard-secrets --yes"`,
    ),
  ])
  renameSync(join(folder, 'put-away.key'), join(elsewhere, 'secret.key'))
  server = await start(there)
  expect((await admin.get('/api/contacts')).data).toMatchObject({
    total: 1,
    items: [{ id: contactId }],
  })
  expect(
    await (await fetch(`${server.url}/api/media/${fileId}`, { headers: admin.headers })).text(),
  ).toBe('the price list')
  await server.stop()
})

test('restores a bare database, as replication tools return it, with the existing media files', async () => {
  const path = join(folder, 'alone.sqlite')
  copyFileSync(join(String(backup['path']), 'switchboard.sqlite'), path)
  chmodSync(path, 0o644)
  const { code, out, errors } = await run(['restore', path, '--yes', '--json'])
  expect([code, errors]).toEqual([0, ''])
  expect(JSON.parse(out)).toMatchObject({ id: null, files_missing: 0, marked_unknown: 1 })
  server = await start()
  expect(
    await (await fetch(`${server.url}/api/media/${fileId}`, { headers: admin.headers })).text(),
  ).toBe('the price list')
  const parts = readdirSync(data()).filter((name) => /^switchboard\.sqlite(-wal|-shm)?$/.test(name))
  expect(parts.map((name) => [name, statSync(join(data(), name)).mode & 0o777])).toEqual(
    parts.map((name) => [name, 0o600]),
  ) // other users who could read the restored data
  expect(parts).toContain('switchboard.sqlite-wal')
  await server.stop()
  mkdirSync(join(folder, 'without-files'))
  copyFileSync(join(data(), 'secret.key'), join(folder, 'without-files', 'secret.key'))
  const half = await run(['restore', path], { DATA_DIR: join(folder, 'without-files') })
  expect([half.code, half.out.split('\n').slice(1, 4)]).toEqual([
    0,
    [
      `Restored the database into ${join(folder, 'without-files')}.`,
      `The newest row is of ${newestRowIn(path)}. What changed later is not in it.`,
      '1 media files are missing.',
    ],
  ])
})

test('after an interrupted restore the server refuses to start, and restoring again succeeds', async () => {
  const half = join(folder, 'half')
  mkdirSync(join(half, 'restoring', 'ready'), { recursive: true })
  copyFileSync(join(data(), 'secret.key'), join(half, 'secret.key'))
  const refused = await run(['serve'], { DATA_DIR: half })
  expect([refused.code, refused.errors.trim()]).toEqual([
    1,
    expect.stringContaining('was interrupted'),
  ])
  // A failed restore does not turn it into an installation and leaves no large files behind.
  expect((await here(['restore', join(folder, 'text.zip')], { DATA_DIR: half })).code).toBe(1)
  expect(readdirSync(join(half, 'restoring'))).toEqual([])
  expect((await run(['serve'], { DATA_DIR: half })).code).toBe(1)
  expect((await run(['restore', join(folder, 'copy.zip')], { DATA_DIR: half })).code).toBe(0)
  expect(existsSync(join(half, 'restoring'))).toBe(false)
})

test('a failed restore into an empty folder leaves it empty, so that a server can start there', async () => {
  const empty = join(folder, 'nothing-yet')
  mkdirSync(empty)
  copyFileSync(join(data(), 'secret.key'), join(empty, 'secret.key'))
  const spoiled = join(folder, 'spoiled')
  cpSync(String(backup['path']), spoiled, { recursive: true })
  writeFileSync(join(spoiled, 'switchboard.sqlite'), 'no database')
  for (const path of [join(folder, 'no-such-backup'), join(folder, 'text.zip'), spoiled]) {
    expect((await here(['restore', path], { DATA_DIR: empty })).code).toBe(1)
    expect(existsSync(join(empty, 'restoring'))).toBe(false)
  }
  server = await start({ DATA_DIR: empty })
  expect(await server.stop()).toBe(0)
})

test('reports a file system error in one sentence', async () => {
  const { code, out, errors } = await run([
    'backup',
    '--out',
    join(folder, 'no', 'such', 'folder', 'today.zip'),
  ])
  expect([code, out]).toEqual([1, `Data folder: ${data()}\n`])
  expect(errors).toMatch(
    /^\/.*\/no\/such\/folder.* does not exist\. Check the path, and create the directory if it is missing\.\n$/,
  )
  const plainFile = join(folder, 'plain')
  writeFileSync(plainFile, '')
  const started = await run(['serve'], { DATA_DIR: plainFile })
  expect(started).toMatchObject({
    code: 1,
    errors:
      `Cannot use DATA_DIR ${plainFile}: ${plainFile} already exists. Remove it, or ` +
      'choose another path.\n',
  })
})
