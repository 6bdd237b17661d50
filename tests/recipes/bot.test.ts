/** The bot in five calls, as the guide prints it. */
import { expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { World } from '../support/world'
import { commandsOf, run } from './commands'

const repliesOf = (answer: Loose | undefined): unknown[] =>
  (((answer ?? {})['data'] as Loose)['replies'] as Loose[]).map(
    ({ message }) => (message as Loose)['text'] ?? (message as Loose)['type'],
  )

test('a bot in five calls works as the guide prints it', async () => {
  const world = await World.create()
  const { token } = await world.as('admin')
  const commands = commandsOf('src/docs/bot.md', 'A bot in five calls')
  const answers = await run(world, `TOKEN=${token}\n${commands}`)
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill('success'))
  expect(repliesOf(answers[3])).toEqual([
    'Hello!\n\nWe are open from 9 to 18.',
    'What is your order number?',
    'We look it up.',
  ])
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
