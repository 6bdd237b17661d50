import { fullGC, heapSize } from 'bun:jsc'

import { SECOND_MS } from '../lib/clock'

/** How often the heap is looked at, milliseconds. */
const LOOK_MS = 5 * SECOND_MS
/**
 * From this on, against what the last collection left, it is worth collecting; and from this size
 * on at all, bytes.
 */
const GROWTH = 1.5
const WORTH_BYTES = 32 * 1024 * 1024
/** Collections are at least so far apart, milliseconds, and take at most this part of the time. */
const APART_MS = 15 * SECOND_MS
const PART_OF_TIME = 1 / 300
/** When no moment was quiet for so many looks, one that is not has to do. */
const PATIENCE_LOOKS = 4

/** What the heap is collected by, and what tells how it is; replaced in tests. */
export interface Heap {
  sizeBytes: () => number
  collect: () => void
  nowMs: () => number
}

const OURS: Heap = {
  sizeBytes: heapSize,
  collect() {
    fullGC()
    // gives what was freed back to the system; what it collects beside that it collects meanwhile
    Bun.gc(false)
  },
  nowMs: () => performance.now(),
}

/**
 * Collects the garbage of the process when it has grown by half, in moments without requests. Left
 * to itself the runtime lets the heap grow to twice what was in use at its last full collection,
 * garbage that was in use then included: under a steady load memory goes up for hours.
 */
export class HeapKeeper {
  private inUseBytes = WORTH_BYTES / GROWTH
  private nextAtMs = 0
  private missed = 0
  private isStartCleared = false
  private timer: Timer | null = null

  constructor(
    private readonly isQuiet: () => boolean,
    private readonly heap: Heap = OURS,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.look(), LOOK_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }

  /**
   * Collects when it is worth it and nobody waits, or when it was worth it for long; and at the first
   * quiet look, because a start leaves as much garbage as it keeps.
   */
  look(): void {
    const { heap } = this
    const startedMs = heap.nowMs()
    const isQuiet = this.isQuiet()
    if (isQuiet && !this.isStartCleared) return this.collect(startedMs)
    const isWorthIt =
      heap.sizeBytes() > Math.max(WORTH_BYTES, this.inUseBytes * GROWTH) &&
      startedMs >= this.nextAtMs
    this.missed = isWorthIt ? this.missed + 1 : 0
    if (isWorthIt && (isQuiet || this.missed >= PATIENCE_LOOKS)) this.collect(startedMs)
  }

  private collect(startedMs: number): void {
    const { heap } = this
    heap.collect()
    const tookMs = heap.nowMs() - startedMs
    this.inUseBytes = heap.sizeBytes()
    this.nextAtMs = startedMs + Math.max(APART_MS, tookMs / PART_OF_TIME)
    this.missed = 0
    this.isStartCleared = true
  }
}

/** By so much the process may grow before what long work left behind is cleared away, bytes. */
const SWEPT_BYTES = 12 * 1024 * 1024

/**
 * Keeps the process small while something makes many small objects of much text: the runtime lets
 * tens of megabytes of their remains pile up. A collection holds the event loop for some
 * milliseconds, so there is one only when the process has grown.
 */
export class Sweeper {
  private sizeBytes = process.memoryUsage.rss()

  /** Clears away what was left behind since the last time, when it is much. */
  look(): void {
    const nowBytes = process.memoryUsage.rss()
    this.sizeBytes = Math.min(this.sizeBytes, nowBytes)
    if (nowBytes - this.sizeBytes < SWEPT_BYTES) return
    Bun.gc(true)
    this.sizeBytes = process.memoryUsage.rss()
  }
}
