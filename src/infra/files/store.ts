import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { UnavailableError } from '../../lib/errors'
import { safeFilename } from '../../lib/filename'
import { randomHex } from '../../lib/random'
import { StagedFile } from './staged-file'

/** What is written is larger than it may be. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError'

  constructor(readonly limitBytes: number) {
    super(`the file is larger than ${limitBytes} bytes`)
  }
}

/** What is known of a file before its bytes are here. */
export interface Arriving {
  filename?: string | null
  mimeType?: string | null
  maxBytes: number
}

/** A file of the store found on disk. */
export interface FoundFile {
  name: string
  sizeBytes: number
  changedAtMs: number
}

/**
 * Files beside the database, under random names that never come from outside. Bytes go through in
 * pieces, both ways; nothing of a file is held whole. A file is staged first and is kept once the
 * whole of it is known to be good.
 */
export interface FileStore {
  /**
   * When it was opened, by the clock of the machine, as the times of its files are: what was staged
   * earlier nobody is writing any more.
   */
  readonly openedAtMs: number
  /**
   * Writes bytes as they come to a file of its own, flushed to disk. Throws FileTooLargeError and
   * UnavailableError.
   */
  stage(bytes: AsyncIterable<Uint8Array>, about: Arriving): Promise<StagedFile>
  /**
   * Moves a staged file to its place and answers its name in the store, `xx/<random>`. Throws
   * UnavailableError.
   */
  keep(file: StagedFile): Promise<string>
  /** Forgets a staged file that is not kept; one that was kept or forgotten already is no error. */
  discard(file: StagedFile): Promise<void>
  /** Where the bytes of a kept file lie. Throws TypeError for what is no name of the store. */
  pathOf(name: string): string
  /** The bytes of a kept file, piece by piece. */
  read(name: string): AsyncIterable<Uint8Array>
  /** Whether the bytes of a kept file are there. */
  has(name: string): Promise<boolean>
  /** Deletes a kept file; one that is gone already is no error. */
  remove(name: string): Promise<void>
  /** The kept files, in any order. */
  list(): AsyncIterable<FoundFile>
  /**
   * Deletes what was staged before that moment and never kept: the process ended in between.
   * Returns how many.
   */
  clearStaged(beforeMs: number): Promise<number>
}

const NAME = /^[0-9a-f]{2}\/[0-9a-f]{30}$/

/** Troubles of the disk, not of the request. */
const STORAGE_CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ENOENT',
  'ENOTDIR',
  'EFBIG',
])

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const isGone = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** Returns the API error for an error of the disk, and other errors unchanged. */
export const storageProblem = (error: unknown): unknown =>
  STORAGE_CODES.has(codeOf(error)) && 'syscall' in (error as object)
    ? new UnavailableError('The server cannot store files right now. Try again in a minute.', 30, {
        code: 'storage_unavailable',
      })
    : error

/** The store in a folder, which is made when the first file comes. */
export function openFiles(folder: string): FileStore {
  const staging = join(folder, 'incoming')
  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new TypeError('not a name of the store')
    return join(folder, name)
  }
  return {
    openedAtMs: Math.floor(performance.timeOrigin + performance.now()),
    pathOf,
    async stage(bytes, about) {
      const path = join(staging, randomHex(16))
      try {
        await mkdir(staging, { recursive: true, mode: 0o700 })
        const written = await writeAll(path, bytes, about.maxBytes)
        return new StagedFile(path, {
          filename: safeFilename(about.filename),
          mimeType: about.mimeType ?? null,
          ...written,
        })
      } catch (error) {
        await rm(path, { force: true })
        throw storageProblem(error)
      }
    },
    async keep(file) {
      const id = randomHex(16)
      const name = `${id.slice(0, 2)}/${id.slice(2)}`
      const path = pathOf(name)
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await rename(file.path, path)
        await flushFolder(dirname(path))
      } catch (error) {
        throw storageProblem(error)
      }
      return name
    },
    discard: (file) => rm(file.path, { force: true }),
    read: (name) => swept(Bun.file(pathOf(name)).stream()),
    has: async (name) => (await statOf(pathOf(name))) !== null,
    remove: (name) => rm(pathOf(name), { force: true }),
    list: () => listKept(folder),
    clearStaged: (beforeMs) => clearFolder(staging, beforeMs),
  }
}

/** Bytes after which what is left of earlier pieces is cleared away. */
const SWEEP_BYTES = 8 * 1_024 * 1_024

/**
 * The same pieces, with their remains cleared away now and then: by itself the runtime lets tens of
 * megabytes of them pile up, for it does not see how large they are. It takes a few milliseconds
 * each time, and small files never come to it.
 */
async function* swept(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let unswept = 0
  for await (const piece of pieces) {
    yield piece
    unswept += piece.length
    if (unswept < SWEEP_BYTES) continue
    unswept = 0
    Bun.gc(true)
  }
}

/** One piece after the other, each written before the next is asked for; then flushed. */
async function writeAll(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ sizeBytes: number; sha256: string }> {
  const handle = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of swept(bytes)) {
      sizeBytes += piece.length
      if (sizeBytes > maxBytes) throw new FileTooLargeError(maxBytes)
      hash.update(piece)
      await handle.writeFile(piece)
    }
    await handle.sync()
    return { sizeBytes, sha256: hash.digest('hex') }
  } finally {
    await handle.close()
  }
}

/** A new name in a folder survives power loss only when the folder is flushed too. */
async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

async function* entriesOf(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) yield entry.name
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

async function* listKept(folder: string): AsyncGenerator<FoundFile> {
  for await (const first of entriesOf(folder)) {
    if (!/^[0-9a-f]{2}$/.test(first)) continue
    for await (const rest of entriesOf(join(folder, first))) {
      const name = `${first}/${rest}`
      const found = NAME.test(name) ? await statOf(join(folder, name)) : null
      if (found) yield { name, sizeBytes: found.size, changedAtMs: found.mtimeMs }
    }
  }
}

async function clearFolder(folder: string, beforeMs: number): Promise<number> {
  let cleared = 0
  for await (const name of entriesOf(folder)) {
    const path = join(folder, name)
    const found = await statOf(path)
    if (!found || found.mtimeMs >= beforeMs) continue
    await rm(path, { force: true })
    cleared += 1
  }
  return cleared
}
