/** A backup and its restore as the guide shows them, with what the commands print. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { runCommand } from '../support/command'
import { freePort } from '../support/ports'
import { ServerProcess } from '../support/process'
import { bash } from '../support/shell'
import { missingLine, shownIn, type Shown } from './console'

const PAGE = 'src/docs/backup-and-restore.md'

let folder: string
let env: Record<string, string>
let simulator: Simulator
let server: ServerProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recipe-backup-'))
  simulator = await startSimulator()
  const port = String(await freePort())
  env = {
    ...{ DATA_DIR: join(folder, 'data'), PASSWORD_MEMORY_MIB: '8', PORT: port },
    ...{ BASE_URL: `http://127.0.0.1:${port}`, METRICS_ADDRESS: '' },
    ...{ PLATFORM_BASE_URL: simulator.url, PLATFORM_ARCHIVE_URL: simulator.url },
  }
  server = await ServerProcess.start({ cwd: folder, env })
})

afterAll(async () => {
  await server.stop()
  await simulator.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a shown command. Returns what it prints, with the paths of the guide. */
async function print({ command }: Shown, more: Record<string, string> = {}): Promise<string> {
  const data = env['DATA_DIR'] ?? ''
  const here = command
    .replace('https://chat.example.com', env['BASE_URL'] ?? '')
    .replace('/mnt/usb', folder)
    .replace(/\/var\/lib\/switchboard\/backups\/019a…/, () => {
      const [name = ''] = readdirSync(join(data, 'backups'))
      return join(data, 'backups', name)
    })
  const [program = '', ...args] = here.split(' ')
  const printed =
    program === 'switchboard'
      ? (await runCommand(args, { cwd: folder, env: { ...env, ...more } })).out
      : await new Response(bash(here).stdout).text()
  return printed
    .replaceAll(data, '/var/lib/switchboard')
    .replaceAll(folder, '/mnt/usb')
    .replaceAll(/backups\/[\da-f-]{36}/g, 'backups/019a…')
}

/** Runs all commands of a section. */
async function tryAll(heading: string, more?: Record<string, string>): Promise<void> {
  const all = shownIn(PAGE, heading)
  expect(all.length).toBeGreaterThan(0)
  for (const shown of all)
    expect([shown.command, missingLine(shown, await print(shown, more))]).toEqual([
      shown.command,
      null,
    ])
}

test('a backup is made and listed', () => tryAll('Make backups'))

test('it is put back while the server is stopped, and the server starts from it', async () => {
  const [restore, look] = shownIn(PAGE, 'Restore')
  if (!restore || !look) throw new Error(`${PAGE} shows no restore`)
  expect(await print(restore)).not.toContain('Restored') // refused: a server uses the data
  await server.stop()
  expect(missingLine(restore, await print(restore))).toBeNull()
  server = await ServerProcess.start({ cwd: folder, env })
  expect(missingLine(look, await print(look))).toBeNull()
})

test('after an upgrade the server answers, and its schema is up to date', () => tryAll('Upgrade'))

test('a restored server that sends nothing has one problem, which is meant', () =>
  tryAll('How you see that it worked', { PLATFORM_BASE_URL: 'http://127.0.0.1:9' }))
