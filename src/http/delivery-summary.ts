import { MINUTE_MS } from '../lib/clock'
import type { Log } from '../infra/log'

/**
 * Logs the successful webhook deliveries of each minute in one line, because a line for each would
 * hide all others.
 */
export class DeliverySummary {
  private timer: ReturnType<typeof setInterval> | null = null
  private deliveries = 0
  private totalMs = 0
  private slowestMs = 0

  constructor(private readonly log: Pick<Log, 'info'>) {}

  /** Counts a delivery that was answered after `tookMs`. */
  add(tookMs: number): void {
    this.deliveries += 1
    this.totalMs += tookMs
    this.slowestMs = Math.max(this.slowestMs, tookMs)
  }

  /** Writes the line, unless there were no deliveries. */
  write(): void {
    const { deliveries, totalMs, slowestMs } = this
    if (deliveries === 0) return
    this.deliveries = this.totalMs = this.slowestMs = 0
    this.log.info(
      { deliveries, mean_ms: rounded(totalMs / deliveries), slowest_ms: rounded(slowestMs) },
      'webhooks',
    )
  }

  /** Writes a line each minute until `stop`. */
  start(): void {
    this.timer = setInterval(() => this.write(), MINUTE_MS)
    this.timer.unref()
  }

  /** Writes the last line. */
  stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.write()
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10
