import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Loose } from '../support/client'
import { bash } from '../support/shell'
import { PASSWORD, type World } from '../support/world'

/** Returns the shell commands below a heading of a page. */
export function commandsOf(page: string, heading: string): string {
  const text = readFileSync(join(import.meta.dir, '../..', page), 'utf8')
  const [section = ''] = text.slice(text.indexOf(`## ${heading}\n`) + 3).split('\n## ')
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands).join('\n')
}

/** Runs commands of a page with this server. Returns the answers. */
export async function run(world: World, commands: string): Promise<Loose[]> {
  const admin = world.emailOf('admin', world.tenant)
  const script = commands
    .replaceAll('http://localhost:8080', world.url)
    .replace('admin@switchboard.local', admin)
    .replace('THE PASSWORD', PASSWORD)
  const shell = bash(`set -e\n${script}`)
  const output = await new Response(shell.stdout).text()
  expect(await shell.exited).toBe(0)
  return output
    .trim()
    .split(/(?<=\})\s*(?=\{"status":)/)
    .map((answer) => JSON.parse(answer) as Loose)
}
