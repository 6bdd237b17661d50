import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

import type { ZipWriter } from '../../../../infra/zip-writer'
import { ARCHIVE_ENTRIES, ARCHIVED_FILE, type ArchiveManifest } from '../archive-format'

/** Bytes of a name without its slash, of a size, and of a digest. */
const NAME_BYTES = 16
const SIZE_BYTES = 8
const DIGEST_BYTES = 32
const RECORD_BYTES = NAME_BYTES + SIZE_BYTES + DIGEST_BYTES

/** The size of a file that does not exist. */
const MISSING = 2n ** 64n - 1n

/** Names, sizes and digests of stored files, 56 bytes each: there may be a million. */
export class FileList {
  private bytes = Buffer.alloc(64 * RECORD_BYTES)
  private count = 0

  /** Adds a name of the store. Anything else is ignored. */
  add(name: unknown): void {
    if (typeof name !== 'string' || !ARCHIVED_FILE.test(name)) return
    const at = this.count * RECORD_BYTES
    if (at === this.bytes.length) this.bytes = Buffer.concat([this.bytes, Buffer.alloc(at)])
    this.bytes.write(name.replace('/', ''), at, 'hex')
    this.bytes.writeBigUInt64LE(MISSING, at + NAME_BYTES)
    this.count += 1
  }

  /** Stores the size and the digest of a file. */
  found(index: number, { bytes, sha256 }: { bytes: number; sha256: string }): void {
    const at = index * RECORD_BYTES + NAME_BYTES
    this.bytes.writeBigUInt64LE(BigInt(bytes), at)
    this.bytes.write(sha256, at + SIZE_BYTES, 'hex')
  }

  /** Yields the files in the order in which they were added; size and digest of missing ones are `null`. */
  *[Symbol.iterator](): Generator<[name: string, bytes: number | null, sha256: string | null]> {
    for (let at = 0; at < this.count * RECORD_BYTES; at += RECORD_BYTES) {
      const hex = this.bytes.toString('hex', at, at + RECORD_BYTES)
      const name = `${hex.slice(0, 2)}/${hex.slice(2, NAME_BYTES * 2)}`
      const size = this.bytes.readBigUInt64LE(at + NAME_BYTES)
      if (size === MISSING) yield [name, null, null]
      else yield [name, Number(size), hex.slice((NAME_BYTES + SIZE_BYTES) * 2)]
    }
  }
}

/**
 * Writes the files and their list. A file that does not exist was deleted meanwhile; the list says
 * so. Calls `check` after each piece. Throws the errors of the disk.
 */
export function writeFiles(
  zip: ZipWriter,
  { folder, list, check }: { folder: string; list: FileList; check: () => void },
): Omit<ArchiveManifest['files'], 'is_included'> {
  const total = { files: 0, bytes: 0, missing: 0 }
  const piece = new Uint8Array(256 * 1_024)
  let index = 0
  for (const [name] of list) {
    const file = openExisting(join(folder, name))
    if (file === null) total.missing += 1
    else {
      zip.begin(ARCHIVE_ENTRIES.file(name), { isCompressed: false })
      try {
        for (let read = 1; read > 0; check()) {
          read = readSync(file, piece)
          zip.write(piece.subarray(0, read))
        }
      } finally {
        closeSync(file)
      }
      const facts = zip.end()
      list.found(index, facts)
      total.files += 1
      total.bytes += facts.bytes
    }
    index += 1
  }
  zip.begin(ARCHIVE_ENTRIES.files, { isCompressed: true })
  for (const line of list) zip.write(Buffer.from(`${JSON.stringify(line)}\n`))
  return { ...total, sha256: zip.end().sha256 }
}

function openExisting(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
