import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { knownMigrations } from '../src/infra/db/migrate'
import { WEBHOOK_FIELDS } from '../src/modules/channel/accounts/webhook-fields'
import { VERSION } from '../src/version'
import type { Loose } from './support/client'
import { runCommand, type CommandResult } from './support/command'
import { runHere } from './support/command-here'
import { changeRows } from './support/sql'
import { INSTALLATION } from '../src/infra/ctx'

/** What a program says of itself that was built, or runs from its source. */
const VERSION_LINE = new RegExp(
  `^${RegExp.escape(VERSION)} \\(commit (unknown|[0-9a-f]{40}(-modified)?, \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z)\\)\\n$`,
)

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'main-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]): Promise<CommandResult> =>
  runCommand(args, { cwd: folder, env: { DATA_DIR: join(folder, 'data') } })
const here = (...args: string[]): Promise<CommandResult> =>
  runHere(args, { cwd: folder, env: { DATA_DIR: join(folder, 'data') } })

describe('what is not understood is exit code 2, with the usage of that command and the sentence last', () => {
  const ofJobs = [
    'Usage: switchboard jobs list [--state STATE] [--kind KIND] [--limit N] [--before ID]',
    '       switchboard jobs retry ID',
    '       switchboard jobs discard ID',
    'Help:  switchboard help jobs',
  ]
  const ofList = [ofJobs[0] ?? '', 'Help:  switchboard help jobs']
  const ofServe = ['Usage: switchboard serve [--no-migrate]', 'Help:  switchboard help serve']
  const ofAll = ['Usage: switchboard COMMAND [flags]', 'Help:  switchboard help']
  const wrong: [args: string[], usage: string[], sentence: string][] = [
    [['fly'], ofAll, 'Unknown command "fly".'],
    [['docter'], ofAll, 'Unknown command "docter". Did you mean doctor?'],
    [['jobs', 'dance'], ofJobs, 'Unknown command "jobs dance".'],
    [
      ['jobs', 'retry'],
      ['Usage: switchboard jobs retry ID', 'Help:  switchboard help jobs'],
      'jobs retry needs the ID of a job.',
    ],
    [
      ['jobs', 'list', '--limit', '100000'],
      ofList,
      '--limit must be a whole number from 1 to 1000.',
    ],
    [
      ['organization', 'export'],
      [
        'Usage: switchboard organization export ID --out FILE [--no-media] [--passphrase-stdin]',
        'Help:  switchboard help organization',
      ],
      'organization export needs the ID of an organization.',
    ],
    [
      ['version', 'please'],
      ['Usage: switchboard version', 'Help:  switchboard help version'],
      'Too many arguments for "version": please.',
    ],
    [
      ['openapi', '--out'],
      ['Usage: switchboard openapi [--out FILE]', 'Help:  switchboard help openapi'],
      '--out needs a value.',
    ],
    [
      ['openapi', '--out', '--json'],
      ['Usage: switchboard openapi [--out FILE]', 'Help:  switchboard help openapi'],
      '--out needs a value.',
    ],
    [['serve', '--no-migrate=yes'], ofServe, '--no-migrate takes no value.'],
    [
      ['serve', '--no-migrat'],
      ofServe,
      'The command "serve" has no option --no-migrat. Did you mean --no-migrate?',
    ],
    [
      ['--verison'],
      ofServe,
      'The command "serve" has no option --verison. Did you mean --version?',
    ],
    [['serve', '--fast'], ofServe, 'The command "serve" has no option --fast.'],
    [
      ['migrate', '--state', 'completed'],
      ['Usage: switchboard migrate [--status]', 'Help:  switchboard help migrate'],
      'The command "migrate" has no option --state.',
    ],
    [
      ['jobs', 'list', '--stat', 'x'],
      ofList,
      'The command "jobs" has no option --stat. Did you mean --state?',
    ],
    [['fly', '--jsn'], ofAll, 'Unknown option --jsn. Did you mean --json?'],
  ]
  for (const [nth, [args, usage, sentence]] of wrong.entries())
    test(args.join(' '), async () => {
      expect(await (nth === 0 ? run : here)(...args)).toEqual({
        code: 2,
        out: '',
        errors: [...usage, '', sentence, ''].join('\n'),
      })
    })
  test('an unknown state names the known ones', async () => {
    const { code, errors } = await here('jobs', 'list', '--state', 'lost')
    expect([code, errors.split('\n').at(-2)]).toEqual([
      2,
      expect.stringMatching(/^--state must be one of available, .*\.$/),
    ])
  })
})

test('version and help tell what they say, without touching a folder', async () => {
  const fromSource = `${VERSION} (commit unknown)`
  const asJson = { version: VERSION, commit: null, committed_at: null }
  const flags = [here('--version'), here('-V'), here('serve', '--version', '--json')]
  expect((await Promise.all(flags)).map(({ code, out }) => [code, out.trim()])).toEqual([
    [0, fromSource],
    [0, fromSource],
    [0, JSON.stringify(asJson)],
  ])
  const { code: exit, out } = await run('--version')
  expect([exit, out]).toEqual([0, expect.stringMatching(VERSION_LINE)])
  const results = await Promise.all([
    here('version'),
    here('version', '--json'),
    here('help'),
    here('--help'),
    here('serve', '-h'),
  ])
  expect(results.map(({ code, errors }) => [code, errors])).toEqual(results.map(() => [0, '']))
  const [version, json, help, flag, late] = results.map(({ out }) => out)
  expect(version).toBe(`${fromSource}\n`)
  expect(JSON.parse(json ?? '')).toEqual(asJson)
  for (const command of [
    'serve',
    'migrate',
    'webhook',
    'jobs list',
    'jobs retry',
    'jobs discard',
    'openapi',
    'version',
    'help',
  ])
    expect(help).toContain(`  ${command}`)
  expect(flag).toBe(help)
  expect(late?.split('\n').slice(0, 3)).toEqual([
    'Usage: switchboard COMMAND [flags]',
    '',
    '  serve [--no-migrate]  start the server (default)',
  ])
  expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT')
})

test('openapi prints the document or writes it to a file, without a folder', async () => {
  const [printed, written] = await Promise.all([
    run('openapi'),
    run('openapi', '--out', join(folder, 'openapi.json')),
  ])
  expect([printed.code, written.code, written.out, printed.errors]).toEqual([0, 0, '', ''])
  expect(readFileSync(join(folder, 'openapi.json'), 'utf8')).toBe(printed.out)
  expect((JSON.parse(printed.out) as Loose)['info']).toMatchObject({
    title: 'Switchboard',
    version: VERSION,
  })
  expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT')
})

test('monitoring writes the alert rules and the dashboard, without a folder', async () => {
  const source = (name: string): string =>
    readFileSync(join(import.meta.dir, '../src/modules/operation/system/monitoring', name), 'utf8')
  const path = join(folder, 'alerts.yml')
  const [alerts, dashboard, written, unknown] = await Promise.all([
    run('monitoring', 'alerts'),
    here('monitoring', 'dashboard'),
    here('monitoring', 'alerts', '--out', path),
    here('monitoring', 'toString'),
  ])
  expect(alerts).toEqual({ code: 0, out: source('alerts.yml'), errors: '' })
  expect(JSON.parse(dashboard.out)).toEqual(JSON.parse(source('dashboard.json')))
  expect([written.out, readFileSync(path, 'utf8')]).toEqual(['', alerts.out])
  expect([unknown.code, unknown.errors.split('\n').at(-2)]).toEqual([
    2,
    'Unknown command "monitoring toString".',
  ])
  expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT')
})

describe('on a data folder', () => {
  const tags = knownMigrations().map(({ tag }) => tag)

  beforeAll(async () => {
    const { code, out } = await run('migrate')
    expect([code, out]).toEqual([
      0,
      `Data folder: ${join(folder, 'data')}\nApplied: ${tags.join(', ')}\n`,
    ])
    expect([
      statSync(join(folder, 'data')).mode & 0o777,
      statSync(join(folder, 'data', 'switchboard.sqlite')).mode & 0o777,
    ]).toEqual([0o700, 0o600])
  })

  test('migrate a second time does nothing and says so', async () => {
    const [again, json, status, statusJson] = await Promise.all([
      here('migrate', '--status'),
      here('migrate', '--status', '--json'),
      run('migrate'),
      here('help'),
    ])
    expect(again.out).toBe(
      `Data folder: ${join(folder, 'data')}\napplied: ${tags.join(', ')}\npending: none\n`,
    )
    expect(JSON.parse(json.out)).toEqual({ applied: tags, pending: [] })
    expect(status.out).toBe(`Data folder: ${join(folder, 'data')}\nThe database is up to date.\n`)
    expect(statusJson.code).toBe(0)
    expect(JSON.parse((await here('migrate', '--json')).out)).toEqual({
      ...{ applied: [], seconds: expect.any(Number) },
    })
  })

  test('webhook shows address and verify token, never the app secret', async () => {
    const [text, json] = [await run('webhook'), await here('webhook', '--json')]
    const token = readFileSync(join(folder, 'data', 'webhook-verify-token'), 'utf8').trim()
    expect(text.out).toContain(token)
    expect(text.out).toContain(WEBHOOK_FIELDS.join(', '))
    expect(JSON.parse(json.out)).toEqual({
      callback_url: 'http://localhost:0/api/webhook',
      verify_token: token,
      fields: WEBHOOK_FIELDS,
      app_secret: expect.stringContaining('not set'),
    })
    const configured = await runHere(['webhook', '--json'], {
      cwd: folder,
      env: {
        DATA_DIR: join(folder, 'data'),
        APP_SECRET: 'configured-secret',
        WEBHOOK_VERIFY_TOKEN: 'configured-token',
        BASE_URL: 'https://chat.example.com/',
      },
    })
    expect(JSON.parse(configured.out)).toEqual({
      callback_url: 'https://chat.example.com/api/webhook',
      verify_token: 'configured-token',
      fields: WEBHOOK_FIELDS,
      app_secret: 'set',
    })
  })

  test('jobs are listed, retried and given up', async () => {
    const ids = [
      '01900000-0000-7000-8000-000000000001',
      '01900000-0000-7000-8000-000000000002',
    ] as const
    const sqlite = new Database(join(folder, 'data', 'switchboard.sqlite'))
    const errors = JSON.stringify([{ attempt: 20, at_ms: 0, message: 'the platform was down' }])
    const insert = (id: string, state: string, finishedAtMs: number | null): unknown =>
      changeRows(
        sqlite,
        `insert into jobs (id, kind, queue, state, organization_id, args, attempt, max_attempts, attempted_at_ms, scheduled_at_ms, created_at_ms, finished_at_ms, errors)
         values (?, 'system.prune-old-data', 'default', ?, '${INSTALLATION}', '{}', 20, 20, 1, 0, 0, ?, ?)`,
        [id, state, finishedAtMs, errors],
      )
    insert(ids[0], 'discarded', 1)
    insert(ids[1], 'retryable', null)
    sqlite.close()

    const list = async (...more: string[]): Promise<Loose[]> =>
      JSON.parse((await here('jobs', 'list', '--json', ...more)).out) as Loose[]
    const [all, discarded, text, below, ofKind] = await Promise.all([
      list(),
      list('--state', 'discarded'),
      here('jobs'),
      list('--before', ids[1], '--limit', '1'),
      list('--kind', 'message.send'),
    ])
    expect(below.map(({ id }) => id as string)).toEqual([ids[0]])
    expect(ofKind).toEqual([])
    expect(all.map(({ id, state }) => [id, state])).toEqual([
      [ids[1], 'retryable'],
      [ids[0], 'discarded'],
    ])
    expect(discarded.map(({ id }) => id as string)).toEqual([ids[0]])
    expect(text.out.split('\n')[1]).toMatch(/^id +kind +state +attempt +last error$/)
    expect(text.out).toContain('the platform was down')

    const [retried, given] = [
      await run('jobs', 'retry', ids[0], '--json'),
      await run('jobs', 'discard', ids[1]),
    ]
    expect(JSON.parse(retried.out)).toMatchObject([{ id: ids[0], state: 'available', attempt: 0 }])
    expect([given.code, given.out.includes('discarded')]).toEqual([0, true])
    const [unknown, again] = await Promise.all([
      here('jobs', 'retry', '01900000-0000-7000-8000-ffffffffffff'),
      here('jobs', 'discard', ids[1]),
    ])
    expect([unknown.code, unknown.errors.trim()]).toEqual([1, 'Job not found.'])
    expect([again.code, again.errors.trim()]).toEqual([1, 'The job is discarded.'])
  })

  test('a .env file of the working folder is read', async () => {
    writeFileSync(join(folder, '.env'), 'WEBHOOK_VERIFY_TOKEN=from-the-env-file\n')
    expect(JSON.parse((await run('webhook', '--json')).out)).toMatchObject({
      verify_token: 'from-the-env-file',
    })
    rmSync(join(folder, '.env'))
  })
})
