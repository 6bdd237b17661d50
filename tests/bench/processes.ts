import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { ServerProcess } from '../support/process'
import type { Load, Measured } from './load'

/**
 * User and system time of a process so far, microseconds; the kernel counts in hundredths of a
 * second.
 */
export function cpuUsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/**
 * How long the main thread of a process has had a processor so far, and how long it has waited for
 * one that others had, milliseconds.
 */
export function mainThreadOf(pid: number): { ranMs: number; waitedMs: number } {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return { ranMs: Number(ran) / 1_000_000, waitedMs: Number(waited) / 1_000_000 }
}

const memoryOf = (pid: number, line: 'VmRSS' | 'VmHWM'): number =>
  Number(
    new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0,
  ) / 1_024

/**
 * Memory of a process, MiB: what it has in the machine's own, and its share of it where it has some
 * together with others.
 */
export function memoryMibOf(pid: number): { rssMib: number; pssMib: number } {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(lines)?.[1] ?? 0) / 1_024
  return { rssMib: of('Rss'), pssMib: of('Pss') }
}

/** Memory of a process in the machine's own, MiB. */
export const rssMibOf = (pid: number): number => memoryOf(pid, 'VmRSS')

/** The most a process has had of the machine's memory since the last call of `forgetPeak`, MiB. */
export const peakMibOf = (pid: number): number => memoryOf(pid, 'VmHWM')

/** Begins to watch for the most anew. */
export async function forgetPeak(pid: number): Promise<void> {
  await Bun.write(`/proc/${pid}/clear_refs`, '5')
}

/**
 * Runs a file of this folder as a process of its own and reads the JSON it prints. Throws when it
 * fails.
 */
export async function measureIn<T>(
  file: string,
  what: unknown,
  env: Record<string, string> = {},
): Promise<T> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file), JSON.stringify(what)], {
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const text = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`${file} failed`)
  return JSON.parse(text) as T
}

/** Lets a process of its own send; it prepares everything before its clock starts. */
export const postLoad = (load: Load): Promise<Measured> => measureIn<Measured>('load.ts', load)

/** Starts a file of this folder that listens and says where. */
export const startYardstick = (
  file: string,
  cwd: string,
  what: unknown = null,
): Promise<ServerProcess> =>
  ServerProcess.start({
    cwd,
    command: [process.execPath, join(import.meta.dir, file)],
    args: [JSON.stringify(what)],
    env: {},
  })
