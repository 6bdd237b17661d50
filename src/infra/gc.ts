import { fullGC, heapSize } from 'bun:jsc'

import { SECOND_MS } from '../lib/clock'

/** Interval of checks, milliseconds. */
const CHECK_INTERVAL_MS = 5 * SECOND_MS
/**
 * A collection is worthwhile if the heap has grown by this factor since the last one and has at
 * least this size, bytes.
 */
const GROWTH = 1.5
const WORTH_BYTES = 32 * 1024 * 1024
/** Minimum interval of collections, milliseconds, and the maximum share of time they may take. */
const MIN_INTERVAL_MS = 15 * SECOND_MS
const MAX_TIME_SHARE = 1 / 300
/** The heap's size and its collection; replaced in tests. */
export interface Heap {
  sizeBytes: () => number
  collect: () => void
  nowMs: () => number
}

const PROCESS_HEAP: Heap = {
  sizeBytes: heapSize,
  collect() {
    fullGC()
    // Returns freed memory to the system. Its own collection runs in parallel.
    Bun.gc(false)
  },
  nowMs: () => performance.now(),
}

/**
 * Collects garbage while no requests are served, when the heap has grown by half. The runtime itself
 * lets the heap grow to twice what was in use at its last full collection, and a server that has
 * become idle would keep that. Under load its own collections suffice: they hardly hold the event
 * loop, while one of these holds it for 50 to 150 ms.
 */
export class IdleCollector {
  private inUseBytes = WORTH_BYTES / GROWTH
  private nextAtMs = 0
  private isStartCleared = false
  private timer: Timer | null = null

  constructor(
    private readonly isQuiet: () => boolean,
    private readonly heap: Heap = PROCESS_HEAP,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }

  /**
   * Collects if it is worthwhile. Also collects at the first quiet check, because a start leaves as
   * much garbage as it keeps.
   */
  check(): void {
    if (!this.isQuiet()) return
    const { heap } = this
    const startedMs = heap.nowMs()
    const isWorthIt =
      heap.sizeBytes() > Math.max(WORTH_BYTES, this.inUseBytes * GROWTH) &&
      startedMs >= this.nextAtMs
    if (isWorthIt || !this.isStartCleared) this.collect(startedMs)
  }

  private collect(startedMs: number): void {
    const { heap } = this
    heap.collect()
    const tookMs = heap.nowMs() - startedMs
    this.inUseBytes = heap.sizeBytes()
    this.nextAtMs = startedMs + Math.max(MIN_INTERVAL_MS, tookMs / MAX_TIME_SHARE)
    this.isStartCleared = true
  }
}

/** Growth of the process at which the remains of long work are collected, bytes. */
const SWEPT_BYTES = 12 * 1024 * 1024

/**
 * Limits memory during work that creates many small objects, of which the runtime would keep tens
 * of megabytes. A collection blocks the event loop for some milliseconds, so it only runs when the
 * process has grown.
 */
export class GrowthCollector {
  private sizeBytes = process.memoryUsage.rss()

  /** Collects if the process has grown much since the last collection. */
  collectIfGrown(): void {
    const nowBytes = process.memoryUsage.rss()
    this.sizeBytes = Math.min(this.sizeBytes, nowBytes)
    if (nowBytes - this.sizeBytes < SWEPT_BYTES) return
    Bun.gc(true)
    this.sizeBytes = process.memoryUsage.rss()
  }
}
