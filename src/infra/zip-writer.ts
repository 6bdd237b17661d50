import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { constants, crc32, deflateRawSync } from 'node:zlib'

/** Bytes that are compressed or written at a time. */
const CHUNK_BYTES = 256 * 1_024

const LEVEL = 4
const STORED = 0
const DEFLATED = 8
/** The version that a reader needs for ZIP64. */
const VERSION = 45
const UNIX = 3 << 8
const READABLE_BY_OWNER = 0o100600
/** Stands for a size or offset that is in the ZIP64 field. */
const IN_ZIP64 = 0xffffffff
const ZIP64_FIELD = 1
/** The end of a compressed entry: an empty last block. */
const LAST_BLOCK = Uint8Array.of(3, 0)

interface Entry {
  name: Buffer
  method: number
  offset: number
  crc: number
  packedBytes: number
  bytes: number
}

/** Facts about the content of an entry. */
export interface ZipEntryFacts {
  bytes: number
  sha256: string
}

/**
 * Writes a ZIP file with any number of entries of any size, one after the other. Made for threads
 * of their own: it waits for the disk, and takes the same memory whatever the sizes, except about
 * 100 bytes for each entry. (`yazl` looks at all entries for each one, which takes minutes for many
 * files.) Sizes are written before the content, so the file can also be read from its beginning.
 */
export class ZipWriter {
  private readonly file: number
  private position = 0
  private readonly central: Buffer[] = []
  private entry: Entry | null = null
  private hash = new Bun.CryptoHasher('sha256')
  private readonly waiting = Buffer.allocUnsafe(CHUNK_BYTES)
  private waitingBytes = 0

  /** Opens the file, which is emptied if it exists. Throws the errors of the disk. */
  constructor(
    path: string,
    /** Time of the entries, milliseconds. */
    private readonly atMs: number,
  ) {
    this.file = openSync(path, 'w', 0o600)
  }

  /** Bytes written so far. */
  get sizeBytes(): number {
    return this.position
  }

  /** Begins an entry. The one before must have ended. */
  begin(name: string, { isCompressed }: { isCompressed: boolean }): void {
    this.entry = {
      name: Buffer.from(name),
      method: isCompressed ? DEFLATED : STORED,
      offset: this.position,
      crc: 0,
      packedBytes: 0,
      bytes: 0,
    }
    this.hash = new Bun.CryptoHasher('sha256')
    this.append(this.localHeader(this.entry))
  }

  /** Adds bytes to the entry. They may be changed afterwards. */
  write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const length = Math.min(bytes.length - done, CHUNK_BYTES - this.waitingBytes)
      this.waiting.set(bytes.subarray(done, done + length), this.waitingBytes)
      this.waitingBytes += length
      done += length
      if (this.waitingBytes === CHUNK_BYTES) this.pack()
    }
  }

  /** Ends the entry and returns facts about its content. */
  end(): ZipEntryFacts {
    const { entry } = this
    if (entry === null) throw new Error('no entry has begun')
    this.pack()
    if (entry.method === DEFLATED) this.appendPacked(entry, LAST_BLOCK)
    this.writeAt(this.localHeader(entry), entry.offset)
    this.central.push(this.centralHeader(entry))
    this.entry = null
    return { bytes: entry.bytes, sha256: this.hash.digest('hex') }
  }

  /** Writes the directory and flushes the file to disk. */
  finish(): void {
    const directory = { offset: this.position, bytes: 0, entries: this.central.length }
    for (const header of this.central) {
      directory.bytes += header.length
      this.append(header)
    }
    this.append(endOf(directory, this.position))
    fsyncSync(this.file)
  }

  /** Closes the file, complete or not. */
  close(): void {
    closeSync(this.file)
  }

  /** Takes the waiting bytes into the entry. */
  private pack(): void {
    const { entry } = this
    if (entry === null || this.waitingBytes === 0) return
    const bytes = this.waiting.subarray(0, this.waitingBytes)
    this.waitingBytes = 0
    this.hash.update(bytes)
    entry.crc = crc32(bytes, entry.crc)
    entry.bytes += bytes.length
    // Each chunk ends at the boundary of a byte, so that chunks can be joined.
    const finishFlush = constants.Z_SYNC_FLUSH
    this.appendPacked(
      entry,
      entry.method === STORED ? bytes : deflateRawSync(bytes, { level: LEVEL, finishFlush }),
    )
  }

  private appendPacked(entry: Entry, bytes: Uint8Array): void {
    entry.packedBytes += bytes.length
    this.append(bytes)
  }

  private append(bytes: Uint8Array): void {
    this.writeAt(bytes, this.position)
    this.position += bytes.length
  }

  private writeAt(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.file, bytes, done, bytes.length - done, position + done)
  }

  /** The header before the content. Its sizes and checksum are known at the end. */
  private localHeader(entry: Entry): Buffer {
    const header = Buffer.alloc(30 + entry.name.length + 20)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(VERSION, 4)
    this.describe(header, entry, 8)
    header.writeUInt16LE(20, 28)
    entry.name.copy(header, 30)
    const field = 30 + entry.name.length
    header.writeUInt16LE(ZIP64_FIELD, field)
    header.writeUInt16LE(16, field + 2)
    header.writeBigUInt64LE(BigInt(entry.bytes), field + 4)
    header.writeBigUInt64LE(BigInt(entry.packedBytes), field + 12)
    return header
  }

  private centralHeader(entry: Entry): Buffer {
    const header = Buffer.alloc(46 + entry.name.length + 28)
    header.writeUInt32LE(0x02014b50, 0)
    header.writeUInt16LE(UNIX | VERSION, 4)
    header.writeUInt16LE(VERSION, 6)
    this.describe(header, entry, 10)
    header.writeUInt16LE(28, 30)
    header.writeUInt32LE(READABLE_BY_OWNER * 0x10000, 38)
    header.writeUInt32LE(IN_ZIP64, 42)
    entry.name.copy(header, 46)
    const field = 46 + entry.name.length
    header.writeUInt16LE(ZIP64_FIELD, field)
    header.writeUInt16LE(24, field + 2)
    header.writeBigUInt64LE(BigInt(entry.bytes), field + 4)
    header.writeBigUInt64LE(BigInt(entry.packedBytes), field + 12)
    header.writeBigUInt64LE(BigInt(entry.offset), field + 20)
    return header
  }

  /** Writes the fields that both headers have, from the method to the length of the name. */
  private describe(header: Buffer, entry: Entry, at: number): void {
    const time = new Date(this.atMs)
    header.writeUInt16LE(entry.method, at)
    header.writeUInt16LE(
      (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
      at + 2,
    )
    header.writeUInt16LE(
      ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
      at + 4,
    )
    header.writeUInt32LE(entry.crc, at + 6)
    header.writeUInt32LE(IN_ZIP64, at + 10)
    header.writeUInt32LE(IN_ZIP64, at + 14)
    header.writeUInt16LE(entry.name.length, at + 18)
  }
}

/** The end of the file: where its directory is. */
function endOf(
  directory: { offset: number; bytes: number; entries: number },
  position: number,
): Buffer {
  const end = Buffer.alloc(56 + 20 + 22)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(UNIX | VERSION, 12)
  end.writeUInt16LE(VERSION, 14)
  end.writeBigUInt64LE(BigInt(directory.entries), 24)
  end.writeBigUInt64LE(BigInt(directory.entries), 32)
  end.writeBigUInt64LE(BigInt(directory.bytes), 40)
  end.writeBigUInt64LE(BigInt(directory.offset), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(position), 64)
  end.writeUInt32LE(1, 72)
  end.writeUInt32LE(0x06054b50, 76)
  end.writeUInt16LE(0xffff, 84)
  end.writeUInt16LE(0xffff, 86)
  end.writeUInt32LE(IN_ZIP64, 88)
  end.writeUInt32LE(IN_ZIP64, 92)
  return end
}
