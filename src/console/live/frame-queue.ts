import { notifyManager, type QueryClient } from '@tanstack/react-query'

import { pendingQueries } from './pending-queries'
import { applyFrame } from './patch'
import type { Frame } from './socket'

/** Longest time that frames wait in a tab that is not painted, milliseconds. */
const HIDDEN_MS = 250
/** Longest time that a page somebody looks at applies frames without being painted, milliseconds. */
const SLICE_MS = 10

/** A frame that waits to be applied. */
interface Waiting {
  frame: Frame
  /** Whether it was applied before an answer arrived that may be older than it. */
  isAgain: boolean
}

/**
 * Collects frames and applies them together, once per painted frame, as many as there is time for.
 * Those that come while something is loaded are applied again to the answer, which may be older.
 */
export class FrameQueue {
  private waiting: Waiting[] = []
  private held: Frame[] = []
  private request: number | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly client: QueryClient,
    private readonly onFrame: (frame: Frame) => void,
  ) {}

  /** Adds a frame. */
  add(frame: Frame): void {
    this.waiting.push({ frame, isAgain: false })
    if (this.request === null) this.schedule()
  }

  /** Drops what waits. */
  stop(): void {
    if (this.request !== null) cancelAnimationFrame(this.request)
    clearTimeout(this.timer)
    this.waiting = []
    this.held = []
  }

  private readonly apply = (): void => {
    if (this.request !== null) cancelAnimationFrame(this.request)
    clearTimeout(this.timer)
    this.request = null
    const endMs = document.hidden ? Infinity : performance.now() + SLICE_MS
    let applied = 0
    notifyManager.batch(() => {
      while (applied < this.waiting.length && performance.now() < endMs) {
        const next = this.waiting[applied]
        applied += 1
        if (!next) return
        applyFrame(this.client, next.frame)
        if (next.isAgain) continue
        this.hold(next.frame)
        this.onFrame(next.frame)
      }
    })
    this.waiting = this.waiting.slice(applied)
    if (this.waiting.length > 0) this.schedule()
  }

  /** Keeps a frame for the answers that are on their way. */
  private hold(frame: Frame): void {
    const loading = pendingQueries(this.client)
    if (loading.length === 0) return
    this.held.push(frame)
    if (this.held.length === 1) this.applyAgainAfter(loading).catch(() => undefined)
  }

  private async applyAgainAfter(loading: Promise<unknown>[]): Promise<void> {
    await Promise.all(loading)
    const later = pendingQueries(this.client)
    if (later.length > 0) {
      await this.applyAgainAfter(later)
      return
    }
    const again = this.held.map((frame) => ({ frame, isAgain: true }))
    this.held = []
    this.waiting = [...again, ...this.waiting]
    if (this.waiting.length > 0 && this.request === null) this.schedule()
  }

  private schedule(): void {
    this.request = requestAnimationFrame(this.apply)
    this.timer = setTimeout(this.apply, HIDDEN_MS)
  }
}
