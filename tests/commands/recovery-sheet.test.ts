import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { encode } from 'uqr'

import type { Loose } from '../support/client'
import { runCommand, runInTerminal, type CommandResult } from '../support/command'
import { runHere } from '../support/command-here'
import { ServerProcess } from '../support/process'

let folder: string
let backup: string

const LIGHT = { PASSWORD_MEMORY_MIB: '8', PLATFORM_BASE_URL: 'http://127.0.0.1:1' }
const ADVICE = 'Run "switchboard recovery-sheet" once'
const QUIET = 4

const at = (name: string): string => join(folder, name)
const run = (args: string[], env: Record<string, string>): Promise<CommandResult> =>
  runCommand(args, { cwd: folder, env: { ...LIGHT, ...env } })
const start = (env: Record<string, string>): Promise<ServerProcess> =>
  ServerProcess.start({ cwd: folder, env: { ...LIGHT, ...env } })

const keyIn = (dataDir: string): Buffer =>
  Buffer.from(readFileSync(join(dataDir, 'secret.key'), 'utf8'), 'base64')

async function notesOf(env: Record<string, string>): Promise<string[]> {
  const { out } = await run(['doctor', '--json'], env)
  const { findings } = JSON.parse(out) as { findings: Loose[] }
  return findings
    .filter(({ check }) => check === 'recovery sheet')
    .map(({ message }) => String(message))
}

/** The key of a sheet, as a person copies it: groups and lines. */
function keyOn(sheet: string): string {
  const lines = sheet.split('\n')
  const first = lines.findIndex((line) => line.startsWith('Key       '))
  return lines
    .slice(first, first + 4)
    .map((line) => line.slice('Key       '.length))
    .join('\n')
}

/** Whether each module of a code is dark, from its halves of lines, without the quiet zone. */
function modulesOf(lines: string[]): boolean[][] {
  const rows = lines.flatMap((line) => [
    [...line].map((half) => half === '█' || half === '▀'),
    [...line].map((half) => half === '█' || half === '▄'),
  ])
  const size = (rows[0]?.length ?? 0) - 2 * QUIET
  return rows.slice(QUIET, QUIET + size).map((row) => row.slice(QUIET, QUIET + size))
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sheet-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the first start and doctor name the command until it was used', async () => {
  const env = { DATA_DIR: at('data') }
  {
    await using server = await start(env)
    await server.until('the advice', () => server.lines.find((line) => line.includes(ADVICE)))
    expect(server.complaints().filter((line) => line.includes('recovery-sheet'))).toEqual([])
    expect(await server.stop()).toBe(0)
  }
  expect(await notesOf(env)).toEqual([expect.stringContaining(ADVICE)])
  expect((await run(['recovery-sheet'], env)).code).toBe(0)
  expect(statSync(join(at('data'), 'recovery-sheet')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(at('data'), 'recovery-sheet'), 'utf8')).toMatch(/^[0-9a-f]{8}\n$/)
  expect(await notesOf(env)).toEqual([])
  backup = at('backup.zip')
  expect((await run(['backup', '--out', backup], env)).code).toBe(0)
  await using server = await start(env)
  await server.until('its addresses', () => server.lines.find((line) => line.includes('Webhooks')))
  expect(await server.stop()).toBe(0)
  expect(server.lines.join('\n')).not.toContain('recovery-sheet')
})

test('prints the key of the data folder, as text and as a QR code', async () => {
  const { code, out, errors } = await run(['recovery-sheet'], {
    DATA_DIR: at('data'),
    BASE_URL: 'https://chat.example.com',
  })
  expect([code, errors]).toEqual([0, ''])
  const hex = keyIn(at('data')).toString('hex')
  expect(keyOn(out).replaceAll(/\s/g, '')).toBe(hex)
  expect(keyOn(out).split('\n')).toEqual(
    Array.from({ length: 4 }, () => expect.stringMatching(/^(?:[0-9a-f]{4} ){3}[0-9a-f]{4}$/)),
  )
  expect(out).toContain('Server    https://chat.example.com\n')
  expect(out).toContain(`Kept in   ${join(at('data'), 'secret.key')}\n`)
  const code2d = out.split('\n').filter((line) => /^[ █▀▄]+$/.test(line))
  expect(modulesOf(code2d)).toEqual(encode(hex.toUpperCase(), { ecc: 'M', border: 0 }).data)
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(100)
})

test('is dark on light in a terminal of any colors', async () => {
  const lines = await runInTerminal(['recovery-sheet'], {
    cwd: folder,
    env: { ...LIGHT, DATA_DIR: at('data') },
    columns: 80,
  })
  const code2d = lines.filter((line) => /[█▀▄]/.test(line))
  expect(code2d.length).toBeGreaterThan(12)
  expect(
    code2d.every((line) => line.startsWith('\u001B[30;107m') && line.endsWith('\u001B[0m')),
  ).toBe(true)
})

test.each([
  ['as it is printed', (key: string) => key],
  ['in one line and capitals', (key: string) => key.replaceAll(/\s/g, '').toUpperCase()],
])('the key of the sheet restores a backup, written %s', async (name, written) => {
  const sheet = (await run(['recovery-sheet'], { DATA_DIR: at('data') })).out
  const dataDir = at(`restored ${name}`)
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(join(dataDir, 'secret.key'), `${written(keyOn(sheet))}\n`, { mode: 0o600 })
  const restored = await run(['restore', backup], { DATA_DIR: dataDir })
  expect([restored.code, restored.errors]).toEqual([0, ''])
  await using server = await start({ DATA_DIR: dataDir })
  expect(await server.stop()).toBe(0)
})

test('a digit that was copied wrongly is refused before anything changes', async () => {
  const sheet = (await run(['recovery-sheet'], { DATA_DIR: at('data') })).out
  const dataDir = at('mistaken')
  mkdirSync(dataDir, { mode: 0o700 })
  const key = keyOn(sheet)
  const wrong = (key.startsWith('0') ? '1' : '0') + key.slice(1)
  writeFileSync(join(dataDir, 'secret.key'), wrong, { mode: 0o600 })
  const { code, errors } = await run(['restore', backup], { DATA_DIR: dataDir })
  expect([code, errors]).toEqual([1, expect.stringContaining('is not the key this database')])
  expect(errors).toContain(`which has the ID ${/^Key ID +(\w+)$/m.exec(sheet)?.[1]}.`)
  expect(() => statSync(join(dataDir, 'switchboard.sqlite'))).toThrow()
})

test('says where a key of the environment is kept, and does not ask for a sheet of it', async () => {
  const key = Buffer.alloc(32, 5)
  const env = { DATA_DIR: at('environment'), SECRET_KEY: key.toString('base64') }
  {
    await using server = await start(env)
    await server.until('its addresses', () =>
      server.lines.find((line) => line.includes('Webhooks')),
    )
    expect(await server.stop()).toBe(0)
    expect(server.lines.join('\n')).not.toContain('recovery-sheet')
  }
  expect(await notesOf(env)).toEqual([])
  const { out } = await run(['recovery-sheet'], env)
  expect(out).toContain('Kept in   the environment variable SECRET_KEY\n')
  expect(out).toContain('Set SECRET_KEY to the key above')
  const asJson = await runHere(['recovery-sheet', '--json'], { cwd: folder, env })
  expect(JSON.parse(asJson.out)).toMatchObject({
    ...{ key: key.toString('hex'), source: 'SECRET_KEY', has_previous: false },
  })
})

test('asks for another sheet when the key was changed', async () => {
  const former = keyIn(at('data')).toString('hex')
  writeFileSync(join(at('data'), 'secret.key'), Buffer.alloc(32, 6).toString('base64'))
  const env = { DATA_DIR: at('data'), SECRET_KEY_PREVIOUS: former }
  expect(await notesOf(env)).toEqual([expect.stringContaining(ADVICE)])
  const { out } = await run(['recovery-sheet'], env)
  expect(keyOn(out).replaceAll(/\s/g, '')).toBe('06'.repeat(32))
  expect(out).toContain('backups from before the key was changed need the former key.')
})

test('prints no key that is not that of the database', async () => {
  const { code, out, errors } = await run(['recovery-sheet'], {
    DATA_DIR: at('environment'),
    SECRET_KEY: Buffer.alloc(32, 7).toString('hex'),
  })
  expect([code, out]).toEqual([1, ''])
  expect(errors).toContain('is not the key this database was encrypted with')
})
