import { afterAll, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readCommit } from '../../src/release/commit'
import { VERSION } from '../../src/version'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client, type Loose } from '../support/client'
import { heldInstallation, migratingAt } from '../support/migrating'
import { docxOf, pdfOf } from '../support/documents'
import { ServerProcess } from '../support/process'
import { TestSocket } from '../support/socket'
import { readRows } from '../support/sql'

const BUILT = join(import.meta.dir, '../../dist/switchboard')
const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that holds the compiled file and nothing else. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-binary-'))
  folders.push(folder)
  copyFileSync(BUILT, join(folder, 'switchboard'))
  return folder
}

const dataOf = (folder: string): string => join(folder, 'data')
const databaseOf = (folder: string): string => join(dataOf(folder), 'switchboard.sqlite')

/**
 * Starts the file where it lies, with nothing set but where to listen and where the platform is.
 */
const start = (folder: string, env: Record<string, string> = {}): Promise<ServerProcess> =>
  ServerProcess.start({ cwd: folder, command: [join(folder, 'switchboard')], env })

/** Runs a command of the file; returns what it printed. */
async function command(folder: string, ...args: string[]): Promise<string> {
  const run = ServerProcess.spawn({
    cwd: folder,
    command: [join(folder, 'switchboard')],
    args,
    env: {},
  })
  expect(await run.ended()).toBe(0)
  return run.lines.join('\n')
}

/** The login that a first start prints, and only to standard output. */
function printedLogin({ lines }: ServerProcess): { email: string; password: string } {
  const wordAfter = (title: string): string =>
    new RegExp(`^ *${title} +(\\S+)$`, 'm').exec(lines.join('\n'))?.[1] ?? ''
  return { email: wordAfter('Email'), password: wordAfter('Password') }
}

async function signIn(
  server: ServerProcess,
  login: { email: string; password: string },
): Promise<Client> {
  const { data } = await new Client(server.url).post('/api/auth/login', login)
  return new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
}

/**
 * Connects a number of the simulated platform, whose webhooks are signed with the secret the server
 * made for itself.
 */
async function connect(
  server: ServerProcess,
  client: Client,
  simulator: Simulator,
  folder: string,
): Promise<void> {
  const secret = readFileSync(join(dataOf(folder), 'app-secret'), 'utf8').trim()
  simulator.setCallback(`${server.url}/api/webhook`, secret)
  const { id, wabaId, token } = simulator.phone
  const { status } = await client.post('/api/accounts', {
    name: 'Main',
    phone_id: id,
    business_id: wabaId,
    access_token: token,
  })
  expect(status).toBe(201)
}

/** Every row of every table but the jobs, whose clockwork goes on. */
function contentOf(folder: string): Record<string, unknown[]> {
  const database = new Database(databaseOf(folder), { readonly: true })
  const tables = database
    .query<{ name: string }, []>(
      `select name from sqlite_schema where type = 'table' and name not in ('jobs', 'job_schedules')`,
    )
    .all()
  const content = Object.fromEntries(
    tables.map(({ name }) => [name, database.query<Loose, []>(`select * from "${name}"`).all()]),
  )
  database.close()
  return content
}

/** Polls an answer until it is as wanted, at most ten seconds. */
async function eventually<T>(read: () => Promise<T>, isReached: (value: T) => boolean): Promise<T> {
  const deadlineMs = performance.now() + 10_000
  for (;;) {
    const value = await read()
    if (isReached(value) || performance.now() > deadlineMs) return value
    await Bun.sleep(10)
  }
}

test('the compiled file alone does the whole story: starts, migrates, serves its documentation, receives, tells, sends and stops', async () => {
  const folder = emptyFolder()
  await using simulator = await startSimulator()
  await using server = await start(folder, { PLATFORM_BASE_URL: simulator.url })
  const login = printedLogin(server)
  expect(login).toEqual({
    email: 'admin@switchboard.local',
    password: expect.stringMatching(/^\w{20}$/),
  })
  expect(
    server.lines.filter((line) => line.startsWith('{') && line.includes(login.password)),
  ).toEqual([])

  const anyone = new Client(server.url)
  expect((await anyone.get('/ready')).data).toMatchObject({ status: 'ready' })
  await expectConsole(anyone.url)
  await expectDocumentation(anyone)

  const client = await signIn(server, login)
  await connect(server, client, simulator, folder)
  const socket = await TestSocket.open(
    `${server.url.replace('http', 'ws')}/ws?token=${client.token}`,
  )
  const customer = simulator.customer({ name: 'Ana Sol' })
  const said = await customer.says('Is anybody there? ☎')
  expect(said.delivery.state).toBe('delivered')
  await socket.until('message:new', () => socket.events('message:new').length === 1)
  const [frame] = socket.events('message:new')
  expect(frame?.payload).toMatchObject({
    direction: 'incoming',
    type: 'text',
    content: { text: 'Is anybody there? ☎' },
  })

  const path = `/api/contacts/${String(frame?.payload['contact_id'])}/messages`
  expect((await client.get(path)).data['items']).toMatchObject([
    { content: { text: 'Is anybody there? ☎' } },
  ])
  const sent = await client.post(path, { type: 'text', text: 'Yes, we are.' })
  expect(sent.status).toBe(201)
  await customer.waitForMessages(1)
  const statusOf = async (): Promise<unknown> =>
    (await client.get(`/api/messages/${sent.data['id']}`)).data['status']
  expect(await eventually(statusOf, (status) => status === 'delivered')).toBe('delivered')

  server.signal('SIGTERM')
  await socket.until('the close', () => socket.closed !== null)
  expect(socket.closed?.code).toBe(1012)
  expect(await server.ended()).toBe(0)
  expect(server.errors).toBe('')
  expect(server.complaints()).toEqual([])
  expect(statSync(`${databaseOf(folder)}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
})

/**
 * The page, the document and every file the page asks for come from the binary; nothing comes from
 * elsewhere.
 */
async function expectDocumentation(anyone: Client): Promise<void> {
  const document = (await anyone.get('/openapi.json')).body as unknown as Loose
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\./),
    paths: { '/api/webhook': {}, '/api/auth/login': {} },
  })
  const page = await anyone.get<string>('/docs')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toStartWith('text/html')
  const assets = [...page.data.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  expect(assets.filter((asset) => asset.endsWith('.js')).length).toBeGreaterThan(0)
  for (const asset of assets) {
    expect(asset).not.toMatch(/^(?:https?:)?\/\//)
    const file = await fetch(new URL(asset, `${anyone.url}/docs`))
    expect({ asset, status: file.status }).toEqual({ asset, status: 200 })
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100)
  }
}

/** The console comes from the binary, compressed; its files never change under their names. */
async function expectConsole(url: string): Promise<void> {
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
  const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)]
  expect(assets.length).toBeGreaterThan(2)
  for (const [, asset = ''] of assets) {
    const file = await fetch(url + asset, { headers: { 'accept-encoding': 'br' } })
    expect({ asset, status: file.status }).toEqual({ asset, status: 200 })
    expect(file.headers.get('cache-control')).toContain('immutable')
    // Small files are not worth it.
    const isLarge = (await file.arrayBuffer()).byteLength >= 1_024
    if (/\.(js|css)$/.test(asset) && isLarge)
      expect(file.headers.get('content-encoding')).toBe('br')
  }
}

test('the compiled file reads documents in a process that has no environment and no files', async () => {
  const folder = emptyFolder()
  for (const [kind, bytes] of [
    ['pdf', pdfOf(['We open at nine.'])],
    ['docx', await docxOf(['We open at nine.'])],
    ['html', new TextEncoder().encode('<p>We open at nine.</p>')],
    ['text', new TextEncoder().encode('We open at nine.')],
  ] as const) {
    const child = Bun.spawn([join(folder, 'switchboard'), '__read-document', kind], {
      cwd: '/',
      env: {},
      stdin: bytes,
      stdout: 'pipe',
    })
    const lines = (await new Response(child.stdout).text()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { chunk: 'We open at nine.' },
      { pages: kind === 'pdf' ? 1 : null, characters: 16 },
    ])
    expect(await child.exited).toBe(0)
  }
})

test('a first start makes its files for nobody else to read, and a second start changes nothing', async () => {
  const folder = emptyFolder()
  const first = await start(folder)
  const login = printedLogin(first)
  expect(await first.stop()).toBe(0)
  for (const name of ['switchboard.sqlite', 'secret.key', 'app-secret', 'webhook-verify-token'])
    expect({ name, mode: statSync(join(dataOf(folder), name)).mode & 0o777 }).toEqual({
      name,
      mode: 0o600,
    })
  expect(statSync(dataOf(folder)).mode & 0o777).toBe(0o700)
  const secretsOf = (): string[] =>
    ['secret.key', 'app-secret', 'webhook-verify-token'].map((name) =>
      readFileSync(join(dataOf(folder), name), 'utf8'),
    )
  const before = {
    content: contentOf(folder),
    secrets: secretsOf(),
    files: readdirSync(dataOf(folder)).toSorted(),
  }
  expect(before.content['users']).toHaveLength(1)

  const second = await start(folder)
  expect(printedLogin(second)).toEqual({ email: '', password: '' })
  expect(second.lines.join('\n')).not.toContain('migrations')
  expect(await second.stop()).toBe(0)
  expect({
    content: contentOf(folder),
    secrets: secretsOf(),
    files: readdirSync(dataOf(folder)).toSorted(),
  }).toEqual(before)

  const third = await start(folder)
  expect((await signIn(third, login)).token).not.toBe('undefined')
  expect(await third.stop()).toBe(0)
})

test('its commands work beside the server and never show the app secret', async () => {
  const folder = emptyFolder()
  await using server = await start(folder)
  const told = await command(folder, 'webhook', '--json')
  const verifyToken = readFileSync(join(dataOf(folder), 'webhook-verify-token'), 'utf8').trim()
  expect(JSON.parse(told)).toMatchObject({
    verify_token: verifyToken,
    callback_url: expect.stringContaining('/api/webhook'),
  })
  expect(told).not.toContain(readFileSync(join(dataOf(folder), 'app-secret'), 'utf8').trim())
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': verifyToken,
    'hub.challenge': '1158201444',
  })
  expect((await new Client(server.url).get<string>(`/api/webhook?${query.toString()}`)).data).toBe(
    '1158201444',
  )
  expect(JSON.parse(await command(folder, 'version', '--json'))).toMatchObject({
    version: VERSION,
  })
  expect(JSON.parse(await command(folder, 'jobs', 'list', '--json'))).toBeArray()
  const document = await command(folder, 'openapi')
  expect(JSON.parse(document)).toMatchObject({ paths: { '/api/webhook': {} } })
})

test('the compiled file says of which commit it is: as a command, in its metrics and to its operator', async () => {
  const folder = emptyFolder()
  await using server = await start(folder, { METRICS_TOKEN: 'token-of-this-test' })
  const said = JSON.parse(await command(folder, 'version', '--json')) as Record<
    string,
    string | null
  >
  const isKnown = readCommit(join(import.meta.dir, '../..')) !== null
  expect(said).toEqual({
    version: VERSION,
    commit: isKnown ? expect.stringMatching(/^[0-9a-f]{40}(-modified)?$/) : null,
    committed_at: isKnown ? expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.000Z$/) : null,
  })
  expect(
    (await (await signIn(server, printedLogin(server))).get('/api/admin/info')).data,
  ).toMatchObject(said)
  const metrics = await fetch(`${server.url}/metrics`, {
    headers: { authorization: 'Bearer token-of-this-test' },
  })
  const { version, commit, committed_at: committedAt } = said
  expect(await metrics.text()).toContain(
    `switchboard_build_info{version="${version}",commit="${commit ?? 'unknown'}",committed_at="${committedAt ?? 'unknown'}"} 1`,
  )
})

test('a stop lets a request and a send that are under way finish', async () => {
  const folder = emptyFolder()
  await using simulator = await startSimulator()
  await using server = await start(folder, { PLATFORM_BASE_URL: simulator.url })
  const client = await signIn(server, printedLogin(server))
  await connect(server, client, simulator, folder)
  const { contactId } = await firstContact(client, simulator)
  simulator.slow(500)
  const sent = await client.post(`/api/contacts/${contactId}/messages`, {
    type: 'text',
    text: 'On its way',
  })
  await simulator.waitForCalls(1, { route: 'messages' })
  const login = await HalfSentLogin.begin(server)
  server.signal('SIGTERM')
  await eventually(
    () =>
      fetch(`${server.url}/health`).then(
        () => false,
        () => true,
      ),
    (isRefused) => isRefused,
  )
  login.finish()
  expect(await login.answer()).toStartWith('HTTP/1.1 401')
  expect(await server.ended()).toBe(0)
  const database = new Database(databaseOf(folder), { readonly: true })
  const [row] = readRows(database, 'select stage, wa_message_id from messages where id = ?', [
    String(sent.data['id']),
  ])
  // A quarter of an hour may pass meanwhile: the job of a schedule then waits for the next start.
  const open = database
    .query<Loose, []>(
      `select kind, state from jobs where state = 'executing'
        or (state = 'available' and coalesce(unique_key, '') not like 'schedule:%')`,
    )
    .all()
  database.close()
  expect(row).toEqual({ stage: 'accepted', wa_message_id: simulator.messages[0]?.wamid ?? '' })
  expect(open).toEqual([])
})

test('a second SIGTERM ends a server that is still waiting at once, and the next start goes on', async () => {
  const folder = emptyFolder()
  await using simulator = await startSimulator()
  await using server = await start(folder, {
    PLATFORM_BASE_URL: simulator.url,
    SHUTDOWN_SECONDS: '300',
  })
  const client = await signIn(server, printedLogin(server))
  await connect(server, client, simulator, folder)
  const { contactId } = await firstContact(client, simulator)
  simulator.slow(20_000)
  await client.post(`/api/contacts/${contactId}/messages`, { type: 'text', text: 'Never answered' })
  await simulator.waitForCalls(1, { route: 'messages' })
  server.signal('SIGTERM')
  await eventually(
    () =>
      fetch(`${server.url}/health`).then(
        () => false,
        () => true,
      ),
    (isRefused) => isRefused,
  )
  expect(server.isRunning).toBe(true)
  // Sooner, it would count as the first one heard twice.
  await Bun.sleep(600)
  const askedMs = performance.now()
  expect(await server.stop()).toBe(1)
  expect(performance.now() - askedMs).toBeLessThan(2_000)

  await using next = await start(folder, { PLATFORM_BASE_URL: simulator.url })
  const again = new Client(next.url, client.headers)
  const read = async (): Promise<Loose[]> =>
    (await again.get(`/api/contacts/${contactId}/messages`)).data['items'] as Loose[]
  expect(await eventually(read, (items) => items.length === 2)).toHaveLength(2)
  expect(existsSync(databaseOf(folder))).toBe(true)
})

async function firstContact(client: Client, simulator: Simulator): Promise<{ contactId: string }> {
  await simulator.customer().says('Hello')
  const read = async (): Promise<Loose[]> =>
    (await client.get('/api/contacts')).data['items'] as Loose[]
  const [contact] = await eventually(read, (items) => items.length === 1)
  return { contactId: String(contact?.['id']) }
}

/** A request whose body has arrived only in part. */
class HalfSentLogin {
  private text = ''
  private readonly answered = Promise.withResolvers<string>()

  private constructor(private readonly rest: string) {}

  private socket: { write(text: string): number } | null = null

  static async begin(server: ServerProcess): Promise<HalfSentLogin> {
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'not the password' })
    const half = new HalfSentLogin(body.slice(10))
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(server.url).port),
      socket: {
        data(_socket, bytes) {
          half.text += bytes.toString()
          if (half.text.includes('\r\n\r\n')) half.answered.resolve(half.text)
        },
        close: () => half.answered.resolve(half.text),
      },
    })
    half.socket = socket
    const head = [
      'POST /api/auth/login HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`)
    // An answer to a later request proves that the server has read this one's head.
    await new Client(server.url).get('/health')
    return half
  }

  finish(): void {
    this.socket?.write(this.rest)
  }

  /** The answer; empty when the connection was cut. */
  answer(): Promise<string> {
    return this.answered.promise
  }
}

test('the compiled file says that it lives while it migrates, in a thread of its own', async () => {
  const folder = emptyFolder()
  const { env, letGo } = heldInstallation(dataOf(folder))
  await using server = ServerProcess.spawn({
    cwd: folder,
    command: [join(folder, 'switchboard')],
    env,
  })
  const url = await migratingAt(server)
  expect([(await fetch(`${url}/health`)).status, (await fetch(`${url}/ready`)).status]).toEqual([
    200, 503,
  ])
  letGo()
  await server.listening()
  expect((await fetch(`${server.url}/api/contacts`)).status).toBe(401)
  expect(await server.stop()).toBe(0)
})

test('the compiled file alone starts the demo, whose customers send the files that it contains', async () => {
  const folder = emptyFolder()
  await using demo = ServerProcess.spawn({
    cwd: folder,
    command: [join(folder, 'switchboard')],
    args: ['demo', '--port', '0'],
    env: {},
  })
  const said = (): string => demo.lines.join('\n')
  await demo.until('the address', () => said().includes('Press Ctrl-C') || undefined, 60_000)
  const [, url = ''] = /Open +(\S+)/.exec(said()) ?? []
  const login = { email: 'owner@demo.example', password: 'demo-password' }
  const { data: session } = await new Client(url).post('/api/auth/login', login)
  const owner = new Client(url, { authorization: `Bearer ${session['access_token']}` })
  const search = async (name: string): Promise<Loose> => {
    const { data } = await owner.get(`/api/conversations?search=${encodeURIComponent(name)}`)
    return ((data['items'] as Loose[])[0]?.['contact'] ?? {}) as Loose
  }
  const { id } = await search('Hannah Vogel')
  const { data } = await owner.get(`/api/contacts/${id}/messages?limit=20`)
  const picture = (data['items'] as Loose[]).find(({ type }) => type === 'image')
  const media = String((picture?.['media'] as Loose | undefined)?.['id'])
  const bytes = await (await fetch(`${url}/api/media/${media}`, { headers: owner.headers })).bytes()
  expect([...bytes.slice(0, 3)]).toEqual([0xff, 0xd8, 0xff])
  expect(readdirSync(folder)).toEqual(['switchboard'])
  expect(await demo.stop()).toBe(0)
}, 90_000)
