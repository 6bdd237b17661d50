import type { RootKeys } from '../../../../lib/secret'
import type { Db } from '../../../../infra/db/connection'
import type { ArchiveFacts, ArchiveOrder } from './order'
import { problemOf } from './problems'
import { writeArchive } from './write-archive'

/** What a caller decides about an archive. The writer knows the rest. */
export type ArchiveWish = Omit<ArchiveOrder, 'database' | 'roots' | 'maxWalBytes' | 'spareBytes'>

/** Writes archives, one at a time: each keeps a disk and half a processor busy. */
export interface ArchiveWriter {
  /**
   * Writes an archive to the target, which is incomplete or missing if it fails. Returns a problem
   * that a person can understand, and throws other errors, also when `signal` is aborted.
   */
  write(wish: ArchiveWish, signal: AbortSignal): Promise<ArchiveFacts | { problem: string }>
  /** Whether an archive is written, or the writer is kept for somebody. */
  readonly isBusy: boolean
  /**
   * Keeps the writer for one holder, who writes next. Returns whether it does; again for the same holder
   * until it releases it.
   */
  reserve(holder: string): boolean
  release(holder: string): void
}

declare module '../../../../infra/ctx' {
  interface Deps {
    archives: ArchiveWriter
  }
}

/** How long the write-ahead log may become while rows are read, and what must remain of the disk. */
const MAX_WAL_BYTES = 1_024 ** 3
const SPARE_BYTES = 512 * 1_024 ** 2

/**
 * Creates the writer of archives. Only a database file can be read by a thread; one in memory is
 * read here.
 */
export function archiveWriter(
  { sqlite }: Pick<Db, 'sqlite'>,
  roots: RootKeys,
  inThread: (order: ArchiveOrder, signal: AbortSignal) => ReturnType<ArchiveWriter['write']>,
): ArchiveWriter {
  let isBusy = false
  let keptFor: string | null = null
  return {
    async write(wish, signal) {
      const { filename: database } = sqlite
      const limits = { maxWalBytes: MAX_WAL_BYTES, spareBytes: SPARE_BYTES }
      const order = { ...wish, database, roots, ...limits }
      const isFile = database !== '' && database !== ':memory:'
      isBusy = true
      try {
        return isFile ? await inThread(order, signal) : writeHere(sqlite, order)
      } finally {
        isBusy = false
      }
    },
    get isBusy() {
      return isBusy || keptFor !== null
    },
    reserve(holder) {
      if (isBusy || (keptFor !== null && keptFor !== holder)) return false
      keptFor = holder
      return true
    },
    release(holder) {
      if (keptFor === holder) keptFor = null
    },
  }
}

function writeHere(sqlite: Db['sqlite'], order: ArchiveOrder): ArchiveFacts | { problem: string } {
  try {
    return writeArchive(sqlite, order)
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null) throw error
    return { problem }
  }
}
