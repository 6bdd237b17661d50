/** The steps of an operator, with what the guide says that they print. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { runCommand } from '../support/command'
import { freePort } from '../support/ports'
import { ServerProcess } from '../support/process'
import { bash } from '../support/shell'
import { missingLine, shownIn, type Shown } from './console'

const PAGE = 'src/docs/operate.md'
const steps = shownIn(PAGE, 'On a machine with systemd')
const LOG = 'journalctl -u switchboard'

let folder: string
let env: Record<string, string>
let simulator: Simulator
let server: ServerProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recipe-operate-'))
  simulator = await startSimulator()
  const [port, metrics] = [await freePort(), await freePort()]
  env = {
    ...{ DATA_DIR: join(folder, 'data'), PASSWORD_MEMORY_MIB: '8', PORT: String(port) },
    ...{ BASE_URL: `http://127.0.0.1:${port}`, METRICS_ADDRESS: `127.0.0.1:${metrics}` },
    ...{ PLATFORM_BASE_URL: simulator.url, PLATFORM_ARCHIVE_URL: simulator.url },
  }
  server = await ServerProcess.start({ cwd: folder, env })
  await server.until('the login', () => server.lines.find((line) => line.includes('Password')))
})

afterAll(async () => {
  await server.stop()
  await simulator.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a shown command with this server. Returns what it prints, with the paths of the guide. */
async function print({ command }: Shown): Promise<string> {
  if (command === LOG) return server.lines.join('\n')
  const [program = '', ...args] = command.split(' ')
  const run =
    program === 'switchboard'
      ? (await runCommand(args, { cwd: folder, env })).out
      : await new Response(
          bash(
            command
              .replace('https://chat.example.com', env['BASE_URL'] ?? '')
              .replace('127.0.0.1:9464', env['METRICS_ADDRESS'] ?? ''),
          ).stdout,
        ).text()
  return run.replaceAll(env['DATA_DIR'] ?? '', '/var/lib/switchboard')
}

describe('a command of the guide prints what it says', () => {
  test.each(steps)('$command', async (shown) => {
    expect(missingLine(shown, await print(shown))).toBeNull()
  })

  test('and no step is left out', () => {
    expect(steps.map(({ command }) => command)).toEqual([
      'switchboard version',
      'switchboard health --ready',
      LOG,
      'curl https://chat.example.com/ready',
      'switchboard doctor',
      'switchboard backup',
      'curl -s http://127.0.0.1:9464/metrics',
      'switchboard migrate --status',
    ])
    expect(steps.filter(({ output }) => output.length === 0)).toEqual([])
  })
})

test('the first start of a server prints what the guide says', () => {
  const [shown] = shownIn('src/docs/start.md', 'Start a server of your own')
  expect(shown?.command).toBe('switchboard')
  const printed = server.lines.join('\n').replaceAll(`localhost:${env['PORT']}`, 'localhost:8080')
  expect(shown && missingLine(shown, printed)).toBeNull()
})

test('a setting is refused, and shown once it is valid, as the guide says', async () => {
  const all = shownIn('src/docs/configure.md', 'Change a setting')
  expect(all).toHaveLength(2)
  for (const shown of all) {
    const words = shown.command.split(' ')
    const at = words.indexOf('switchboard')
    const set = Object.fromEntries(words.slice(0, at).map((word) => word.split('=')))
    const args = words.slice(at + 1)
    const { out, errors } = await runCommand(args, { cwd: folder, env: { ...env, ...set } })
    expect([shown.command, missingLine(shown, out + errors)]).toEqual([shown.command, null])
  }
})

test('what is not printed is found', () => {
  const shown = { command: 'x', output: ['a  b', '…', 'c …'] }
  expect(missingLine(shown, 'a b\nanything\nc 1\n')).toBeNull()
  expect(missingLine(shown, 'a b\nanything\nd 1\n')).toBe('c …')
  expect(missingLine(shown, 'c 1\na b\n')).toBe('c …')
  expect(missingLine({ ...shown, output: ['a.c'] }, 'abc')).toBe('a.c')
})
