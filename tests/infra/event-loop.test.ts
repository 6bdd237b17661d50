import { expect, test } from 'bun:test'

import { yieldEvery } from '../../src/infra/event-loop'

/** One part of long work; takes a millisecond. */
function work(): void {
  const untilMs = performance.now() + 1
  while (performance.now() < untilMs);
}

test.each([
  ['at once while their time is not over', Infinity, ['step', 'step', 'step', 'others']],
  ['after other work when their time is over', 0, ['step', 'others', 'step', 'step']],
])('small steps go on %s', async (_when, maxMs, expected) => {
  const order: string[] = []
  const yieldIfDue = yieldEvery(maxMs)
  setImmediate(() => order.push('others'))
  for (let step = 0; step < 3; step += 1) {
    work()
    order.push('step')
    await yieldIfDue()
  }
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual(expected)
})
