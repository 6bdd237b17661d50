import { statfsSync } from 'node:fs'

import { MINUTE_MS } from '../../lib/clock'
import type { Log } from '../../infra/log'

const MIN_FREE_BYTES = 512 * 1024 * 1024
const MIN_FREE_SHARE = 0.05

/**
 * Watches the free space that a server needs to count as ready. The log says once when it falls
 * short, and once when there is enough again.
 */
export class DiskReserve {
  private wasShort = false
  private timer: ReturnType<typeof setInterval> | null = null

  constructor(
    private readonly log: Pick<Log, 'error' | 'info'>,
    /** A folder of the disk; `null` in memory. */
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

  /** Looks now and every minute, whether or not anybody asks. */
  start(): void {
    this.isShort()
    this.timer = setInterval(() => void this.isShort(), MINUTE_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }
}
