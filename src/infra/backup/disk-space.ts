import { statfsSync } from 'node:fs'
import { link, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { randomHex } from '../../lib/random'
import type { Db } from '../db/connection'
import type { FileStore } from '../files/store'

/** Disk space that must remain for the server beside a backup, bytes. */
const SPARE_BYTES = 512 * 1024 * 1024

/** The disk space that a backup needs, including the reserve, and what is free; bytes. */
export interface BackupSpace {
  neededBytes: number
  freeBytes: number
}

/**
 * Estimates the space of a backup in a folder: a copy of the database, and of each file if the disk
 * cannot link it. A single file needs all of it once more.
 */
export async function estimateSpace(
  { db, files }: { db: Db; files: FileStore },
  folder: string,
  isOneFile: boolean,
): Promise<BackupSpace> {
  const { page_count: pages = 0 } =
    db.sqlite.query<{ page_count: number }, []>('pragma page_count').get() ?? {}
  const { page_size: size = 0 } =
    db.sqlite.query<{ page_size: number }, []>('pragma page_size').get() ?? {}
  const isLinked = await canLink(files, folder)
  const filesBytes = isLinked && !isOneFile ? 0 : await sizeOf(files)
  const copies = pages * size + (isLinked ? 0 : filesBytes)
  const archive = isOneFile ? pages * size + filesBytes : 0
  const { bavail, bsize } = statfsSync(folder)
  return { neededBytes: copies + archive + SPARE_BYTES, freeBytes: bavail * bsize }
}

/** Returns the message for a backup without enough space; `null` if there is enough. */
export const missingSpaceMessage = ({ neededBytes, freeBytes }: BackupSpace): string | null =>
  freeBytes >= neededBytes
    ? null
    : `Not enough disk space for a backup: ${mib(neededBytes)} MiB must be free, including a ` +
      `reserve of ${mib(SPARE_BYTES)} MiB, but only ${mib(freeBytes)} MiB are.`

const mib = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)

/** Whether files of the store can be linked into a folder. Tries it with one of them. */
async function canLink(files: FileStore, folder: string): Promise<boolean> {
  for await (const { name } of files.list()) {
    const place = join(folder, `.probe-${randomHex(8)}`)
    try {
      await link(files.pathOf(name), place)
      return true
    } catch {
      return false
    } finally {
      await rm(place, { force: true })
    }
  }
  return true
}

async function sizeOf(files: FileStore): Promise<number> {
  let bytes = 0
  for await (const { sizeBytes } of files.list()) bytes += sizeBytes
  return bytes
}
