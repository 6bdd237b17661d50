import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { remountReadOnly, smallDisk } from '../chaos/disks'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import type { Loose } from '../support/client'
import { dump } from '../support/dump'
import { runCommand, runInTerminal } from '../support/command'
import { ServerProcess } from '../support/process'
import { changeRows, type Value } from '../support/sql'
import { INSTALLATION } from '../../src/infra/ctx'
import { checkVersions } from '../../src/modules/operation/system/platform-checks'

let folder: string
let simulator: Simulator

const data = (): string => join(folder, 'data')
const env = (more: Record<string, string> = {}): Record<string, string> => ({
  DATA_DIR: data(),
  ADMIN_PASSWORD: 'correct horse battery',
  PASSWORD_MEMORY_MIB: '8',
  PLATFORM_BASE_URL: simulator.url,
  ...more,
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-'))
  simulator = await startSimulator()
})

afterAll(async () => {
  await simulator.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the findings of the command by check: state and message. */
async function findings(
  args: string[] = [],
  more: Record<string, string> = {},
): Promise<{ code: number | null; found: Record<string, Loose>; told: Loose }> {
  const { code, out, errors } = await runCommand(['doctor', '--json', ...args], {
    cwd: folder,
    env: env(more),
  })
  expect(errors).toBe('')
  const told = JSON.parse(out) as Loose
  const list = told['findings'] as Loose[]
  return {
    code,
    told,
    found: Object.fromEntries(list.toReversed().map((one) => [one['check'] as string, one])),
  }
}

test('doctor reports a missing installation and creates nothing', async () => {
  const { code, found } = await findings()
  expect([code, found['database']?.['state'], found['platform']?.['state']]).toEqual([
    1,
    'problem',
    'ok',
  ])
  expect(() => new Database(join(data(), 'switchboard.sqlite'), { readonly: true })).toThrow()
})

test('doctor finds a running installation healthy, changes nothing and prints no secret', async () => {
  await using server = await ServerProcess.start({ cwd: folder, env: env() })
  const { code, told, found } = await findings(['--full'], { APP_SECRET: 'secret-of-the-app' })
  expect({
    code,
    problems: Object.values(found).filter(({ state }) => state === 'problem'),
  }).toEqual({ code: 0, problems: [] })
  expect(told).toMatchObject({
    healthy: true,
    settings: { APP_SECRET: 'set', SECRET_KEY: 'unset', PORT: 0 },
  })
  expect(JSON.stringify(told)).not.toContain('secret-of-the-app')
  expect(Object.keys(found).toSorted()).toEqual(
    [
      'backups',
      'clock',
      'database',
      'disk',
      'files',
      'jobs',
      'key',
      'log',
      'permissions',
      'platform',
      'recovery sheet',
      'schema',
      'settings',
      'version',
    ].toSorted(),
  )
  const shown = await runCommand(['doctor'], { cwd: folder, env: env() })
  expect([shown.code, shown.out.trimEnd().split('\n').at(-1)]).toEqual([0, 'No problems found.'])
  expect(await server.stop()).toBe(0)
})

test('doctor prints notes and then problems last, in whole sentences, also in a narrow terminal', async () => {
  const file = join(folder, 'not-a-folder')
  writeFileSync(file, '')
  const lines = await runInTerminal(['doctor'], {
    ...{ cwd: folder, columns: 60 },
    env: env({ BACKUP_DIR: file, URL_BASE: 'x', PLATFORM_BASE_URL: 'http://127.0.0.1:1' }),
  })
  expect(lines.slice(-6)).toEqual([
    '2 notes:',
    '  settings: URL_BASE is not a setting and is ignored. Did you mean BASE_URL?',
    expect.stringMatching(/^ {2}recovery sheet: Run "switchboard recovery-sheet" once /),
    '2 problems found:',
    `  backups: Backups cannot be stored in ${file}: ${file} is not a directory. Set BACKUP_DIR to another directory.`,
    expect.stringMatching(/^ {2}platform: .*\.$/),
  ])
  const inOrder = lines.slice(lines.findIndex((line) => /^check +in order$/.test(line)) + 1, -6)
  expect(inOrder.map((line) => line.split(' ')[0] ?? '')).toContain('database')
  expect(inOrder.join('\n')).not.toContain('backups')
})

test('doctor reports a read-only disk and still checks everything else', async () => {
  const disk = smallDisk(64)
  if (!disk) return // where no file system can be mounted
  try {
    cpSync(data(), join(disk.folder, 'data'), { recursive: true })
    chmodSync(join(disk.folder, 'data'), 0o700)
    remountReadOnly(disk)
    const { code, found } = await findings([], { DATA_DIR: join(disk.folder, 'data') })
    expect(code).toBe(1)
    expect(found['permissions']).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('the data directory'),
    })
    expect(found['database']).toMatchObject({
      state: 'problem',
      message: expect.stringContaining('read-only'),
    })
    expect(
      [found['disk'], found['settings'], found['platform']].map((one) => one?.['check']),
    ).toEqual(['disk', 'settings', 'platform'])
  } finally {
    disk.remove()
  }
})

test('doctor names the host for archiving templates if the firewall does not let it through', async () => {
  const closed = await findings([], { PLATFORM_ARCHIVE_URL: 'http://127.0.0.1:1' })
  expect(closed.found['archive']).toMatchObject({ state: 'note' })
  expect(closed.found['archive']?.['message']).toContain('127.0.0.1:1 cannot be reached')
  expect(closed.found['platform']).toMatchObject({ state: 'ok' })
  const other = simulator.url.replace('127.0.0.1', 'localhost')
  expect((await findings([], { PLATFORM_ARCHIVE_URL: other })).found['archive']).toMatchObject({
    state: 'ok',
  })
  expect((await findings()).found['archive']).toBeUndefined()
})

test('doctor reports every problem with its remedy', async () => {
  const path = join(data(), 'switchboard.sqlite')
  const database = new Database(path)
  const now = Date.now()
  const insert = (...values: Value[]): unknown =>
    changeRows(
      database,
      `insert into jobs (id, kind, queue, state, organization_id, args, max_attempts, attempt, scheduled_at_ms, created_at_ms, first_attempted_at_ms, attempted_at_ms, lease_until_ms, finished_at_ms) values (?, 'made.up', 'default', ?, '${INSTALLATION}', '{}', 1, 1, ?, ?, ?, ?, ?, ?)`,
      values,
    )
  insert(
    '01900000-0000-7000-8000-00000000aaaa',
    'executing',
    now,
    now,
    now,
    now,
    now - 3_600_000,
    null,
  )
  insert('01900000-0000-7000-8000-00000000bbbb', 'discarded', now, now, now, now, null, now)
  changeRows(
    database,
    `insert into events (organization_id, seq, type, payload, at_ms) values ('${INSTALLATION}', 1, 'made.up', '{}', ?)`,
    [now + 3_600_000],
  )
  const before = dump(database)
  database.close()
  chmodSync(join(data(), 'secret.key'), 0o644)
  mkdirSync(join(data(), 'restoring'))
  const { code, found } = await findings(['--full'], {
    PLATFORM_BASE_URL: 'http://127.0.0.1:1',
    BACKUP_INTERVAL_HOURS: '0',
  })
  expect(code).toBe(1)
  expect(
    Object.fromEntries(Object.entries(found).map(([check, { state }]) => [check, state])),
  ).toMatchObject({
    permissions: 'problem',
    jobs: 'problem',
    clock: 'problem',
    restore: 'problem',
    platform: 'problem',
    backups: 'note',
    database: 'ok',
    schema: 'ok',
  })
  expect(found['permissions']?.['message']).toContain('secret.key')
  const after = new Database(path, { readonly: true })
  expect(dump(after)).toEqual(before)
  after.close()
})

test('doctor reports a Graph API version that has ended, of new numbers and of connected ones', async () => {
  const path = join(data(), 'switchboard.sqlite')
  const database = new Database(path)
  const connect = (id: string, version: string, deletedAtMs: number | null): unknown =>
    database.run(
      "insert into accounts (organization_id, id, name, phone_id, business_id, api_version, status, deleted_at_ms, created_at_ms, updated_at_ms) select id, randomblob(16), ?, ?, '2', ?, 'active', ?, 1, 1 from organizations limit 1",
      [id, id, version, deletedAtMs],
    )
  connect('1', 'v20.0', null)
  connect('2', 'v20.0', null)
  connect('3', 'v19.0', 1)
  connect('4', 'v27.0', null)
  database.close()
  const { told } = await findings([], { PLATFORM_API_VERSION: 'v18.0' })
  const about = (told['findings'] as Loose[]).filter(({ check }) => check === 'version')
  expect(about).toEqual([
    {
      check: 'version',
      state: 'problem',
      message:
        'WhatsApp no longer supports Graph API v18.0. New phone numbers use it: set ' +
        'PLATFORM_API_VERSION to v25.0 or later.',
      code: 'version_of_new_numbers',
      values: { version: 'v18.0', count: 0, wanted: 'v25.0', setting: 'PLATFORM_API_VERSION' },
    },
    {
      check: 'version',
      state: 'problem',
      message:
        'WhatsApp no longer supports Graph API v20.0. 2 phone numbers use it: change the version ' +
        'in the settings of the number to v25.0 or later.',
      code: 'version_of_numbers',
      values: { version: 'v20.0', count: 2, wanted: 'v25.0', setting: 'PLATFORM_API_VERSION' },
    },
  ])
})

test('doctor notes a Graph API version from six months before its end', () => {
  const at = (version: string, day: string): unknown[] =>
    checkVersions(version, null, Date.parse(day)).map(({ state, message }) => [state, message])
  const nothing = [['ok', 'No Graph API version in use ends within six months.']]
  expect(at('v25.0', '2028-01-28')).toEqual(nothing)
  expect(at('v25.0', '2028-01-29')).toEqual([
    ['note', expect.stringContaining('supports Graph API v25.0 until 29 July 2028.')],
  ])
  expect(at('v21.0', '2027-01-20T23:59:59Z')).toEqual([
    ['note', expect.stringContaining('until 21 January 2027.')],
  ])
  for (const version of ['v21.0', 'v21.00'])
    expect(at(version, '2027-01-21')).toEqual([['problem', expect.any(String)]])
  expect(at('v26.0', '2030-01-01')).toEqual(nothing)
})

test('doctor reports a wrong key, a missing schema, a damaged file and a file that is not a database', async () => {
  const wrong = await findings([], { SECRET_KEY: 'ab'.repeat(32) })
  expect(wrong.found['key']).toMatchObject({
    state: 'problem',
    message: expect.stringContaining('is not the key'),
  })
  const database = new Database(join(data(), 'switchboard.sqlite'))
  database.run('create trigger spy after insert on messages begin delete from contacts; end')
  expect((await findings()).found['schema']).toMatchObject({
    state: 'problem',
    message: expect.stringContaining('the trigger spy does not belong to it'),
  })
  database.run('drop trigger spy')
  database.run('delete from schema_migrations where tag = (select max(tag) from schema_migrations)')
  database.close()
  expect((await findings()).found['schema']).toMatchObject({
    state: 'problem',
    message: expect.stringMatching(/^(1 migration is|\d+ migrations are) pending\./),
  })
  const path = join(data(), 'switchboard.sqlite')
  const sound = readFileSync(path)
  // The check finds damage in the middle. A damaged schema makes the whole database unreadable.
  for (const from of [sound.length / 2, 8_192]) {
    writeFileSync(
      path,
      Buffer.concat([sound.subarray(0, from), Buffer.alloc(sound.length - from, 0x5a)]),
    )
    const { code, found } = await findings()
    expect([code, found['database']]).toEqual([
      1,
      { check: 'database', state: 'problem', message: expect.stringContaining('Restore a backup') },
    ])
    const server = ServerProcess.spawn({ cwd: folder, env: env() })
    expect([
      await server.ended(),
      /^The database .* is damaged\. Restore a backup\.$/m.test(server.errors),
    ]).toEqual([1, true])
  }
  rmSync(path)
  rmSync(`${path}-wal`, { force: true })
  writeFileSync(
    join(data(), 'switchboard.sqlite'),
    'no database, whatever its name says'.repeat(50),
  )
  const broken = await findings()
  expect([broken.code, broken.found['database']?.['state']]).toEqual([1, 'problem'])
})
