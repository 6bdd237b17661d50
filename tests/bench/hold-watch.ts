import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import type { ServerProcess } from '../support/process'

/** The server from its sources, which tells how long its event loop is held. */
export const WATCHED = [
  process.execPath,
  '--preload',
  join(import.meta.dir, 'holds.ts'),
  join(import.meta.dir, '../../src/main.ts'),
]

/** The longest holds of a server that was started with `holds.ts`. */
export class Watch {
  constructor(
    private readonly server: ServerProcess,
    private readonly file: string,
  ) {}

  /** The longest hold since the last call, milliseconds. */
  async take(): Promise<number> {
    return (await this.takeBoth()).heldMs
  }

  /**
   * The longest hold since the last call, and the longest time in which the event loop stood still
   * with its processor time: the rest it waited for a disk or a processor. Milliseconds.
   */
  async takeBoth(): Promise<{ heldMs: number; stoodMs: number; stoodCpuMs: number }> {
    rmSync(this.file, { force: true })
    process.kill(this.server.pid, 'SIGUSR2')
    for (;;) {
      await Bun.sleep(5)
      try {
        const { wallMs, cpuMs, standstill } = JSON.parse(readFileSync(this.file, 'utf8')) as {
          wallMs: number
          cpuMs: number
          standstill: { wallMs: number; cpuMs: number }
        }
        return {
          heldMs: Math.min(wallMs, cpuMs),
          stoodMs: standstill.wallMs,
          stoodCpuMs: standstill.cpuMs,
        }
      } catch {
        // not written yet
      }
    }
  }
}

/** The middle and the slowest hundredth of a sample. */
export function percentiles(sample: number[]): [p50: number, p99: number] {
  const sorted = sample.toSorted((a, b) => a - b)
  return [
    sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  ]
}
