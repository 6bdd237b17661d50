import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, type Loose } from './support/client'
import { runCommand, runInTerminal, type CommandResult } from './support/command'
import { freePort } from './support/ports'
import { ServerProcess } from './support/process'
import { changeRows } from './support/sql'

/** The first port that every user may listen on (Linux). */
const FIRST_PORT = '/proc/sys/net/ipv4/ip_unprivileged_port_start'

const LIGHT = { PASSWORD_MEMORY_MIB: '8' }

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'first-start-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

const start = (dataDir: string, env: Record<string, string> = {}): Promise<ServerProcess> =>
  ServerProcess.start({ cwd: folder, env: { ...LIGHT, DATA_DIR: join(folder, dataDir), ...env } })

/** Runs `serve` where it must fail: one sentence on standard error and exit code 1. */
async function refusalOf(
  dataDir: string,
  env: Record<string, string> = {},
  args: string[] = ['serve'],
  exit = 1,
): Promise<string> {
  const result = await runCommand(args, {
    cwd: folder,
    env: { ...LIGHT, DATA_DIR: dataDir.startsWith('/') ? dataDir : join(folder, dataDir), ...env },
  })
  return sentenceOf(result, exit)
}

/** A refusal after which a service manager must not start the server again. */
const lastingRefusalOf = (dataDir: string, env: Record<string, string> = {}): Promise<string> =>
  refusalOf(dataDir, env, ['serve'], 2)

function sentenceOf({ code, errors }: CommandResult, exit = 1): string {
  const lines = errors.trim().split('\n')
  expect({ code, lines: lines.length, errors }).toEqual({ code: exit, lines: 1, errors })
  expect(errors).toMatch(/^[A-Z].*\.$/m)
  expect(errors).not.toMatch(/\bat .*:\d+:\d+/)
  return errors.trim()
}

const shownIn = (lines: string[], label: string): string | undefined =>
  lines
    .map((line) => new RegExp(`^  ${label} +(\\S.*)$`).exec(line)?.[1])
    .find((found) => found !== undefined)

const modeOf = (...path: string[]): number => statSync(join(folder, ...path)).mode & 0o777

function rowsOf(dataDir: string, query: string): Loose[] {
  const sqlite = new Database(join(folder, dataDir, 'switchboard.sqlite'), { readonly: true })
  const rows = sqlite.query<Loose, []>(query).all()
  sqlite.close()
  return rows
}

describe('with nothing configured', () => {
  let first: { lines: string[]; password: string; files: Record<string, string>; users: Loose[] }

  const secretFiles = (): Record<string, string> =>
    Object.fromEntries(
      ['secret.key', 'webhook-verify-token', 'app-secret'].map((name) => [
        name,
        readFileSync(join(folder, 'plain', name), 'utf8'),
      ]),
    )

  beforeAll(async () => {
    await using server = await start('plain')
    const password = await server.until('the password', () => shownIn(server.lines, 'Password'))
    const client = new Client(server.url)
    const { data } = await client.post('/api/auth/login', {
      email: 'admin@switchboard.local',
      password,
    })
    const me = await new Client(server.url, {
      authorization: `Bearer ${data['access_token']}`,
    }).get('/api/me')
    expect(me.data).toMatchObject({
      email: 'admin@switchboard.local',
      is_super_admin: true,
      must_change_password: true,
      organization: { name: 'My organization' },
      role: { name: 'admin' },
      is_member: false,
    })
    expect(await server.stop()).toBe(0)
    first = {
      lines: server.lines,
      password,
      files: secretFiles(),
      users: rowsOf('plain', 'select * from users'),
    }
  })

  test('shows the email and a random password of 20 characters once', () => {
    expect(shownIn(first.lines, 'Email')).toBe('admin@switchboard.local')
    expect(first.password).toMatch(/^[A-Za-z0-9]{20}$/)
    expect(first.lines.join('\n').split(first.password)).toHaveLength(2)
  })

  test('never writes the password to the log', () => {
    const logged = first.lines.filter((line) => line.startsWith('{'))
    expect(logged.length).toBeGreaterThan(2)
    expect(logged.join('\n')).not.toContain(first.password)
    for (const secret of Object.values(first.files))
      expect(first.lines.join('\n')).not.toContain(secret.trim())
  })

  test('makes folder, database, keys and webhook secrets readable by their owner only', () => {
    expect(modeOf('plain')).toBe(0o700)
    const files = readdirSync(join(folder, 'plain'))
    expect(files).toEqual(
      expect.arrayContaining([
        'app-secret',
        'secret.key',
        'switchboard.sqlite',
        'webhook-verify-token',
      ]),
    )
    expect(files.filter((name) => modeOf('plain', name) !== 0o600)).toEqual([])
  })

  test('creates one organization with its system roles and one super admin', () => {
    expect(rowsOf('plain', 'select name from organizations')).toEqual([{ name: 'My organization' }])
    expect(rowsOf('plain', 'select name, is_default from roles order by name')).toEqual([
      { name: 'admin', is_default: 0 },
      { name: 'agent', is_default: 1 },
      { name: 'manager', is_default: 0 },
    ])
    expect(first.users).toHaveLength(1)
    expect(first.users[0]?.['password_hash']).toStartWith('$argon2id$')
    expect(rowsOf('plain', 'select is_default, is_active from memberships')).toEqual([
      { is_default: 1, is_active: 1 },
    ])
  })

  test('the second start shows no password and changes no user and no key, even with other settings', async () => {
    await using server = await start('plain', {
      ADMIN_EMAIL: 'other@example.com',
      ADMIN_PASSWORD: 'another password',
      ADMIN_ORGANIZATION: 'Other',
    })
    await server.until('the banner', () => shownIn(server.lines, 'API'))
    expect(shownIn(server.lines, 'Password')).toBeUndefined()
    const refused = await new Client(server.url).post('/api/auth/login', {
      email: 'other@example.com',
      password: 'another password',
    })
    expect(refused.status).toBe(401)
    expect(await server.stop()).toBe(0)
    expect(rowsOf('plain', 'select id, email, password_hash from users')).toEqual(
      first.users.map(({ id, email, password_hash }) => ({ id, email, password_hash })),
    )
    expect(rowsOf('plain', 'select name from organizations')).toEqual([{ name: 'My organization' }])
    expect(secretFiles()).toEqual(first.files)
  })

  test('rejects an edited migration and a newer database with one sentence', async () => {
    const change = (statement: string): void => {
      const sqlite = new Database(join(folder, 'plain', 'switchboard.sqlite'))
      changeRows(sqlite, statement)
      sqlite.close()
    }
    change("insert into schema_migrations values ('9999_later', 'x', 0)")
    expect(await lastingRefusalOf('plain')).toContain('newer than this version')
    expect(await refusalOf('plain', {}, ['migrate', '--status'])).toContain('9999_later')
    change("delete from schema_migrations where tag = '9999_later'")
    const [row] = rowsOf('plain', "select hash from schema_migrations where tag = '0000_baseline'")
    change("update schema_migrations set hash = 'edited' where tag = '0000_baseline'")
    expect(await lastingRefusalOf('plain')).toContain('from before the first release')
    change(
      `update schema_migrations set hash = '${row?.['hash']}', tag = '0000_spine' where tag = '0000_baseline'`,
    )
    expect(await lastingRefusalOf('plain')).toBe(
      'This database was made by a version from before the first release and cannot be upgraded; start with a new DATA_DIR.',
    )
    change("update schema_migrations set tag = '0000_baseline' where tag = '0000_spine'")
  })
})

describe('in a terminal', () => {
  const shownBy = async (name: string, more: Record<string, string> = {}): Promise<string[]> => {
    const port = String(await freePort())
    return await runInTerminal(['serve'], {
      cwd: folder,
      columns: 200,
      env: {
        ...{ ...LIGHT, DATA_DIR: join(folder, name), PORT: port, METRICS_ADDRESS: '' },
        ...{ BACKUP_INTERVAL_HOURS: '0', PLATFORM_BASE_URL: 'http://127.0.0.1:1' },
        ...more,
      },
      once: {
        shown: 'Password',
        act: () =>
          fetch(`http://127.0.0.1:${port}/api/me`, {
            headers: { 'x-request-id': 'id-of-the-test' },
          }),
      },
    })
  }

  test('the log is readable, and the password comes last, in one piece with the addresses', async () => {
    const lines = await shownBy('terminal', { URL_BASE: 'x' })
    const ready = lines.findIndex((line) => line.startsWith('Switchboard '))
    const before = lines.slice(0, ready)
    expect(before.length).toBeGreaterThan(1)
    for (const line of before) expect(line).toMatch(/^\d\d:\d\d:\d\d (?:INFO|WARN) {1,2}\S/)
    expect(before.join('\n')).toContain('WARN  URL_BASE is not a setting and is ignored.')
    const address = /http:\/\/localhost:\d+/.exec(lines[ready + 1] ?? '')?.[0] ?? ''
    expect(lines.slice(ready, ready + 13)).toEqual([
      expect.stringMatching(/^Switchboard \S+ is ready\.$/),
      `  Console   ${address}`,
      `  API       ${address}/api`,
      `  Docs      ${address}/docs`,
      `  Socket    ${address.replace('http', 'ws')}/ws`,
      `  Webhooks  ${address}/api/webhook  (run "switchboard webhook" for the verify token)`,
      'Please note:',
      '  URL_BASE is not a setting and is ignored. Did you mean BASE_URL?',
      expect.stringMatching(/^ {2}Run "switchboard recovery-sheet" once and keep what it prints/),
      'First start: created an organization and a super admin.',
      '  Email     admin@switchboard.local',
      expect.stringMatching(/^  Password  \w{20}$/),
      '  This password is shown once. Change it after signing in.',
    ])
    expect(lines.slice(ready + 13)).toEqual([
      expect.stringMatching(
        /^\S+ INFO  GET \/api\/me 401 [\d.]+ ms code=unauthorized request_id=id-of-the-test$/,
      ),
      expect.stringMatching(/^\S+ INFO  stopped$/),
    ])
  })

  test('the log is JSON if LOG_FORMAT says so', async () => {
    const lines = await shownBy('terminal-json', { LOG_FORMAT: 'json' })
    expect(lines.filter((line) => line.startsWith('{"level":"info"')).length).toBeGreaterThan(2)
    expect(lines.filter((line) => /^\d\d:\d\d/.test(line))).toEqual([])
  })
})

describe('plain HTTP', () => {
  const noticesOf = async (name: string, env: Record<string, string>): Promise<string[]> => {
    await using server = await start(name, { ...env, BACKUP_INTERVAL_HOURS: '0' })
    await server.until('the banner', () => shownIn(server.lines, 'Webhooks'))
    await server.stop()
    return server.lines.filter((line) => line.startsWith('  Plain HTTP'))
  }

  test('is open to this machine only, unless HOST says otherwise', async () => {
    const port = await freePort()
    const other = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address
    await using server = ServerProcess.spawn({
      cwd: folder,
      env: { ...LIGHT, HOST: '', PORT: String(port), DATA_DIR: join(folder, 'loopback') },
    })
    await server.listening()
    const reach = (host: string): Promise<number | null> =>
      fetch(`http://${host}:${port}/health`).then(
        ({ status }) => status,
        () => null,
      )
    expect(await reach('127.0.0.1')).toBe(200)
    if (other !== undefined) expect(await reach(other)).toBeNull()
  })

  test('is told loudly where others can read it', async () => {
    expect(await noticesOf('open', { HOST: '0.0.0.0' })).toEqual([
      expect.stringMatching(
        /^ {2}Plain HTTP on port \d+ is open to everybody who reaches this machine \(HOST is 0\.0\.0\.0\): .* or set HOST=127\.0\.0\.1\.$/,
      ),
    ])
    expect(await noticesOf('open', { HOST: '127.0.0.1' })).toEqual([])
    const BASE_URL = 'https://chat.example.com'
    expect(await noticesOf('open', { HOST: '0.0.0.0', BASE_URL })).toEqual([])
  })
})

test('metrics that others reach without a token are told', async () => {
  await using server = await start('open-metrics', {
    METRICS_ADDRESS: `0.0.0.0:${await freePort()}`,
  })
  await server.until('the notice', () =>
    server.lines.find((line) => line.startsWith('  Metrics are open to everybody')),
  )
})

test('a port that this user may not use is refused before anything is written', async () => {
  const { PATH = '' } = process.env
  if (process.getuid?.() !== 0 || readFileSync(FIRST_PORT, 'utf8').trim() !== '1024') return
  const owned = join(folder, 'owned')
  mkdirSync(owned, { mode: 0o700 })
  chownSync(owned, 48_124, 48_124)
  const refusal = async (env: Record<string, string>): Promise<string> =>
    sentenceOf(await runCommand(['serve'], { cwd: '/', env: { PATH, DATA_DIR: owned, ...env } }))
  const why = 'ports below 1024 need root or CAP_NET_BIND_SERVICE. Set'
  expect(await refusal({ PORT: '81' })).toBe(
    `User 48124 may not listen on port 81: ${why} PORT to 1024 or higher, and let a reverse proxy listen on 81.`,
  )
  expect(await refusal({ METRICS_ADDRESS: '127.0.0.1:82' })).toBe(
    `User 48124 may not listen on port 82: ${why} METRICS_ADDRESS to 1024 or higher, and let a reverse proxy listen on 82.`,
  )
  expect(readdirSync(owned)).toEqual([])
})

test('takes email, password and organization from the settings, and never shows a configured password', async () => {
  const env = {
    ADMIN_EMAIL: ' Boss@Example.COM ',
    ADMIN_PASSWORD: 'my own password',
    ADMIN_ORGANIZATION: 'Acme Corp',
  }
  await using server = await start('configured', env)
  await server.until('the banner', () => shownIn(server.lines, 'API'))
  expect(shownIn(server.lines, 'Email')).toBe('boss@example.com')
  expect(server.lines.join('\n')).not.toContain(env.ADMIN_PASSWORD)
  const { data } = await new Client(server.url).post('/api/auth/login', {
    email: 'boss@example.com',
    password: env.ADMIN_PASSWORD,
  })
  const me = await new Client(server.url, { authorization: `Bearer ${data['access_token']}` }).get(
    '/api/me',
  )
  expect(me.data).toMatchObject({
    must_change_password: false,
    organization: { name: 'Acme Corp', slug: expect.stringMatching(/^acme-corp-/) },
  })
})

test('rejects invalid settings of the first admin before it writes anything', async () => {
  const env = {
    ...LIGHT,
    DATA_DIR: join(folder, 'bad-admin'),
    ADMIN_PASSWORD: 'secret7',
    ADMIN_EMAIL: 'nobody',
    ADMIN_ORGANIZATION: '   ',
  }
  const { code, out, errors } = await runCommand(['serve'], { cwd: folder, env })
  expect([code, out]).toEqual([2, ''])
  expect(errors.trim().split('\n').slice(1)).toEqual([
    '  - ADMIN_EMAIL must be an email address',
    '  - ADMIN_PASSWORD must have at least 8 characters',
    expect.stringContaining('  - ADMIN_ORGANIZATION must be 1 to 255 characters'),
  ])
  expect(existsSync(join(folder, 'bad-admin'))).toBe(false)
})

test('warns of a misspelled setting with the nearest name, never with its value', async () => {
  const env = {
    APP_SECRT: 'not-to-be-shown',
    WEBHOOK_VERIFY_TOKEN_FIEL: '/nowhere',
    PATH_INFO: '/',
  }
  await using server = await start('misspelt', env)
  expect(server.complaints(['warn']).map((line) => (JSON.parse(line) as Loose)['msg'])).toEqual([
    'APP_SECRT is not a setting and is ignored. Did you mean APP_SECRET?',
    'WEBHOOK_VERIFY_TOKEN_FIEL is not a setting and is ignored. Did you mean WEBHOOK_VERIFY_TOKEN_FILE?',
  ])
  expect(server.lines.join('\n')).not.toContain('not-to-be-shown')
})

test('detects a port in use before it writes or shows anything', async () => {
  await using server = await start('holds-the-port')
  const port = String(await server.listening())
  const taken = (env: Record<string, string>): Promise<CommandResult> =>
    runCommand(['serve'], {
      cwd: folder,
      env: { ...LIGHT, DATA_DIR: join(folder, 'untouched'), ...env },
    })
  const free = String(await freePort())
  const [main, metrics, same] = await Promise.all([
    taken({ PORT: port }),
    taken({ METRICS_ADDRESS: `127.0.0.1:${port}` }),
    taken({ PORT: free, METRICS_ADDRESS: `127.0.0.1:${free}` }),
  ])
  expect(sentenceOf(same)).toBe(`Cannot listen on 127.0.0.1:${free}. Set METRICS_ADDRESS.`)
  expect(sentenceOf(main)).toContain(`Port ${port} is already in use`)
  expect(sentenceOf(metrics)).toBe(`Cannot listen on 127.0.0.1:${port}. Set METRICS_ADDRESS.`)
  expect(main.out + metrics.out).toBe('')
  expect(existsSync(join(folder, 'untouched'))).toBe(false)
})

describe('a start that fails prints one sentence and exits with code 1', () => {
  test('for a folder that cannot be created, and a file that is not a database', async () => {
    await Bun.write(
      join(folder, 'no-database', 'switchboard.sqlite'),
      'this is not a database, but it is long enough to be taken for one '.repeat(20),
    )
    const [unwritable, noDatabase] = await Promise.all([
      refusalOf('/dev/null/x'),
      refusalOf('no-database'),
    ])
    expect(unwritable).toContain('leads through a file that is not a directory')
    expect(noDatabase).toContain('is not a database')
  })

  test('for a database or a lock that cannot be opened, without blaming another process', async () => {
    for (const name of ['switchboard.sqlite', 'lock'])
      mkdirSync(join(folder, `no-${name}`, name), { recursive: true })
    const [database, lock] = await Promise.all([
      refusalOf('no-switchboard.sqlite'),
      refusalOf('no-lock'),
    ])
    expect([database, lock]).toEqual([database, database])
    expect(database).toBe('The database cannot be used: the disk reports errors; check the disk.')
  })

  test('for a key file without a key', async () => {
    await Bun.write(join(folder, 'no-key', 'secret.key'), 'short')
    expect(await lastingRefusalOf('no-key')).toContain('secret.key')
  })

  test('for pending migrations that are not to be applied', async () => {
    expect(await refusalOf('not-migrated', {}, ['serve', '--no-migrate'])).toContain(
      'Run "switchboard migrate"',
    )
  })

  test('for an invalid address, a folder that cannot be created, and an empty secret file', async () => {
    expect(await refusalOf('no-address', { HOST: '256.1.1.1', PORT: '0' })).toContain('256.1.1.1')
    expect(await refusalOf('/proc/switchboard')).toContain('DATA_DIR')
    mkdirSync(join(folder, 'empty-secret'))
    writeFileSync(join(folder, 'empty-secret', 'app-secret'), '')
    expect(await refusalOf('empty-secret', { PORT: '0' })).toContain('app-secret')
  })

  test('for a port in use, a folder in use, and a changed key', async () => {
    await using server = await start('busy', {
      ADMIN_PASSWORD: 'my own password',
      SECRET_KEY: 'ab'.repeat(32),
    })
    const port = String(await server.listening())
    const [taken, inUse, migrating] = await Promise.all([
      runCommand(['serve'], {
        cwd: folder,
        env: { ...LIGHT, DATA_DIR: join(folder, 'second'), PORT: port },
      }),
      refusalOf('busy', { SECRET_KEY: 'ab'.repeat(32) }),
      refusalOf('busy', {}, ['migrate']),
    ])
    expect(sentenceOf(taken)).toContain(`Port ${port} is already in use`)
    expect(taken.out).toBe('')
    expect(inUse).toContain('Another Switchboard process')
    expect(migrating).toContain('Another Switchboard process')
    expect(server.isRunning).toBe(true)

    const client = new Client(server.url)
    const { data } = await client.post('/api/auth/login', {
      email: 'admin@switchboard.local',
      password: 'my own password',
    })
    const account = {
      name: 'Main',
      phone_id: '1',
      business_id: '2',
      access_token: 'a-stored-secret',
      verify: false,
    }
    expect(
      (
        await client
          .with({ authorization: `Bearer ${data['access_token']}` })
          .post('/api/accounts', account)
      ).status,
    ).toBe(201)
    expect(await server.stop()).toBe(0)

    expect(await lastingRefusalOf('busy', { SECRET_KEY: 'cd'.repeat(32) })).toContain(
      'is not the key this database was encrypted with',
    )
    expect(await lastingRefusalOf('busy')).toContain(
      'secret.key is missing. Put it back, write the key of the recovery sheet into it, or set SECRET_KEY.',
    )
    expect(existsSync(join(folder, 'busy', 'secret.key'))).toBe(false)
    const rotated = await start('busy', {
      SECRET_KEY: 'cd'.repeat(32),
      SECRET_KEY_PREVIOUS: 'ab'.repeat(32),
    })
    await rotated.until('the line that the former key can go', () =>
      rotated.lines.find((line) => line.includes('SECRET_KEY_PREVIOUS can be removed')),
    )
    expect(await rotated.stop()).toBe(0)
    const keys = { SECRET_KEY: 'cd'.repeat(32), SECRET_KEY_PREVIOUS: 'ab'.repeat(32) }
    const looked = await runCommand(['doctor'], {
      cwd: folder,
      env: { ...LIGHT, DATA_DIR: join(folder, 'busy'), ...keys },
    })
    expect(looked.out).toContain('SECRET_KEY_PREVIOUS can be removed: no stored secret needs it.')
    const without = await start('busy', { SECRET_KEY: 'cd'.repeat(32) })
    expect(await without.stop()).toBe(0)
    expect(await lastingRefusalOf('busy', { SECRET_KEY: 'ab'.repeat(32) })).toContain(
      'is not the key',
    )
  }, 60_000)

  test('two processes started at once on a new folder: one serves, and one admin exists', async () => {
    const [one, two] = [0, 1].map(() =>
      ServerProcess.spawn({ cwd: folder, env: { ...LIGHT, DATA_DIR: join(folder, 'twins') } }),
    ) as [ServerProcess, ServerProcess]
    await using first = one
    await using second = two
    const isDone = (server: ServerProcess): Promise<number | null> =>
      Promise.race([server.listening().catch(() => null), server.ended()])
    await Promise.all([isDone(first), isDone(second)])
    const running = [first, second].filter((server) => server.isRunning)
    expect(running).toHaveLength(1)
    const [loser] = [first, second].filter((server) => !server.isRunning)
    expect([await loser?.ended(), loser?.errors.trim().split('\n').length]).toEqual([1, 1])
    expect(rowsOf('twins', 'select id from users')).toHaveLength(1)
    expect(await running[0]?.stop()).toBe(0)
  })
})

test('lists all invalid settings at once and exits with code 2, before it changes anything', async () => {
  const env = {
    PORT: 'abc',
    TRUSTED_PROXIES: 'here',
    SECRET_KEY: 'hunter2',
    DATA_DIR: join(folder, 'untouched'),
  }
  const { code, errors, out } = await runCommand(['serve'], { cwd: folder, env })
  expect([code, out]).toEqual([2, ''])
  const named = errors
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(' ')[1] ?? '')
  expect(named.toSorted()).toEqual(['PORT', 'SECRET_KEY', 'TRUSTED_PROXIES'])
  expect(errors).not.toMatch(/hunter2|abc|here\b/)
  expect(() => statSync(env.DATA_DIR)).toThrow('ENOENT')
})
