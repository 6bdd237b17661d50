/** The commands of the guides for people who watch over a server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'

import { bash } from '../support/shell'
import { World } from '../support/world'
import { commandsOf } from './commands'

let world: World

beforeAll(async () => {
  world = await World.create({ isConnected: false })
})

afterAll(() => world.stop())

async function printed(page: string, heading: string): Promise<string> {
  const commands = commandsOf(`src/docs/${page}.md`, heading).replaceAll(
    'http://localhost:8080',
    world.url,
  )
  const shell = bash(`set -e\n${commands.replaceAll(/^ {3}/gm, '')}`)
  const output = await new Response(shell.stdout).text()
  expect(await shell.exited).toBe(0)
  return output
}

test('a request is found in the log by its ID, with the fields that the guide names', async () => {
  await printed('logs', 'How you see that it worked')
  await world.anyone.get('/health') // a request is logged just after its answer has left
  const line = world.logLines.find((each) => each.includes('my-first-search')) ?? '{}'
  const guide = await Bun.file(`${import.meta.dir}/../../src/docs/logs.md`).text()
  const [, example = '{}'] = /```json\n(.*?)```/s.exec(guide) ?? []
  expect(Object.keys(JSON.parse(line) as object).toSorted()).toEqual(
    Object.keys(JSON.parse(example) as object).toSorted(),
  )
  expect(JSON.parse(line)).toMatchObject({ code: 'unauthorized', level: 'info', msg: 'request' })
})

test('the health check and the check of the protection answer as the guides say', async () => {
  expect(await printed('monitor', 'In five minutes')).toContain('"status":"ready"')
  const checked = await printed('security', 'Check it')
  expect(checked).toContain("default-src 'none'")
  expect(checked.trim().split('\n').at(-1)).toBe('401')
})
