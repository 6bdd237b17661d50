import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../config'
import { machine } from '../container'
import { KeyError, readRootKeys } from '../secrets'
import { verifyBackup } from '../infra/backup/verify'
import { openBackup, stageBackup, replaceWithStaged, restoreWorkDir } from '../infra/backup/restore'
import { requireReadableSecrets } from '../infra/keys/keyring'
import { renewEventLog } from '../infra/outbox/relay'
import { newestChangeIn } from '../infra/replica/read'
import { becomeOwner, openDataDir, openInstallation, type DataDir } from '../infra/data-dir'
import { claimDataDir } from '../infra/fence'
import { isoTime } from '../lib/clock'
import { createSealer } from '../lib/secret'
import { migrateWithBackup } from '../migrate'
import { startRebuilds } from '../modules/insight/analytics/rollups/rebuild'
import { leaveOutMissedReports } from '../modules/insight/analytics/scheduled/leave-out-after-restore'
import { pauseRestored } from '../modules/outreach/campaigns/run/pause-after-restore'
import { endRestoredSessions } from '../modules/automation/chatbot/engine/end-after-restore'
import { markSendsUnknown } from '../modules/inbox/messages/outbound/mark-unknown-after-restore'
import { failDueAfterRestore } from '../modules/inbox/scheduled-messages/fail-after-restore'
import { askAfterRestore } from '../modules/data/organization-move/source/ask-after-restore'
import { restartClocks } from '../modules/automation/transfers/restart-after-restore'
import { openDatabase } from './database'
import { UsageError } from './command'

/** What a restore did. */
export interface RestoreFacts {
  /** The ID of the backup; `null` for a database alone. */
  id: string | null
  files_missing: number
  made_at: string
  /** When the newest row was written. What changed later is not in the backup. */
  newest_row_at: string | null
  migrations: string[]
  marked_unknown: number
  campaigns_paused: number
  scheduled_failed: number
  bot_sessions_ended: number
  /** Organizations that are frozen until the other cells have answered. */
  organizations_frozen: number
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
}

/**
 * Restores a backup or a database into a data folder that no server uses. Nothing that may have been
 * sent since is sent again. The data folder changes at the end, at once; if this is interrupted
 * before, it is as it was. Throws BackupError, DataDirError, KeyError, MigrationError and
 * WrongKeyError, and UsageError if a database exists that may not be replaced.
 */
export async function restoreInto(
  settings: Config,
  dir: DataDir,
  { replaces, ...source }: Source & RestoreOptions,
): Promise<RestoreFacts> {
  const claim = await claimDataDir(dir, () => process.exit(1))
  const workDir = restoreWorkDir(dir)
  const wasCutOff = existsSync(workDir) && !existsSync(dir.databasePath)
  let isSwapping = false
  try {
    if (existsSync(dir.databasePath) && !replaces)
      throw new UsageError(`${dir.path} already contains a database; pass --yes to replace it.`)
    rmSync(workDir, { recursive: true, force: true })
    mkdirSync(workDir, { recursive: true, mode: 0o700 })
    const staged = await stage(settings, dir, source)
    isSwapping = true
    return { ...staged, former: replaceWithStaged(dir, machine().clock.nowMs()) }
  } catch (error) {
    if (existsSync(dir.databasePath) || !isSwapping)
      rmSync(workDir, { recursive: true, force: true })
    // the folder was already incomplete
    if (wasCutOff) mkdirSync(workDir, { recursive: true, mode: 0o700 })
    throw error
  } finally {
    claim.release()
  }
}

/** Copies a backup into the work folder, verifies it there, and prepares it for its first start. */
async function stage(
  settings: Config,
  dir: DataDir,
  { path, media, opens }: Source & Pick<RestoreOptions, 'opens'>,
): Promise<Omit<RestoreFacts, 'former'>> {
  const { clock, ids } = machine()
  const workDir = restoreWorkDir(dir)
  const { folder, manifest } = await openBackup(path, dir, media)
  await verifyBackup(folder, manifest)
  const db = openDatabase(settings, stageBackup(folder, workDir))
  const migrations = migrateWithBackup(db, { ...dir, backupsPath: workDir }, clock)
  const newestMs = newestChangeIn(db.sqlite)
  requireReadableSecrets({ db, vault: createSealer(readRootKeys(settings, dir)) })
  const marked = markSendsUnknown({ db, clock })
  const paused = pauseRestored({ db, clock, ids })
  const due = failDueAfterRestore({ db, clock, ids })
  const ended = endRestoredSessions({ db, clock, ids })
  restartClocks({ db, clock, ids })
  startRebuilds({ db, clock, ids })
  leaveOutMissedReports({ db, clock, ids })
  const freezes = !opens && (settings.cells?.peers.length ?? 0) > 0
  const frozen = askAfterRestore({ db, clock, ids }, { freezes })
  renewEventLog({ db, ids })
  db.sqlite.run('pragma wal_checkpoint(truncate)')
  db.sqlite.close()
  return {
    id: manifest.id === '' ? null : manifest.id,
    files_missing: manifest.files?.missing ?? 0,
    made_at: isoTime(manifest.startedAtMs),
    newest_row_at: newestMs === null ? null : isoTime(newestMs),
    migrations,
    marked_unknown: marked,
    campaigns_paused: paused,
    scheduled_failed: due,
    bot_sessions_ended: ended,
    organizations_frozen: frozen,
  }
}

/** Returns a report of a restore for people. */
export function restoreReport(facts: RestoreFacts, path: string): string {
  const { migrations, former } = facts
  const paused =
    `${facts.campaigns_paused} campaigns were paused because they may have sent messages since ` +
    'the backup. Check each one before you resume it.'
  return [
    // The time of a database alone is that of its file, which says little.
    `Restored the ${facts.id === null ? 'database' : `backup of ${facts.made_at}`} into ${path}.`,
    facts.newest_row_at === null
      ? 'It contains no changes of a server.'
      : `The newest row is of ${facts.newest_row_at}. What changed later is not in it.`,
    ...(migrations.length > 0 ? [`Applied migrations: ${migrations.join(', ')}.`] : []),
    ...(facts.files_missing > 0 ? [`${facts.files_missing} media files are missing.`] : []),
    ...(facts.marked_unknown > 0
      ? [`${facts.marked_unknown} unsent messages were marked unknown and will not be sent.`]
      : []),
    ...(facts.campaigns_paused > 0 ? [paused] : []),
    ...(facts.scheduled_failed > 0
      ? [
          `${facts.scheduled_failed} scheduled messages were due since the backup and will not be sent.`,
        ]
      : []),
    ...(facts.bot_sessions_ended > 0
      ? [`${facts.bot_sessions_ended} active sessions of the chatbot were ended.`]
      : []),
    ...(facts.organizations_frozen > 0
      ? [
          `${facts.organizations_frozen} organizations can only be read until the other servers of CELLS ` +
            'have answered, for ten minutes at most. One whose move had begun waits for its new server.',
        ]
      : []),
    ...(former.length > 0 ? [`Previous data kept at: ${former.join(', ')}.`] : []),
  ].join('\n')
}

/**
 * Returns the data folder to restore into: a named one, or that of an installation. Requires a key.
 * Throws DataDirError and KeyError.
 */
export function openTarget(settings: Config): DataDir {
  const path = resolve(settings.dataDir)
  if (!settings.isDataDirNamed) return openInstallation(path)
  if (existsSync(path)) becomeOwner(path)
  try {
    readRootKeys(settings, { path })
  } catch (error) {
    if (error instanceof KeyError)
      throw new KeyError(`${error.message} Backups do not contain the secret key.`)
    throw error
  }
  return openDataDir(path)
}
