import { beforeEach, expect, test } from 'bun:test'

import { Backpressure } from '../../../../src/modules/channel/inbound/journal/backpressure'

const HAS_BACKLOG = true

let meter: { now: number; cpu: number }
let backpressure: Backpressure

/** Time passes, of which the process takes some of the processor's. */
function pass(ms: number, cpuMs: number): void {
  meter.now += ms
  meter.cpu += cpuMs
}

const add = (deliveries: number): void => {
  for (let nth = 0; nth < deliveries; nth += 1) backpressure.added()
}

beforeEach(() => {
  meter = { now: 1_000, cpu: 50 }
  backpressure = new Backpressure({ nowMs: () => meter.now, cpuMs: () => meter.cpu })
})

/** A transaction that processes deliveries. */
function work(): void {
  pass(10, 10)
  backpressure.worked()
}

test('processes the first deliveries immediately, whatever their number', () => {
  add(500)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBeNull()
})

test('pauses after each transaction, for less time with a backlog', () => {
  work()
  pass(1, 0)
  expect(backpressure.pauseLeftMs(!HAS_BACKLOG)).toBe(7)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBe(1)
  pass(1, 0)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBeNull()
  pass(6, 0)
  expect(backpressure.pauseLeftMs(!HAS_BACKLOG)).toBeNull()
})

test('does not slow down for many deliveries while the CPU is idle', () => {
  work()
  add(100)
  pass(15, 10)
  expect(backpressure.isFlooded).toBe(false)
  expect(backpressure.pauseLeftMs(!HAS_BACKLOG)).toBeNull()
})

test('pauses much longer while answering takes most of the CPU, and checks again', () => {
  work()
  add(100)
  pass(15, 14)
  expect(backpressure.isFlooded).toBe(true)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBe(50)
  pass(120, 118)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBe(15)
  pass(15, 15)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBeNull()
})

test('ends the long pause early when a burst ends', () => {
  work()
  add(100)
  pass(15, 15)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBe(50)
  pass(50, 1)
  expect(backpressure.pauseLeftMs(HAS_BACKLOG)).toBeNull()
})

test('does not treat a few deliveries as a burst, whatever the CPU load', () => {
  work()
  add(31)
  pass(20, 20)
  expect(backpressure.isFlooded).toBe(false)
  work()
  expect(backpressure.isFlooded).toBe(false)
})
