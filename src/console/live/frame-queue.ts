import { notifyManager, type QueryClient } from '@tanstack/react-query'

import { applyFrame } from './patch'
import type { Frame } from './socket'

/** Longest time that frames wait in a tab that is not painted, milliseconds. */
const HIDDEN_MS = 250
/** Longest time that a page somebody looks at applies frames without being painted, milliseconds. */
const SLICE_MS = 10

/** Collects frames and applies them together, once per painted frame, as many as there is time for. */
export class FrameQueue {
  private waiting: Frame[] = []
  private request: number | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly client: QueryClient,
    private readonly onFrame: (frame: Frame) => void,
  ) {}

  /** Adds a frame. */
  add(frame: Frame): void {
    this.waiting.push(frame)
    if (this.request === null) this.schedule()
  }

  /** Drops what waits. */
  stop(): void {
    if (this.request !== null) cancelAnimationFrame(this.request)
    clearTimeout(this.timer)
    this.waiting = []
  }

  private readonly apply = (): void => {
    if (this.request !== null) cancelAnimationFrame(this.request)
    clearTimeout(this.timer)
    this.request = null
    const endMs = document.hidden ? Infinity : performance.now() + SLICE_MS
    let applied = 0
    notifyManager.batch(() => {
      while (applied < this.waiting.length && performance.now() < endMs) {
        const frame = this.waiting[applied]
        applied += 1
        if (!frame) return
        applyFrame(this.client, frame)
        this.onFrame(frame)
      }
    })
    this.waiting = this.waiting.slice(applied)
    if (this.waiting.length > 0) this.schedule()
  }

  private schedule(): void {
    this.request = requestAnimationFrame(this.apply)
    this.timer = setTimeout(this.apply, HIDDEN_MS)
  }
}
