import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, type Loose } from '../support/client'
import { runCommand, runInTerminal, type CommandResult } from '../support/command'
import { runHere } from '../support/command-here'
import { ServerProcess } from '../support/process'
import { changeRows } from '../support/sql'

const PASSWORD = 'correct horse battery'
const FIRST = 'first@example.com'

let folder: string
let env: Record<string, string>
let server: ServerProcess
let anyone: Client

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'admin-'))
  env = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_EMAIL: FIRST,
    ADMIN_PASSWORD: PASSWORD,
    ADMIN_ORGANIZATION: 'First & Co.',
    PASSWORD_MEMORY_MIB: '8',
    RATE_STANDARD: '0',
  }
  server = await ServerProcess.start({ cwd: folder, env })
  anyone = new Client(server.url)
})

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

/** First output line of each command on the installation. */
const FOLDER_LINE = (): string => `Data folder: ${join(folder, 'data')}\n`

const run = (...args: string[]): Promise<CommandResult> => runCommand(args, { cwd: folder, env })
const here = (...args: string[]): Promise<CommandResult> => runHere(args, { cwd: folder, env })
const runWith = (input: string, ...args: string[]): Promise<CommandResult> =>
  runCommand(args, { cwd: folder, env, input })
const login = (email: string, password: string) =>
  anyone.post('/api/auth/login', { email, password })
const listed = async (what: string): Promise<Loose[]> =>
  JSON.parse((await run(what, 'list', '--json')).out) as Loose[]

/** Returns all users as stored in the database. */
function accounts(): unknown[] {
  const sqlite = new Database(join(folder, 'data', 'switchboard.sqlite'), { readonly: true })
  try {
    return sqlite.query('select * from users order by id').all()
  } finally {
    sqlite.close()
  }
}

describe('admin create', () => {
  test('creates a super admin with the password from standard input while the server runs', async () => {
    const args = [
      'admin',
      'create',
      '--email',
      ' Second@Example.com',
      '--name',
      'Second Admin',
      '--password-stdin',
    ]
    const { code, out, errors } = await runWith(`${PASSWORD} 2\n`, ...args)
    expect([code, out, errors]).toEqual([
      0,
      `${FOLDER_LINE()}Created the super admin second@example.com.\n`,
      '',
    ])
    const { data } = await login('second@example.com', `${PASSWORD} 2`)
    expect(data['user']).toMatchObject({ is_super_admin: true, full_name: 'Second Admin' })
  })

  test('without a password prints a link that sets one, once and within an hour', async () => {
    const { code, out } = await run(
      'admin',
      'create',
      '--email',
      'third@example.com',
      '--name',
      'Third',
      '--json',
    )
    const made = JSON.parse(out) as Loose
    expect(code).toBe(0)
    expect(Object.keys(made)).toEqual(['user_id', 'email', 'reset_url', 'expires_at'])
    expect(made['email']).toBe('third@example.com')
    const livesMs = Date.parse(made['expires_at'] as string) - Date.now()
    expect(livesMs > 59 * 60_000 && livesMs <= 60 * 60_000).toBe(true)
    const token = (made['reset_url'] as string).split('#token=')[1]
    const reset = (): Promise<{ status: number }> =>
      anyone.post('/api/auth/password/reset', { token, new_password: `${PASSWORD} 3` })
    expect((await reset()).status).toBe(200)
    expect((await reset()).status).toBe(400)
    expect((await login('third@example.com', `${PASSWORD} 3`)).status).toBe(200)
  })

  test('adds the super admin as an admin of the organization given by ID, slug or name', async () => {
    const [organization] = await listed('organization')
    for (const [index, named] of [
      organization?.['id'],
      organization?.['slug'],
      organization?.['name'],
    ].entries()) {
      const email = `member-${index}@example.com`
      const args = [
        'admin',
        'create',
        '--email',
        email,
        '--name',
        'Member',
        '--organization',
        String(named),
        '--password-stdin',
      ]
      expect((await runWith(PASSWORD, ...args)).code).toBe(0)
      const { data } = await login(email, PASSWORD)
      const me = await new Client(server.url, {
        authorization: `Bearer ${data['access_token']}`,
      }).get('/api/me')
      expect(me.data).toMatchObject({
        organization_id: organization?.['id'],
        role: { name: 'admin' },
      })
    }
  })

  const refused: [what: string, input: string, args: string[], words: string][] = [
    [
      'an e-mail that exists',
      PASSWORD,
      ['--email', FIRST, '--name', 'X'],
      `A user with the email ${FIRST} already exists.`,
    ],
    [
      'what is no e-mail',
      PASSWORD,
      ['--email', 'a@b@c', '--name', 'X'],
      'a@b@c is not an email address.',
    ],
    [
      'a name that is too long',
      PASSWORD,
      ['--email', 'x@example.com', '--name', 'x'.repeat(256)],
      'The name must be 1 to 255 characters',
    ],
    [
      'a name with an escape',
      PASSWORD,
      ['--email', 'x@example.com', '--name', 'X\u001b[2J'],
      'without control characters',
    ],
    [
      'an e-mail with an escape',
      PASSWORD,
      ['--email', 'x\u009b2J@example.com', '--name', 'X'],
      'x\\u009b2J@example.com is not an email address.',
    ],
    [
      'a password against the rule',
      'short',
      ['--email', 'x@example.com', '--name', 'X'],
      'The password',
    ],
    [
      'an unknown organization',
      PASSWORD,
      ['--email', 'x@example.com', '--name', 'X', '--organization', 'Nowhere'],
      'Organization Nowhere not found.',
    ],
  ]
  for (const [what, input, args, words] of refused)
    test(`refuses ${what} with one sentence and creates no user`, async () => {
      const before = accounts()
      const { code, out, errors } = await runWith(
        input,
        'admin',
        'create',
        ...args,
        '--password-stdin',
      )
      expect([code, out, errors.trim().split('\n').length]).toEqual([1, FOLDER_LINE(), 1])
      expect(errors).toContain(words)
      expect(errors).not.toContain(input)
      expect(accounts()).toEqual(before)
    })

  test('accepts no password as an argument', async () => {
    const { code, errors } = await here(
      'admin',
      'create',
      '--email',
      'x@example.com',
      '--name',
      'X',
      '--password',
      'a-secret-word',
    )
    expect(code).toBe(2)
    expect(errors).toContain('--password')
    expect(errors).not.toContain('a-secret-word')
  })

  test('creates one user when run twice at the same time', async () => {
    const args = [
      'admin',
      'create',
      '--email',
      'twice@example.com',
      '--name',
      'Twice',
      '--password-stdin',
    ]
    const codes = (await Promise.all([runWith(PASSWORD, ...args), runWith(PASSWORD, ...args)])).map(
      ({ code }) => code,
    )
    expect(codes.toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 1])
    expect((await listed('user')).filter(({ email }) => email === 'twice@example.com').length).toBe(
      1,
    )
  })
})

describe('admin reset-password', () => {
  test('ends every session and prints a link; the old password works until a new one is set', async () => {
    await runWith(
      PASSWORD,
      'admin',
      'create',
      '--email',
      'lost@example.com',
      '--name',
      'Lost',
      '--password-stdin',
    )
    const session = new Client(server.url, {
      authorization: `Bearer ${(await login('lost@example.com', PASSWORD)).data['access_token']}`,
    })
    expect((await session.get('/api/me')).status).toBe(200)
    const { code, out } = await run('admin', 'reset-password', '--email', 'Lost@example.com ')
    expect(code).toBe(0)
    expect(out).toContain('Revoked all sessions of lost@example.com.')
    expect((await session.get('/api/me')).status).toBe(401)
    const token = /#token=(\S+)/.exec(out)?.[1]
    expect(
      (await anyone.post('/api/auth/password/reset', { token, new_password: 'a wholly new one' }))
        .status,
    ).toBe(200)
    expect([
      (await login('lost@example.com', PASSWORD)).status,
      (await login('lost@example.com', 'a wholly new one')).status,
    ]).toEqual([401, 200])
  })

  test('exits with code 1 and a message for an unknown email', async () => {
    const { code, errors } = await here('admin', 'reset-password', '--email', 'nobody@example.com')
    expect([code, errors.trim()]).toEqual([1, 'User with the email nobody@example.com not found.'])
  })
})

test('command line actions are in the audit log with the system as actor', async () => {
  const { data } = await login(FIRST, PASSWORD)
  const first = new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
  const list = await first.get('/api/audit-logs?resource_type=user&limit=100')
  const entries = (list.data['items'] as Loose[])
    .filter(({ actor_type }) => actor_type === 'system')
    .map(({ action }) => action as string)
  expect([entries.includes('created'), entries.includes('password_reset')]).toEqual([true, true])
})

describe('lists', () => {
  test('prints users as a plain table, or as JSON without secrets', async () => {
    const { code, out } = await run('user', 'list')
    expect(code).toBe(0)
    expect(out.split('\n')[1]).toMatch(/^id +email +name +member of +last sign-in +state$/)
    expect(out).toContain(FIRST)
    const first = (await listed('user')).find(({ email }) => email === FIRST)
    expect(first).toMatchObject({
      full_name: 'Administrator',
      is_super_admin: true,
      is_disabled: false,
      organizations: 1,
    })
    expect(Object.keys(first ?? {}).filter((key) => /password|totp|hash|sealed/.test(key))).toEqual(
      [],
    )
  })

  test('escapes terminal control characters stored in the database', async () => {
    const name = 'Evil \u001b[2J\u009b\u202e\u007f Ltd'
    const sqlite = new Database(join(folder, 'data', 'switchboard.sqlite'))
    sqlite.run('pragma busy_timeout = 10000') // the server writes too
    const [organization] = await listed('organization')
    const rename = (to: unknown): unknown =>
      changeRows(sqlite, 'update organizations set name = ? where id = ?', [
        String(to),
        String(organization?.['id']),
      ])
    rename(name)
    const printed = [
      (await run('organization', 'list')).out,
      (await run('organization', 'list', '--json')).out,
    ]
    expect((await listed('organization'))[0]?.['name']).toBe(name)
    rename(organization?.['name'])
    sqlite.close()
    expect(printed[0]).toContain('Evil \\u001b[2J\\u009b\\u202e\\u007f Ltd')
    for (const out of printed) expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  })

  test('are truncated to the terminal width except IDs, and never in pipes', async () => {
    const email = `${'long-'.repeat(20)}@example.com`
    const name = 'A Name of Many Words '.repeat(10).trim()
    expect(
      (
        await runWith(
          PASSWORD,
          'admin',
          'create',
          '--email',
          email,
          '--name',
          name,
          '--password-stdin',
        )
      ).code,
    ).toBe(0)
    const whole = (await run('user', 'list')).out
    expect([whole.includes(email), whole.includes(name)]).toEqual([true, true])
    const id = (await listed('user')).find((user) => user['email'] === email)?.['id'] as string
    for (const columns of [120, 150]) {
      const lines = await runInTerminal(['user', 'list'], { cwd: folder, env, columns })
      expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([])
      expect(lines.find((line) => line.startsWith(id))).toMatch(
        /^\S{36} {2}long-long-\S*… {2}A Name of .*… {2}0 +super admin$/,
      )
      expect(lines.find((line) => line.includes(FIRST.slice(0, 10)))).toMatch(
        / \d{4}-\d\d-\d\dT\d\d:\d\dZ +super admin$/,
      )
    }
    const wide = await runInTerminal(['user', 'list'], { cwd: folder, env, columns: 500 })
    expect(wide.join('\n')).toBe(whole.trimEnd())
    const tenants = await runInTerminal(['organization', 'list'], {
      cwd: folder,
      env,
      columns: 120,
    })
    expect(tenants.filter((line) => Bun.stringWidth(line) > 120)).toEqual([])
  })

  test('prints organizations as a plain table, or as JSON', async () => {
    const { code, out } = await run('organization', 'list')
    expect(code).toBe(0)
    expect(out.split('\n')[1]).toMatch(/^id +slug +name +state +members +created$/)
    expect(await listed('organization')).toMatchObject([
      { name: 'First & Co.', slug: expect.stringMatching(/^first-co-[a-z0-9]{8}$/) },
    ])
  })
})

describe('invalid command lines exit with code 2 and the help', () => {
  const wrong: [what: string, args: string[], word: string][] = [
    ['no verb', ['admin'], 'create or reset-password'],
    ['an unknown verb', ['admin', 'destroy'], 'destroy'],
    ['an unknown verb of a list', ['user', 'delete'], 'delete'],
    ['an unknown verb of organizations', ['organization', 'create'], 'create'],
    ['no e-mail', ['admin', 'create', '--name', 'X'], '--email'],
    ['no name', ['admin', 'create', '--email', 'x@example.com'], '--name'],
    ['a name for a reset', ['admin', 'reset-password', '--email', FIRST, '--name', 'X'], '--name'],
    [
      'an empty password',
      ['admin', 'create', '--email', 'x@example.com', '--name', 'X', '--password-stdin'],
      'standard input',
    ],
  ]
  for (const [what, args, word] of wrong)
    test(what, async () => {
      const readsInput = args.includes('--password-stdin')
      const { code, out, errors } = await (readsInput ? run : here)(...args)
      expect([code, out]).toEqual([2, ''])
      expect(errors.trimEnd().split('\n').at(-1)).toContain(word)
      expect(errors).toContain('Usage: switchboard')
    })

  test('shows help for each command', async () => {
    for (const [command, words] of [
      ['admin', 'admin reset-password --email EMAIL'],
      ['user', 'user list'],
      ['organization', 'organization list'],
    ] as const) {
      const [flag, word] = [await here(command, '--help'), await here('help', command)]
      expect([flag.code, word.code, flag.out, flag.out.includes(words)]).toEqual([
        0,
        0,
        word.out,
        true,
      ])
    }
  })
})

test('creates the first admin and its organization on an empty installation', async () => {
  const empty = { ...env, DATA_DIR: join(folder, 'empty') }
  expect((await runCommand(['migrate'], { cwd: folder, env: empty })).code).toBe(0)
  const args = [
    'admin',
    'create',
    '--email',
    'founder@example.com',
    '--name',
    'Founder',
    '--organization',
    'Founded',
    '--password-stdin',
  ]
  expect((await runCommand(args, { cwd: folder, env: empty, input: PASSWORD })).code).toBe(0)
  const { out } = await runCommand(['organization', 'list', '--json'], { cwd: folder, env: empty })
  expect(JSON.parse(out)).toMatchObject([{ name: 'Founded', members: 1 }])
  await using second = await ServerProcess.start({ cwd: folder, env: empty })
  const { status } = await new Client(second.url).post('/api/auth/login', {
    email: 'founder@example.com',
    password: PASSWORD,
  })
  expect(status).toBe(200)
  expect(second.lines.join('\n')).not.toContain('First start')
  await second.stop()
})

test('the database and the log contain no password or link from these commands', () => {
  const files = readdirSync(join(folder, 'data')).filter((name) =>
    name.startsWith('switchboard.sqlite'),
  )
  const bytes =
    files.map((name) => readFileSync(join(folder, 'data', name), 'latin1')).join('') +
    server.lines.join('\n') +
    server.errors
  expect(bytes.length).toBeGreaterThan(10_000)
  expect(bytes).not.toContain(PASSWORD)
  const sqlite = new Database(join(folder, 'data', 'switchboard.sqlite'), { readonly: true })
  const hashes = sqlite
    .query<{ token_hash: string }, []>('select token_hash from password_resets')
    .all()
  expect(hashes.every(({ token_hash }) => /^[0-9a-f]{64}$/.test(token_hash))).toBe(true)
  sqlite.close()
})
