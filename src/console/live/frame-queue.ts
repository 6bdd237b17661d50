import type { QueryClient } from '@tanstack/react-query'

import { applyFrame } from './patch'
import type { Frame } from './socket'

/** Longest time that frames wait in a tab that is not painted, milliseconds. */
const HIDDEN_MS = 250

/** Collects frames and applies them together, once per painted frame of the page. */
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
    if (this.request !== null) return
    this.request = requestAnimationFrame(this.apply)
    this.timer = setTimeout(this.apply, HIDDEN_MS)
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
    const frames = this.waiting
    this.waiting = []
    for (const frame of frames) {
      applyFrame(this.client, frame)
      this.onFrame(frame)
    }
  }
}
