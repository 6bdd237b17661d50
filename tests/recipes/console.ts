import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A command as a guide shows it, with what it prints. */
export interface Shown {
  command: string
  output: string[]
}

/** Returns the commands with their output that a page shows below a heading, in order. */
export function shownIn(page: string, heading: string): Shown[] {
  const text = readFileSync(join(import.meta.dir, '../..', page), 'utf8')
  const [section = ''] = (text.split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')
  return [...section.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block.split(/^\s*\$ /m).flatMap((part) => {
      const [command = '', ...output] = part.split('\n').map((line) => line.trim())
      return command === '' ? [] : [{ command, output: output.filter((line) => line !== '') }]
    }),
  )
}

/** The pattern of a shown line: `…` stands for anything, and spaces for any number of them. */
const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split(/\s*…\s*/)
      .map((part) =>
        part
          .split(/\s+/)
          .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
          .join(String.raw`\s+`),
      )
      .join('.*')}$`,
  )

/** Returns the first shown line that the output does not have after the lines before it. */
export function missingLine({ output }: Shown, printed: string): string | null {
  const lines = printed.split('\n').map((line) => line.trim())
  let from = 0
  for (const shown of output) {
    const pattern = patternOf(shown)
    const at = lines.findIndex((line, index) => index >= from && pattern.test(line))
    if (at === -1) return shown
    from = shown === '…' ? from : at + 1
  }
  return null
}
