import { Database } from 'bun:sqlite'
import { existsSync, statfsSync, statSync } from 'node:fs'
import { basename } from 'node:path'

import type { Config } from '../config'
import { readRootKeys } from '../secrets'
import { BackupError } from '../infra/backup/archive'
import { endInterruptedSwap } from '../infra/backup/swap'
import { listUpgradeCopies, type UpgradeCopy } from '../infra/backup/upgrade-copies'
import { requireOwnSchema } from '../infra/backup/verify'
import { claimDataDir } from '../infra/fence'
import type { DataDir } from '../infra/data-dir'
import { knownMigrations, migrationStatus } from '../infra/db/migrate'
import { requireReadableSecrets } from '../infra/keys/keyring'
import { isoTime } from '../lib/clock'
import { createSealer } from '../lib/secret'
import { countSince, sinceWords, type SinceCopy } from '../modules/operation/system/since-copy'
import { leaveUnsettled } from '../settle-restored'
import { VERSION } from '../version'
import { formerThatOpens } from '../version-history'
import { closeStaged, replaceData, stageVerified } from './restore-data'
import { openDatabase } from './database'

/** What a rollback did, or would do. */
export interface RollbackFacts {
  copy: string
  made_at: string
  /** The migrations that the present database has and the copy lacks; `null` if it is unreadable. */
  undone: string[] | null
  /** What the present database has and the copy lacks; `null` if that cannot be counted. */
  since: SinceCopy | null
  /** Whether another version of the program is needed for the copy. */
  needs_former_version: boolean
  files_missing: number
  /** The names under which the previous data is kept; `null` if nothing was done. */
  former: string[] | null
}

/**
 * Goes back to the copy of the database that was made before its last migration, in a data folder
 * that no server uses. The copy keeps its schema and is settled by the server that opens it. Does
 * nothing without `goes` if something would be left behind. If it is interrupted, it can be run
 * again. Throws BackupError, DataDirError, KeyError and WrongKeyError.
 */
export async function rollBack(
  settings: Config,
  dir: DataDir,
  { goes }: { goes: boolean },
): Promise<RollbackFacts> {
  const claim = await claimDataDir(dir, () => process.exit(1))
  try {
    const interrupted = endInterruptedSwap(dir)
    // Its last step was missing only.
    if (interrupted?.isComplete === true && isRollback(interrupted.report))
      return { ...interrupted.report, former: interrupted.former }
    const applied = appliedIn(dir.databasePath)
    requireUpgradeOfData(dir)
    const copy = newestCopy(dir, applied)
    const seen = lookAt(dir, copy, applied)
    const leavesSomething = seen.since === null || sinceWords(seen.since).length > 0
    if (leavesSomething && !goes) return { ...seen, files_missing: 0, former: null }
    requireSpace(dir, copy)
    return await replaceData(dir, () => stageCopy(settings, dir, { copy, seen }))
  } finally {
    claim.release()
  }
}

const isRollback = (report: unknown): report is Omit<RollbackFacts, 'former'> =>
  typeof report === 'object' && report !== null && 'undone' in report

/** The migrations of a database of any version, oldest first; `null` if it cannot be read. */
function appliedIn(path: string): string[] | null {
  if (!existsSync(path)) return null
  try {
    const database = new Database(path, { strict: true })
    try {
      return database
        .query<{ tag: string }, []>('select tag from schema_migrations order by tag')
        .all()
        .map(({ tag }) => tag)
    } finally {
      database.close()
    }
  } catch {
    return null
  }
}

/** Throws BackupError if the former version works with the present database. */
function requireUpgradeOfData(dir: DataDir): void {
  const former = formerThatOpens(
    dir,
    knownMigrations().map(({ tag }) => tag),
  )
  if (former === null) return
  const step =
    former === VERSION ? 'Only start it' : 'Only put it in place of the executable, and start it'
  throw new BackupError(
    `Version ${former} works with this database as it is. ${step}: nothing is lost. To go back ` +
      'further, run "switchboard rollback" again after that.',
  )
}

/**
 * Returns the newest copy. An older one is never taken, so that a repeated rollback does not go
 * back another version. Throws BackupError.
 */
function newestCopy({ backupsPath }: DataDir, applied: string[] | null): UpgradeCopy {
  const copy = listUpgradeCopies(backupsPath).toSorted((a, b) => b.madeAtMs - a.madeAtMs)[0]
  if (!copy)
    throw new BackupError(
      `There is no copy from before a migration in ${backupsPath}. The newest one is kept for a week ` +
        'at least, and then deleted like an automatic backup. If the former version starts with this ' +
        'database, only replace the executable. Otherwise put it in place, and restore one of its ' +
        'backups with "switchboard restore".',
    )
  if (applied !== null && !applied.includes(copy.tag))
    throw new BackupError(
      `The database is as it was before the migration ${copy.tag}: there is nothing to go back ` +
        'from. To go back further, restore an older copy or a backup with its version.',
    )
  return copy
}

type Seen = Omit<RollbackFacts, 'former' | 'files_missing'>

/** Compares the present database with a copy. Throws BackupError if the copy cannot be used. */
function lookAt(dir: DataDir, copy: UpgradeCopy, applied: string[] | null): Seen {
  inCopy(copy, () => requireOwnSchema(copy.path))
  const former = new Set(appliedIn(copy.path))
  const database = new Database(copy.path, { readonly: true, strict: true })
  const { pending } = migrationStatus(database)
  database.close()
  return {
    copy: copy.path,
    made_at: isoTime(copy.madeAtMs),
    undone: applied?.filter((tag) => !former.has(tag)) ?? null,
    since: existsSync(dir.databasePath) ? countSince(dir.databasePath, copy.path) : null,
    needs_former_version: pending.length > 0,
  }
}

async function stageCopy(
  settings: Config,
  dir: DataDir,
  { copy, seen }: { copy: UpgradeCopy; seen: Seen },
): Promise<Omit<RollbackFacts, 'former'>> {
  const { manifest, databasePath } = await stageVerified(dir, copy).catch((error: unknown) =>
    inCopy(copy, () => {
      throw error
    }),
  )
  const db = openDatabase(settings, databasePath)
  requireReadableSecrets({ db, vault: createSealer(readRootKeys(settings, dir)) })
  leaveUnsettled(db.sqlite)
  closeStaged(db)
  return { ...seen, files_missing: manifest.files?.missing ?? 0 }
}

/** Runs `work`. An error about a backup names the copy. */
function inCopy<T>({ path }: UpgradeCopy, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    throw new BackupError(`The copy ${basename(path)} cannot be used. ${error.message}`)
  }
}

/** A copy is checked in one place and prepared in another. */
const COPIES = 2

/** Throws BackupError if the disk has too little space. */
function requireSpace({ path }: DataDir, copy: UpgradeCopy): void {
  const { bavail, bsize } = statfsSync(path)
  const needed = statSync(copy.path).size * COPIES
  const mib = (bytes: number): number => Math.ceil(bytes / 1024 ** 2)
  if (bavail * bsize < needed)
    throw new BackupError(
      `There is not enough space in ${path}: ${mib(needed)} MiB are needed, ` +
        `${mib(bavail * bsize)} MiB are free. Nothing was changed.`,
    )
}
