import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = join(import.meta.dir, '../..')

/** The migration that the next version adds. */
export const NEXT_TAG = '0001_next'

/** Sources whose changes to files count as steps of a process. */
const COUNTED =
  /^(?:infra\/backup\/.+|infra\/data-dir|commands\/.+|migrate|secrets|recovery-sheet)\.ts$/

/**
 * Copies the sources into a folder, in a form that is killed at one of its steps (`killing-fs.ts`).
 * Returns the command that starts the copy.
 */
export function killableVersion(folder: string): string[] {
  mkdirSync(folder)
  for (const part of ['src', 'drizzle', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const killing = JSON.stringify(fileURLToPath(import.meta.resolve('./killing-fs.ts')))
  for (const name of new Bun.Glob('**/*.ts').scanSync(join(folder, 'src'))) {
    if (!COUNTED.test(name)) continue
    const path = join(folder, 'src', name)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll("'node:fs'", killing))
  }
  return [process.execPath, join(folder, 'src/main.ts')]
}

/** The same for a version of this number without a migration of its own. */
export function numberedVersion(folder: string, version: string): string[] {
  const command = killableVersion(folder)
  const path = join(folder, 'package.json')
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), version }))
  return command
}

/** The same for a next version, which has one more migration. */
export function nextVersion(folder: string, version?: string): string[] {
  const command = version === undefined ? killableVersion(folder) : numberedVersion(folder, version)
  writeFileSync(
    join(folder, 'drizzle', `${NEXT_TAG}.sql`),
    'create table next_things (id integer primary key) strict;',
  )
  return command
}
