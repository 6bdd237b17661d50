/** The bot in five calls, as the README and the guide print it. */
import { describe, expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { World } from '../support/world'
import { commandsOf, run } from './commands'

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
