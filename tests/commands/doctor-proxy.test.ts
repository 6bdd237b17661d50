import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startSimulator, type Simulator } from '../../src/simulator/platform'
import type { Loose } from '../support/client'
import { runCommand } from '../support/command'
import { ServerProcess } from '../support/process'

let folder: string
let simulator: Simulator

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-proxy-'))
  simulator = await startSimulator()
  await runCommand(['migrate'], { cwd: folder, env: env() })
})

afterAll(async () => {
  await simulator.stop()
  rmSync(folder, { recursive: true, force: true })
})

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  DATA_DIR: join(folder, 'data'),
  ADMIN_PASSWORD: 'correct horse battery',
  PASSWORD_MEMORY_MIB: '8',
  PLATFORM_BASE_URL: simulator.url,
  ...more,
})

/** Returns the doctor findings of a check. */
async function found(check: string, more: Record<string, string> = {}): Promise<string[]> {
  const { out } = await runCommand(['doctor', '--json'], { cwd: folder, env: env(more) })
  const { findings } = JSON.parse(out) as { findings: Loose[] }
  return findings
    .filter((one) => one['check'] === check)
    .map((one) => `${one['state']}: ${one['message']}`)
}

const UPGRADE = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' }

/** Begins a request with a body of this size and cuts it off, as a proxy with a limit does. */
async function cutOff(server: ServerProcess, bytes: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port) })
  socket.write(
    `POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: 198.51.100.1\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n{"email":`,
  )
  // the server has begun to read the body
  socket.once('connect', () => setTimeout(() => socket.destroy(), 200))
  socket.once('close', () => resolve())
  await promise
}

describe("doctor reports from the server's observations", () => {
  test('nothing if there is no proxy', async () => {
    await using server = await ServerProcess.start({ cwd: folder, env: env() })
    await fetch(`${server.url}/api/me`)
    expect(await found('proxy')).toEqual([])
    expect(await server.stop()).toBe(0)
  })

  test('an untrusted proxy; the server warns once', async () => {
    await using server = await ServerProcess.start({ cwd: folder, env: env() })
    for (const address of ['198.51.100.1', '198.51.100.2'])
      await fetch(`${server.url}/api/me`, { headers: { 'x-forwarded-for': address } })
    expect(await found('proxy')).toEqual([
      'problem: The proxy at 127.0.0.1 is not in TRUSTED_PROXIES, so all clients share its address and its limits. Add it and restart the server.',
    ])
    expect(await server.stop()).toBe(0)
    expect(server.complaints(['warn'])).toEqual([
      expect.stringContaining(
        'X-Forwarded-For was ignored because the sender is not in TRUSTED_PROXIES',
      ),
    ])
  })

  test('a proxy that does not forward client addresses', async () => {
    const proxied = { BASE_URL: 'https://chat.example.com', TRUSTED_PROXIES: '127.0.0.1/32' }
    await using server = await ServerProcess.start({ cwd: folder, env: env(proxied) })
    await fetch(`${server.url}/api/me`, { headers: { host: 'chat.example.com' } })
    expect(await found('proxy')).toEqual([
      'problem: The proxy at 127.0.0.1 does not forward client addresses. Configure it to set X-Forwarded-For.',
    ])
    await fetch(`${server.url}/api/me`, {
      headers: { host: 'chat.example.com', 'x-forwarded-for': '198.51.100.1' },
    })
    // a resolved observation is stored every minute and at the end
    expect(await server.stop()).toBe(0)
    expect(await found('proxy')).toEqual(['ok: Client addresses are forwarded.'])
  })

  test('platform webhooks that come from a private address', async () => {
    await using server = await ServerProcess.start({
      cwd: folder,
      env: env({ BASE_URL: 'https://chat.example.com' }),
    })
    await fetch(`${server.url}/api/webhook`, { method: 'POST', body: '{}' })
    expect(await found('proxy')).toEqual([
      expect.stringContaining('does not forward client addresses'),
    ])
    expect(await server.stop()).toBe(0)
  })

  test('a proxy that drops WebSocket upgrades', async () => {
    await using server = await ServerProcess.start({ cwd: folder, env: env() })
    await fetch(`${server.url}/ws?token=none`, { headers: UPGRADE })
    expect(await found('proxy')).toEqual([
      expect.stringContaining('problem: The proxy at 127.0.0.1 drops WebSocket upgrades'),
    ])
    await fetch(`${server.url}/ws?token=none`, {
      headers: { ...UPGRADE, connection: 'upgrade', upgrade: 'websocket' },
    })
    expect(await server.stop()).toBe(0)
    expect(await found('proxy')).toEqual([])
  })

  test('a proxy that truncates bodies, with certainty after the third in a row', async () => {
    await using server = await ServerProcess.start({
      cwd: folder,
      env: env({ TRUSTED_PROXIES: '127.0.0.1' }),
    })
    const lines = (): string[] => server.lines.filter((line) => line.includes('/api/auth/login'))
    for (const nth of [1, 2, 3]) {
      await cutOff(server, 12_000)
      await server.until('the line of the request', () =>
        lines().length === nth ? true : undefined,
      )
      if (nth === 1)
        expect(await found('proxy')).toEqual([
          expect.stringContaining('note: A body of up to 12000 bytes was cut off'),
        ])
    }
    expect(await found('proxy')).toEqual([
      expect.stringContaining('problem: The last 3 bodies of up to 12000 bytes were cut off'),
    ])
    expect(await server.stop()).toBe(0)
  })
})

test('doctor checks whether the public URL accepts large bodies', async () => {
  // Responds before the body is sent, as proxies do.
  const answering = (headers: string): Bun.TCPSocketListener =>
    Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket) =>
          void socket.end(`HTTP/1.1 413 Content Too Large\r\n${headers}content-length: 0\r\n\r\n`),
      },
    })
  using proxy = answering('')
  using server = answering('x-request-id: an-id-of-the-server\r\n')
  const at = (port: number | undefined): Promise<string[]> =>
    found('address', { BASE_URL: `http://127.0.0.1:${port}` })
  expect(await Promise.all([at(proxy.port), at(server.port), at(9)])).toEqual([
    [
      `problem: The proxy at http://127.0.0.1:${proxy.port} rejects bodies of 100 MiB. Raise its limit to 100 MB.`,
    ],
    [`ok: http://127.0.0.1:${server.port} accepts bodies of 100 MiB.`],
    [
      "note: http://127.0.0.1:9 does not respond from here, so the proxy's limits were not " +
        'checked.',
    ],
  ])
})
