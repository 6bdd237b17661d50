import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { textMessage, type BusinessNumber } from '../../src/simulator/payloads'
import { Cell, CellGroup } from '../support/cells'
import type { Client, Loose } from '../support/client'
import { organizationIn } from '../support/killed-move'
import { freePort } from '../support/ports'
import { readRows } from '../support/sql'
import { missingLitestream, recipe } from './guide'

const missing = missingLitestream()
const CELL_SECRET = 'secret-between-the-cells-0123456789'
/**
 * Where the guide lets the calls to the platform go while an organization is in both halves. The server
 * listens at another port then, where no webhook reaches it.
 */
const NOWHERE = { PLATFORM_BASE_URL: 'http://127.0.0.1:9', HOST: '127.0.0.1' }

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 2_400; round += 1) {
    if (await holds()) return
    await Bun.sleep(25)
  }
  throw new Error(`${what} did not happen within a minute`)
}

const organizationsIn = (cell: Cell): string[] =>
  cell.rows<{ id: string }>('select id from organizations').map(({ id }) => id)

const MESSAGES = 'select wa_message_id as id from messages'

const messagesIn = (cell: Cell): string[] =>
  cell
    .rows<{ id: string }>(MESSAGES)
    .map(({ id }) => id)
    .toSorted()

/** Whether a copy that is being written has a message. */
function hasMessage(path: string, id: string): boolean {
  if (!existsSync(path)) return false
  try {
    using copy = new Database(path, { readonly: true })
    return readRows<{ id: string }>(copy, MESSAGES).some((row) => row.id === id)
  } catch {
    return false
  }
}

/** Deletes an organization and all its rows at once. */
async function erase(admin: Client, id: string): Promise<void> {
  const { data } = await admin.with({ 'x-organization-id': id }).get('/api/organizations/current')
  const { status } = await admin.request('DELETE', `/api/organizations/${id}`, {
    confirm: data['slug'],
    erase_now: true,
  })
  expect(status).toBe(200)
}

/** Directs the webhooks of an organization's numbers to a cell. */
async function subscribe(cell: Cell, id: string): Promise<void> {
  const client = (await cell.admin()).with({ 'x-organization-id': id })
  const { items } = (await client.get('/api/accounts')).data as { items: Loose[] }
  expect(items.length).toBe(1)
  for (const account of items)
    expect((await client.post(`/api/accounts/${account['id']}/subscribe`)).status).toBe(200)
}

describe(missing === null ? 'with Litestream' : `with Litestream (not tried: ${missing})`, () => {
  test.skipIf(missing !== null)(
    'a cell is split in two halves, each of which keeps its own organizations',
    async () => {
      const [portA, portB, hidden] = [await freePort(), await freePort(), await freePort()]
      const alone = { CELLS: '', CELL_SECRET: '' }
      await using group = await CellGroup.start({ count: 1, linesEach: 1, env: alone })
      const [single] = group.cells as [Cell]
      const [homeLine] = single.lines as [BusinessNumber]
      const { id: southId, line: southLine } = await organizationIn(group, { nth: 1, cell: single })
      await group.deliver(textMessage('Hello', { line: homeLine, id: 'wamid.home' }), single)
      await group.settled()
      const [homeId = ''] = organizationsIn(single).filter((id) => id !== southId)
      await single.end()

      const cells = [portA, portB].map((port) => `http://127.0.0.1:${port}`).join(',')
      const folder = dirname(single.dataDir)

      // 1. The settings of several cells, and a follower.
      const env = { CELLS: cells, CELL_SECRET, PLATFORM_BASE_URL: group.simulator.url }
      const cellOf = (name: string, port: number, more = {}): Cell => {
        const cell = new Cell(name, port, [], folder, { ...env, ...more })
        group.cells.push(cell)
        return cell
      }
      const a = cellOf('cell-1', portA)
      await a.start()
      const source = join(a.dataDir, 'switchboard.sqlite')
      const config = join(folder, 'litestream.yml')
      const follower = join(folder, 'follower.sqlite')
      writeFileSync(
        config,
        recipe('Litestream', 'yaml', {
          '/var/lib/switchboard/switchboard.sqlite': source,
          '/mnt/elsewhere/switchboard': join(folder, 'replica'),
        }),
      )
      const litestream = (...args: string[]) =>
        Bun.spawn(['litestream', ...args], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
      const replicating = litestream('replicate', '-config', config)
      await until('the first copy', () => existsSync(join(folder, 'replica')))
      let following: Bun.Subprocess | null = null
      await until('the follower', () => {
        if (following === null || following.exitCode !== null)
          following = litestream('restore', '-f', '-config', config, '-o', follower, source)
        return existsSync(follower)
      })
      const all = [...messagesIn(a), 'wamid.last'].toSorted()
      await group.deliver(textMessage('Hello', { line: southLine, id: 'wamid.last' }), a)
      await until('the last message', () => messagesIn(a).includes('wamid.last'))

      // 2. A stops; the follower catches up.
      await a.end()
      await until('the follower has everything', () => hasMessage(follower, 'wamid.last'))
      for (const child of [replicating, following as unknown as Bun.Subprocess]) {
        child.kill()
        await child.exited
      }

      // 3. and 4. B starts from it, out of the reach of the platform, and lets the organizations of A go.
      const bAway = cellOf('cell-2', hidden, {
        ...NOWHERE,
        BASE_URL: `http://127.0.0.1:${portB}`,
      })
      mkdirSync(bAway.dataDir, { mode: 0o700 })
      copyFileSync(join(a.dataDir, 'secret.key'), join(bAway.dataDir, 'secret.key'))
      await bAway.start({ args: ['promote', '--from', follower, '--open'] })
      expect(messagesIn(bAway)).toEqual(all)
      await erase(await bAway.admin(), homeId)
      await bAway.end()

      // 5. B works with its half.
      const b = cellOf('cell-2', portB)
      await b.start()
      await subscribe(b, southId)
      await until('the erasure', () => organizationsIn(b).join() === southId)

      // 6. A in the same way.
      const aAway = cellOf('cell-1', hidden, { ...NOWHERE, BASE_URL: a.url })
      await aAway.start()
      // A webhook that A took now for an organization of B would be erased with it.
      const early = group.deliver(textMessage('Hello', { line: southLine, id: 'wamid.early' }), a)
      await erase(await aAway.admin(), southId)
      await aAway.end()
      await a.start()
      await early
      await subscribe(a, homeId)
      await until('the erasure', () => organizationsIn(a).join() === homeId)

      // Webhooks through any door come to their half, and only there.
      for (const [nth, door] of [a, b].entries())
        for (const [name, line] of [
          ['home', homeLine],
          ['south', southLine],
        ] as const)
          await group.deliver(textMessage('Hello', { line, id: `wamid.${name}${nth}` }), door)
      const ofA = ['wamid.home', 'wamid.home0', 'wamid.home1']
      const ofB = [
        ...all.filter((id) => id !== 'wamid.home'),
        'wamid.south0',
        'wamid.south1',
        'wamid.early',
      ]
      await until('the messages of A', () => messagesIn(a).length >= ofA.length)
      await until('the messages of B', () => messagesIn(b).length >= ofB.length)
      expect(messagesIn(a)).toEqual(ofA)
      expect(messagesIn(b)).toEqual(ofB.toSorted())
      const callbackOf = (line?: BusinessNumber): string | undefined =>
        group.simulator.phones.find(({ id }) => id === line?.phoneNumberId)?.callbackUrl
      expect(callbackOf(homeLine)).toBe(`${a.url}/api/webhook`)
      expect(callbackOf(southLine)).toBe(`${b.url}/api/webhook`)
    },
    240_000,
  )
})
