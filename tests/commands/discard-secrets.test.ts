import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createSealer, keyIdOf } from '../../src/lib/secret'
import { Client, type Loose } from '../support/client'
import { runCommand, runProgram, type CommandResult } from '../support/command'
import { ERASED, furnished, sealedValues } from '../support/encrypted-world'
import { ServerProcess } from '../support/process'
import { killableVersion } from '../support/versions'
import { PASSWORD, ROOT_KEY, type World } from '../support/world'

/** How many steps of a restore are killed. */
const KILLS = Number(process.env['ROLLBACK_KILLS'] ?? 2)

let folder: string
let world: World
let made: Awaited<ReturnType<typeof furnished>>
let backup: string
let folders = 0

const another = (): string => join(folder, `data-${(folders += 1)}`)
const envOf = (dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  PLATFORM_BASE_URL: world.simulator.url,
  PASSWORD_MEMORY_MIB: '8',
  BACKUP_INTERVAL_HOURS: '0',
  RATE_STANDARD: '0',
})
const restore = (
  dataDir: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<CommandResult> =>
  runCommand(['restore', backup, ...args], { cwd: folder, env: { ...envOf(dataDir), ...more } })

const signIn = async (server: ServerProcess, email: string): Promise<Client> => {
  const { data } = await new Client(server.url).post('/api/auth/login', {
    email,
    password: PASSWORD,
  })
  return new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
}

/** The keys that encrypted something in a data folder. */
function keyIdsIn(dataDir: string): string[] {
  const database = new Database(join(dataDir, 'switchboard.sqlite'), { readonly: true })
  try {
    return [...new Set(sealedValues(database).map(keyIdOf))]
  } finally {
    database.close()
  }
}

const keyIn = (dataDir: string): string =>
  createSealer({
    current: Buffer.from(readFileSync(join(dataDir, 'secret.key'), 'utf8'), 'base64'),
    previous: null,
  }).currentKeyId

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'discard-'))
  made = await furnished()
  world = made.world
  const admin = await world.as('admin')
  const hook = await admin.post('/api/webhooks', {
    name: 'Shop',
    url: 'https://shop.example.com/hook',
    events: ['message.*'],
    headers: { 'x-shop-key': 'of the shop' },
  })
  expect(hook.status).toBe(201)
  const action = await admin.post('/api/custom-actions', {
    name: 'Order',
    action_type: 'webhook',
    config: { url: 'https://shop.example.com/order', headers: { 'x-key': 'of an order' } },
  })
  expect(action.status).toBe(201)
  const sealed = world.program.http.vault.seal('of a browser', 'somewhere')
  world.rows("insert into push_keys values (1, 'public', ?, 0)", sealed)
  world.rows(
    `insert into push_subscriptions (organization_id, id, user_id, session_id, endpoint_hash, target_sealed, created_at_ms)
     select m.organization_id, m.user_id, m.user_id, (select id from sessions limit 1), 'hash', ?, 0
     from memberships m limit 1`,
    sealed,
  )
  world.rows(
    'insert or ignore into root_keys values (?, 0, null)',
    world.program.http.vault.currentKeyId,
  )
  // A mail that was not sent yet.
  const forgotten = await world.anyone.post('/api/auth/password/forgot', {
    email: world.emailOf('manager', world.tenant),
  })
  expect(forgotten.status).toBe(200)
  backup = join(folder, 'backup.sqlite')
  writeFileSync(backup, world.program.http.db.sqlite.serialize())
}, 60_000)

afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a restore without the key names the way out', async () => {
  const { code, errors } = await restore(another(), [])
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining('If it is lost, "switchboard restore" with --discard-secrets'),
  ])
})

test('refuses to give up secrets that the key reads', async () => {
  const dataDir = another()
  const key = { SECRET_KEY: ROOT_KEY.toString('hex') }
  const { code, errors } = await restore(dataDir, ['--discard-secrets'], key)
  expect([code, errors.trim().split('\n').at(-1)]).toEqual([
    2,
    'The secret key that is in use reads the secrets of this backup. Restore it without ' +
      '--discard-secrets.',
  ])
  expect(existsSync(join(dataDir, 'switchboard.sqlite'))).toBe(false)
})

test('gives up everything encrypted, keeps the rest, and lists what to enter again', async () => {
  const dataDir = another()
  const { code, out, errors } = await restore(dataDir, ['--discard-secrets', '--json'])
  expect([code, errors]).toEqual([0, ''])
  const facts = (JSON.parse(out) as { discarded: Loose }).discarded
  const name = world.tenant.name
  expect(facts).toEqual({
    enter_again: expect.any(Array),
    second_factors_off: [made.person.email],
    sessions_ended: expect.any(Number),
    browsers: 1,
    suppressions: expect.any(Number),
    key_made: true,
  })
  expect(facts['sessions_ended']).toBeGreaterThan(1)
  expect(facts['suppressions']).toBeGreaterThan(0)
  const lost = (facts['enter_again'] as Loose[]).filter(
    ({ organization_id: id }) => id === world.tenant.id,
  )
  expect(lost.map(({ what, names }) => [what, names])).toEqual([
    ['access token of the number', ['Acme main']],
    ['app secret of the number', ['Acme main']],
    ['PIN of the number', ['Acme main']],
    ['new key for Flows of the number', ['Acme main']],
    ['headers of the AI context', ['Stock']],
    ['headers in the bot flow', ['Calls']],
    ['headers at the end of the bot flow', ['Calls']],
    ['key of the AI provider', ['Acme main', 'all numbers']],
    ['headers of the custom action', ['Order']],
    ['headers of the webhook', ['Shop']],
    ['new signing secret, at the receiver of the webhook', ['Shop']],
  ])
  expect(lost.every(({ organization }) => organization === name)).toBe(true)
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
  expect(keyIdsIn(dataDir)).toEqual([keyIn(dataDir)])

  await using server = await ServerProcess.start({ cwd: folder, env: envOf(dataDir) })
  const person = await signIn(server, made.person.email)
  expect((await person.get('/api/me')).data).toMatchObject({ two_factor_enabled: false })
  const notices = (await person.get('/api/me/notifications')).data['items'] as Loose[]
  expect(notices.map(({ title }) => title)).toContain('Two-factor authentication was disabled')

  const admin = await signIn(server, world.emailOf('admin', world.tenant))
  const path = `/api/accounts/${world.tenant.accountId}`
  expect((await admin.get(path)).data).toMatchObject({
    has_access_token: false,
  })
  const told = (await admin.get('/api/me/notifications')).data['items'] as Loose[]
  expect(told.map(({ kind, title }) => [kind, title])).toContainEqual([
    'token_invalid',
    'Access token lost: Acme main',
  ])
  const again = await admin.put(path, { access_token: world.tenant.token })
  expect([again.status, again.data['has_access_token']]).toEqual([200, true])
  const [hook = {}] = (await admin.get('/api/webhooks')).data['items'] as Loose[]
  expect(hook).toMatchObject({ name: 'Shop', headers: {}, is_active: true })
  expect((await admin.get(`/api/contacts?search=15550700012`)).data).toMatchObject({ total: 1 })
  expect((await admin.get(`/api/contacts?search=${ERASED}`)).data).toMatchObject({ total: 0 })
  expect(await server.stop()).toBe(0)
  expect(keyIdsIn(dataDir)).toEqual([keyIn(dataDir)])
})

test('says it to people in a list', async () => {
  const { code, out } = await restore(another(), ['--discard-secrets'])
  expect(code).toBe(0)
  const lines = out.split('\n')
  const from = lines.indexOf('The secrets of this backup were given up.')
  expect(lines.slice(from + 1, from + 3)).toEqual([
    'Enter again:',
    expect.stringMatching(/^ {2}\S/),
  ])
  expect(lines).toContain('    access token of the number: Acme main')
  expect(lines).toContain(
    `Two-factor authentication is off until they set it up again: ${made.person.email}.`,
  )
  expect(lines.slice(-3)).toEqual([
    'A new key is in use. Keep it elsewhere: "switchboard recovery-sheet" prints it.',
    'Now start the server.',
    '',
  ])
  const withKey = another()
  mkdirSync(withKey, { mode: 0o700 })
  writeFileSync(join(withKey, 'secret.key'), Buffer.alloc(32, 5).toString('base64'))
  const again = await restore(withKey, ['--discard-secrets'])
  expect([again.code, again.out]).toEqual([
    0,
    expect.stringContaining('\nThe key that was there is in use. Keep it elsewhere'),
  ])
})

test('gives up the secrets of the database in place, whose key was lost', async () => {
  const dataDir = another()
  expect((await restore(dataDir, [], { SECRET_KEY: ROOT_KEY.toString('hex') })).code).toBe(0)
  const own = await runCommand(
    ['restore', join(dataDir, 'switchboard.sqlite'), '--discard-secrets', '--yes'],
    { cwd: folder, env: envOf(dataDir) },
  )
  expect([own.code, own.errors]).toEqual([0, ''])
  expect(keyIdsIn(dataDir)).toEqual([keyIn(dataDir)])
})

test('killed before any step, a repeated one ends as an undisturbed one', async () => {
  const program = killableVersion(join(folder, 'killable'))
  const attempt = (dataDir: string, more: Record<string, string>): Promise<CommandResult> =>
    runProgram(program, ['restore', backup, '--discard-secrets', '--yes', '--json'], {
      cwd: folder,
      env: { ...envOf(dataDir), ...more },
    })
  const file = join(folder, 'steps')
  expect((await attempt(another(), { KILL_COUNT: file })).code).toBe(0)
  const steps = Number(readFileSync(file, 'utf8'))
  const kills = Math.min(steps, KILLS)
  for (let kill = 0; kill < kills; kill += 1) {
    const dataDir = another()
    const at = steps - Math.floor((kill * steps) / kills)
    expect((await attempt(dataDir, { KILL_AT: String(at) })).code).toBeNull()
    const again = await attempt(dataDir, {})
    expect({ at, code: again.code, errors: again.errors }).toEqual({ at, code: 0, errors: '' })
    expect(keyIdsIn(dataDir)).toEqual([keyIn(dataDir)])
    expect(existsSync(join(dataDir, 'restoring'))).toBe(false)
  }
}, 300_000)
