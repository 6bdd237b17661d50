import { Database } from 'bun:sqlite'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join, resolve } from 'node:path'

import { fileErrorMessage } from '../lib/file-error'
import { randomHex } from '../lib/random'
import { isLocked } from './db/errors'

/** The data folder cannot be used; the message is one sentence for the operator. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

/** The folder of the database, its backups and the key files. */
export interface DataDir {
  path: string
  databasePath: string
  backupsPath: string
}

/** Returns the backup folder in a data folder. */
export const backupsIn = (path: string): string => join(path, 'backups')

/** Returns the path of the database in a data folder. */
export const databaseIn = (path: string): string => join(path, 'switchboard.sqlite')

/**
 * Ensures that the data folder exists (created with mode 0700) and is writable, and becomes its
 * owner. From here on, all files of the process are readable only by its user. Throws DataDirError.
 */
export function openDataDir(written: string): DataDir {
  const path = resolve(written)
  process.umask(0o077)
  try {
    becomeOwner(path)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const probe = join(path, `.probe-${randomHex(4)}`)
    closeSync(openSync(probe, 'w', 0o600))
    unlinkSync(probe)
  } catch (error) {
    const trouble = fileErrorMessage(error)
    if (trouble === null) throw error
    if (!isRefusal(error)) throw new DataDirError(`Cannot use DATA_DIR ${path}: ${trouble}`)
    throw new DataDirError(
      `DATA_DIR ${path} is not writable for user ${process.getuid?.() ?? ''}. Run this as ` +
        'the user of the service or as root, or make the directory writable.',
    )
  }
  return { path, databasePath: databaseIn(path), backupsPath: backupsIn(path) }
}

/** Whether the file system denied access to this user. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')

/**
 * Opens the data folder of an existing installation as its owner. Throws DataDirError if there is
 * none.
 */
export function openInstallation(written: string): DataDir {
  const path = resolve(written)
  try {
    statSync(databaseIn(path))
  } catch (error) {
    if (isRefusal(error))
      throw new DataDirError(
        `DATA_DIR ${path} is not readable for user ${process.getuid?.() ?? ''}. Run this as ` +
          'the user of the service or as root.',
      )
    throw new DataDirError(
      `No installation in ${path}. Set DATA_DIR to the directory of an installation.`,
    )
  }
  return openDataDir(path)
}

/**
 * Switches a process of root to the owner of a folder, permanently, so that the service can read
 * and write the files it creates. Does nothing for other users, and if the folder is missing or
 * belongs to root. Throws DataDirError.
 */
export function becomeOwner(path: string): void {
  const owner = statSync(path, { throwIfNoEntry: false })
  if (process.getuid?.() !== 0 || !owner || owner.uid === 0) return
  try {
    process.setgroups?.([owner.gid])
    process.setgid?.(owner.gid)
    process.setuid?.(owner.uid)
  } catch {
    throw new DataDirError(
      `Root cannot switch to user ${owner.uid}, the owner of ${path}. Run this as that user.`,
    )
  }
}

/**
 * Returns the secret in a file of the folder, or `null` if the file does not exist. Throws if it is
 * not readable, and DataDirError if it is empty.
 */
export function readSecretFile(dir: Pick<DataDir, 'path'>, name: string): string | null {
  const path = join(dir.path, name)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null
  const secret = readFileSync(path, 'utf8').trim()
  if (secret === '')
    throw new DataDirError(
      `The file ${name} in DATA_DIR is empty. Restore it, or delete it to generate a new one.`,
    )
  return secret
}

/**
 * Writes a secret to a file of the folder with mode 0600 and returns it. The file is written under
 * another name and renamed, so a crash leaves no partial file.
 */
export function writeSecretFile(dir: Pick<DataDir, 'path'>, name: string, secret: string): string {
  const path = join(dir.path, name)
  const beside = `${path}.${randomHex(4)}`
  const handle = openSync(beside, 'wx', 0o600)
  writeSync(handle, `${secret}\n`)
  fsyncSync(handle)
  closeSync(handle)
  chmodSync(beside, 0o600)
  renameSync(beside, path)
  return secret
}

/** Whether a secret file exists. */
export const hasSecretFile = (dir: Pick<DataDir, 'path'>, name: string): boolean =>
  existsSync(join(dir.path, name))

/**
 * Makes a database from elsewhere, and its companion files, readable only by its owner. Call before
 * opening it, because SQLite creates its log with the mode of the database file.
 */
export function restrictToOwner(databasePath: string): void {
  for (const part of ['', '-wal', '-shm'])
    if (existsSync(databasePath + part)) chmodSync(databasePath + part, 0o600)
}

/**
 * Locks the folder for this process with an exclusive transaction on a small SQLite file. The
 * operating system releases the lock when the process ends, however it ends. Throws DataDirError if
 * another process holds it.
 */
export function lockDataDir(dir: DataDir): { release: () => void } {
  const lock = new Database(join(dir.path, 'lock'), { create: true })
  try {
    lock.run('pragma busy_timeout = 0')
    // Nothing is ever written to it, so it needs no disk space.
    lock.run('pragma journal_mode = memory')
    lock.run('begin exclusive')
  } catch (error) {
    lock.close()
    if (isLocked(error))
      throw new DataDirError(`Another Switchboard process is using ${dir.path}. Stop it first.`)
    throw error
  }
  return { release: () => lock.close() }
}
