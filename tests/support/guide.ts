import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const GUIDE = readFileSync(join(import.meta.dir, '../../src/docs/write-a-bot.md'), 'utf8')

/** The permissions that the guide "Write a bot" gives a key. */
export const BOT_PERMISSIONS = JSON.parse(
  /"permissions": (\[.*\])/.exec(GUIDE)?.[1] ?? '[]',
) as string[]

/** The program that the guide "Write a bot" shows in a language. */
export function botIn(language: 'ts' | 'python'): string {
  const [, program] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(GUIDE) ?? []
  if (program === undefined) throw new Error(`the guide has no program in ${language}`)
  return program
}
