import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

const README = join(import.meta.dir, 'README.md')

/** What the figures were measured on. */
export function machineOf(folder: string): string {
  const [first] = cpus()
  const disk = Bun.spawnSync(['stat', '-f', '-c', '%T', folder]).stdout.toString().trim()
  return `${cpus().length} cores ${first?.model.trim() ?? 'unknown'}, Bun ${Bun.version}, data on ${disk || 'an unknown file system'}, settings as they come (\`DB_SYNCHRONOUS=full\`, log to a pipe), load generator on the same cores.`
}

/** Writes a table into its place in the README of this folder. */
export function save(name: string, report: string): void {
  const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const text = readFileSync(README, 'utf8')
  const [start, end] = [text.indexOf(from), text.indexOf(to)]
  if (start === -1 || end === -1)
    throw new Error(`the README has no place for the table of ${name}`)
  writeFileSync(README, `${text.slice(0, start + from.length)}\n${report}\n${text.slice(end)}`)
}
