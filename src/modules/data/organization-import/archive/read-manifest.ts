import { Type } from '@sinclair/typebox'

import { sha256Hex } from '../../../../lib/hash'
import { typeGuardOf } from '../../../../lib/schema-check'
import {
  ARCHIVE_ENTRIES,
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  ArchiveManifest,
} from '../../organization-archive/archive-format'
import type { Container } from './container'
import { ArchiveFault, damaged } from './fault'

/** Largest manifest, bytes. */
const MAX_BYTES = 4 * 1_024 * 1_024

const isManifest = typeGuardOf(ArchiveManifest)
const isAnyVersion = typeGuardOf(
  Type.Object({ format: Type.Literal(ARCHIVE_FORMAT), version: Type.Number() }),
)
const isOfRelease = typeGuardOf(
  Type.Object({ product_version: Type.String({ pattern: '^\\d{1,5}(\\.\\d{1,5}){2}$' }) }),
)

const file = ARCHIVE_ENTRIES.manifest

/** The manifest of an archive, and what tells it apart from all others. */
export interface ReadManifest {
  manifest: ArchiveManifest
  /** SHA-256 of its bytes, which name the digests of all parts. */
  digest: string
}

/**
 * Returns the manifest of an archive. Throws ArchiveFault for another product, a newer format and a
 * manifest that is not complete.
 */
export async function readManifest(container: Container): Promise<ReadManifest> {
  const size = container.sizeOf(file)
  if (size === null)
    throw new ArchiveFault('not_an_archive', 'The file is no archive of an organization.')
  if (size > MAX_BYTES) throw damaged('is too large', { file })
  const pieces: Uint8Array[] = []
  for await (const piece of container.read(file)) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const manifest = parsed(bytes.toString('utf8'))
  if (!isAnyVersion(manifest))
    throw new ArchiveFault('not_an_archive', 'The file is an archive of another product.')
  const { version } = manifest as { version: number }
  if (version > ARCHIVE_VERSION)
    throw new ArchiveFault(
      'archive_newer',
      `The archive has the format ${version}, and this version reads formats up to ` +
        `${ARCHIVE_VERSION}. Update this server to ${versionFor(manifest)}, then import the archive again.`,
    )
  if (!isManifest(manifest)) throw damaged('is not complete', { file })
  return { manifest: manifest as ArchiveManifest, digest: sha256Hex(bytes) }
}

/** Returns which version reads a newer archive: the one that wrote it. */
const versionFor = (manifest: unknown): string =>
  isOfRelease(manifest)
    ? `${(manifest as { product_version: string }).product_version} or later`
    : 'the version that wrote it'

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged('is no JSON', { file })
  }
}
