import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { textMessage } from '../../src/simulator/payloads'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client, type Loose } from '../support/client'
import { runCommand } from '../support/command'
import { ServerProcess } from '../support/process'
import { readRows } from '../support/sql'
import { missingLitestream, recipe } from './guide'

const PASSWORD = 'correct horse battery'
const missing = missingLitestream()

let folder: string
let simulator: Simulator
const children: Bun.Subprocess[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recipe-litestream-'))
  simulator = await startSimulator()
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => child.exited))
  await simulator.stop()
  rmSync(folder, { recursive: true, force: true })
})

const source = (): string => join(folder, 'data', 'switchboard.sqlite')
const config = (): string => join(folder, 'litestream.yml')

function litestream(...args: string[]): Bun.Subprocess {
  const child = Bun.spawn(['litestream', ...args], {
    cwd: folder,
    env: { ...process.env },
    stdout: Bun.file(join(folder, `${args[0]}.log`)),
    stderr: 'ignore',
  })
  children.push(child)
  return child
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let round = 0; round < 1_200; round += 1) {
    if (holds()) return
    await Bun.sleep(25)
  }
  throw new Error(`${what} did not happen within thirty seconds`)
}

/** How many tags a copy has; -1 while it cannot be read. */
function tagsIn(path: string): number {
  if (!existsSync(path)) return -1
  try {
    using copy = new Database(path, { readonly: true })
    return copy.query<{ n: number }, []>('select count(*) as n from tags').get()?.n ?? -1
  } catch {
    return -1
  }
}

async function adminOf(server: ServerProcess): Promise<Client> {
  const { data } = await new Client(server.url).post('/api/auth/login', {
    email: 'admin@switchboard.local',
    password: PASSWORD,
  })
  return new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
}

/** How many deliveries of a database are not processed yet. */
function openIn(path: string): number {
  using database = new Database(path, { readonly: true })
  return (
    database
      .query<{ n: number }, []>(
        "select (select count(*) from inbound_staging) + (select count(*) from inbound_events where state = 'pending') as n",
      )
      .get()?.n ?? -1
  )
}

/** IDs of the messages that a database has. */
function messagesIn(path: string): Set<string> {
  using database = new Database(path, { readonly: true })
  const rows = readRows<{ id: string }>(database, 'select wa_message_id as id from messages')
  return new Set(rows.map(({ id }) => id))
}

describe(missing === null ? 'with Litestream' : `with Litestream (not tried: ${missing})`, () => {
  test.skipIf(missing !== null)(
    'a stalled follower is an alarm within a minute, and a standby takes over from a server killed under load',
    async () => {
      const follower = join(folder, 'follower.sqlite')
      const env = {
        DATA_DIR: join(folder, 'data'),
        ADMIN_PASSWORD: PASSWORD,
        PASSWORD_MEMORY_MIB: '8',
        PLATFORM_BASE_URL: simulator.url,
        APP_SECRET: simulator.appSecret,
        RATE_STANDARD: '0',
        REPLICA_PATH: follower,
      }
      await using server = await ServerProcess.start({ cwd: folder, env })
      simulator.setCallback(`${server.url}/api/webhook`, simulator.appSecret)
      const replica = join(folder, 'replica')
      writeFileSync(
        config(),
        recipe('Litestream', 'yaml', {
          '/var/lib/switchboard/switchboard.sqlite': source(),
          '/mnt/elsewhere/switchboard': replica,
        }),
      )
      const replicating = litestream('replicate', '-config', config())
      const admin = await adminOf(server)
      const { id, wabaId, token } = simulator.phone
      const connected = await admin.post('/api/accounts', {
        name: 'Main',
        phone_id: id,
        business_id: wabaId,
        access_token: token,
      })
      expect(connected.status).toBe(201)

      // A follower comes close and stays close.
      await until('the first copy', () => existsSync(replica))
      let following: Bun.Subprocess | null = null
      await until('the follower', () => {
        if (following === null || following.exitCode !== null)
          following = litestream('restore', '-f', '-config', config(), '-o', follower, source())
        return tagsIn(follower) === 0
      })
      expect((await admin.post('/api/tags', { name: 'followed' })).status).toBe(201)
      await until('the follower goes on', () => tagsIn(follower) === 1)

      // It stalls without ending, and nobody writes but the server's own schedules.
      const { pid } = following as unknown as Bun.Subprocess
      process.kill(pid, 'SIGSTOP')
      const said = (text: string) => () => server.lines.find((line) => line.includes(text))
      await server.until('the alarm', said('the follower stands still'), 60_000)
      process.kill(pid, 'SIGCONT')
      await server.until('its end', said('the follower follows again'), 60_000)

      // The server is killed under load, and Litestream with its machine.
      const acknowledgedMs = new Map<string, number>()
      let isOver = false
      const load = async (nth: number): Promise<void> => {
        for (let round = 0; !isOver; round += 1) {
          const text = textMessage('Load', { id: `wamid.load${nth}x${round}` })
          const answer = await simulator.post(text).catch(() => null)
          if (answer?.status === 200)
            acknowledgedMs.set(`wamid.load${nth}x${round}`, performance.now())
        }
      }
      const loads = [1, 2, 3, 4].map(load)
      const loadedMs = performance.now()
      await until(
        'some load',
        () => acknowledgedMs.size > 1_000 && performance.now() - loadedMs > 4_000,
      )
      await server.kill()
      const killedMs = performance.now()
      replicating.kill('SIGKILL')
      isOver = true
      await Promise.all(loads)

      // What reached the other disk is restored, and the standby is ready.
      const detectedMs = performance.now()
      const restored = join(folder, 'restored.sqlite')
      expect(
        await litestream('restore', '-config', config(), '-o', restored, source()).exited,
      ).toBe(0)
      const elsewhere = join(folder, 'elsewhere')
      mkdirSync(elsewhere, { mode: 0o700 })
      copyFileSync(join(folder, 'data', 'secret.key'), join(elsewhere, 'secret.key'))
      await using standby = await ServerProcess.start({
        cwd: folder,
        env: { ...env, DATA_DIR: elsewhere },
        args: ['promote', '--from', restored],
        startDeadlineMs: 60_000,
      })
      expect((await new Client(standby.url).get('/ready')).status).toBe(200)
      const tookMs = performance.now() - detectedMs
      await until('the journal', () => openIn(join(elsewhere, 'switchboard.sqlite')) === 0)
      const kept = messagesIn(join(elsewhere, 'switchboard.sqlite'))
      const lost = [...acknowledgedMs].filter(([message]) => !kept.has(message))
      const oldestS = Math.max(0, ...lost.map(([, atMs]) => killedMs - atMs)) / 1_000
      process.stdout.write(
        `    ready ${(tookMs / 1_000).toFixed(1)} s after detection; lost ${lost.length} of ` +
          `${acknowledgedMs.size} acknowledged webhooks, those of the last ${oldestS.toFixed(1)} s\n`,
      )
      expect(tookMs).toBeLessThan(10_000)
      expect(oldestS).toBeLessThan(5)
      expect(tagsIn(join(elsewhere, 'switchboard.sqlite'))).toBe(1)
    },
    240_000,
  )

  test.skipIf(missing !== null)(
    'goes back to a point in time as the guide says',
    async () => {
      const own = join(folder, 'back')
      const data = join(own, 'data', 'switchboard.sqlite')
      const yaml = join(own, 'litestream.yml')
      const env = {
        DATA_DIR: join(own, 'data'),
        ADMIN_PASSWORD: PASSWORD,
        PASSWORD_MEMORY_MIB: '8',
        PLATFORM_BASE_URL: simulator.url,
      }
      mkdirSync(own)
      writeFileSync(
        yaml,
        recipe('Litestream', 'yaml', {
          '/var/lib/switchboard/switchboard.sqlite': data,
          '/mnt/elsewhere/switchboard': join(own, 'replica'),
        }),
      )
      const server = await ServerProcess.start({ cwd: own, env })
      const replicating = litestream('replicate', '-config', yaml)
      const admin = await adminOf(server)
      const replicated = async (count: number): Promise<void> => {
        const copy = join(own, 'copy.sqlite')
        for (let round = 0; tagsIn(copy) !== count; round += 1) {
          expect(round).toBeLessThan(100)
          for (const end of ['', '-wal', '-shm', '-txid']) rmSync(copy + end, { force: true })
          await litestream('restore', '-config', yaml, '-o', copy, data).exited
        }
      }
      expect((await admin.post('/api/tags', { name: 'kept' })).status).toBe(201)
      await replicated(1)
      const moment = new Date().toISOString()
      expect((await admin.post('/api/tags', { name: 'by mistake' })).status).toBe(201)
      await replicated(2)

      // the lines of the guide, with the paths of this folder
      const page = readFileSync(
        join(import.meta.dir, '../../src/docs/backup-and-restore.md'),
        'utf8',
      )
      const [, section = ''] = page.split('### Go back to a point in time')
      const [, commands = ''] = /```sh\n(.*?)```/s.exec(section) ?? []
      const [, restore = ''] = /^litestream (restore .*?)(?=^\w)/ms.exec(commands) ?? []
      expect(commands).toContain('switchboard restore restored.sqlite --yes')
      const args = restore
        .replaceAll('\\\n', ' ')
        .replace('/etc/litestream.yml', yaml)
        .replace(/20\d\d-\S+Z/, moment)
        .replace('/var/lib/switchboard/switchboard.sqlite', data)
        .replace('restored.sqlite', join(own, 'restored.sqlite'))
        .trim()
        .split(/\s+/)
      expect(args).toContain('-timestamp')
      await server.stop()
      replicating.kill('SIGTERM')
      await replicating.exited
      expect(await litestream(...args).exited).toBe(0)
      const back = ['restore', join(own, 'restored.sqlite'), '--yes']
      expect((await runCommand(back, { cwd: own, env })).code).toBe(0)
      await using again = await ServerProcess.start({ cwd: own, env })
      const { items } = (await (await adminOf(again)).get('/api/tags')).data as { items: Loose[] }
      expect(items.map(({ name }) => name)).toEqual(['kept'])
    },
    120_000,
  )
})
