import { crc32 } from 'node:zlib'

import type { Entry, ZipFile } from 'yauzl'

import { PARTS } from '../../../../infra/backup/manifest'
import { yieldEvery } from '../../../../infra/event-loop'
import { ARCHIVE_ENTRIES, ARCHIVED_FILE } from '../../organization-archive/archive-format'
import { ArchiveFault, damaged } from './fault'

/** Most entries of an archive. The index of an open archive takes some 200 bytes of each. */
const MAX_ENTRIES = 2_000_000

/** Names of entries that may occur. */
const TABLE_ENTRY = /^tables\/[a-z][a-z0-9_]{0,63}\.ndjson$/
const FILE_PREFIX = 'media/'

const isKnownName = (name: string): boolean =>
  name === ARCHIVE_ENTRIES.manifest ||
  name === ARCHIVE_ENTRIES.files ||
  TABLE_ENTRY.test(name) ||
  (name.startsWith(FILE_PREFIX) && ARCHIVED_FILE.test(name.slice(FILE_PREFIX.length)))

/** What is needed to read an entry. */
interface IndexedEntry {
  relativeOffsetOfLocalHeader: number
  compressedSize: number
  uncompressedSize: number
  isCompressed: boolean
  crc: number
}

/** How long the index is read without letting requests be served, milliseconds. */
const SLICE_MS = 4

/**
 * The ZIP file of an archive, open for reading. Entries are streamed and never unpacked to a path of
 * the archive's choice.
 */
export class Container {
  private constructor(
    private readonly zip: ZipFile,
    private readonly index: ReadonlyMap<string, IndexedEntry>,
  ) {}

  /** Opens a ZIP file and reads the names of its entries. Throws ArchiveFault. */
  static async open(path: string): Promise<Container> {
    const { openPromise } = await import('yauzl')
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(
      (error: unknown) => {
        if (error instanceof Error && 'syscall' in error) throw error
        throw new ArchiveFault(
          'not_an_archive',
          'The file is no archive of an organization, or its end is missing.',
        )
      },
    )
    try {
      return new Container(zip, await indexOf(zip))
    } catch (error) {
      zip.close()
      throw faultOf(error, 'has a damaged directory')
    }
  }

  close(): void {
    this.zip.close()
  }

  /** Names of all entries. */
  names(): Iterable<string> {
    return this.index.keys()
  }

  /** Unpacked bytes of an entry as the directory states them; `null` if there is none. */
  sizeOf(name: string): number | null {
    return this.index.get(name)?.uncompressedSize ?? null
  }

  /**
   * Streams the unpacked bytes of an entry. Throws ArchiveFault if it is missing or damaged, or has
   * other bytes than the directory states.
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.index.get(name)
    if (!entry) throw damaged('is missing', { file: name })
    let crc = 0
    try {
      for await (const piece of await this.open(entry)) {
        crc = crc32(piece, crc)
        yield piece
      }
    } catch (error) {
      throw faultOf(error, 'cannot be unpacked', name)
    }
    if (crc !== entry.crc) throw damaged('has other bytes than were written', { file: name })
  }

  private async open(entry: IndexedEntry): Promise<AsyncIterable<Uint8Array>> {
    const { fileDataStart } = await this.zip.readLocalFileHeaderPromise(entry as unknown as Entry, {
      minimal: true,
    })
    // The form of this function that returns a promise calls another one (yauzl 3.4.0).
    return await new Promise((resolve, reject) => {
      this.zip.openReadStreamLowLevel(
        fileDataStart,
        entry.compressedSize,
        0,
        entry.compressedSize,
        entry.isCompressed,
        entry.uncompressedSize,
        (error, stream) => (error ? reject(error) : resolve(stream)),
      )
    })
  }
}

/** Returns the fault of the archive for an error of the ZIP library, and others unchanged. */
function faultOf(error: unknown, problem: string, file?: string): unknown {
  if (error instanceof ArchiveFault || (error instanceof Error && 'syscall' in error)) return error
  return damaged(problem, file === undefined ? undefined : { file })
}

/** Names by which a backup of a server is told from an archive. */
const OF_BACKUPS = new Set<string>([PARTS.fileList, PARTS.database])

async function indexOf(zip: ZipFile): Promise<Map<string, IndexedEntry>> {
  if (zip.entryCount > MAX_ENTRIES) throw damaged(`has more than ${MAX_ENTRIES} entries`)
  const index = new Map<string, IndexedEntry>()
  const yieldIfDue = yieldEvery(SLICE_MS)
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName
    const shown = { file: name.slice(0, 100) }
    if (!isKnownName(name))
      throw new ArchiveFault(
        'not_an_archive',
        `The file is no archive of an organization: it contains ${shown.file}.` +
          (OF_BACKUPS.has(name) ? ' It is a backup, for "switchboard restore".' : ''),
        shown,
      )
    if (index.has(name)) throw damaged('is there twice', shown)
    if (!isPlainFile(entry)) throw damaged('is not a plain file', shown)
    index.set(name, {
      relativeOffsetOfLocalHeader: entry.relativeOffsetOfLocalHeader,
      compressedSize: entry.compressedSize,
      uncompressedSize: entry.uncompressedSize,
      isCompressed: entry.compressionMethod === 8,
      crc: entry.crc32,
    })
    await yieldIfDue()
  }
  return index
}

/** File type bits of Unix, in the upper half of the external attributes. */
const TYPE_BITS = 0o170_000
const REGULAR = 0o100_000

/** Whether an entry is a file: stored or deflated, not encrypted, no folder and no link. */
function isPlainFile(entry: Entry): boolean {
  const type = (entry.externalFileAttributes >>> 16) & TYPE_BITS
  return (
    (type === 0 || type === REGULAR) &&
    !entry.isEncrypted() &&
    (entry.compressionMethod === 0 || entry.compressionMethod === 8)
  )
}
