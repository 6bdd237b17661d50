import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, type Loose } from '../support/client'
import { runCommand, type CommandResult } from '../support/command'
import { runHere } from '../support/command-here'
import { PROGRAM, ServerProcess } from '../support/process'

const PASSWORD = 'correct horse battery'
/** A user ID that no other test uses. */
const SERVICE = 48_123
const isRoot = process.getuid?.() === 0

let folder: string
let shell: string
let data: string
let service: Record<string, string>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'beside-'))
  chmodSync(folder, 0o755)
  shell = join(folder, 'shell')
  data = join(folder, 'data')
  const runtime = join(folder, 'run')
  for (const path of [shell, data, runtime]) mkdirSync(path, { mode: 0o700 })
  if (isRoot) for (const path of [data, runtime]) chownSync(path, SERVICE, SERVICE)
  service = {
    DATA_DIR: data,
    RUNTIME_DIRECTORY: runtime,
    ADMIN_PASSWORD: PASSWORD,
    PASSWORD_MEMORY_MIB: '8',
    BACKUP_INTERVAL_HOURS: '0',
    PLATFORM_BASE_URL: 'http://127.0.0.1:1',
    HOME: folder,
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the service as a user of its own, if this process may do that. */
const start = (more: Record<string, string> = {}): Promise<ServerProcess> => {
  const as = isRoot ? ['setpriv', `--reuid=${SERVICE}`, `--regid=${SERVICE}`, '--clear-groups'] : []
  return ServerProcess.start({
    command: [...as, ...PROGRAM],
    cwd: folder,
    env: { ...service, ...more },
  })
}

/** Runs a command in a shell that only knows the runtime folder of systemd. */
const run = (args: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand(args, ofShell(env))
const ofShell = (env: Record<string, string> = {}) => ({
  cwd: shell,
  env: {
    RUNTIME_DIRECTORY: service['RUNTIME_DIRECTORY'] ?? '',
    PORT: '',
    HOST: '',
    HOME: folder,
    ...env,
  },
})

const line = (): string => `Data folder: ${data}\n`

test('commands report a missing installation and create nothing', async () => {
  for (const args of [
    ['user', 'list'],
    ['organization', 'list'],
    ['jobs', 'list'],
    ['backup'],
    ['webhook'],
    ['migrate', '--status'],
    ['restore', '/tmp'],
  ]) {
    const { code, out, errors } = await runHere(args, ofShell())
    expect({ args, code, out, errors }).toEqual({
      args,
      code: 1,
      out: '',
      errors: `No installation in ${join(shell, 'data')}. Set DATA_DIR to the directory of an installation.\n`,
    })
  }
  const looked = await run(['doctor'], { PLATFORM_BASE_URL: 'http://127.0.0.1:1' })
  expect([looked.code, looked.out.includes('No installation in')]).toEqual([1, true])
  expect(readdirSync(shell)).toEqual([])
})

describe('while the service runs as another user', () => {
  test('commands find its folder and settings, print the folder first and keep its files readable for the service', async () => {
    await using server = await start({ BASE_URL: 'https://chat.example.com' })
    await server.until('its settings', () =>
      existsSync(join(service['RUNTIME_DIRECTORY'] ?? '', 'service.env')) ? true : undefined,
    )
    expect(readFileSync(join(data, 'service.env'), 'utf8')).not.toContain(PASSWORD)
    const listed = await run(['user', 'list'])
    expect([listed.code, listed.errors, listed.out.startsWith(line())]).toEqual([0, '', true])
    const told = JSON.parse((await run(['webhook', '--json'])).out) as Loose
    expect(told).toMatchObject({
      callback_url: 'https://chat.example.com/api/webhook',
      verify_token: readFileSync(join(data, 'webhook-verify-token'), 'utf8').trim(),
    })
    expect(
      JSON.parse((await run(['webhook', '--json'], { RUNTIME_DIRECTORY: '', DATA_DIR: data })).out),
    ).toEqual(told)
    expect((await run(['health'])).out).toBe('OK\n')

    const made = await run(['backup', '--json'])
    expect([made.code, made.errors]).toEqual([0, ''])
    const { data: session } = await new Client(server.url).post('/api/auth/login', {
      email: 'admin@switchboard.local',
      password: PASSWORD,
    })
    const admin = new Client(server.url, { authorization: `Bearer ${session['access_token']}` })
    expect((await admin.get('/api/admin/backups')).data['items']).toMatchObject([
      { id: (JSON.parse(made.out) as Loose)['id'], state: 'completed' },
    ])
    expect(await server.stop()).toBe(0)

    const restored = await run([
      'restore',
      String((JSON.parse(made.out) as Loose)['path']),
      '--yes',
    ])
    expect([restored.code, restored.errors]).toEqual([0, ''])
    expect(restored.out).toMatch(
      new RegExp(`^${line()}Restored the backup of .* into ${data}\\.\\n`),
    )
    expect((await run(['doctor', '--json'])).out).toContain('"check":"schema","state":"ok"')
    await using again = await start()
    await new Client(again.url).post('/api/auth/login', {
      email: 'admin@switchboard.local',
      password: PASSWORD,
    })
    const owners = new Set(
      readdirSync(data, { recursive: true }).map((name) => statSync(join(data, String(name))).uid),
    )
    expect([...owners]).toEqual([isRoot ? SERVICE : (process.getuid?.() ?? 0)])
    expect(await again.stop()).toBe(0)
    expect(readdirSync(shell)).toEqual([])
  })

  test('commands ask for a secret that only the service has instead of generating one', async () => {
    const secrets = {
      SECRET_KEY: 'cd'.repeat(32),
      WEBHOOK_VERIFY_TOKEN: 'the-real-token',
      APP_SECRET: 'the-real-secret',
    }
    const other = join(folder, 'other')
    mkdirSync(other, { mode: 0o700 })
    if (isRoot) chownSync(other, SERVICE, SERVICE)
    await using server = await start({ ...secrets, DATA_DIR: other, RUNTIME_DIRECTORY: '' })
    await server.until('its settings', () =>
      existsSync(join(other, 'service.env')) ? true : undefined,
    )
    const here = { DATA_DIR: other, RUNTIME_DIRECTORY: '' }
    const refused = await run(['webhook', '--json'], here)
    expect([refused.code, refused.out, refused.errors]).toEqual([
      1,
      '',
      `The service on ${other} has SECRET_KEY in its environment, but this command does not. Name the file that sets it with --env-file, or set SECRET_KEY.\n`,
    ])
    const file = join(folder, 'switchboard.env')
    writeFileSync(
      file,
      `DATA_DIR=${other}\nSECRET_KEY=${secrets.SECRET_KEY}\nWEBHOOK_VERIFY_TOKEN="the-real-token"\nAPP_SECRET='the-real-secret'\n`,
    )
    const told = await run(['webhook', '--env-file', file, '--json'], { RUNTIME_DIRECTORY: '' })
    expect([told.errors, JSON.parse(told.out)]).toEqual([
      '',
      expect.objectContaining({ verify_token: 'the-real-token', app_secret: 'set' }),
    ])
    expect(
      readdirSync(other).filter((name) =>
        ['secret.key', 'app-secret', 'webhook-verify-token'].includes(name),
      ),
    ).toEqual([])
    const lacking = await run(['user', 'list', '--env-file', join(folder, 'no-such-file')])
    expect([lacking.code, lacking.errors]).toEqual([
      2,
      expect.stringContaining('no-such-file does not exist'),
    ])
    expect(await server.stop()).toBe(0)
  })

  test('commands need no secret of the platform that only the service has', async () => {
    const other = join(folder, 'platform')
    mkdirSync(other, { mode: 0o700 })
    if (isRoot) chownSync(other, SERVICE, SERVICE)
    const env = { APP_SECRET: 'the-real-secret', WEBHOOK_VERIFY_TOKEN: 'the-real-token' }
    await using server = await start({ ...env, DATA_DIR: other, RUNTIME_DIRECTORY: '' })
    await server.until('its settings', () =>
      existsSync(join(other, 'service.env')) ? true : undefined,
    )
    const here = { DATA_DIR: other, RUNTIME_DIRECTORY: '' }
    const email = 'admin@switchboard.local'
    const [{ id: organization } = {}] = JSON.parse(
      (await run(['organization', 'list', '--json'], here)).out,
    ) as Loose[]
    const listed = await run(['jobs', 'list', '--json'], here)
    const [job] = JSON.parse(listed.out) as Loose[]
    for (const command of [
      ['admin', 'reset-password', '--email', email],
      ['admin', 'create', '--email', 'second@example.com', '--name', 'Second'],
      ['jobs', 'list'],
      ['jobs', 'retry', String(job?.['id'])],
      ['organization', 'export', String(organization), '--out', join(other, 'archive.zip')],
      ['organization', 'import', join(other, 'archive.zip')],
    ]) {
      const { errors } = await run(command, here)
      expect({ command, errors }).toEqual({
        command,
        errors:
          command[1] === 'retry'
            ? expect.stringMatching(/^(?:The job is .*\.\n)?$/)
            : command[1] === 'import'
              ? expect.not.stringContaining('--env-file')
              : '',
      })
    }
    const refused = await run(['webhook'], here)
    expect(refused.errors).toContain('has WEBHOOK_VERIFY_TOKEN in its environment')
    expect(
      readdirSync(other).filter((name) => ['app-secret', 'webhook-verify-token'].includes(name)),
    ).toEqual([])
    expect(await server.stop()).toBe(0)
  })

  test('a command of root reads the secrets in the environment files of the unit, of that folder only', async () => {
    if (!isRoot) return // others may not read the files
    const other = join(folder, 'unit')
    mkdirSync(other, { mode: 0o700 })
    chownSync(other, SERVICE, SERVICE)
    const secrets = { SECRET_KEY: 'cd'.repeat(32), WEBHOOK_VERIFY_TOKEN: 'the-real-token' }
    await using server = await start({ ...secrets, DATA_DIR: other, RUNTIME_DIRECTORY: '' })
    await server.until('its settings', () =>
      existsSync(join(other, 'service.env')) ? true : undefined,
    )
    const file = join(folder, 'of the unit.env')
    writeFileSync(
      file,
      `SECRET_KEY=${secrets.SECRET_KEY}\nWEBHOOK_VERIFY_TOKEN="the-real-token"\nBASE_URL=https://not-of-the-service.example.com\n`,
      { mode: 0o600 },
    )
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    const told = async (
      dataDir: string,
      by: Record<string, string> = {},
    ): Promise<CommandResult> => {
      // What `systemctl show switchboard.service` prints of these two properties.
      writeFileSync(
        join(bin, 'systemctl'),
        `#!/bin/sh\n[ "$1 $2" = "show switchboard.service" ] || exit 1\ncat <<'END'\nEnvironment=HOST=127.0.0.1 DATA_DIR=${dataDir} "NOTE=two words"\nEnvironmentFiles=${join(folder, 'missing.env')} (ignore_errors=yes)\nEnvironmentFiles=${file} (ignore_errors=yes)\nEND\n`,
        { mode: 0o755 },
      )
      const PATH = `${bin}:${process.env['PATH'] ?? ''}`
      return await run(['webhook', '--json'], {
        PATH,
        DATA_DIR: other,
        RUNTIME_DIRECTORY: '',
        ...by,
      })
    }
    const { errors, out } = await told(other)
    expect([errors, JSON.parse(out)]).toMatchObject([
      '',
      { verify_token: 'the-real-token', callback_url: expect.not.stringContaining('not-of') },
    ])
    const given = await told(other, { WEBHOOK_VERIFY_TOKEN: 'given-by-hand' })
    expect(JSON.parse(given.out)).toMatchObject({ verify_token: 'given-by-hand' })
    for (const elsewhere of [data, `${other}/more`]) {
      const { code, errors: refusal } = await told(elsewhere)
      expect([code, refusal]).toEqual([1, expect.stringContaining('has SECRET_KEY in its')])
    }
    expect(await server.stop()).toBe(0)
  })

  test('backups, lists and the map of a cell need no secret, and its moves need the one of the cells', async () => {
    const other = join(folder, 'cell')
    mkdirSync(other, { mode: 0o700 })
    if (isRoot) chownSync(other, SERVICE, SERVICE)
    const cells = {
      CELLS: 'https://a.example.com,https://b.example.com',
      CELL: 'https://a.example.com',
      CELL_SECRET: 'secret-between-the-cells-0123456789',
      APP_SECRET: 'secret-of-the-platform-app',
    }
    await using server = await start({ ...cells, DATA_DIR: other, RUNTIME_DIRECTORY: '' })
    await server.until('its settings', () =>
      existsSync(join(other, 'service.env')) ? true : undefined,
    )
    const here = { DATA_DIR: other, RUNTIME_DIRECTORY: '' }
    const map = await run(['cells', 'map'], here)
    expect([map.code, map.errors, map.out]).toEqual([
      0,
      '',
      expect.stringContaining('\nb.example.com b.example.com\n'),
    ])
    const [, id = ''] = /^([0-9a-f-]{36}) a\.example\.com$/m.exec(map.out) ?? []
    const move = await run(['organization', 'move', id, '--to', 'https://b.example.com'], {
      ...here,
      APP_SECRET: cells.APP_SECRET,
    })
    expect([move.code, move.errors]).toEqual([1, expect.stringContaining('or set CELL_SECRET.')])
    for (const command of [['backup'], ['user', 'list'], ['organization', 'list']]) {
      const { code, errors } = await run(command, here)
      expect({ command, code, errors }).toEqual({ command, code: 0, errors: '' })
    }
    expect(await server.stop()).toBe(0)
  })

  test('an unusable backup folder is reported at startup, by doctor, by the API and by the command', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const trouble =
      `Backups cannot be stored in ${file}: ${file} is not a directory. Set BACKUP_DIR to ` +
      'another directory.'
    await using server = await start({ BACKUP_DIR: file })
    expect(server.complaints(['warn']).join()).toContain(trouble)
    await server.until('the notice', () => server.lines.includes(`  ${trouble}`) || undefined)
    const { data: session } = await new Client(server.url).post('/api/auth/login', {
      email: 'admin@switchboard.local',
      password: PASSWORD,
    })
    const admin = new Client(server.url, { authorization: `Bearer ${session['access_token']}` })
    for (const answer of [
      await admin.get('/api/admin/backups'),
      await admin.post('/api/admin/backups'),
    ])
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([
        503,
        'storage_unavailable',
        trouble,
      ])
    expect((await admin.get('/api/admin/info')).status).toBe(200)
    const made = await run(['backup'])
    expect([made.code, made.errors]).toEqual([1, `${trouble}\n`])
    const looked = JSON.parse((await run(['doctor', '--json'])).out) as { findings: Loose[] }
    expect(looked.findings.find(({ check }) => check === 'backups')).toMatchObject({
      state: 'problem',
      message: trouble,
    })
    expect(await server.stop()).toBe(0)
  })

  test('two installations require an explicit choice', async () => {
    mkdirSync(join(shell, 'data'))
    copyFileSync(join(data, 'switchboard.sqlite'), join(shell, 'data', 'switchboard.sqlite'))
    const { code, errors } = await run(['user', 'list'])
    expect([code, errors]).toEqual([
      1,
      `${join(shell, 'data')} contains an installation, but a service is running on ${data}. Set DATA_DIR to the one you mean.\n`,
    ])
    rmSync(join(shell, 'data'), { recursive: true })
  })

  test('reports the path of a backup that the service must not read', async () => {
    if (!isRoot) return // the rest needs two users
    const path = join(folder, 'of-root')
    mkdirSync(path, { mode: 0o700 })
    const { code, errors } = await run(['restore', join(path, 'backup.zip'), '--yes'])
    expect([code, errors]).toEqual([
      1,
      `${path}/backup.zip is not readable or writable for user ${SERVICE}. Change its owner or mode, or run this as a user with access.\n`,
    ])
  })

  test('reports the path of an unreadable folder to a third user instead of a missing key', async () => {
    if (!isRoot) return // the rest needs three users
    const command = [...PROGRAM, 'restore', join(folder, 'anything'), '--yes']
    const child = Bun.spawn(
      ['setpriv', `--reuid=${SERVICE + 1}`, `--regid=${SERVICE + 1}`, '--clear-groups', ...command],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, DATA_DIR: data },
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    expect([await child.stderr.text(), await child.exited]).toEqual([
      `${data}/secret.key is not readable or writable for user ${SERVICE + 1}. Change its owner or mode, or run this as a user with access.\n`,
      1,
    ])
  })
})
