import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runCommand, type CommandResult } from '../support/command'
import { ServerProcess } from '../support/process'

const folder = mkdtempSync(join(tmpdir(), 'health-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const health = (port: number, ...args: string[]): Promise<CommandResult> =>
  runCommand(['health', ...args], {
    cwd: folder,
    env: {
      DATA_DIR: join(folder, 'none'),
      HOST: '0.0.0.0',
      PORT: String(port),
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
    },
  })

test('reports a running server as healthy and ready, and a stopped server as unreachable', async () => {
  await using server = await ServerProcess.start({
    cwd: folder,
    env: {
      DATA_DIR: join(folder, 'data'),
      PASSWORD_MEMORY_MIB: '8',
      PLATFORM_BASE_URL: 'http://127.0.0.1:1',
    },
  })
  const port = Number(new URL(server.url).port)
  expect(await health(port)).toEqual({ code: 0, out: 'OK\n', errors: '' })
  expect(await health(port, '--ready', '--json')).toEqual({
    code: 0,
    out: '{"ok":true,"message":"OK"}\n',
    errors: '',
  })
  expect(await server.stop()).toBe(0)
  expect(await health(port)).toEqual({
    code: 1,
    out: `No response from http://127.0.0.1:${port}/health.\n`,
    errors: '',
  })
})

test('reports why a server is not ready, times out on a hanging server and rejects other programs', async () => {
  using busy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('/ready')
        ? Response.json(
            { status: 'error', message: 'Not ready: the disk is almost full.' },
            { status: 503 },
          )
        : new Response('hello', { status: 404 }),
  })
  expect(await health(busy.port ?? 0, '--ready')).toEqual({
    code: 1,
    out: 'Not ready: the disk is almost full.\n',
    errors: '',
  })
  expect(await health(busy.port ?? 0)).toEqual({
    code: 1,
    out: 'Unhealthy: HTTP 404.\n',
    errors: '',
  })
  const silent = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as { port: number }
  expect((await health(port)).code).toBe(1)
  silent.close()
})
