import { readSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'

import { storageProblem } from './store'

/**
 * Bytes that are needed again and are too many for memory. The file is unlinked after opening, so a
 * process that dies leaves none.
 */
export class TempFile {
  private sizeBytes = 0

  private constructor(private readonly handle: FileHandle) {}

  /** Opens an empty file, which exists at `path` only briefly. Throws UnavailableError. */
  static async open(path: string): Promise<TempFile> {
    try {
      const handle = await open(path, 'wx+', 0o600)
      await rm(path)
      return new TempFile(handle)
    } catch (error) {
      throw storageProblem(error)
    }
  }

  /** Adds bytes at the end. Throws UnavailableError. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      await this.handle.writeFile(bytes)
    } catch (error) {
      throw storageProblem(error)
    }
    this.sizeBytes += bytes.length
  }

  /** Reads a range of bytes; a range beyond the end is cut. */
  read(from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.sizeBytes - from)))
    for (let done = 0; done < bytes.length;) {
      const count = readSync(this.handle.fd, bytes, done, bytes.length - done, from + done)
      if (count === 0) return bytes.subarray(0, done)
      done += count
    }
    return bytes
  }

  close(): Promise<void> {
    return this.handle.close()
  }
}
