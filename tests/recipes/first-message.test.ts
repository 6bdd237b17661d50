/** The first message, as the guide prints it. */
import { expect, test } from 'bun:test'

import { World } from '../support/world'
import { commandsOf, run } from './commands'

test('works as the guide prints it, after the login of the README', async () => {
  const world = await World.create()
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, name: 'Ana Sol' })
  await customer.says('Do you have rye bread?')
  await world.settle()
  const [me, sent] = await run(
    world,
    [
      commandsOf('README.md', 'First login'),
      commandsOf('src/docs/integrate.md', 'Send').split(/^curl .*scheduled/m)[0] ?? '',
    ].join('\n'),
  )
  expect(me).toMatchObject({ status: 'success' })
  expect(sent).toMatchObject({ status: 'success', data: { type: 'text', direction: 'outgoing' } })
  await world.settle()
  expect(customer.received()).toHaveLength(1)
  await world.stop()
})
