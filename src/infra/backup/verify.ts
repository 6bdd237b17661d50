import { Database } from 'bun:sqlite'
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

import { MigrationError } from '../db/migrate'
import { BackupError } from './archive'
import { inspectDatabase, type CopyFacts } from './copy-database'
import { PARTS, type Manifest } from './manifest'
import { schemaDifferences } from './schema'

/** The folder of a backup to verify, and its description. */
export interface VerifyOrder {
  folder: string
  manifest: Manifest
}

/** Names of files in the store. */
export const FILE_NAME = /^[0-9a-f]{2}\/[0-9a-f]{30}$/

/** Differences named in a refusal. */
const MAX_NAMED = 3

/**
 * Verifies a backup: only regular files, a database with exactly the schema of its version that is
 * sound and the one that was copied, all files, and a manifest that agrees with them. Changes
 * nothing. Throws BackupError, and MigrationError for a newer database.
 */
export async function verifyBackup(folder: string, manifest: Manifest): Promise<void> {
  if (manifest.state !== 'completed')
    throw new BackupError(
      `The backup cannot be used because its state is ${manifest.state}. Choose another one.`,
    )
  requireRegular(folder, PARTS.database)
  refuseJournals(folder)
  const path = join(folder, PARTS.database)
  requireOwnSchema(path)
  const facts = await inspectDatabase(path, true).catch(() => {
    throw new BackupError('The database in the backup is damaged.')
  })
  requireManifestMatches(folder, manifest, facts)
  if (facts.problems.length > 0)
    throw new BackupError(`The database in the backup is damaged: ${facts.problems.join('; ')}.`)
}

/** Returns what is wrong with a backup, as a sentence, or `null`. */
export async function faultOfBackup({ folder, manifest }: VerifyOrder): Promise<string | null> {
  try {
    await verifyBackup(folder, manifest)
    return null
  } catch (error) {
    if (error instanceof BackupError || error instanceof MigrationError) return error.message
    throw error
  }
}

/**
 * Requires that a part exists and is neither a link nor reached through one. Throws BackupError.
 */
function requireRegular(folder: string, name: string): void {
  const place = join(folder, name)
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined)
    throw new BackupError(`The file ${name} is missing from the backup.`)
  if (!lstatSync(place).isFile() || realpathSync(place) !== join(realpathSync(folder), name))
    throw new BackupError(`${name} in the backup is not a regular file.`)
}

/**
 * Refuses a log beside the database. Reading the database would include the log's content, but the
 * restored copy would lack it. Throws BackupError.
 */
function refuseJournals(folder: string): void {
  for (const name of [`${PARTS.database}-wal`, `${PARTS.database}-journal`]) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (found !== undefined && !(found.isFile() && found.size === 0))
      throw new BackupError(`${name} does not belong to a backup.`)
  }
}

/**
 * Refuses a database whose schema is not exactly that of its version, because additional triggers
 * would run with the server. Throws BackupError and MigrationError.
 */
export function requireOwnSchema(path: string): void {
  let differences: string[]
  try {
    const database = new Database(path, { readonly: true, strict: true })
    try {
      database.run('pragma trusted_schema = off')
      // a database of another program has none
      database.query('select tag from schema_migrations').get()
      differences = schemaDifferences(database)
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof MigrationError) throw error
    throw new BackupError('The database in the backup is damaged or is not a Switchboard database.')
  }
  if (differences.length === 0) return
  const more = differences.length - MAX_NAMED
  const named = differences.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${more} more` : '')
  throw new BackupError(
    `The schema of the database in the backup does not match its version: ${named}.`,
  )
}

/** Compares the manifest with the files. Throws BackupError. */
function requireManifestMatches(folder: string, manifest: Manifest, facts: CopyFacts): void {
  const { database, files, startedAtMs, finishedAtMs, error } = manifest
  const lie = (field: string): BackupError =>
    new BackupError(`The manifest of the backup is wrong: ${field} does not match the content.`)
  if (!database) throw lie('database')
  if (facts.sha256 !== database.sha256)
    throw new BackupError('The database in the backup is damaged: checksum mismatch.')
  if (facts.sizeBytes !== database.sizeBytes) throw lie('database.sizeBytes')
  if (facts.schemaVersion !== database.schemaVersion) throw lie('database.schemaVersion')
  const tables = new Set([...Object.keys(facts.rowCounts), ...Object.keys(database.rowCounts)])
  for (const table of tables)
    if (facts.rowCounts[table] !== database.rowCounts[table])
      throw lie(`database.rowCounts.${table}`)
  if (finishedAtMs === null || finishedAtMs < startedAtMs) throw lie('finishedAtMs')
  if (error !== null) throw lie('error')
  const listed = listedFiles(folder)
  const known = new Set(facts.files)
  const odd = [...facts.files, ...listed.map(({ name }) => name)].find(
    (name) => !FILE_NAME.test(name),
  )
  if (odd !== undefined)
    throw new BackupError(`The database in the backup names an invalid file: ${odd.slice(0, 100)}.`)
  const foreign = listed.find(({ name }) => !known.delete(name))
  if (foreign)
    throw new BackupError(
      `The file list of the backup contains ${foreign.name}, which belongs to no record.`,
    )
  for (const { name, sizeBytes } of listed) {
    const part = join(PARTS.files, name)
    requireRegular(folder, part)
    if (lstatSync(join(folder, part)).size !== sizeBytes)
      throw new BackupError(`The file ${name} in the backup was changed or is incomplete.`)
  }
  if (files?.count !== listed.length) throw lie('files.count')
  if (files.sizeBytes !== listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
    throw lie('files.sizeBytes')
  if (files.missing !== known.size) throw lie('files.missing')
}

/**
 * Returns the files that a backup lists, with their sizes. Throws BackupError if the list is
 * missing or invalid.
 */
export function listedFiles(folder: string): { name: string; sizeBytes: number }[] {
  const path = join(folder, PARTS.fileList)
  if (!existsSync(path)) throw new BackupError('The file list of the backup is missing.')
  requireRegular(folder, PARTS.fileList)
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name, size] = /^([0-9a-f]{2}\/[0-9a-f]{30}) (\d{1,15})$/.exec(line) ?? []
      if (name === undefined)
        throw new BackupError(`The file list of the backup is damaged at: ${line.slice(0, 100)}.`)
      return { name, sizeBytes: Number(size) }
    })
}
