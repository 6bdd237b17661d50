import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { wrapDb } from '../../src/infra/db/connection'
import { migrate } from '../../src/infra/db/migrate'
import { Client, type Answer, type Loose } from '../support/client'
import { AiSimulator } from '../simulator/ai/server'
import { startMailbox, type Mailbox } from '../support/mailbox'
import { codeOf } from '../support/second-factor'
import { APP_SECRET, PASSWORD, ROOT_KEY, World } from '../support/world'

/** A client that keeps what it was answered, and by which request. */
class Listener extends Client {
  constructor(
    url: string,
    headers: Record<string, string>,
    readonly heard: { request: string; text: string }[],
  ) {
    super(url, headers)
  }

  override with(headers: Record<string, string>): Listener {
    return new Listener(this.url, { ...this.headers, ...headers }, this.heard)
  }

  override async request<T = Loose>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<T>> {
    const answer = await super.request<T>(method, path, body)
    const said = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    this.heard.push({
      request: `${method} ${path.split('?')[0]}`,
      text: `${JSON.stringify(answer.body)}\n${said}`,
    })
    return answer
  }
}

/** A secret, and the requests whose responses may contain it, because they give it to its owner. */
interface Secret {
  what: string
  value: string
  givenBy: string[]
}

const GIVES_TOKENS = [
  'POST /api/auth/login',
  'POST /api/auth/refresh',
  'POST /api/auth/switch-org',
  'POST /api/auth/register',
]

let folder: string
let world: World
let mailbox: Mailbox
let ai: AiSimulator
const heard: Listener['heard'] = []
const secrets: Secret[] = []

/** Notes a secret; answers it. */
function secret(what: string, value: unknown, ...givenBy: string[]): string {
  expect({ what, type: typeof value }).toEqual({ what, type: 'string' })
  secrets.push({ what, value: value as string, givenBy })
  return value as string
}

const listener = (headers: Record<string, string> = {}): Listener =>
  new Listener(world.url, headers, heard)
const bearer = (token: string): Listener => listener({ authorization: `Bearer ${token}` })

/** Signs in and notes both tokens. */
async function signIn(
  email: string,
  password: string,
  more: Loose = {},
): Promise<{ client: Listener; refresh: string }> {
  const { data } = await listener().post('/api/auth/login', { email, password, ...more })
  const client = bearer(secret('access token', data['access_token'], ...GIVES_TOKENS))
  return { client, refresh: secret('refresh token', data['refresh_token'], ...GIVES_TOKENS) }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  mailbox = await startMailbox()
  const sqlite = new Database(join(folder, 'switchboard.sqlite'), { strict: true, create: true })
  const db = wrapDb(sqlite, { synchronous: 'normal', cacheMib: 8 })
  migrate(sqlite, { clock: { nowMs: () => 0 } })
  ai = new AiSimulator()
  const env = { ...ai.env, SMTP_URL: mailbox.url }
  world = await World.create({ db, isConnected: false, env })
  secret('app secret of the installation', APP_SECRET)
  secret('root key', ROOT_KEY.toString('base64'))
  secret('password of everybody', PASSWORD)
  secret('password of the mail server', new URL(mailbox.url).password)
  await live()
})

afterAll(async () => {
  await world.stop()
  await mailbox.stop()
  await ai.stop()
  rmSync(folder, { recursive: true })
})

/** One run through everything that knows a secret, and through what goes wrong with it. */
async function live(): Promise<void> {
  const admin = await signIn(world.emailOf('admin', world.tenant), PASSWORD)
  await account(admin.client)
  await aiKeys(admin.client)
  await tokens(admin)
  await keys(admin.client)
  await invitations(admin.client)
  await passwords(admin.client)
  await secondFactor()
  await mistakes(admin.client)
  await world.settle()
}

async function account(admin: Listener): Promise<void> {
  const token = secret('Access token expires soon', world.tenant.token)
  const { data } = await admin
    .with({ 'idempotency-key': secret('idempotency key', 'idempotency-key-of-a-number') })
    .post('/api/accounts', {
      name: 'Main',
      phone_id: world.tenant.phoneId,
      business_id: world.tenant.wabaId,
      access_token: token,
      app_secret: secret('app secret of a number', 'app-secret-of-a-number-0815'),
      webhook_verify_token: secret('verify token of a number', 'verify-token-of-a-number-0815'),
      pin: '483920',
    })
  world.tenant.accountId = data['id'] as string
  await admin.put(`/api/accounts/${data['id']}`, {
    app_secret: secret('next app secret', 'next-app-secret-of-a-number'),
    name: 'Sales',
  })
  await admin.put(`/api/accounts/${data['id']}`, { app_secret: null })
  await admin.put(`/api/accounts/${data['id']}`, {
    access_token: secret('token the platform refuses', 'token-nobody-ever-gave-out'),
  })
  const contact = await world.contactOf()
  await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'sent with the token',
  })
  world.simulator.fail({
    status: 401,
    code: 190,
    message: `Error validating access token ${token}`,
  } as never)
  await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'refused with the token',
  })
  await world.settle()
}

/** Calls of every provider that succeed and fail, some with a server that repeats the key. */
async function aiKeys(admin: Listener): Promise<void> {
  ai.key = secret('key of an AI provider', 'sk-marker-of-an-ai-provider-4711')
  const wrong = secret('wrong key of an AI provider', 'sk-marker-that-is-wrong-0815')
  const ask = () => admin.post('/api/chatbot/ai/test', { message: 'Hello' })
  for (const [provider, model] of [
    ['openai', 'gpt-4o-mini'],
    ['anthropic', 'claude-haiku-4-5'],
    ['google', 'gemini-2.5-flash'],
  ]) {
    const settings = { ai_provider: provider, ai_model: model }
    await admin.put('/api/chatbot/settings', { ...settings, ai_api_key: ai.key })
    expect((await ask()).data['success']).toBe(true)
    for (const fault of [
      { kind: 'malformed' },
      { kind: 'status', status: 400 },
      { kind: 'huge' },
    ] as const) {
      ai.plan(fault)
      expect((await ask()).data['success']).toBe(false)
    }
    await admin.put('/api/chatbot/settings', { ai_api_key: wrong })
    expect((await ask()).data['error']).toMatchObject({ kind: 'auth' })
  }
  expect(ai.requests.filter(({ url, body }) => (url + body).includes(ai.key))).toEqual([])
  const { data } = await admin.post('/api/chatbot/ai-contexts', {
    name: 'Stock',
    context_type: 'api',
    api_config: {
      url: `http://127.0.0.1:${ai.port}/stock`,
      headers: { 'x-token': secret('header of an AI context', 'token-of-the-stock-server-0815') },
    },
  })
  const path = `/api/chatbot/ai-contexts/${data['id']}`
  expect((await admin.post(`${path}/test`, {})).data['success']).toBe(false)
  await admin.put(path, { api_config: { url: 'https://stock.example.com/' } })
}

async function tokens({ client, refresh }: { client: Listener; refresh: string }): Promise<void> {
  const { data } = await listener().post('/api/auth/refresh', { refresh_token: refresh })
  secret('access token after a refresh', data['access_token'], ...GIVES_TOKENS)
  const next = secret('refresh token after a refresh', data['refresh_token'], ...GIVES_TOKENS)
  const switched = await client.post('/api/auth/switch-org', { organization_id: world.tenant.id })
  secret('access token after a switch', switched.data['access_token'], ...GIVES_TOKENS)
  secret('refresh token after a switch', switched.data['refresh_token'], ...GIVES_TOKENS)
  const ticket = (await client.with({ 'idempotency-key': 'ticket' }).post('/api/auth/ws-ticket'))
    .data['ticket']
  await listener().get(`/ws?ticket=${secret('ticket', ticket, 'POST /api/auth/ws-ticket')}`)
  await listener().get(`/ws?token=${client.token}`)
  await listener().get(`/api/me?access_token=${client.token}&token=${next}`)
  await listener().post('/api/auth/logout', { refresh_token: next })
  await listener().post('/api/auth/refresh', { refresh_token: refresh })
}

async function keys(stale: Listener): Promise<void> {
  expect((await stale.get('/api/me')).status).toBe(401) // signed out
  const { client } = await signIn(world.emailOf('admin', world.tenant), PASSWORD)
  const { data } = await client
    .with({ 'idempotency-key': 'key' })
    .post('/api/api-keys', { name: 'Shop', permissions: ['contacts:read'] })
  const key = secret('API key', data['key'], 'POST /api/api-keys')
  await client
    .with({ 'idempotency-key': 'key' })
    .post('/api/api-keys', { name: 'Shop', permissions: ['contacts:read'] })
  const program = listener({ 'x-api-key': key })
  await program.get('/api/me')
  await program.get(`/api/contacts?search=${key}`)
  await client.put(`/api/api-keys/${data['id']}`, { is_active: false })
  await program.get('/api/me')
  await client.get('/api/api-keys')
  await client.delete(`/api/api-keys/${data['id']}`)
}

async function invitations(_stale: Listener): Promise<void> {
  const { client } = await signIn(world.emailOf('admin', world.tenant), PASSWORD)
  const given = 'POST /api/organizations/invitations'
  const { data } = await client
    .with({ 'idempotency-key': 'invite' })
    .post('/api/organizations/invitations', { email: 'jane@example.com' })
  const token = secret('invitation token', data['token'], given)
  const body = { token }
  await listener().post('/api/auth/invitations/preview', body)
  const registered = await listener()
    .with({ 'idempotency-key': 'register' })
    .post('/api/auth/register', {
      email: 'jane@example.com',
      password: secret('password of a newcomer', 'newcomer’s own password 77'),
      full_name: 'Jane',
      organization_id: world.tenant.id,
      invitation_token: token,
    })
  secret('access token of a newcomer', registered.data['access_token'], ...GIVES_TOKENS)
  secret('refresh token of a newcomer', registered.data['refresh_token'], ...GIVES_TOKENS)
  await listener().post('/api/auth/invitations/preview', body)
  await client.get('/api/organizations/invitations')
  await client.with({ 'idempotency-key': 'user' }).post('/api/users', {
    email: 'made@example.com',
    password: secret('password somebody else chose', 'chosen by the admin 88'),
    full_name: 'Made',
  })
}

async function passwords(_stale: Listener): Promise<void> {
  const { client } = await signIn(world.emailOf('manager', world.tenant), PASSWORD)
  const next = secret('password of the manager', 'the manager’s next password 99')
  expect(
    (await client.put('/api/me/password', { current_password: PASSWORD, new_password: next }))
      .status,
  ).toBe(200)
  await signIn(world.emailOf('manager', world.tenant), next)

  const { client: admin } = await signIn(world.emailOf('admin', world.tenant), PASSWORD)
  const link = await admin
    .with({ 'idempotency-key': 'reset' })
    .post(`/api/users/${world.tenant.userIds.manager}/password-reset`)
  const token = String(link.data['reset_url']).split('#token=')[1]
  secret(
    'reset token of an admin',
    token,
    `POST /api/users/${world.tenant.userIds.manager}/password-reset`,
  )
  const last = secret('password after a reset', 'after the reset a third one 11')
  expect(
    (await listener().post('/api/auth/password/reset', { token, new_password: last })).status,
  ).toBe(200)
  await listener().post('/api/auth/password/reset', { token, new_password: last })

  await listener().post('/api/auth/password/forgot', {
    email: world.emailOf('agent', world.tenant),
  })
  grepWhileItWaits()
  await world.settle()
  const mailed = mailbox.mails
    .map(({ link: url }) => url?.split('#token=')[1]?.split('&')[0])
    .filter((found) => found !== undefined)
  expect(mailed.length).toBeGreaterThan(0)
  for (const found of mailed)
    if (!secrets.some(({ value }) => value === found)) secret('token of a mail', found)
}

/** What the files looked like while mails were waiting to be sent. */
let waiting = ''
const grepWhileItWaits = (): void => {
  waiting = files()
}

async function secondFactor(): Promise<void> {
  const email = world.emailOf('agent', world.tenant)
  const { client } = await signIn(email, PASSWORD)
  const setup = await client.post('/api/me/2fa/setup', { current_password: PASSWORD })
  const totp = secret('second factor', setup.data['secret'], 'POST /api/me/2fa/setup')
  const enabled = await client.post('/api/me/2fa/enable', { code: codeOf(world, totp) })
  const codes = enabled.data['backup_codes'] as string[]
  for (const code of codes) secret('backup code', code, 'POST /api/me/2fa/enable')
  world.clock.advance({ seconds: 60 })
  await signIn(email, PASSWORD, { code: codeOf(world, totp) })
  await signIn(email, PASSWORD, { code: codes[0] })
  await listener().post('/api/auth/login', { email, password: PASSWORD, code: codes[0] })
  await client.get('/api/me')
}

/** What people do wrong, and what goes wrong with the server, while a secret is around. */
async function mistakes(_stale: Listener): Promise<void> {
  const wrong = secret('wrong password', 'not the password at all 22')
  const email = world.emailOf('manager', world.tenant)
  await listener().post('/api/auth/login', { email, password: wrong })
  await listener().post('/api/auth/login', { email: wrong, password: wrong })
  await listener().post('/api/auth/login', { email: 7, password: { deep: wrong } })
  await listener().post('/api/auth/login', `{"email":"x","password":"${wrong}"`)
  await listener().post(`/api/auth/${encodeURIComponent(wrong)}`, {})
  await listener({ authorization: `Basic ${btoa(wrong)}` }).get('/api/me')
  await listener({ 'x-api-key': secret('malformed key', 'swb_this-is-no-key-but-secret') }).get(
    '/api/me',
  )
  await bearer(secret('malformed token', 'eyJhbGciOiJIUzI1NiJ9.malformed.token')).get('/api/me')
  const { client: admin } = await signIn(world.emailOf('admin', world.tenant), PASSWORD)
  const { sqlite } = world.program.http.db
  for (const [table, request] of [
    [
      'users',
      () =>
        admin.post('/api/users', {
          email: 'late@example.com',
          password: `${wrong} late`,
          full_name: wrong,
        }),
    ],
    [
      'accounts',
      () =>
        admin.post('/api/accounts', {
          name: 'X',
          phone_id: '1',
          business_id: '2',
          access_token: wrong,
          verify: false,
        }),
    ],
    [
      'idempotency_keys',
      () =>
        admin
          .with({ 'idempotency-key': 'faulty' })
          .post('/api/api-keys', { name: wrong, permissions: ['tags:read'] }),
    ],
    [
      'sessions',
      () =>
        listener().post('/api/auth/login', {
          email: world.emailOf('admin', world.tenant),
          password: PASSWORD,
        }),
    ],
  ] as const) {
    sqlite.run(
      `create trigger broken before insert on ${table} begin select raise(abort, 'the disk is on fire'); end`,
    )
    expect({ table, status: (await request()).status }).toEqual({ table, status: 500 })
    sqlite.run('drop trigger broken')
  }
}

/** The bytes of the database and its companions, as they are on disk. */
const files = (): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n')

const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const found = (text: string): string[] =>
  secrets.filter(({ value }) => text.includes(value)).map(({ what }) => what)
const foundInBytes = (bytes: string): string[] =>
  secrets.filter(({ value }) => bytes.includes(asBytes(value))).map(({ what }) => what)

test('the run uses secrets of every kind', () => {
  expect(secrets.length).toBeGreaterThan(35)
  expect(new Set(secrets.map(({ what }) => what)).size).toBeGreaterThan(25)
  expect(heard.length).toBeGreaterThan(50)
})

describe('a secret is', () => {
  test('in no log line', () => {
    const lines = world.logLines.join('')
    expect(lines).toContain('request failed')
    expect(world.logLines.length).toBeGreaterThan(60)
    expect(found(lines)).toEqual([])
  })

  test('in no database file, even while a mail waits', () => {
    world.program.http.db.sqlite.run('pragma wal_checkpoint(passive)')
    expect(files()).toContain('SQLite format 3')
    // what is not secret is there to read
    expect(files()).toContain(world.emailOf('agent', world.tenant))
    expect(foundInBytes(files())).toEqual([])
    expect(foundInBytes(waiting)).toEqual([])
  })

  test('in no response except the one that gives it to its owner', () => {
    const leaks = heard.flatMap(({ request, text }) =>
      secrets
        .filter(({ value, givenBy }) => text.includes(value) && !givenBy.includes(request))
        .map(({ what }) => `${what} in the answer to ${request}`),
    )
    expect(leaks).toEqual([])
  })

  test('in no audit log entry, although each change is recorded', async () => {
    const { client } = await signIn(world.emailOf('admin', world.tenant), PASSWORD)
    const { body } = await client.get('/api/audit-logs?limit=100')
    expect(JSON.stringify(body)).toContain('***')
    expect(found(JSON.stringify(body))).toEqual([])
  })
})

test('no log line contains texts or phone numbers of customers', () => {
  const lines = world.logLines.join('')
  const numbers = world.rows<{ phone_number: string }>(
    'select phone_number from contacts where phone_number is not null',
  )
  expect(numbers.length).toBeGreaterThan(0)
  expect(
    [
      'sent with the token',
      'refused with the token',
      ...numbers.map((row) => row.phone_number),
    ].filter((text) => lines.includes(text)),
  ).toEqual([])
})
