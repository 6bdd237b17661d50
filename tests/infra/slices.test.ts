import { describe, expect, test } from 'bun:test'

import { inSlices } from '../../src/infra/time-slices'

/** A part of long work that takes a millisecond. */
function work(): void {
  const untilMs = performance.now() + 1
  while (performance.now() < untilMs);
}

/** Long work of so many parts; each notes `name` in `order`. */
const scan = (organizationId: string, parts: number, order: string[]): Promise<void> => {
  let done = 0
  return inSlices(organizationId, () => {
    work()
    order.push(organizationId)
    done += 1
    return done === parts
  })
}

/** The names in the order in which they change. */
const turnsOf = (order: string[]): string[] => order.filter((name, at) => name !== order[at - 1])

describe('long work in slices', () => {
  test('does a short piece of work in one slice', async () => {
    const order: string[] = []
    const done = scan('one', 2, order)
    setImmediate(() => order.push('others'))
    await done
    // the slice of another world may come first
    expect(order.join(' ')).toMatch(/^(?:others )?one one(?: others)?$/)
  })

  test('lets the event loop go round between two slices', async () => {
    const order: string[] = []
    const others = (): void => {
      order.push('others')
      if (order.length < 200) setImmediate(others)
    }
    setImmediate(others)
    await scan('one', 60, order)
    const longest = order
      .join(' ')
      .split('others')
      .map((run) => run.trim().split(' ').length)
    // Four milliseconds of parts that take one.
    expect(Math.max(...longest)).toBeLessThanOrEqual(5)
  })

  test('of several organizations alternates between them, however many scans each has', async () => {
    const order: string[] = []
    await Promise.all([
      ...Array.from({ length: 5 }, () => scan('large', 18, order)),
      scan('small', 18, order),
    ])
    const upToEnd = turnsOf(order.slice(0, order.lastIndexOf('small') + 1))
    // Each of its slices waits for one slice of the other at most.
    expect(upToEnd.filter((name) => name === 'large').length).toBeLessThanOrEqual(
      upToEnd.filter((name) => name === 'small').length + 1,
    )
  })

  test('that fails lets the others go on', async () => {
    const failing = inSlices('one', () => {
      throw new Error('broken')
    })
    expect(failing).rejects.toThrow('broken')
    await scan('two', 3, [])
  })
})
