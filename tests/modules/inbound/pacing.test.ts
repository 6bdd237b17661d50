import { beforeEach, expect, test } from 'bun:test'

import { Pacing } from '../../../src/modules/inbound/journal/backpressure'

const ARREARS = true

let meter: { now: number; cpu: number }
let pacing: Pacing

/** Time passes, of which the process takes some of the processor's. */
function pass(ms: number, cpuMs: number): void {
  meter.now += ms
  meter.cpu += cpuMs
}

const add = (deliveries: number): void => {
  for (let nth = 0; nth < deliveries; nth += 1) pacing.added()
}

beforeEach(() => {
  meter = { now: 1_000, cpu: 50 }
  pacing = new Pacing({ nowMs: () => meter.now, cpuMs: () => meter.cpu })
})

/** A transaction in which deliveries are worked off. */
function work(): void {
  pass(10, 10)
  pacing.worked()
}

test('what comes first is worked off at once, however much it is', () => {
  add(500)
  expect(pacing.pauseLeftMs(ARREARS)).toBeNull()
})

test('after each transaction others get the event loop, for less time where more waits than fits into the next', () => {
  work()
  pass(1, 0)
  expect(pacing.pauseLeftMs(!ARREARS)).toBe(14)
  expect(pacing.pauseLeftMs(ARREARS)).toBe(1)
  pass(1, 0)
  expect(pacing.pauseLeftMs(ARREARS)).toBeNull()
  pass(13, 0)
  expect(pacing.pauseLeftMs(!ARREARS)).toBeNull()
})

test('many deliveries whose answers leave the processor time are no flood: nothing piles up while the process idles', () => {
  work()
  add(100)
  pass(15, 10)
  expect(pacing.isFlooded).toBe(false)
  expect(pacing.pauseLeftMs(!ARREARS)).toBeNull()
})

test('while answering takes most of the processor what was answered waits ten times as long, and it is looked whether that goes on', () => {
  work()
  add(100)
  pass(15, 14)
  expect(pacing.isFlooded).toBe(true)
  expect(pacing.pauseLeftMs(ARREARS)).toBe(50)
  pass(120, 118)
  expect(pacing.pauseLeftMs(ARREARS)).toBe(15)
  pass(15, 15)
  expect(pacing.pauseLeftMs(ARREARS)).toBeNull()
})

test('a flood that ends gives way before its time', () => {
  work()
  add(100)
  pass(15, 15)
  expect(pacing.pauseLeftMs(ARREARS)).toBe(50)
  pass(50, 1)
  expect(pacing.pauseLeftMs(ARREARS)).toBeNull()
})

test('a few deliveries are no flood, whatever else takes the processor', () => {
  work()
  add(31)
  pass(20, 20)
  expect(pacing.isFlooded).toBe(false)
  work()
  expect(pacing.isFlooded).toBe(false)
})
