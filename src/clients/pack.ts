/**
 * `bun run packages`: makes the client packages of this version in `dist/clients`: a tarball for
 * npm, and a wheel and a source distribution for pip, by hatchling in an environment of its own.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readDocument, ROOT, writePython, writeTypescript } from './write'

const BUILDERS = ['build==1.6.1', 'hatchling==1.33.0']
const STEP_MS = 5 * 60_000

/** Runs a program in a folder. Throws what it printed if it fails. */
async function run(folder: string, ...command: string[]): Promise<void> {
  const child = Bun.spawn(command, {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: STEP_MS,
  })
  const said = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${said.join('\n')}`)
}

/** Compiles the TypeScript package in a folder, and packs it. */
async function packTypescript(folder: string, target: string): Promise<void> {
  await writeTypescript(folder, await readDocument())
  await run(ROOT, process.execPath, 'x', '--bun', 'tsc', '-p', folder)
  const lib = join(folder, 'lib')
  // Node finds a file by its whole name only.
  for (const name of readdirSync(lib)) {
    const text = await Bun.file(join(lib, name)).text()
    await Bun.write(join(lib, name), text.replaceAll(/(from ')(\.\/[\w.]+)(')/g, '$1$2.js$3'))
  }
  await run(folder, process.execPath, 'pm', 'pack', '--destination', target)
}

/** Makes wheel and source distribution of the Python package in a folder. */
async function packPython(folder: string, target: string): Promise<void> {
  await writePython(folder, await readDocument())
  const tools = `${folder}-tools`
  await run(folder, 'python3', '-m', 'venv', tools)
  const python = join(tools, 'bin/python')
  await run(folder, python, '-m', 'pip', 'install', '--quiet', ...BUILDERS)
  await run(folder, python, '-m', 'build', '--no-isolation', '--outdir', target)
}

/** Makes all packages in a folder, and returns their names. */
export async function packClients(target: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-clients-'))
  try {
    mkdirSync(target, { recursive: true })
    for (const [name, pack] of [
      ['typescript', packTypescript],
      ['python', packPython],
    ] as const) {
      const own = join(folder, name)
      mkdirSync(own)
      cpSync(join(ROOT, 'LICENSE'), join(own, 'LICENSE'))
      await pack(own, target)
    }
    return readdirSync(target).filter((name) => /^switchboard.client-/.test(name))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const target = join(ROOT, 'dist/clients')
  rmSync(target, { recursive: true, force: true })
  for (const name of await packClients(target)) process.stdout.write(`dist/clients/${name}\n`)
}
