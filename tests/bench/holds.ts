/**
 * Loaded into the server before anything else: watches how long its event loop is held at a time.
 * At SIGUSR2 it writes the longest hold and the longest standstill since the last signal, in
 * milliseconds of wall clock and of processor time of the main thread alone, into the file that `HOLDS_FILE` names.
 */
import { writeFileSync } from 'node:fs'

interface Hold {
  wallMs: number
  cpuMs: number
}

const NONE: Hold = { wallMs: 0, cpuMs: 0 }
let longest = NONE
/** The longest time in which the loop did not turn, whether it computed or waited for the disk. */
let standstill = NONE
let last = { wall: performance.now(), cpu: process.threadCpuUsage() }

setInterval(() => {
  const now = { wall: performance.now(), cpu: process.threadCpuUsage() }
  const cpuMs = (now.cpu.user + now.cpu.system - last.cpu.user - last.cpu.system) / 1_000
  const wallMs = now.wall - last.wall
  last = now
  if (wallMs > standstill.wallMs) standstill = { wallMs, cpuMs }
  const held = Math.min(wallMs, cpuMs)
  if (held > Math.min(longest.wallMs, longest.cpuMs)) longest = { wallMs, cpuMs }
}, 1).unref()

process.on('SIGUSR2', () => {
  writeFileSync(
    process.env['HOLDS_FILE'] ?? '/dev/null',
    JSON.stringify({ ...longest, standstill }),
  )
  longest = NONE
  standstill = NONE
})
