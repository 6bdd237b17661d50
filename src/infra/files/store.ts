import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { UnavailableError } from '../../lib/errors'
import { safeFilename } from '../../lib/filename'
import { randomHex } from '../../lib/random'
import { StagedFile } from './staged-file'

/** The file is larger than the limit. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError'

  constructor(readonly limitBytes: number) {
    super(`the file is larger than ${limitBytes} bytes`)
  }
}

/** Facts about a file before its bytes arrive. */
export interface FileDescription {
  filename?: string | null
  mimeType?: string | null
  maxBytes: number
}

/** A file in the store. */
export interface FoundFile {
  name: string
  sizeBytes: number
  changedAtMs: number
}

/**
 * Files beside the database, under random names that never come from outside. Bytes are streamed
 * both ways; no file is held in memory as a whole. A file is staged first, and kept once all of it
 * is known to be valid.
 */
export interface FileStore {
  /**
   * When the store was opened, by the machine's clock like the times of its files. Files staged
   * earlier are no longer being written.
   */
  readonly openedAtMs: number
  /**
   * Streams bytes to a new file, flushed to disk. Throws FileTooLargeError and UnavailableError.
   */
  stage(bytes: AsyncIterable<Uint8Array>, about: FileDescription): Promise<StagedFile>
  /** The folder of the store, for threads of their own. */
  readonly folder: string
  /** Returns the path of a new staged file, which somebody else writes. Throws UnavailableError. */
  stagingPath(): Promise<string>
  /**
   * Moves a staged file into the store and returns its name, `xx/<random>` unless one is given.
   * Throws UnavailableError.
   */
  keep(file: StagedFile, name?: string): Promise<string>
  /** Deletes a staged file. Does nothing if it was kept or deleted before. */
  discard(file: StagedFile): Promise<void>
  /** Returns the path of a kept file. Throws TypeError for an invalid name. */
  pathOf(name: string): string
  /** Streams the bytes of a kept file. */
  read(name: string): AsyncIterable<Uint8Array>
  /** Whether a kept file exists. */
  has(name: string): Promise<boolean>
  /** Deletes a kept file and its thumbnail. Does nothing if it does not exist. */
  remove(name: string): Promise<void>
  /** Returns the path of the thumbnail of a kept file, which may not exist. */
  thumbnailPathOf(name: string): string
  /** Stores the thumbnail of a kept file; not if the file was deleted. Throws UnavailableError. */
  keepThumbnail(name: string, bytes: Uint8Array): Promise<void>
  /** Lists the kept files, in any order. */
  list(): AsyncIterable<FoundFile>
  /**
   * Deletes files that were staged before a time and never kept because the process ended. Returns
   * how many.
   */
  clearStaged(beforeMs: number): Promise<number>
}

/** Thumbnails stand beside their files. They are made again, so backups leave them out. */
const thumbnailOf = (path: string): string => `${path}.webp`

const NAME = /^[0-9a-f]{2}\/[0-9a-f]{30}$/

function randomName(): string {
  const id = randomHex(16)
  return `${id.slice(0, 2)}/${id.slice(2)}`
}

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

/** Opens the store in a folder, which is created with the first file. */
export function openFiles(folder: string): FileStore {
  const staging = join(folder, 'incoming')
  const stagingPath = async (): Promise<string> => {
    try {
      await mkdir(staging, { recursive: true, mode: 0o700 })
      return join(staging, randomHex(16))
    } catch (error) {
      throw storageProblem(error)
    }
  }
  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new TypeError('not a name of the store')
    return join(folder, name)
  }
  return {
    openedAtMs: Math.floor(performance.timeOrigin + performance.now()),
    folder,
    pathOf,
    stagingPath,
    async stage(bytes, about) {
      const path = await stagingPath()
      try {
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
    async keep(file, name = randomName()) {
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
    read: (name) => freeingMemory(Bun.file(pathOf(name)).stream()),
    has: async (name) => (await statOf(pathOf(name))) !== null,
    async remove(name) {
      await rm(pathOf(name), { force: true })
      await rm(thumbnailOf(pathOf(name)), { force: true })
    },
    thumbnailPathOf: (name) => thumbnailOf(pathOf(name)),
    async keepThumbnail(name, bytes) {
      const written = join(staging, randomHex(16))
      try {
        await mkdir(staging, { recursive: true, mode: 0o700 })
        await writeFile(written, bytes, { mode: 0o600 })
        await rename(written, thumbnailOf(pathOf(name)))
      } catch (error) {
        await rm(written, { force: true })
        throw storageProblem(error)
      }
      if ((await statOf(pathOf(name))) === null)
        await rm(thumbnailOf(pathOf(name)), { force: true })
    },
    list: () => listKept(folder),
    clearStaged: (beforeMs) => clearFolder(staging, beforeMs),
  }
}

/** Bytes after which the memory of earlier chunks is freed. */
const SWEEP_BYTES = 8 * 1_024 * 1_024

/**
 * Returns the same chunks, and frees the memory of earlier ones at intervals. The runtime does not
 * see how large they are and would keep tens of megabytes. Freeing takes a few milliseconds; small
 * files never reach the limit.
 */
async function* freeingMemory(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let unswept = 0
  for await (const piece of pieces) {
    yield piece
    unswept += piece.length
    if (unswept < SWEEP_BYTES) continue
    unswept = 0
    Bun.gc(true)
  }
}

/** Writes chunk by chunk, each before the next is read, then flushes. */
async function writeAll(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ sizeBytes: number; sha256: string }> {
  const handle = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const piece of freeingMemory(bytes)) {
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
