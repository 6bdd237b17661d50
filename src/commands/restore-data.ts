import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../config'
import { machine } from '../container'
import { discardedSentences, discardSecrets, type DiscardedFacts } from '../discard-secrets'
import { makeKey, readRootKeys } from '../secrets'
import { BackupError } from '../infra/backup/archive'
import { verifyBackup } from '../infra/backup/verify'
import { openBackup, stageBackup } from '../infra/backup/restore'
import { endInterruptedSwap, replaceWithStaged, restoreWorkDir } from '../infra/backup/swap'
import type { Manifest } from '../infra/backup/manifest'
import type { Db } from '../infra/db/connection'
import { NewerDatabaseError } from '../infra/db/migrate'
import type { Deps } from '../infra/ctx'
import { requireReadableSecrets, WrongKeyError } from '../infra/keys/keyring'
import { newestChangeIn } from '../infra/replica/read'
import { becomeOwner, openDataDir, openInstallation, type DataDir } from '../infra/data-dir'
import { claimDataDir } from '../infra/fence'
import { isoTime } from '../lib/clock'
import { createSealer, type Sealer } from '../lib/secret'
import { migrateWithBackup } from '../migrate'
import { hasPeers, settledSentences, settleRestored, type SettledFacts } from '../settle-restored'
import { openDatabase } from './database'
import { UnconfirmedError, UsageError } from './command'

/** What a restore did. */
export interface RestoreFacts extends SettledFacts {
  /** The ID of the backup; `null` for a database alone. */
  id: string | null
  files_missing: number
  made_at: string
  /** When the newest row was written. What changed later is not in the backup. */
  newest_row_at: string | null
  migrations: string[]
  /** What was given up with a lost key; `null` if nothing was. */
  discarded: (DiscardedFacts & { key_made: boolean }) | null
  /** The names under which the previous data is kept. */
  former: string[]
}

/** A backup or database, and where the media files of a database alone are. */
interface Source {
  path: string
  media?: string | undefined
}

/** What the operator says about a restore. */
export interface RestoreOptions {
  /** Whether a database that exists may be replaced. */
  replaces: boolean
  /** Whether organizations work at once, without an answer of the other cells. */
  opens: boolean
  /** Whether everything that the key of the backup encrypted is given up. */
  discards: boolean
}

/**
 * Restores a backup or a database into a data folder that no server uses. Nothing that may have been
 * sent since is sent again. The data folder changes at the end, at once; if this is interrupted
 * before, it is as it was. Throws BackupError, DataDirError, KeyError, MigrationError and
 * WrongKeyError, and UnconfirmedError if a database exists that may not be replaced.
 */
export async function restoreInto(
  settings: Config,
  dir: DataDir,
  { replaces, ...source }: Source & RestoreOptions,
): Promise<RestoreFacts> {
  const claim = await claimDataDir(dir, () => process.exit(1))
  try {
    endInterruptedSwap(dir)
    if (existsSync(dir.databasePath) && !replaces)
      throw new UnconfirmedError(
        `${dir.path} already contains a database. Nothing was changed. Pass --yes to replace it; it ` +
          'is kept beside the restored one.',
      )
    return await replaceData(dir, () => stage(settings, dir, source).catch(refuseNewer))
  } finally {
    claim.release()
  }
}

/** Says of a backup, too, that it is newer: a rollback would change another database. */
function refuseNewer(error: unknown): never {
  if (!(error instanceof NewerDatabaseError)) throw error
  throw new BackupError(
    `The backup is newer than this version (${error.by}). Restore it with the version that made it, or ` +
      'a later one.',
  )
}

/**
 * Replaces the data of a folder that this process has claimed with what `prepare` stages. Returns
 * what it returned, with the names under which the previous data is kept. After an error, the data is
 * as it was.
 */
export async function replaceData<T extends object>(
  dir: DataDir,
  prepare: () => Promise<T>,
): Promise<T & { former: string[] }> {
  const workDir = restoreWorkDir(dir)
  const wasCutOff = existsSync(workDir) && !existsSync(dir.databasePath)
  try {
    rmSync(workDir, { recursive: true, force: true })
    mkdirSync(workDir, { recursive: true, mode: 0o700 })
    const staged = await prepare()
    return { ...staged, former: replaceWithStaged(dir, machine().clock.nowMs(), staged) }
  } catch (error) {
    endInterruptedSwap(dir)
    rmSync(workDir, { recursive: true, force: true })
    // the folder was already incomplete
    if (wasCutOff) mkdirSync(workDir, { recursive: true, mode: 0o700 })
    throw error
  }
}

/** Copies a backup into the work folder and verifies it there. Returns the path of its database. */
export async function stageVerified(
  dir: DataDir,
  { path, media }: Source,
): Promise<{ manifest: Manifest; databasePath: string }> {
  const { folder, manifest } = await openBackup(path, dir, media)
  await verifyBackup(folder, manifest)
  return { manifest, databasePath: stageBackup(folder, restoreWorkDir(dir)) }
}

/** Stages a backup and prepares it for its first start. */
async function stage(
  settings: Config,
  dir: DataDir,
  { opens, discards, ...source }: Source & Omit<RestoreOptions, 'replaces'>,
): Promise<Omit<RestoreFacts, 'former'>> {
  const { clock, ids } = machine()
  const { manifest, databasePath } = await stageVerified(dir, source)
  const db = openDatabase(settings, databasePath)
  const migrations = migrateWithBackup(db, { ...dir, backupsPath: restoreWorkDir(dir) }, clock)
  const newestMs = newestChangeIn(db.sqlite)
  const discarded = discards ? discardIn(settings, dir, db) : null
  requireReadableSecrets({ db, vault: createSealer(readRootKeys(settings, dir)) })
  const settled = settleRestored({ db, clock, ids }, { freezes: !opens && hasPeers(settings) })
  closeStaged(db)
  return {
    id: manifest.id === '' ? null : manifest.id,
    files_missing: manifest.files?.missing ?? 0,
    made_at: isoTime(manifest.startedAtMs),
    newest_row_at: newestMs === null ? null : isoTime(newestMs),
    migrations,
    ...settled,
    discarded,
  }
}

/**
 * Gives up the secrets of a staged database, for which there is no key, and makes a new key if there
 * is none. Throws UsageError if the key that is there reads them.
 */
function discardIn(settings: Config, dir: DataDir, db: Db): NonNullable<RestoreFacts['discarded']> {
  const isMade = makeKey(settings, dir)
  const { clock, ids } = machine()
  const vault = createSealer(readRootKeys(settings, dir))
  if (isReadable(db, vault))
    throw new UsageError(
      'The secret key that is in use reads the secrets of this backup. Restore it without ' +
        '--discard-secrets.',
    )
  const discarded = discardSecrets({ db, clock, ids, vault } as Deps) // only these are used
  return { ...discarded, key_made: isMade }
}

function isReadable(db: Db, vault: Sealer): boolean {
  try {
    requireReadableSecrets({ db, vault })
    return true
  } catch (error) {
    if (error instanceof WrongKeyError) return false
    throw error
  }
}

/** Closes a staged database, which leaves no log beside it. */
export function closeStaged({ sqlite }: Db): void {
  sqlite.run('pragma wal_checkpoint(truncate)')
  sqlite.close()
}

const keySentence = (isMade: boolean): string =>
  `${isMade ? 'A new key is in use' : 'The key that was there is in use'}. Keep it elsewhere: ` +
  '"switchboard recovery-sheet" prints it.'

/** Returns a report of a restore for people. */
export function restoreReport(facts: RestoreFacts, path: string): string {
  const { migrations, former } = facts
  return [
    // The time of a database alone is that of its file, which says little.
    `Restored the ${facts.id === null ? 'database' : `backup of ${facts.made_at}`} into ${path}.`,
    facts.newest_row_at === null
      ? 'It contains no changes of a server.'
      : `The newest row is of ${facts.newest_row_at}. What changed later is not in it.`,
    ...(migrations.length > 0 ? [`Applied migrations: ${migrations.join(', ')}.`] : []),
    ...(facts.files_missing > 0 ? [`${facts.files_missing} media files are missing.`] : []),
    ...settledSentences(facts),
    ...(facts.discarded === null ? [] : discardedSentences(facts.discarded)),
    ...(facts.discarded === null ? [] : [keySentence(facts.discarded.key_made)]),
    ...(former.length > 0 ? [`Previous data kept at: ${former.join(', ')}.`] : []),
    'Now start the server.',
  ].join('\n')
}

/**
 * Returns the data folder to restore into: a named one, or that of an installation. Requires a key,
 * unless one is made later.
 * Throws DataDirError and KeyError.
 */
export function openTarget(settings: Config, { needsKey = true } = {}): DataDir {
  const path = resolve(settings.dataDir)
  const isInterrupted = existsSync(restoreWorkDir({ path }))
  if (!settings.isDataDirNamed && !isInterrupted) return openInstallation(path)
  if (existsSync(path)) becomeOwner(path)
  if (needsKey) readRootKeys(settings, { path })
  return openDataDir(path)
}
