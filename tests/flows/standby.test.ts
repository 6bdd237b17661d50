import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { Client } from '../support/client'
import { runCommand } from '../support/command'
import { ServerProcess } from '../support/process'

const PASSWORD = 'correct horse battery'

let folder: string
let simulator: Simulator

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'standby-'))
  simulator = await startSimulator()
})

afterEach(async () => {
  await simulator.stop()
  rmSync(folder, { recursive: true, force: true })
})

const optionsOf = (name: string, args?: string[], env: Record<string, string> = {}) => ({
  cwd: folder,
  env: {
    DATA_DIR: join(folder, name),
    ADMIN_PASSWORD: PASSWORD,
    PASSWORD_MEMORY_MIB: '8',
    PLATFORM_BASE_URL: simulator.url,
    ...env,
  },
  ...(args ? { args } : {}),
})

async function adminOf(server: ServerProcess): Promise<Client> {
  const { data } = await new Client(server.url).post('/api/auth/login', {
    email: 'admin@switchboard.local',
    password: PASSWORD,
  })
  return new Client(server.url, { authorization: `Bearer ${data['access_token']}` })
}

const addTag = async (server: ServerProcess, name: string): Promise<number> =>
  (await (await adminOf(server)).post('/api/tags', { name })).status

const tagsOf = async (server: ServerProcess): Promise<string[]> =>
  ((await (await adminOf(server)).get('/api/tags')).data['items'] as { name: string }[]).map(
    ({ name }) => name,
  )

/** Copies a database that a server uses, as a follower has it. */
function follow(from: string, to: string): void {
  using database = new Database(join(folder, from, 'switchboard.sqlite'))
  database.query('vacuum into ?').run(to)
}

/** Writes the fence of a data folder as a server on another machine does. */
function beatElsewhere(name: string): () => void {
  const path = join(folder, name, 'writer.json')
  let beat = 0
  const write = (): void => {
    beat += 1
    const writer = { id: 'elsewhere', machine: 'another boot', host: 'node-b', beat }
    writeFileSync(path, JSON.stringify(writer).padEnd(512))
  }
  write()
  const timer = setInterval(write, 200)
  return () => clearInterval(timer)
}

test('a data folder has one writer, also when another machine sees it', async () => {
  const server = await ServerProcess.start(optionsOf('data'))
  // On one machine the lock of the system decides, and ends with the process.
  expect((await runCommand(['serve'], optionsOf('data'))).errors).toContain(
    'Another Switchboard process is using',
  )
  await server.kill()
  expect(existsSync(join(folder, 'data', 'writer.json'))).toBe(true)
  const again = await ServerProcess.start(optionsOf('data'))
  // Another machine, whose lock this one does not see, takes the folder over: this one ends.
  const stop = beatElsewhere('data')
  expect(await again.ended()).toBe(1)
  expect(again.lines.join('\n')).toContain('another machine has taken over the data folder')
  // While that one writes, nothing starts here.
  const refused = await runCommand(['serve'], optionsOf('data'))
  expect([refused.code, refused.errors]).toEqual([
    1,
    expect.stringContaining('Another Switchboard process on node-b is using'),
  ])
  // It died: after some seconds without a sign the folder is free.
  stop()
  await using last = await ServerProcess.start(optionsOf('data'))
  expect(await addTag(last, 'Taken over')).toBe(201)
  expect(await last.stop()).toBe(0)
  expect(existsSync(join(folder, 'data', 'writer.json'))).toBe(false)
}, 60_000)

test('promotes a follower, another data folder, and an attached volume', async () => {
  const first = await ServerProcess.start(optionsOf('data'))
  expect(await addTag(first, 'Replicated')).toBe(201)
  const follower = join(folder, 'follower.sqlite')
  follow('data', follower)
  expect(await addTag(first, 'Not yet replicated')).toBe(201)

  // A server that lives is not promoted from its own folder.
  const data = join(folder, 'data')
  const alive = await runCommand(['promote', '--from', data], optionsOf('other'))
  expect([alive.code, alive.errors]).toEqual([1, expect.stringContaining('is using')])
  await first.kill()

  // From the follower: what it does not have is lost.
  const standby = optionsOf('standby', ['promote', '--from', follower], {
    SECRET_KEY: readFileSync(join(data, 'secret.key'), 'utf8').trim(),
  })
  const second = await ServerProcess.start(standby)
  expect(await tagsOf(second)).toEqual(['Replicated'])
  await second.kill()
  // A second promotion would undo what happened since the first one.
  const twice = await runCommand(['promote', '--from', follower], standby)
  expect([twice.code, twice.errors]).toEqual([2, expect.stringContaining('--yes')])

  // From the data folder of the server that ended: nothing is lost, and its key comes along.
  const third = await ServerProcess.start(optionsOf('third', ['promote', '--from', data]))
  expect(await tagsOf(third)).toEqual(['Not yet replicated', 'Replicated'])
  await third.kill()

  // From a volume that was attached here: it is the data folder.
  await using fourth = await ServerProcess.start(optionsOf('data', ['promote', '--from', data]))
  expect(await tagsOf(fourth)).toEqual(['Not yet replicated', 'Replicated'])
}, 60_000)

test('doctor reports a follower that stands still', async () => {
  const server = await ServerProcess.start(optionsOf('data'))
  const follower = join(folder, 'follower.sqlite')
  follow('data', follower)
  const env = { REPLICA_PATH: follower }
  const findingOf = async (name: string): Promise<unknown> => {
    const { out } = await runCommand(['doctor', '--json'], optionsOf(name, undefined, env))
    const { findings } = JSON.parse(out) as { findings: { check: string; state: string }[] }
    return findings.find(({ check }) => check === 'replica')?.state
  }
  const changed = (agoMs: number): void => {
    using database = new Database(follower)
    database.run('delete from events')
    database.run('delete from job_schedules')
    database
      .query('insert into job_schedules (name, slot_ms) values (?, ?)')
      .run('bot.sweep', Date.now() - agoMs)
  }
  changed(0)
  expect(await findingOf('data')).toBe('ok')
  // Also on the machine that stands by, which has no data yet.
  expect(await findingOf('standby')).toBe('ok')
  changed(60_000)
  expect(await findingOf('data')).toBe('problem')
  rmSync(follower)
  expect(await findingOf('data')).toBe('problem')
  await server.kill()
}, 60_000)
