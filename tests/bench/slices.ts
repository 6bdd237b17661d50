/**
 * Preloaded into the server that is measured: says on standard error each time nothing else could have its turn for long. The time in which the server
 * waited for a processor that other programs had is left out.
 */
import { waitedMsOf } from './processes'

const EVERY_MS = 1
const TOLD_FROM_MS = 5

let sinceMs = performance.now()
let waitedBefore = waitedMsOf(process.pid)

setInterval(() => {
  const waitedMs = waitedMsOf(process.pid)
  const tookMs = performance.now() - sinceMs - EVERY_MS - (waitedMs - waitedBefore)
  if (tookMs >= TOLD_FROM_MS) process.stderr.write(`slice ${tookMs.toFixed(1)}\n`)
  sinceMs = performance.now()
  waitedBefore = waitedMs
}, EVERY_MS).unref()
