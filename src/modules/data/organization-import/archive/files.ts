import { Type } from '@sinclair/typebox'
import { createHash } from 'node:crypto'

import { typeGuardOf } from '../../../../lib/schema-check'
import {
  ARCHIVE_ENTRIES,
  ARCHIVED_FILE,
  type ArchiveManifest,
} from '../../organization-archive/archive-format'
import type { Container } from './container'
import { damaged, invalid } from './fault'
import { readLines } from './lines'

/** A stored file: its size and digest. */
interface ArchivedFile {
  bytes: number
  sha256: string
}

const isLine = typeGuardOf(
  Type.Union([
    Type.Tuple([
      Type.String({ pattern: ARCHIVED_FILE.source }),
      Type.Integer({ minimum: 0 }),
      Type.String({ pattern: '^[0-9a-f]{64}$' }),
    ]),
    Type.Tuple([Type.String({ pattern: ARCHIVED_FILE.source }), Type.Null(), Type.Null()]),
  ]),
)

const FILE = ARCHIVE_ENTRIES.files

/** Longest line: a name, a size and a digest. */
const LINE_BYTES = 200

/** The stored files of an archive by name. */
export class ArchivedFiles {
  private constructor(private readonly files: ReadonlyMap<string, ArchivedFile>) {}

  /** Reads the list of files and compares it with the entries. Throws ArchiveFault. */
  static async read(
    container: Container,
    { files: stated }: ArchiveManifest,
  ): Promise<ArchivedFiles> {
    const files = new Map<string, ArchivedFile>()
    const expected = {
      file: FILE,
      bytes: container.sizeOf(FILE),
      sha256: stated.sha256,
      rows: null,
      lineBytes: LINE_BYTES,
    }
    let [bytes, missing] = [0, 0]
    for await (const { text, number } of readLines(container.read(FILE), expected)) {
      const line = parsed(text, number)
      const [name] = line
      if (files.has(name)) throw invalid(`${name} is there twice`, { file: FILE, line: number })
      if (line[1] === null) {
        missing += 1
        continue
      }
      if (container.sizeOf(ARCHIVE_ENTRIES.file(name)) !== line[1])
        throw damaged('has another size than stated', { file: ARCHIVE_ENTRIES.file(name) })
      bytes += line[1]
      files.set(name, { bytes: line[1], sha256: line[2] })
    }
    const isComplete =
      files.size === stated.files && bytes === stated.bytes && missing === stated.missing
    if (!isComplete) throw damaged('lists other files than the manifest states', { file: FILE })
    for (const entry of container.names())
      if (entry.startsWith('media/') && !files.has(entry.slice('media/'.length)))
        throw invalid('the list of files does not name this entry', { file: entry })
    return new ArchivedFiles(files)
  }

  has(name: string): boolean {
    return this.files.has(name)
  }

  /** Size of a file, 0 if the archive does not have it. */
  bytesOf(name: string): number {
    return this.files.get(name)?.bytes ?? 0
  }

  /** Names of all files, in the order of the list. */
  names(): Iterable<string> {
    return this.files.keys()
  }

  /** Passes bytes on and throws ArchiveFault at the end if they are not those of the file. */
  async *verified(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const file = this.files.get(name)
    const hash = createHash('sha256')
    for await (const piece of bytes) {
      hash.update(piece)
      yield piece
    }
    if (hash.digest('hex') !== file?.sha256)
      throw damaged('has other bytes than were written', { file: ARCHIVE_ENTRIES.file(name) })
  }
}

type FileLine = [string, number, string] | [string, null, null]

function parsed(text: string, line: number): FileLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = null
  }
  if (!isLine(value)) throw invalid('is no file', { file: FILE, line })
  return value as FileLine
}
