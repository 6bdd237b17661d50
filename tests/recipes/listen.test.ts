/** The socket, as the guide opens it. */
import { expect, test } from 'bun:test'

import { bash } from '../support/shell'
import { World } from '../support/world'
import { commandsOf } from './commands'

test('the guide opens a socket with a ticket and prints the events', async () => {
  const world = await World.create()
  const { token } = await world.as('admin')
  const commands = commandsOf('src/docs/integrate.md', 'Listen')
  expect(commands).not.toContain('?token=')
  const shell = bash(
    `TOKEN=${token}\n${commands}`
      .replaceAll('localhost:8080', new URL(world.url).host)
      .replace(/^bun -e/m, `exec '${process.execPath}' -e`),
  )
  let printed = ''
  try {
    await world.eventually(() => world.program.realtime.sockets.count().all > 0)
    await world.contactOf()
    for await (const part of shell.stdout) {
      printed += new TextDecoder().decode(part)
      if (printed.includes('"type":"message:new"')) break
    }
  } finally {
    shell.kill('SIGKILL')
    await shell.exited
    await world.stop()
  }
  expect(printed).toContain('"type":"message:new"')
})
