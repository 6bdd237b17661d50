import { createWriteStream, existsSync, mkdirSync, openSync, fsyncSync, closeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { ZipFile } from 'yazl'

import { zipOutput } from '../zip-output'
import { PARTS, readManifest, type Manifest } from './manifest'

/** A folder or file is not a valid backup. The message is one sentence for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export const WHAT_A_BACKUP_IS =
  'A backup is a folder in BACKUP_DIR, a ZIP file or the file of a database.'

/** Names allowed in the ZIP file of a backup. */
const NAMES = new RegExp(
  `^(?:${[PARTS.manifest, PARTS.database, PARTS.fileList].map((name) => name.replaceAll('.', '\\.')).join('|')}|${PARTS.files}/[0-9a-f]{2}/[0-9a-f]{30})$`,
)

/** The parts of a backup by name, its description first. */
async function* partsOf(folder: string): AsyncGenerator<string> {
  for (const part of [PARTS.manifest, PARTS.fileList, PARTS.database])
    if (existsSync(join(folder, part))) yield part
  const files = join(folder, PARTS.files)
  if (!existsSync(files)) return
  for await (const name of new Bun.Glob('*/*').scan({ cwd: files, onlyFiles: true }))
    yield `${PARTS.files}/${name}`
}

/**
 * Streams a backup as one ZIP file. Nothing is compressed: media files already are, and it saves
 * CPU time.
 */
export async function archiveOf(folder: string): Promise<Readable> {
  const zip = new ZipFile()
  for await (const name of partsOf(folder))
    zip.addFile(join(folder, name), name, { compress: false })
  zip.end()
  return zipOutput(zip)
}

/** Writes a backup as one ZIP file, flushed to disk. Throws if the file exists. */
export async function writeArchive(folder: string, path: string): Promise<void> {
  await pipeline(await archiveOf(folder), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Unpacks the ZIP file of a backup into an empty folder. Throws BackupError. */
export async function unpackArchive(path: string, folder: string): Promise<Manifest> {
  const { openPromise } = await import('yauzl')
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(
    (error: unknown) => {
      if (error instanceof Error && 'syscall' in error) throw error
      throw new BackupError(`${path} is not a backup. ${WHAT_A_BACKUP_IS}`)
    },
  )
  try {
    for await (const entry of zip.eachEntry()) {
      if (!NAMES.test(entry.fileName))
        throw new BackupError(
          `${path} is not a backup: it contains ${entry.fileName.slice(0, 100)}.`,
        )
      const place = join(folder, entry.fileName)
      if (existsSync(place))
        throw new BackupError(`${path} is not a backup: it contains ${entry.fileName} twice.`)
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
      const bytes = await zip.openReadStreamPromise(entry)
      await pipeline(bytes, createWriteStream(place, { flags: 'wx', mode: 0o600 }))
    }
  } catch (error) {
    if (error instanceof BackupError || (error instanceof Error && 'syscall' in error)) throw error
    throw new BackupError(`The file ${path} is damaged and cannot be unpacked.`)
  } finally {
    zip.close()
  }
  const manifest = readManifest(folder)
  if (!manifest) throw new BackupError(`${path} is not a backup: manifest missing.`)
  return manifest
}
