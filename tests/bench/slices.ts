/**
 * Preloaded into the server that is measured: says on standard error each time nothing else could
 * have its turn for long, and for how long the server ran meanwhile. What is missing between the
 * two it waited for the disk, or the machine stood still; waiting for a processor that other
 * programs had is left out.
 */
import { mainThreadOf } from './processes'

const EVERY_MS = 1
const TOLD_FROM_MS = 5

let sinceMs = performance.now()
let before = mainThreadOf(process.pid)

setInterval(() => {
  const now = mainThreadOf(process.pid)
  const tookMs = performance.now() - sinceMs - EVERY_MS - (now.waitedMs - before.waitedMs)
  if (tookMs >= TOLD_FROM_MS)
    process.stderr.write(
      `slice ${tookMs.toFixed(1)} ran ${(now.ranMs - before.ranMs).toFixed(1)}\n`,
    )
  sinceMs = performance.now()
  before = mainThreadOf(process.pid)
}, EVERY_MS).unref()
