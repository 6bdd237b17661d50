import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { SECOND_MS } from '../lib/clock'
import { randomHex } from '../lib/random'
import { DataDirError, lockDataDir, type DataDir } from './data-dir'

/** The file in the data folder that names its writer. */
const FENCE = 'writer.json'

/** How often the writer changes the file, milliseconds. */
const BEAT_MS = SECOND_MS

/** How long the file of another machine must stay the same before its writer counts as dead. */
const WATCH_MS = 4 * BEAT_MS
const POLL_MS = BEAT_MS / 4

/** Length of the file, so that a beat overwrites it in place even on a full disk. */
const LENGTH = 512

/** The writer of a data folder, and how often it has said that it is alive. */
interface Writer {
  id: string
  /** The running system: another one after a reboot, the same one in all containers. */
  machine: string
  host: string
  beat: number
}

/** The right to write to a data folder. */
export interface Claim {
  release: () => void
}

/**
 * Makes this process the only writer of a data folder. The lock of the operating system decides
 * between processes of one machine, and ends with the process, however it ends. It may not reach
 * other machines that see the same folder, so a file names the writer and changes every second: if
 * another machine wrote it, this waits four seconds for a change. Throws DataDirError if another
 * process writes to the folder. Calls `onLost` when another machine has taken the folder over, as it
 * may after this process stood still for some seconds; the process must end without another write.
 */
export async function claimDataDir(dir: DataDir, onLost: (host: string) => void): Promise<Claim> {
  const lock = lockDataDir(dir)
  try {
    const path = join(dir.path, FENCE)
    const own: Writer = { id: randomHex(8), machine: machineId(), host: hostname(), beat: 0 }
    const former = readWriter(path)
    const isElsewhere = former !== null && former.machine !== own.machine
    if (isElsewhere) await requireStill(path, dir)
    write(path, own)
    // Of two machines that saw the same dead writer, the one that wrote last goes on.
    if (isElsewhere) {
      await pause(BEAT_MS)
      if (readWriter(path)?.id !== own.id) throw inUse(dir, readWriter(path))
    }
    const stop = keepBeating(path, own, onLost)
    return {
      release() {
        stop()
        if (readWriter(path)?.id === own.id) rmSync(path, { force: true })
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Waits while the file does not change. Throws DataDirError when it does: its writer is alive. */
async function requireStill(path: string, dir: DataDir): Promise<void> {
  const before = contentOf(path)
  for (let waitedMs = 0; waitedMs < WATCH_MS; waitedMs += POLL_MS) {
    await pause(POLL_MS)
    if (contentOf(path) !== before) throw inUse(dir, readWriter(path))
  }
}

function keepBeating(path: string, own: Writer, onLost: (host: string) => void): () => void {
  let { beat } = own
  const timer = setInterval(() => {
    const current = readWriter(path)
    if (current !== null && current.id !== own.id) {
      clearInterval(timer)
      return onLost(current.host)
    }
    beat += 1
    try {
      write(path, { ...own, beat })
    } catch {
      // A full or failing disk is reported where data is written.
    }
  }, BEAT_MS)
  timer.unref()
  return () => clearInterval(timer)
}

const inUse = (dir: DataDir, writer: Writer | null): DataDirError =>
  new DataDirError(
    `Another Switchboard process${writer === null ? '' : ` on ${writer.host}`} is using ` +
      `${dir.path}. Stop it first.`,
  )

/** Returns an ID of the running system. Containers on one system share it, and so its locks. */
function machineId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Returns the writer that the file names; `null` without one, or while it is being written. */
function readWriter(path: string): Writer | null {
  try {
    const { id, machine, host, beat } = JSON.parse(contentOf(path) ?? '') as Partial<Writer>
    return id !== undefined && machine !== undefined && host !== undefined && beat !== undefined
      ? { id, machine, host, beat }
      : null
  } catch {
    return null
  }
}

function write(path: string, writer: Writer): void {
  const handle = openForWriting(path)
  try {
    writeSync(handle, JSON.stringify(writer).slice(0, LENGTH).padEnd(LENGTH), 0)
    // Other machines see it, and a writer that starts is not preceded by an older one.
    if (writer.beat === 0) fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function openForWriting(path: string): number {
  try {
    return openSync(path, 'r+')
  } catch {
    return openSync(path, 'w', 0o600)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
