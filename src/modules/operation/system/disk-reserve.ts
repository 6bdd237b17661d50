import { statfsSync } from 'node:fs'

import { MINUTE_MS } from '../../../lib/clock'
import type { Log } from '../../../infra/log'

const MIN_FREE_BYTES = 512 * 1024 * 1024
const MIN_FREE_SHARE = 0.05

/**
 * Monitors the free disk space that readiness requires. Logs once when it falls below the limit,
 * and once when it is sufficient again.
 */
export class DiskReserve {
  private wasShort = false
  private timer: ReturnType<typeof setInterval> | null = null

  constructor(
    private readonly log: Pick<Log, 'error' | 'info'>,
    /** Folder on the disk; `null` for an in-memory database. */
    private readonly place: () => string | null,
  ) {}

  /** Whether the disk has less free than 512 MiB or 5 percent. */
  isShort(): boolean {
    const folder = this.place()
    if (folder === null) return false
    const { bavail, blocks, bsize } = statfsSync(folder)
    const isShort = bavail * bsize < MIN_FREE_BYTES || bavail / blocks < MIN_FREE_SHARE
    const freeMib = Math.floor((bavail * bsize) / 1024 / 1024)
    if (isShort && !this.wasShort)
      this.log.error(
        { folder, free_mib: freeMib },
        'less than 512 MiB or 5 percent of the disk free; server not ready',
      )
    if (!isShort && this.wasShort)
      this.log.info({ folder, free_mib: freeMib }, 'enough disk space free again')
    this.wasShort = isShort
    return isShort
  }

  /** Checks now and every minute. */
  start(): void {
    this.isShort()
    this.timer = setInterval(() => void this.isShort(), MINUTE_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }
}
