import { expect, test } from 'bun:test'

import { yieldToEventLoop } from '../../src/infra/event-loop'
import { AT_ONCE, Loop, WHEN_WOKEN, type Next } from '../../src/infra/loop'

const NEVER_MS = 3_600_000

/** A loop whose turns say one after the other what follows, and then wait to be woken. */
function loopOf(...turns: (Next | Error)[]) {
  const logged: unknown[] = []
  let taken = 0
  let heard = Promise.withResolvers<undefined>()
  const turn = (): Next => {
    const next = turns[taken] ?? WHEN_WOKEN
    taken += 1
    heard.resolve()
    heard = Promise.withResolvers()
    if (next instanceof Error) throw next
    return next
  }
  const log = { error: (...args: unknown[]) => void logged.push(args) } as never
  return {
    ...{ loop: new Loop(log, turn, { failure: 'nothing could be done' }), logged },
    taken: () => taken,
    /** Resolves at the next turn. */
    next: () => heard.promise,
  }
}

/** Lets a turn run that is about to. */
async function rest(): Promise<void> {
  for (let nth = 0; nth < 3; nth += 1) await yieldToEventLoop()
}

test('a loop takes a turn at its start, and one more however often it is woken', async () => {
  const { loop, taken } = loopOf()
  loop.wake()
  await rest()
  expect(taken()).toBe(0)
  loop.start()
  await rest()
  expect(taken()).toBe(1)
  loop.wake()
  loop.wake()
  expect(taken()).toBe(1)
  await rest()
  expect(taken()).toBe(2)
  loop.stop()
})

test('turns follow each other as long as there is more, and other work runs between them', async () => {
  const { loop, taken } = loopOf(AT_ONCE, AT_ONCE)
  loop.start()
  await yieldToEventLoop()
  expect(taken()).toBeLessThan(2)
  await rest()
  expect(taken()).toBe(3)
  loop.stop()
})

test('a turn comes when it is due, or before if the loop is woken', async () => {
  const { loop, taken, next } = loopOf({ waitMs: 1 }, { waitMs: NEVER_MS }, { waitMs: 1 })
  loop.start()
  await next()
  await next()
  await rest()
  expect(taken()).toBe(2)
  loop.wake()
  await next()
  await next()
  expect(taken()).toBe(4)
  loop.stop()
})

test('a pause ends by itself, and nothing wakes the loop before', async () => {
  const { loop, taken, next } = loopOf({ pauseMs: 1 }, { pauseMs: NEVER_MS })
  loop.start()
  await next()
  await next()
  loop.wake()
  await rest()
  expect(taken()).toBe(2)
  loop.stop()
  loop.start()
  await rest()
  expect(taken()).toBe(3)
  loop.stop()
})

test('a turn that fails is logged and taken again after a pause', async () => {
  const error = new Error('no')
  const { loop, taken, next, logged } = loopOf(error)
  loop.start()
  await next()
  loop.wake()
  await rest()
  expect(taken()).toBe(1)
  expect(logged).toEqual([[{ error }, 'nothing could be done; retrying']])
  await next()
  loop.wake()
  await next()
  expect([taken(), logged.length]).toEqual([3, 1])
  loop.stop()
})

test('a full disk is not logged at every turn, because the database says so once', async () => {
  const { loop, next, logged } = loopOf(
    Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
  )
  loop.start()
  await next()
  await next()
  expect(logged).toEqual([])
  loop.stop()
})

test('a loop that is stopped takes no turn, whether it was woken or is due', async () => {
  const { loop, taken, next } = loopOf({ waitMs: 1 }, { waitMs: 1 })
  loop.start()
  await next()
  loop.wake()
  loop.stop()
  await rest()
  loop.wake()
  await rest()
  expect(taken()).toBe(1)
})
