import { expect, test } from 'bun:test'

import { World } from '../../../support/world'

test('sockets that watch the dashboard get it when it changes, every five seconds at most', async () => {
  await using world = await World.create()
  const socket = await world.socket('manager')
  const watch = { type: 'subscribe', payload: { topics: ['dashboard'] } }
  expect(await socket.ask(watch)).toMatchObject({ payload: { topics: ['dashboard'] } })
  const frames = () => socket.frames.filter(({ type }) => type === 'analytics:dashboard')
  const received = (): unknown[] =>
    frames().map(({ seq, payload }) => [
      seq,
      (payload['messages'] as { received: number }).received,
    ])
  const customer = world.simulator.customer({ phone: world.tenant.phoneId })
  await customer.says('one')
  await world.settle()
  world.clock.advance({ seconds: 1 })
  await world.eventually(() => frames().length === 1)
  await customer.says('two')
  await customer.says('three')
  await world.settle()
  world.clock.advance({ seconds: 3 })
  await socket.caughtUp()
  expect(received()).toEqual([[null, 1]])
  world.clock.advance({ seconds: 2 })
  await world.eventually(() => frames().length === 2)
  expect(received()).toEqual([
    [null, 1],
    [null, 3],
  ])
  const agent = await world.socket('agent')
  expect(await agent.ask(watch)).toMatchObject({ type: 'error', payload: { code: 'forbidden' } })
})
