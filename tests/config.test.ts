import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { variables } from '../src/environment'
import { configTable } from '../src/environment-docs'
import { ConfigError, readConfig } from '../src/config'
import { readKey } from '../src/lib/setting'

/** What is wrong with settings; empty when nothing is. */
function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

let folder: string

const fileWith = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('nothing needs to be set', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    baseUrl: 'http://localhost:8080',
    dataDir: './data',
    secretKey: null,
    secretKeyPrevious: null,
    accessTokenS: 3_600,
    refreshTokenDays: 7,
    sessionDays: 30,
    passwordMemoryMib: 64,
    admin: { email: 'admin@switchboard.local', password: null, organization: 'My organization' },
    webhookVerifyToken: null,
    appSecret: null,
    appSecretPrevious: null,
    platformBaseUrl: 'https://graph.facebook.com',
    platformArchiveUrl: 'https://api.facebook.com',
    platformDialogUrl: 'https://www.facebook.com',
    platformApiVersion: 'v25.0',
    sendUnknownMinutes: 10,
    sendExpiryHours: 24,
    rateStandard: 100,
    rateBulk: 10,
    trustedProxies: [],
    corsOrigins: [],
    bodyLimitBytes: 1_048_576,
    webhookBodyLimitBytes: 3_670_016,
    workers: 4,
    dbCacheMib: 24,
    dbSynchronous: 'full',
    moveFrozenMinutes: 60,
    realtimeLogHours: 24,
    sockets: { perUser: 10, perOrganization: 2_000, perProcess: 20_000 },
    logLevel: 'info',
    logFormat: null,
    shutdownS: 8,
  })
})

test('what is set is used, in the units the program thinks in', () => {
  const config = readConfig({
    PORT: '9000',
    ACCESS_TOKEN_MINUTES: '5',
    BODY_LIMIT_KIB: '16',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    CORS_ORIGINS: 'https://a.example.com, http://localhost:3000',
    PLATFORM_BASE_URL: 'http://localhost:4000/',
    PLATFORM_DIALOG_URL: 'http://localhost:4000/',
    SECRET_KEY: 'ab'.repeat(32),
  })
  expect(config).toMatchObject({
    port: 9_000,
    baseUrl: 'http://localhost:9000',
    accessTokenS: 300,
    bodyLimitBytes: 16_384,
    trustedProxies: [
      { family: 'ipv4', network: '10.0.0.0', prefix: 8 },
      { family: 'ipv6', network: '::1', prefix: 128 },
    ],
    corsOrigins: ['https://a.example.com', 'http://localhost:3000'],
    platformBaseUrl: 'http://localhost:4000',
    platformDialogUrl: 'http://localhost:4000',
  })
  expect(config.secretKey?.toString('hex')).toBe('ab'.repeat(32))
})

test('templates are archived at the host of WhatsApp for that, or at the platform that is named', () => {
  const urlWith = (env: Record<string, string>) => readConfig(env).platformArchiveUrl
  expect(urlWith({ PLATFORM_BASE_URL: 'https://graph.facebook.com' })).toBe(
    'https://api.facebook.com',
  )
  expect(urlWith({ PLATFORM_BASE_URL: 'http://localhost:4000/' })).toBe('http://localhost:4000')
  expect(
    urlWith({
      PLATFORM_BASE_URL: 'http://localhost:4000',
      PLATFORM_ARCHIVE_URL: 'http://localhost:5000/',
    }),
  ).toBe('http://localhost:5000')
})

test('an empty variable is one that is not set, but where nothing means something', () => {
  const empty = Object.fromEntries(variables().map(([name]) => [name, '']))
  const usual = readConfig({})
  expect(readConfig(empty)).toEqual({
    ...usual,
    metricsAddress: null,
    shown: { ...usual.shown, METRICS_ADDRESS: '' },
  })
  expect(readConfig({}).metricsAddress).toEqual({ host: '127.0.0.1', port: 9464 })
  expect(readConfig({ METRICS_ADDRESS: '[::1]:9000' }).metricsAddress).toEqual({
    host: '::1',
    port: 9000,
  })
  for (const bad of ['9464', 'localhost', 'a b:1', '::1:9000', 'host:70000'])
    expect(() => readConfig({ METRICS_ADDRESS: bad })).toThrow('METRICS_ADDRESS')
})

test('a root key is 32 bytes or more, as hex or base64', () => {
  const bytes = Buffer.from('0123456789abcdef0123456789abcdef')
  for (const written of [
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    ` ${bytes.toString('hex').toUpperCase()}\n`,
  ])
    expect(readKey(written)?.equals(bytes)).toBe(true)
  for (const written of [
    '',
    'short',
    'ab'.repeat(31),
    bytes.subarray(0, 31).toString('base64'),
    'not base64 at all, but long enough to be a key',
    'ü'.repeat(40),
  ])
    expect(readKey(written)).toBeNull()
})

describe('a bad value', () => {
  const bad: [name: string, values: string[]][] = [
    ['PORT', ['abc', '-1', '65536', '80.5', '1e3', '0x50', ' ', '８０']],
    ['RATE_STANDARD', ['-1', 'many']],
    ['WORKERS', ['0', '65']],
    ['SECRET_KEY', ['short', 'ab'.repeat(31), '!'.repeat(64)]],
    ['SECRET_KEY_PREVIOUS', ['short']],
    ['BASE_URL', ['localhost:8080', 'ftp://example.com', 'example.com']],
    ['PLATFORM_BASE_URL', ['graph.facebook.com', 'file:///etc/passwd']],
    ['PLATFORM_ARCHIVE_URL', ['api.facebook.com', 'file:///etc/passwd']],
    ['SMTP_URL', ['mail.example.com', 'https://mail.example.com']],
    ['PASSWORD_BLOCKLIST', ['yes', '1']],
    ['PLATFORM_API_VERSION', ['24', 'v24', 'latest']],
    [
      'TRUSTED_PROXIES',
      ['here', '10.0.0.0/33', '10.0.0.0/-1', '300.1.1.1', '::1/129', '10.0.0.0/8/8'],
    ],
    [
      'CORS_ORIGINS',
      [
        '*',
        'https://a.example.com/',
        'a.example.com',
        'https://*.example.com',
        'null',
        'https://a.example.com,*',
      ],
    ],
    ['LOG_LEVEL', ['verbose', 'INFO']],
    ['LOG_FORMAT', ['text']],
    ['DB_SYNCHRONOUS', ['off']],
    ['WEBHOOK_VERIFY_TOKEN', ['short']],
    ['APP_SECRET', ['short']],
    ['METRICS_TOKEN', ['short', 'no client can send spaces']],
    ['SHUTDOWN_SECONDS', ['0']],
    ['ACCESS_TOKEN_MINUTES', ['0', '1441']],
  ]
  for (const [name, values] of bad)
    for (const value of values)
      test(`${name}=${value} is refused by its name`, () => {
        const problems = problemsOf({ [name]: value })
        expect(problems).toHaveLength(1)
        expect(problems[0]).toStartWith(`${name} must `)
      })

  test('is never repeated', () => {
    for (const [name, values] of bad)
      for (const value of values.filter((written) => written.trim().length > 3))
        expect(problemsOf({ [name]: value }).join()).not.toContain(value)
  })

  test('is reported with all the others at once', () => {
    const problems = problemsOf({
      ...Object.fromEntries(bad.map(([name, [value = '']]) => [name, value])),
    })
    expect(problems.map((problem) => problem.split(' ')[0] ?? '').toSorted()).toEqual(
      bad.map(([name]) => name).toSorted(),
    )
    expect(new ConfigError(problems).message.split('\n')).toHaveLength(bad.length + 1)
  })
})

describe('a name that looks like a misspelled setting', () => {
  const warningsOf = (...names: string[]): string[] =>
    readConfig(Object.fromEntries(names.map((name) => [name, 'x']))).warnings
  const ignored = (name: string, nearest?: string): string =>
    `${name} is not a setting and is ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`

  test('is reported with the setting that has its letters or words in another order', () => {
    expect(warningsOf('PROT', 'SECRET_APP', 'URL_BASE', 'HOST_', 'FILE_SECRET_KEY')).toEqual([
      ignored('FILE_SECRET_KEY', 'SECRET_KEY_FILE'),
      ignored('HOST_', 'HOST'),
      ignored('PROT', 'PORT'),
      ignored('SECRET_APP', 'APP_SECRET'),
      ignored('URL_BASE', 'BASE_URL'),
    ])
  })

  test('is reported with the name of the product before it, also if no setting is near', () => {
    expect(
      warningsOf(
        'SWITCHBOARD_BASE_URL',
        'SWITCHBOARD_PROT',
        'switchboard_key_secret',
        'SWITCHBOARD_COLOR',
      ),
    ).toEqual([
      ignored('SWITCHBOARD_BASE_URL', 'BASE_URL'),
      ignored('SWITCHBOARD_COLOR'),
      ignored('SWITCHBOARD_PROT', 'PORT'),
      ignored('switchboard_key_secret', 'SECRET_KEY'),
    ])
  })

  test('is not one that commands read, that Kubernetes sets, or that is far from all', () => {
    expect(
      readConfig({
        SWITCHBOARD_TOKEN: 'x',
        SWITCHBOARD_API_KEY: 'x',
        ARCHIVE_PASSPHRASE: 'x',
        SWITCHBOARD_SERVICE_HOST: '10.0.0.1',
        SWITCHBOARD_SERVICE_PORT: '8080',
        SWITCHBOARD_SERVICE_PORT_HTTP: '8080',
        SWITCHBOARD_PORT: 'tcp://10.0.0.1:8080',
        SWITCHBOARD_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
        SWITCHBOARD_PORT_8080_TCP_ADDR: '10.0.0.1',
        SWITCHBOARD_METRICS_PORT_9464_TCP_PROTO: 'tcp',
        PATH: '/bin',
        SHELL: '/bin/sh',
        LANG: 'C',
      }).warnings,
    ).toEqual([])
    expect(warningsOf('SWITCHBOARD_PORT')).toEqual([ignored('SWITCHBOARD_PORT', 'PORT')])
    expect(warningsOf('ARCHIVE_PASSPHASE')).toEqual([
      ignored('ARCHIVE_PASSPHASE', 'ARCHIVE_PASSPHRASE'),
    ])
  })

  test('is listed together with invalid values', () => {
    expect(problemsOf({ PROT: '9000', PORT: 'many', LOG_LEVEL: 'all' })).toEqual([
      'PORT must be a whole number',
      'LOG_LEVEL must be one of debug, info, warn, error',
      ignored('PROT', 'PORT'),
    ])
    expect(problemsOf({ CELLS: 'https://a.example.com', CELL_SECERT: 'x' })).toEqual([
      expect.stringContaining('CELL'),
      ignored('CELL_SECERT', 'CELL_SECRET'),
    ])
  })
})

describe('a variable from a file', () => {
  test('is read and trimmed, for every variable', () => {
    expect(readConfig({ PORT_FILE: fileWith('port', ' 9001\n') }).port).toBe(9_001)
    expect(
      readConfig({ ADMIN_PASSWORD_FILE: fileWith('password', 'from a file\n') }).admin.password,
    ).toBe('from a file')
    for (const [name] of variables())
      expect(problemsOf({ [`${name}_FILE`]: '/no/such/file' })).toEqual([
        `${name}_FILE names a file that does not exist or cannot be read`,
      ])
  })

  test('that cannot be read is refused without its path', () => {
    mkdirSync(join(folder, 'a-folder'))
    expect(problemsOf({ APP_SECRET_FILE: join(folder, 'a-folder') })).toEqual([
      'APP_SECRET_FILE names a file that does not exist or cannot be read',
    ])
  })

  test('is judged like any other, and its content never repeated', () => {
    const problems = problemsOf({ SECRET_KEY_FILE: fileWith('key', 'not-a-real-key') })
    expect(problems).toEqual(['SECRET_KEY must be at least 32 bytes as base64 or hex'])
    expect(problemsOf({ APP_SECRET_FILE: fileWith('empty', '') })).toHaveLength(1)
  })

  test('cannot be set both ways', () => {
    expect(problemsOf({ PORT: '80', PORT_FILE: fileWith('port-2', '80') })).toEqual([
      'PORT and PORT_FILE are both set; remove one',
    ])
    expect(problemsOf({ PORT: '80', PORT_FILE: '' })).toEqual([])
  })
})

test('the table tells every variable once, its default, its meaning, and which are secrets', () => {
  const rows = configTable().split('\n').slice(2)
  expect(rows.map((row) => /^\| `(\w+)` \|/.exec(row)?.[1])).toEqual(
    variables().map(([name]) => name),
  )
  for (const row of rows) expect(row.split(/(?<!\\)\|/)).toHaveLength(5)
  const secrets = rows
    .filter((row) => row.endsWith('Secret. |'))
    .map((row) => /`(\w+)`/.exec(row)?.[1])
  expect(secrets).toContain('ADMIN_PASSWORD')
  const sensitive = variables().filter(
    ([name, { type }]) => type === 'string' && /SECRET|PASSWORD$|TOKEN$|_KEY/.test(name),
  )
  expect(sensitive.map(([name]) => name).filter((name) => !secrets.includes(name))).toEqual([])
})
