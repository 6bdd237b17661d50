/**
 * Loaded into the server before anything else: its wall clock is off by what a file says, read anew
 * at SIGUSR2. Timers go on as they do in truth.
 */
import { readFileSync } from 'node:fs'

const TrueDate = Date
let offByMs = 0

process.on('SIGUSR2', () => {
  offByMs = Number(readFileSync(process.env['CLOCK_SKEW_FILE'] ?? '', 'utf8'))
})

class SkewedDate extends TrueDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(TrueDate.now() + offByMs)
    else super(...(given as [number]))
  }

  static override now(): number {
    return TrueDate.now() + offByMs
  }
}

globalThis.Date = SkewedDate as DateConstructor
