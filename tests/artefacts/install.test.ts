import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { fileOf } from '../../src/release/executables'
import { writeFiles } from '../../src/release/files'
import { TARGETS, type Target } from '../../src/release/targets'

const SCRIPT = join(import.meta.dir, '../../src/deploy/install.sh')

let folder: string
/** Where it is installed. */
let place: string
/** What the server has, by name. */
let files: Record<string, string | Uint8Array>
let server: Bun.Server<undefined>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'install-'))
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const body = files[new URL(url).pathname.slice('/v1/'.length)]
      return body === undefined ? new Response('', { status: 404 }) : new Response(body)
    },
  })
})

afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  place = mkdtempSync(join(folder, 'bin-'))
  publish(Object.fromEntries(Object.keys(TARGETS).map((name) => [name, `echo '1.2.3 ${name}'`])))
})

/** Lets the server have a release of programs, which are shell scripts here. */
function publish(programs: Record<string, string>): void {
  files = Object.fromEntries(
    Object.entries(programs).map(([target, script]) => [
      fileOf(target as Target),
      gzipSync(`#!/bin/sh\n${script}\n`),
    ]),
  )
  const sums = Object.entries(files).map(
    ([name, body]) => `${new Bun.CryptoHasher('sha256').update(body).digest('hex')}  ${name}\n`,
  )
  files['SHA256SUMS'] = sums.join('')
}

interface Machine {
  system?: string
  processor?: string
  libc?: string
  /** What macOS says if it translates the shell for an older processor. */
  translated?: string
  env?: Record<string, string>
  script?: string
}

/** Runs the script as on a machine; returns its exit code and what it says. */
async function install({
  system = 'Linux',
  processor = 'x86_64',
  libc = 'ldd (GNU libc) 2.36',
  translated = '',
  env = {},
  script = SCRIPT,
}: Machine = {}): Promise<{ code: number; out: string; errors: string }> {
  const tools = mkdtempSync(join(folder, 'tools-'))
  const tool = (name: string, lines: string): void => {
    writeFileSync(join(tools, name), `#!/bin/sh\n${lines}\n`)
    chmodSync(join(tools, name), 0o755)
  }
  tool('uname', `case $1 in -s) echo ${system} ;; -m) echo ${processor} ;; esac`)
  tool('ldd', `echo '${libc}' >&2; exit 1`)
  tool('sysctl', translated === '' ? 'exit 1' : `echo ${translated}`)
  const child = Bun.spawn(['sh', script], {
    env: {
      PATH: `${tools}:${process.env['PATH'] ?? '/usr/bin:/bin'}`,
      SWITCHBOARD_DOWNLOADS: `http://127.0.0.1:${server.port}/v1`,
      SWITCHBOARD_FOLDER: place,
      ...env,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, errors }
}

const installed = (): string => join(place, 'switchboard')

test.each([
  ['Linux', 'x86_64', 'ldd (GNU libc) 2.36', 'linux-x64'],
  ['Linux', 'aarch64', 'ldd (Debian GLIBC 2.36-9) 2.36', 'linux-arm64'],
  ['Linux', 'x86_64', 'musl libc (x86_64)', 'linux-x64-musl'],
  ['Linux', 'aarch64', 'musl libc (aarch64)', 'linux-arm64-musl'],
  ['Darwin', 'arm64', '', 'darwin-arm64'],
  ['Darwin', 'x86_64', '', 'darwin-x64'],
])('%s on %s with "%s" gets %s', async (system, processor, libc, target) => {
  expect(await install({ system, processor, libc })).toEqual({
    code: 0,
    out:
      `Installed ${installed()} 1.2.3 ${target}\nTry it with "${installed()} demo". ` +
      `"${installed()}" alone starts a server; its guides are at /docs.\n`,
    errors: '',
  })
  expect(statSync(installed()).mode & 0o777).toBe(0o755)
  expect(readdirSync(place)).toEqual(['switchboard'])
})

test('a shell that is translated gets the executable of the real processor', async () => {
  const { out } = await install({ system: 'Darwin', processor: 'x86_64', translated: '1' })
  expect(out).toContain('1.2.3 darwin-arm64')
})

test('an older executable is replaced', async () => {
  writeFileSync(installed(), 'old')
  expect((await install()).code).toBe(0)
  expect(readFileSync(installed(), 'utf8')).toContain('1.2.3 linux-x64')
})

describe('nothing is installed, the older executable stays and nothing is left behind', () => {
  const refused = async (machine: Machine, sentence: string | RegExp): Promise<void> => {
    writeFileSync(installed(), 'old')
    const { code, out, errors } = await install(machine)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(errors).toMatch(sentence)
    expect(errors.trimEnd().split('\n').at(-1)).toStartWith('switchboard was not installed: ')
    expect(readFileSync(installed(), 'utf8')).toBe('old')
    expect(readdirSync(place)).toEqual(['switchboard'])
  }

  test('when the checksum is wrong', async () => {
    files['switchboard-linux-x64.gz'] = gzipSync('#!/bin/sh\necho other\n')
    await refused({}, 'the checksum of switchboard-linux-x64.gz is wrong')
  })

  test('when the checksums do not name it', async () => {
    files['SHA256SUMS'] = `${'0'.repeat(64)}  other-switchboard-linux-x64.gz\n`
    await refused({}, 'the release has no switchboard-linux-x64.gz')
  })

  test('when a file is not there', async () => {
    delete files['switchboard-linux-x64.gz']
    await refused({}, /v1\/switchboard-linux-x64\.gz could not be downloaded/)
    delete files['SHA256SUMS']
    await refused({}, /v1\/SHA256SUMS could not be downloaded/)
  })

  test('when it does not run on this machine', async () => {
    publish({ 'linux-x64': 'exit 127' })
    await refused({}, 'linux-x64 does not run on this machine')
  })

  test('when it is not packed', async () => {
    const body = 'not packed'
    const sum = new Bun.CryptoHasher('sha256').update(body).digest('hex')
    files = { 'switchboard-linux-x64.gz': body, SHA256SUMS: `${sum}  switchboard-linux-x64.gz\n` }
    await refused({}, 'cannot be unpacked')
  })

  test('for a system or a processor without an executable', async () => {
    await refused({ system: 'FreeBSD' }, 'no executable for FreeBSD')
    await refused({ processor: 'riscv64' }, 'no executable for the processor riscv64')
  })

  test('when no address is known', async () => {
    await refused({ env: { SWITCHBOARD_DOWNLOADS: '' } }, 'SWITCHBOARD_DOWNLOADS must be')
  })
})

test('a folder that cannot be written is said', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const { code, errors } = await install({ env: { SWITCHBOARD_FOLDER: join(file, 'bin') } })
  expect([code, errors]).toEqual([1, expect.stringContaining('cannot be written')])
})

test('the script of a release knows its address, and is checked like the other files', async () => {
  const release = join(folder, 'release')
  mkdirSync(release)
  writeFiles(
    new URL(`https://example.com/Acme/switchboard`),
    { date: '2026-12-01', text: '- One.\n' },
    release,
  )
  expect(readdirSync(release).toSorted()).toEqual([
    'CHANGES.md',
    'SHA256SUMS',
    'compose.yaml',
    'install.sh',
    'switchboard.cdx.json',
    'switchboard.service',
  ])
  const text = (name: string): string => readFileSync(join(release, name), 'utf8')
  const sums = Bun.spawnSync(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: release })
  expect(sums.stdout.toString().match(/: OK$/gm)).toHaveLength(5)
  expect(text('CHANGES.md')).toMatch(/^# Switchboard \d+\.\d+\.\d+, 2026-12-01\n\n- One\.\n$/)
  expect(text('compose.yaml')).toMatch(/^ {4}image: ghcr\.io\/acme\/switchboard:\d+\.\d+\.\d+$/m)
  expect(text('install.sh')).toMatch(
    /https:\/\/example\.com\/Acme\/switchboard\/releases\/download\/v\d+\.\d+\.\d+\}$/m,
  )
  const there = await install({ script: join(release, 'install.sh') })
  expect(there).toMatchObject({ code: 0, out: expect.stringContaining('Installed') })
  expect(existsSync(installed())).toBe(true)
})
