/** The first message, as the README and the guide print it. */
import { expect, test } from 'bun:test'

import { World } from '../support/world'
import { commandsOf, run } from './commands'

test.each([
  ['README.md', 'First message'],
  ['src/docs/integrate.md', 'Send'],
])('works as %s prints it', async (page, section) => {
  const world = await World.create()
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
  await customer.says('Do you have rye bread?')
  await world.settle()
  const [me, sent] = await run(
    world,
    [
      commandsOf('README.md', 'First login'),
      commandsOf(page, section).split(/^curl .*scheduled/m)[0] ?? '',
    ].join('\n'),
  )
  expect(me).toMatchObject({ status: 'success' })
  expect(sent).toMatchObject({ status: 'success', data: { type: 'text', direction: 'outgoing' } })
  await world.settle()
  expect(customer.received()).toHaveLength(1)
  await world.stop()
})
