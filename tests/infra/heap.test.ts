import { expect, test } from 'bun:test'

import { IdleCollector } from '../../src/infra/gc'

const MIB = 1024 * 1024

/** Creates a heap with a settable size. A collection leaves `inUse` and takes `tookMs`. */
function heapOf(inUse: number, tookMs: number) {
  const heap = { mib: inUse, atMs: 0, collections: [] as number[] }
  const keeper = (isQuiet: () => boolean) =>
    new IdleCollector(isQuiet, {
      sizeBytes: () => heap.mib * MIB,
      nowMs: () => heap.atMs,
      collect() {
        heap.collections.push(heap.atMs / 1_000)
        heap.atMs += tookMs
        heap.mib = inUse
      },
    })
  return { heap, keeper }
}

test('collects when idle and the heap has grown by half, for at most 1/300 of the time', () => {
  const { heap, keeper } = heapOf(40, 60)
  const quiet = keeper(() => true)
  for (let second = 5; second <= 120; second += 5) {
    heap.atMs = second * 1_000
    heap.mib += 5
    quiet.check()
  }
  // Grows by half within 25 s. A collection of 60 ms allows the next one after 18 s.
  expect(heap.collections).toEqual([5, 30, 55, 80, 105])

  const slow = heapOf(100, 1_000)
  const seldom = slow.keeper(() => true)
  for (let second = 5; second <= 900; second += 5) {
    slow.heap.atMs = second * 1_000
    slow.heap.mib += 50
    seldom.check()
  }
  expect(slow.heap.collections).toEqual([5, 305, 605])
})

test('skips a small heap, and leaves a busy server to the runtime', () => {
  const { heap, keeper } = heapOf(10, 10)
  let isQuiet = true
  const keeping = keeper(() => isQuiet)
  keeping.check()
  heap.atMs = 60_000
  heap.mib = 31
  keeping.check()
  isQuiet = false
  heap.mib = 500
  keeping.check()
  expect(heap.collections).toEqual([0])
  isQuiet = true
  keeping.check()
  expect(heap.collections).toEqual([0, 60])
})

test('collects garbage of the start at the first idle moment', () => {
  const { heap, keeper } = heapOf(10, 10)
  let isQuiet = false
  const keeping = keeper(() => isQuiet)
  keeping.check()
  expect(heap.collections).toEqual([])
  isQuiet = true
  for (const second of [5, 10, 60]) {
    heap.atMs = second * 1_000
    keeping.check()
  }
  expect(heap.collections).toEqual([5])
})
