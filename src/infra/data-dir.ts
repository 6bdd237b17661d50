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

/** Where backups lie in a data folder. */
export const backupsIn = (path: string): string => join(path, 'backups')

const DATABASE = 'switchboard.sqlite'

/**
 * Makes sure that the folder exists (made with mode 0700) and can be written, as its owner. What
 * the process creates from here on, the database and its companions too, nobody else can read.
 * Throws DataDirError.
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
  return { path, databasePath: join(path, DATABASE), backupsPath: backupsIn(path) }
}

/** Whether the file system refuses this user what another one may do. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')

/**
 * Opens the folder of an installation that is there already, as its owner. Throws DataDirError
 * where there is none.
 */
export function openInstallation(written: string): DataDir {
  const path = resolve(written)
  try {
    statSync(join(path, DATABASE))
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
 * Run as root, the process becomes the owner of a folder, for good: what it writes there the
 * service can read and write. Nothing happens for any other user, and where the folder is missing
 * or belongs to root. Throws DataDirError.
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
 * The secret in a file of the folder; `null` when there is none, not when this user may not look.
 * Throws DataDirError for an empty file.
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
 * Writes a secret to a file of the folder with mode 0600: beside and renamed, so that a crash
 * leaves either no file or a whole one. Returns it.
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
export const hasSecretFile = (dir: DataDir, name: string): boolean =>
  existsSync(join(dir.path, name))

/**
 * Lets nobody else read a database that came from outside and what lies beside it: SQLite makes its
 * log with the mode of the file. Before it is opened.
 */
export function shutToOthers(databasePath: string): void {
  for (const part of ['', '-wal', '-shm'])
    if (existsSync(databasePath + part)) chmodSync(databasePath + part, 0o600)
}

/**
 * Holds the folder for this process until it ends, however it ends: an exclusive transaction on a
 * small SQLite file, whose lock the operating system drops with the process. Throws DataDirError
 * when another process holds it.
 */
export function lockDataDir(dir: DataDir): { release: () => void } {
  const lock = new Database(join(dir.path, 'lock'), { create: true })
  try {
    lock.run('pragma busy_timeout = 0')
    // nothing is ever written to it, so it needs no room on the disk either
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
