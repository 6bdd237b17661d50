import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

/** What the figures were measured on. */
export function machineOf(folder: string): string {
  const [first] = cpus()
  const disk = Bun.spawnSync(['stat', '-f', '-c', '%T', folder]).stdout.toString().trim()
  return `${cpus().length} cores ${first?.model.trim() ?? 'unknown'}, Bun ${Bun.version}, data on ${disk || 'an unknown file system'}, default settings (\`DB_SYNCHRONOUS=full\`, log to a pipe), load generator on the same cores.`
}

/** Writes a report to `results/<name>.md`, below the heading that the file has. */
export function save(name: string, report: string): void {
  const path = join(import.meta.dir, 'results', `${name}.md`)
  const [heading] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [`# ${name}`]
  writeFileSync(path, `${heading}\n\n${report}\n`)
}
