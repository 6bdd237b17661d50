import { describe, expect, test } from 'bun:test'
import { EventLoop, inSlices, yieldEvery } from '../../src/infra/event-loop'
import { idNamed } from '../support/ids'

/** One part of long work; takes a millisecond. */
function work(): void {
  const untilMs = performance.now() + 1
  while (performance.now() < untilMs);
}

/** Runs long work of several parts; each part adds its organization to `order`. */
const scan = (
  eventLoop: EventLoop,
  organizationId: string,
  parts: number,
  order: string[],
): Promise<void> => {
  let done = 0
  return inSlices({ eventLoop, organizationId }, () => {
    work()
    order.push(organizationId)
    done += 1
    return done === parts
  })
}

/** The names in the order in which they change. */
const turnsOf = (order: string[]): string[] => order.filter((name, at) => name !== order[at - 1])

describe('long work in slices', () => {
  test('completes short work in one slice', async () => {
    const order: string[] = []
    const scope = { eventLoop: new EventLoop(), organizationId: idNamed('one') }
    const done = inSlices(scope, () => order.push('one') === 2)
    setImmediate(() => order.push('others'))
    await done
    expect(order.slice(0, 2)).toEqual(['one', 'one'])
  })

  test('yields to the event loop between slices', async () => {
    const order: string[] = []
    const others = (): void => {
      order.push('others')
      if (order.length < 200) setImmediate(others)
    }
    setImmediate(others)
    await scan(new EventLoop(), 'one', 60, order)
    const longest = order
      .join(' ')
      .split('others')
      .map((run) => run.trim().split(' ').length)
    // Four milliseconds of parts that take one each.
    expect(Math.max(...longest)).toBeLessThanOrEqual(5)
  })

  test('lets several short scans share one slice', async () => {
    const order: string[] = []
    const eventLoop = new EventLoop()
    setImmediate(() => order.push('others'))
    const short = (organizationId: string): Promise<void> =>
      inSlices({ eventLoop, organizationId }, () => order.push(organizationId) > 0)
    await Promise.all(['one', 'two', 'one', 'three'].map(short))
    expect(order).toEqual(['one', 'two', 'one', 'three'])
    for (let nth = 0; nth < 3; nth += 1) await short('later')
    expect(order.filter((name) => name === 'later')).toHaveLength(3)
  })

  test('alternates between organizations regardless of their number of scans', async () => {
    const order: string[] = []
    const eventLoop = new EventLoop()
    await Promise.all([
      ...Array.from({ length: 5 }, () => scan(eventLoop, 'large', 18, order)),
      scan(eventLoop, 'small', 18, order),
    ])
    const upToEnd = turnsOf(order.slice(0, order.lastIndexOf('small') + 1))
    // Each of its slices waits for at most one slice of the other organization.
    expect(upToEnd.filter((name) => name === 'large').length).toBeLessThanOrEqual(
      upToEnd.filter((name) => name === 'small').length + 1,
    )
  })

  test('does not stop other work when it fails', async () => {
    const eventLoop = new EventLoop()
    const failing = inSlices({ eventLoop, organizationId: idNamed('one') }, () => {
      throw new Error('broken')
    })
    expect(failing).rejects.toThrow('broken')
    await scan(eventLoop, 'two', 3, [])
  })
})

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
