/** The bot in five calls, as the README and the guide print it. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Loose } from '../support/client'
import { bash } from '../support/shell'
import { PASSWORD, World } from '../support/world'

/** Returns the shell commands below a heading of a page. */
function commandsOf(page: string, heading: string): string {
  const text = readFileSync(join(import.meta.dir, '../..', page), 'utf8')
  const [section = ''] = text.slice(text.indexOf(`## ${heading}\n`) + 3).split('\n## ')
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands).join('\n')
}

/** Runs commands of a page with this server. Returns the answers. */
async function run(world: World, commands: string): Promise<Loose[]> {
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

const repliesOf = (answer: Loose | undefined): unknown[] =>
  (((answer ?? {})['data'] as Loose)['replies'] as Loose[]).map(
    ({ message }) => (message as Loose)['text'] ?? (message as Loose)['type'],
  )

describe('a bot in five calls', () => {
  test.each([
    ['README.md', ['We are open from 9 to 18.']],
    [
      'src/docs/bot.md',
      ['Hello!\n\nWe are open from 9 to 18.', 'What is your order number?', 'We look it up.'],
    ],
  ])('works as %s prints it', async (page, replies) => {
    const world = await World.create()
    const { token } = await world.as('admin')
    const answers = await run(world, `TOKEN=${token}\n${commandsOf(page, 'A bot in five calls')}`)
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill('success'))
    expect(repliesOf(answers[3])).toEqual(replies)
    const customer = world.simulator.customer({ phone: world.tenant.phoneId })
    await customer.says('Hi! When do you open?')
    await world.settle()
    world.clock.advance({ seconds: 3 })
    await world.settle()
    expect(JSON.stringify(customer.received().map(({ body }) => body))).toContain(
      'We are open from 9 to 18.',
    )
    await world.stop()
  })
})
