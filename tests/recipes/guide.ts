import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Page = 'operate' | 'second-server'

const guide = (page: Page): string =>
  readFileSync(join(import.meta.dir, `../../src/docs/${page}.md`), 'utf8')

/**
 * The blocks of a section of a guide that are written in a language. Throws when there is none.
 */
export function recipesOf(section: string, language: string, page: Page = 'operate'): string[] {
  const [, text] = guide(page).split(`\n## ${section}\n`)
  const own = text?.split('\n## ')[0] ?? ''
  const blocks = [...own.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, written]) => written === language)
    .map(([, , block]) => block ?? '')
  if (blocks.length === 0)
    throw new Error(`src/docs/${page}.md has no ${language} under "${section}"`)
  return blocks
}

/**
 * The first of them with parts replaced. Throws when one of the parts is not in it: the recipe has
 * changed.
 */
export function recipe(
  section: string,
  language: string,
  replaced: Record<string, string>,
  page: Page = 'operate',
): string {
  let [text = ''] = recipesOf(section, language, page)
  for (const [part, by] of Object.entries(replaced)) {
    if (!text.includes(part)) throw new Error(`the recipe for ${section} has no ${part}`)
    text = text.replaceAll(part, by)
  }
  return text
}

/**
 * Says which of the programs a test needs are not installed; `null` when all are. Shown beside a
 * skipped test.
 */
export function missingOf(...programs: string[]): string | null {
  const missing = programs.filter(
    (program) => Bun.which(program, { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }) === null,
  )
  return missing.length === 0 ? null : missing.join(' and ')
}

/** Says why Litestream cannot be tried: it is not installed, or is older than its follower. */
export function missingLitestream(): string | null {
  const missing = missingOf('litestream')
  if (missing !== null) return `${missing} is not installed`
  const { stdout, stderr } = Bun.spawnSync(['litestream', 'restore', '-h'])
  const help = `${stdout.toString()}${stderr.toString()}`
  return /^\s+-f$/m.test(help) ? null : 'its restore has no -f; 0.5.18 has'
}
