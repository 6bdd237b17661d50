import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startSimulator, type Simulator } from '../simulator/platform'
import { Client } from '../support/client'
import { runCommand } from '../support/command'
import { ServerProcess } from '../support/process'
import { missingOf, recipe, recipesOf } from './guide'

const PASSWORD = 'correct horse battery'
const missing = missingOf('litestream')

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

/**
 * Makes stand-ins for programs of the guide's script: the runtime's own SQLite for sqlite3, and a
 * clock that can be moved.
 */
function standIns(): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const code = `import { Database } from 'bun:sqlite'
const [file, sql] = process.argv.slice(-2)
console.log(Object.values(new Database(file.replace(/^file:|\\?.*$/g, ''), { readonly: true }).query(sql).get())[0])`
  writeFileSync(join(bin, 'sqlite3.ts'), code)
  writeFileSync(
    join(bin, 'sqlite3'),
    `#!/bin/sh\nexec ${process.execPath} ${join(bin, 'sqlite3.ts')} "$@"\n`,
    { mode: 0o755 },
  )
  writeFileSync(join(bin, 'date'), '#!/bin/sh\necho "$SECONDS_NOW"\n', { mode: 0o755 })
  return bin
}

/** What the guide's script says of the follower so many seconds from now. */
function saidOfFollower(laterS: number): string {
  const script = recipesOf('Litestream', 'sh').at(-1) ?? ''
  const { stdout, stderr } = Bun.spawnSync(['sh', '-c', script], {
    cwd: folder,
    env: {
      PATH: `${standIns()}:${process.env['PATH'] ?? ''}`,
      SECONDS_NOW: String(Math.floor(Date.now() / 1000) + laterS),
    },
  })
  expect(stderr.toString()).toBe('')
  return stdout.toString().trim()
}

describe(
  missing === null ? 'with Litestream' : 'with Litestream (not tried: litestream not installed)',
  () => {
    test.skipIf(missing !== null)(
      'a copy on another disk is restored with what was written until the last second, and a stalled follower is noticed',
      async () => {
        const env = {
          DATA_DIR: join(folder, 'data'),
          ADMIN_PASSWORD: PASSWORD,
          PASSWORD_MEMORY_MIB: '8',
          PLATFORM_BASE_URL: simulator.url,
        }
        await using server = await ServerProcess.start({ cwd: folder, env })
        const replica = join(folder, 'replica')
        writeFileSync(
          config(),
          recipe('Litestream', 'yaml', {
            '/var/lib/switchboard/switchboard.sqlite': source(),
            '/mnt/elsewhere/switchboard': replica,
          }),
        )
        litestream('replicate', '-config', config())

        const login = await new Client(server.url).post('/api/auth/login', {
          email: 'admin@switchboard.local',
          password: PASSWORD,
        })
        const admin = new Client(server.url, {
          authorization: `Bearer ${login.data['access_token']}`,
        })
        const tag = async (name: string): Promise<number> =>
          (await admin.post('/api/tags', { name })).status
        for (let nth = 1; nth <= 20; nth += 1) expect(await tag(`tag ${nth}`)).toBe(201)

        // A follower comes close and stays close.
        await until('the first copy', () => existsSync(replica))
        const follower = join(folder, 'follower.sqlite')
        let following: Bun.Subprocess | null = null
        await until('the follower', () => {
          if (following === null || following.exitCode !== null)
            following = litestream('restore', '-f', '-config', config(), '-o', follower, source())
          return tagsIn(follower) === 20
        })
        expect(await tag('followed')).toBe(201)
        await until('the follower goes on', () => tagsIn(follower) === 21)
        expect(saidOfFollower(0)).toBe('')

        // It stalls without ending while the clockwork of the server goes on: the guide's script
        // notices, and when it has caught up again.
        const { pid } = following as unknown as Bun.Subprocess
        process.kill(pid, 'SIGSTOP')
        using database = new Database(source())
        database.run('pragma busy_timeout = 5000')
        database.run('update job_schedules set slot_ms = slot_ms + 300000')
        expect(saidOfFollower(300)).toMatch(/^the follower is \d+ seconds behind$/)
        process.kill(pid, 'SIGCONT')
        await until('the follower catches up', () => saidOfFollower(300) === '')

        // What was written more than a second ago is on the other disk when the machine is gone.
        expect(await tag('the last one')).toBe(201)
        await until('the last copy', () => {
          const tried = join(folder, `tried-${Math.random()}.sqlite`)
          Bun.spawnSync(['litestream', 'restore', '-config', config(), '-o', tried, source()], {
            cwd: folder,
          })
          return tagsIn(tried) === 22
        })
        await server.kill()
        const restored = join(folder, 'restored.sqlite')
        expect(
          await litestream('restore', '-config', config(), '-o', restored, source()).exited,
        ).toBe(0)
        const elsewhere = join(folder, 'elsewhere')
        mkdirSync(elsewhere, { mode: 0o700 })
        copyFileSync(join(folder, 'data', 'secret.key'), join(elsewhere, 'secret.key'))
        const restoring = await runCommand(['restore', restored, '--yes'], {
          cwd: folder,
          env: { ...env, DATA_DIR: elsewhere },
        })
        expect({ code: restoring.code, errors: restoring.errors }).toEqual({ code: 0, errors: '' })
        expect(tagsIn(join(elsewhere, 'switchboard.sqlite'))).toBe(22)
      },
      240_000,
    )
  },
)
