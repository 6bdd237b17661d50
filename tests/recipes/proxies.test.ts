import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { CHROMIUM, launch } from '../console/support/chromium'
import { visit } from '../console/support/visit'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client, type Loose } from '../support/client'
import { runCommand } from '../support/command'
import { freePort } from '../support/ports'
import { ServerProcess } from '../support/process'
import { missingOf, recipe } from './guide'

const PASSWORD = 'correct horse battery'
const LOGIN = { email: 'admin@switchboard.local', password: PASSWORD }
const HUNDRED_MIB = 100 * 1024 * 1024
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`

let folder: string
let simulator: Simulator

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recipes-'))
  simulator = await startSimulator()
  if (missingOf('openssl') === null) makeCertificate()
})

afterAll(async () => {
  await simulator.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A certificate for localhost: `front.crt`, `front.key`, and both in `front.pem`. */
function makeCertificate(): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(folder, 'front.key'), '-out', join(folder, 'front.crt')]
  Bun.spawnSync([
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    ...files,
  ])
  writeFileSync(
    join(folder, 'front.pem'),
    readFileSync(join(folder, 'front.crt'), 'utf8') +
      readFileSync(join(folder, 'front.key'), 'utf8'),
  )
}

async function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: '127.0.0.1', port })
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  const isThere = await promise
  socket.destroy()
  return isThere
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    if (await holds()) return
    await Bun.sleep(25)
  }
  throw new Error(`${what} did not happen within ten seconds`)
}

/** A proxy that is tried: how it is started on a recipe, and where its log of requests is. */
interface Proxy {
  name: string
  program: string
  /** Writes the configuration for the ports into the folder; returns the command that runs it. */
  command: (at: { front: number; back: number; folder: string }) => string[]
  /** Whether its log goes to standard output instead of `access.log`. */
  logsToOutput?: boolean
}

const PROXIES: Proxy[] = [
  {
    name: 'Caddy',
    program: 'caddy',
    command({ front, back, folder: own }) {
      const text = recipe('Caddy', 'caddyfile', {
        'chat.example.com {': `https://localhost:${front} {\n\tbind 127.0.0.1\n\ttls ${join(folder, 'front.crt')} ${join(folder, 'front.key')}`,
        '127.0.0.1:8080': `127.0.0.1:${back}`,
        '/var/log/caddy/switchboard.log': join(own, 'access.log'),
      })
      writeFileSync(
        join(own, 'Caddyfile'),
        `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${text}`,
      )
      return ['caddy', 'run', '--config', join(own, 'Caddyfile'), '--adapter', 'caddyfile']
    },
  },
  {
    name: 'nginx',
    program: 'nginx',
    command({ front, back, folder: own }) {
      const text = recipe('nginx', 'nginx', {
        'listen 443': `listen 127.0.0.1:${front}`,
        'server_name chat.example.com': 'server_name localhost',
        '127.0.0.1:8080': `127.0.0.1:${back}`,
        '/etc/ssl/chat.example.com.crt': join(folder, 'front.crt'),
        '/etc/ssl/chat.example.com.key': join(folder, 'front.key'),
        '/var/log/nginx/switchboard.log': join(own, 'access.log'),
        '/var/log/nginx/switchboard-error.log': join(own, 'error.log'),
      })
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${join(own, kind)};`)
        .join('\n')
      writeFileSync(
        join(own, 'nginx.conf'),
        `pid ${join(own, 'pid')};\nevents {}\nhttp {\n${temporary}\n${text}\n}\n`,
      )
      return [
        'nginx',
        '-p',
        own,
        '-e',
        join(own, 'error.log'),
        '-c',
        join(own, 'nginx.conf'),
        '-g',
        'daemon off; master_process off;',
      ]
    },
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    logsToOutput: true,
    command({ front, back, folder: own }) {
      const text = recipe('HAProxy', 'haproxy', {
        ':443': `127.0.0.1:${front}`,
        '/etc/haproxy/chat.example.com.pem': join(folder, 'front.pem'),
        '127.0.0.1:8080': `127.0.0.1:${back}`,
      })
      writeFileSync(join(own, 'haproxy.cfg'), text)
      return ['haproxy', '-db', '-f', join(own, 'haproxy.cfg')]
    },
  },
]

/** The server with a proxy before it. */
class Proxied {
  private constructor(
    readonly server: ServerProcess,
    readonly url: string,
    private readonly own: string,
    private readonly child: Bun.Subprocess,
    readonly env: Record<string, string>,
  ) {}

  static async start(proxy: Proxy): Promise<Proxied> {
    const own = join(folder, proxy.program)
    mkdirSync(own)
    const [front, back] = [await freePort(), await freePort()]
    const url = `https://localhost:${front}`
    const env = {
      DATA_DIR: join(own, 'data'),
      ADMIN_PASSWORD: PASSWORD,
      PASSWORD_MEMORY_MIB: '8',
      PLATFORM_BASE_URL: simulator.url,
      PORT: String(back),
      BASE_URL: url,
      TRUSTED_PROXIES: '127.0.0.1/32',
    }
    const server = await ServerProcess.start({ cwd: own, env })
    const output = Bun.file(join(own, proxy.logsToOutput ? 'access.log' : 'output.log'))
    const child = Bun.spawn(proxy.command({ front, back, folder: own }), {
      cwd: own,
      env: { PATH, HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own },
      stdin: 'ignore',
      stdout: output,
      stderr: Bun.file(join(own, 'errors.log')),
    })
    const proxied = new Proxied(server, url, own, child, env)
    await until(`the start of ${proxy.name}`, async () => {
      if (child.exitCode !== null)
        throw new Error(`${proxy.name} ended: ${readFileSync(join(own, 'errors.log'), 'utf8')}`)
      return await isListening(front)
    })
    return proxied
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill()
    await this.child.exited
    await this.server.stop()
  }

  /** What the proxy wrote into its log of requests. */
  log(): string {
    return readFileSync(join(this.own, 'access.log'), 'utf8')
  }

  /** Connects the number of the simulated platform, whose webhooks go past the proxy. */
  async connect(token: string): Promise<void> {
    const { id, wabaId, token: access_token } = simulator.phone
    const answer = await this.fetch('/api/accounts', {
      method: 'POST',
      body: JSON.stringify({ name: 'Main', phone_id: id, business_id: wabaId, access_token }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(201)
    const secret = readFileSync(join(this.env['DATA_DIR'] ?? '', 'app-secret'), 'utf8').trim()
    simulator.setCallback(`http://127.0.0.1:${this.env['PORT']}/api/webhook`, secret)
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return await fetch(this.url + path, { ...init, tls: { rejectUnauthorized: false } })
  }

  async token(): Promise<string> {
    const body = JSON.stringify(LOGIN)
    const answer = await this.fetch('/api/auth/login', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    return ((await answer.json()) as { data: { access_token: string } }).data.access_token
  }

  /** The address the server's log names for a request. */
  async addressOf(id: string): Promise<unknown> {
    const line = await this.server.until('the line of the request', () =>
      this.server.lines.find((text) => text.includes(`"${id}"`)),
    )
    return (JSON.parse(line) as Loose)['address']
  }
}

/** Opens the socket through a proxy; returns the first frame after a ping. */
async function ponged(url: string, token: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const options = { tls: { rejectUnauthorized: false } } as unknown as string[] // Bun's own second argument
  const socket = new WebSocket(`${url.replace('https', 'wss')}/ws?token=${token}`, options)
  socket.onopen = () => socket.send(JSON.stringify({ type: 'ping' }))
  socket.onmessage = ({ data }) => resolve((JSON.parse(String(data)) as Loose)['type'])
  socket.onerror = () => reject(new Error('the socket could not be opened'))
  const type = await promise
  socket.close()
  return type
}

for (const proxy of PROXIES) {
  const missing = missingOf(proxy.program, 'openssl', 'curl')
  const name =
    missing === null
      ? `behind ${proxy.name}`
      : `behind ${proxy.name} (not tried: ${missing} not installed)`
  describe(name, () => {
    test.skipIf(missing !== null)(
      'TLS, the socket, the console, 100 MB and the address of the client get through, and no token is in its log',
      async () => {
        await using proxied = await Proxied.start(proxy)
        await until(
          'the proxy finds the server',
          async () => (await proxied.fetch('/health')).status === 200,
        )

        const token = await proxied.token()
        expect(await ponged(proxied.url, token)).toBe('pong')

        const form = new FormData()
        const start = new TextEncoder().encode('%PDF-1.7\n')
        const pdf = new Uint8Array(HUNDRED_MIB).fill(32)
        pdf.set(start)
        form.append('file', new File([pdf], 'large.pdf', { type: 'application/pdf' }))
        const upload = await proxied.fetch('/api/media', {
          method: 'POST',
          body: form,
          headers: { authorization: `Bearer ${token}` },
        })
        expect({ status: upload.status, text: (await upload.text()).slice(0, 200) }).toMatchObject({
          status: 201,
        })

        // From another address of this machine, with a made-up one in the header.
        const id = `recipe-of-${proxy.program}`
        const spoofed = ['-H', 'x-forwarded-for: 203.0.113.9', '-H', `x-request-id: ${id}`]
        Bun.spawnSync(
          ['curl', '-sk', '--interface', '127.0.0.2', ...spoofed, `${proxied.url}/api/me`],
          { env: { PATH } },
        )
        expect(await proxied.addressOf(id)).toBe('127.0.0.2')

        await proxied.fetch('/api/media/signed/a-signed-token')
        await proxied.fetch(
          '/api/webhook?hub.mode=subscribe&hub.verify_token=the-verify-token&hub.challenge=1',
        )
        await until(
          'the log of the proxy',
          () =>
            proxied.log().includes('/api/media/signed/***') &&
            proxied.log().includes('/api/webhook'),
        )
        expect(proxied.log()).toContain('/ws')
        for (const secret of [token, 'a-signed-token', 'the-verify-token'])
          expect(proxied.log()).not.toContain(secret)

        const doctor = await runCommand(['doctor', '--json'], { cwd: folder, env: proxied.env })
        const found = (JSON.parse(doctor.out) as { findings: Loose[] }).findings.filter(
          ({ check }) => check === 'proxy',
        )
        expect(found).toMatchObject([{ state: 'ok' }])

        if (CHROMIUM === null) return
        await proxied.connect(token)
        const browser = await launch()
        try {
          const customer = simulator.customer({ name: `Ana ${proxy.name}` })
          await visit({ browser, url: proxied.url }, LOGIN, customer)
        } finally {
          await browser.close()
        }
      },
      120_000,
    )
  })
}

const haproxyMissing = missingOf('haproxy')
test.skipIf(haproxyMissing !== null)(
  `the plain health check of HAProxy finds the server up${haproxyMissing === null ? '' : ' (not tried: not installed)'}`,
  async () => {
    const own = join(folder, 'plain-check')
    mkdirSync(own)
    const env = {
      DATA_DIR: join(own, 'data'),
      ADMIN_PASSWORD: PASSWORD,
      PASSWORD_MEMORY_MIB: '8',
      PLATFORM_BASE_URL: simulator.url,
    }
    await using server = await ServerProcess.start({ cwd: own, env })
    const [front, back] = [await freePort(), await server.listening()]
    const text = recipe('HAProxy', 'haproxy', {
      'bind :443 ssl crt /etc/haproxy/chat.example.com.pem alpn h2,http/1.1': `bind 127.0.0.1:${front}`,
      '127.0.0.1:8080': `127.0.0.1:${back}`,
      'option httpchk GET /ready':
        'option httpchk\n\toption log-health-checks\n\tlog stdout format raw local0',
    })
    writeFileSync(join(own, 'haproxy.cfg'), text)
    const output = join(own, 'output.log')
    const child = Bun.spawn(['haproxy', '-db', '-f', join(own, 'haproxy.cfg')], {
      env: { PATH },
      stdout: Bun.file(output),
      stderr: 'ignore',
    })
    try {
      await until('a health check', () =>
        /Health check for server/.test(readFileSync(output, 'utf8')),
      )
      expect(readFileSync(output, 'utf8')).toMatch(
        /Health check for server switchboard\/switchboard succeeded.*code: 204/,
      )
      expect((await new Client(`http://127.0.0.1:${front}`).get('/health')).status).toBe(200)
    } finally {
      child.kill()
      await child.exited
    }
  },
  60_000,
)
