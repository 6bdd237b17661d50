import { expect, test } from 'bun:test'

import { yieldToEventLoop } from '../../../../src/infra/event-loop'
import { Backpressure } from '../../../../src/modules/channel/inbound/journal/backpressure'
import { IngestLoop } from '../../../../src/modules/channel/inbound/journal/ingest-loop'

/** A loop over so many batches of one delivery each, on a server that is busy or not. */
function loopOver(batches: number, { isServerBusy = false } = {}) {
  const left = { batches }
  const meter = { now: 1_000, cpu: 0 }
  let moved = 0
  let looks = 0
  const queue = {
    get exceedsBatch() {
      looks += 1
      return false
    },
    onAdded: (): void => undefined,
    move: () => (moved < left.batches ? ((moved += 1), 1) : 0),
  }
  const ingest = new IngestLoop(
    { log: { error: () => undefined }, eventLoop: { isServerBusy } } as never,
    queue as never,
    new Backpressure({ nowMs: () => meter.now, cpuMs: () => meter.cpu }),
  )
  return {
    left,
    meter,
    queue,
    moved: () => moved,
    /** How often the load was looked at. */
    looks: () => looks,
    start: () => ingest.loop.start(),
    [Symbol.dispose]: () => ingest.loop.stop(),
  }
}

/** Lets turns run that are about to. */
async function rest(): Promise<void> {
  for (let nth = 0; nth < 20; nth += 1) await yieldToEventLoop()
}

/** Waits for a turn that a timer begins. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test('what an earlier process left is moved batch after batch', async () => {
  using loop = loopOver(3)
  loop.start()
  await rest()
  expect(loop.moved()).toBe(3)
})

test('a delivery wakes it', async () => {
  using loop = loopOver(0)
  loop.start()
  await rest()
  loop.left.batches = 1
  loop.queue.onAdded()
  await rest()
  expect(loop.moved()).toBe(1)
})

test('a busy server has a pause after each batch', async () => {
  using loop = loopOver(2, { isServerBusy: true })
  loop.start()
  await rest()
  expect(loop.moved()).toBe(1)
  loop.meter.now += 8
  await until(() => loop.moved() === 2)
})

test('a busy server that is flooded answers first', async () => {
  using loop = loopOver(2, { isServerBusy: true })
  loop.start()
  await rest()
  for (let nth = 0; nth < 100; nth += 1) loop.queue.onAdded()
  loop.meter.now += 20
  loop.meter.cpu += 19
  const before = loop.looks()
  await until(() => loop.looks() === before + 2)
  expect(loop.moved()).toBe(1)
  loop.meter.now += 150
  await until(() => loop.moved() === 2)
})
