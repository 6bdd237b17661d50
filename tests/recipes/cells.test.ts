import { describe, expect, test } from 'bun:test'

import { CellGroup, type Cell } from '../support/cells'
import { Client, type Loose } from '../support/client'
import { runCommand } from '../support/command'
import { Haproxy } from '../support/haproxy'
import { freePort } from '../support/ports'
import { missingOf, recipe } from './guide'

const missing = missingOf('haproxy')
const HOSTS = ['a.example.com', 'b.example.com'] as const

/** The map of all cells, with the host names of the guide instead of local ports. */
async function mapOf(cells: Cell[]): Promise<string> {
  const maps = await Promise.all(cells.map((cell) => cell.command('cells', 'map')))
  const text = maps.map(({ out }) => out).join('')
  return cells.reduce(
    (map, cell, nth) => map.replaceAll(new URL(cell.url).host, HOSTS[nth] ?? ''),
    text,
  )
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 800; round += 1) {
    if (await holds().catch(() => false)) return
    await Bun.sleep(25)
  }
  throw new Error(`${what} did not happen within twenty seconds`)
}

/** Opens the socket at an address; returns the type of the first frame after a ping. */
async function ponged(url: string, token: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?token=${token}`)
  socket.onopen = () => socket.send(JSON.stringify({ type: 'ping' }))
  socket.onmessage = ({ data }) => resolve((JSON.parse(String(data)) as Loose)['type'])
  socket.onerror = () => reject(new Error('the socket could not be opened'))
  const type = await promise
  socket.close()
  return type
}

describe(
  missing === null ? 'with HAProxy' : `with HAProxy (not tried: ${missing} is not installed)`,
  () => {
    test.skipIf(missing !== null)(
      'requests and sockets find their cell by host name and token, and a standby takes over',
      async () => {
        await using group = await CellGroup.start({ linesEach: 1 })
        const [first, second] = group.cells as [Cell, Cell]
        const [front, standbyPort] = [await freePort(), await freePort()]
        const map = await mapOf(group.cells)
        expect(map.match(/^[0-9a-f-]{36} [ab]\.example\.com$/gm)?.length).toBe(2)
        const config = (mapPath: string): string =>
          recipe(
            'A proxy before the cells',
            'haproxy',
            {
              ':443 ssl crt /etc/haproxy/certs/ alpn h2,http/1.1': `127.0.0.1:${front}`,
              '/etc/haproxy/cells.map': mapPath,
              '10.0.0.1:8080': `127.0.0.1:${first.port}`,
              '10.0.0.2:8080': `127.0.0.1:${standbyPort}`,
              '10.0.0.3:8080': `127.0.0.1:${second.port}`,
              'inter 2s': 'inter 200ms',
            },
            'second-server',
          )
        await using proxy = await Haproxy.start(front, config, map)
        expect(proxy).toBeDefined()
        const shared = `http://127.0.0.1:${front}`
        const at = (host: string): Client => new Client(shared, { host })
        for (const host of HOSTS)
          await until(
            'the proxy finds the cell',
            async () => (await at(host).get('/ready')).status === 200,
          )

        // By host name, also the sign-in; by token at the address that they share.
        for (const [nth, cell] of group.cells.entries()) {
          const { data } = await at(HOSTS[nth] ?? '').post('/api/auth/login', cell.login)
          const token = String(data['access_token'])
          const authorization = `Bearer ${token}`
          for (const client of [new Client(shared), at(HOSTS[nth] ?? '')]) {
            const accounts = (await client.with({ authorization }).get('/api/accounts')).data
            expect((accounts['items'] as Loose[]).map((account) => account['phone_id'])).toEqual(
              cell.lines.map(({ phoneNumberId }) => phoneNumberId),
            )
          }
          expect(await ponged(shared, token)).toBe('pong')
        }

        // The first machine fails; its volume is attached to the second one.
        await first.end()
        const failedMs = performance.now()
        await first.start({ port: standbyPort, args: ['promote', '--from', first.dataDir] })
        await until(
          'the standby gets the requests',
          async () => (await at(HOSTS[0]).get('/ready')).status === 200,
        )
        expect(performance.now() - failedMs).toBeLessThan(10_000)
        expect((await at(HOSTS[0]).post('/api/auth/login', first.login)).status).toBe(200)
      },
      90_000,
    )
  },
)

test('the map of a server without other cells is refused', async () => {
  const { code, errors } = await runCommand(['cells', 'list'], { cwd: '/tmp' })
  expect([code, errors]).toEqual([2, expect.stringContaining('Unknown command "cells list"')])
})
