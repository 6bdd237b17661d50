import { openPromise } from 'yauzl'

import { sha256Hex } from '../../src/lib/hash'
import {
  ARCHIVE_ENTRIES,
  type ArchiveManifest,
} from '../../src/modules/data/organization-archive/archive-format'

/** An archive of an organization, unpacked. */
export interface OpenArchive {
  manifest: ArchiveManifest
  /** Contents by name of the entry. */
  entries: Map<string, Buffer>
  /** The rows of a part by the names of their columns. */
  rows(table: string): Record<string, unknown>[]
}

/** Unpacks an archive. Throws if something is not as the manifest says. */
export async function openArchive(path: string): Promise<OpenArchive> {
  const entries = await entriesOf(path)
  const bytesOf = (name: string): Buffer => {
    const bytes = entries.get(name)
    if (bytes === undefined) throw new Error(`the archive has no ${name}`)
    return bytes
  }
  const manifest = JSON.parse(bytesOf(ARCHIVE_ENTRIES.manifest).toString()) as ArchiveManifest
  const linesOf = (name: string): unknown[][] =>
    bytesOf(name)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown[])
  const expected: [string, string | null][] = [
    [ARCHIVE_ENTRIES.files, manifest.files.sha256],
    ...manifest.parts.map(({ table, sha256 }) => [ARCHIVE_ENTRIES.part(table), sha256] as const),
    ...linesOf(ARCHIVE_ENTRIES.files).map(
      ([name, , sha256]) => [ARCHIVE_ENTRIES.file(String(name)), sha256] as [string, string | null],
    ),
  ] as [string, string | null][]
  for (const [name, sha256] of expected)
    if (sha256 === null ? entries.has(name) : sha256Hex(bytesOf(name)) !== sha256)
      throw new Error(`${name} is not as the archive says`)
  if (entries.size !== expected.filter(([, sha256]) => sha256 !== null).length + 1)
    throw new Error('the archive has entries that it does not name')
  return {
    manifest,
    entries,
    rows(table) {
      const part = manifest.parts.find((one) => one.table === table)
      return linesOf(ARCHIVE_ENTRIES.part(table)).map((line) =>
        Object.fromEntries(line.map((value, at) => [part?.columns[at]?.name ?? '', value])),
      )
    },
  }
}

async function entriesOf(path: string): Promise<Map<string, Buffer>> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  const found = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    found.set(entry.fileName, Buffer.concat(chunks))
  }
  zip.close()
  return found
}
