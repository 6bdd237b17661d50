import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config'
import { machine } from '../container'
import { KeyError, readRootKeys } from '../secrets'
import { verifyBackup } from '../infra/backup/verify'
import { openBackup, stageBackup, replaceWithStaged, restoreWorkDir } from '../infra/backup/restore'
import { requireReadableSecrets } from '../infra/keys/keyring'
import { renewEventLog } from '../infra/outbox/relay'
import {
  becomeOwner,
  lockDataDir,
  openDataDir,
  openInstallation,
  type DataDir,
} from '../infra/data-dir'
import { isoTime } from '../lib/clock'
import { createSealer } from '../lib/secret'
import { migrateWithBackup } from '../migrate'
import { startRebuilds } from '../modules/analytics/rollups/rebuild'
import { leaveOutMissedReports } from '../modules/analytics/scheduled/leave-out-after-restore'
import { pauseRestored } from '../modules/campaigns/run/pause-after-restore'
import { endRestoredSessions } from '../modules/chatbot/engine/end-after-restore'
import { markSendsUnknown } from '../modules/messages/outbound/mark-unknown-after-restore'
import { failDueAfterRestore } from '../modules/scheduled-messages/fail-after-restore'
import { restartClocks } from '../modules/transfers/restart-after-restore'
import { openDatabase } from './database'
import { printFolder, print, UsageError, type Command } from './command'

/** Restores a backup into the data folder. The server must be stopped. */
export const restore: Command = {
  name: 'restore',
  forms: [['restore BACKUP [--yes]', 'restore a backup; stop the server first']],
  more:
    'BACKUP is a backup directory, a ZIP file (downloaded or written by backup --out), or ' +
    'a database file\nalone, for example from Litestream; then the media files in ' +
    'DATA_DIR/media are used. The backup is\nverified first; a backup of a newer version is ' +
    'rejected. The previous data is kept beside it as\n*.before-restore. Messages that were ' +
    'unsent when the backup was made are marked unknown and are never\nsent, because they ' +
    'may have been sent since. For the same reason, scheduled and running campaigns\nare ' +
    'paused, scheduled messages that were due since fail, and the clocks of transfers count anew.\n\nIf a database already exists, pass --yes to replace it. To restore into a ' +
    'new directory, set\nDATA_DIR. A backup does not contain the secret key: use the ' +
    'secret.key that belongs to it.',
  flags: { yes: { type: 'boolean' } },
  words: 1,
  async run({ words, flags, isJson, config }) {
    const [path] = words
    if (path === undefined) throw new UsageError('restore needs the path of a backup')
    const settings = config()
    const dir = openFolder(settings)
    printFolder(dir.path, isJson)
    const lock = lockDataDir(dir)
    const workDir = restoreWorkDir(dir)
    const wasCutOff = existsSync(workDir) && !existsSync(dir.databasePath)
    let isSwapping = false
    try {
      if (existsSync(dir.databasePath) && flags['yes'] !== true)
        throw new UsageError(`${dir.path} already contains a database; pass --yes to replace it`)
      rmSync(workDir, { recursive: true, force: true })
      mkdirSync(workDir, { recursive: true, mode: 0o700 })
      const { clock, ids } = machine()
      const { folder, manifest } = await openBackup(path, dir)
      await verifyBackup(folder, manifest)
      const db = openDatabase(settings, stageBackup(folder, workDir))
      const migrations = migrateWithBackup(db, { ...dir, backupsPath: workDir }, clock)
      requireReadableSecrets({ db, vault: createSealer(readRootKeys(settings, dir)) })
      const marked = markSendsUnknown({ db, clock })
      const paused = pauseRestored({ db, clock, ids })
      const due = failDueAfterRestore({ db, clock, ids })
      const ended = endRestoredSessions({ db, clock, ids })
      restartClocks({ db, clock, ids })
      startRebuilds({ db, clock, ids })
      leaveOutMissedReports({ db, clock, ids })
      renewEventLog({ db, ids })
      db.sqlite.run('pragma wal_checkpoint(truncate)')
      db.sqlite.close()
      isSwapping = true
      const replaced = replaceWithStaged(dir, clock.nowMs())
      const facts = {
        id: manifest.id === '' ? null : manifest.id,
        files_missing: manifest.files?.missing ?? 0,
        made_at: isoTime(manifest.startedAtMs),
        migrations,
        marked_unknown: marked,
        campaigns_paused: paused,
        scheduled_failed: due,
        bot_sessions_ended: ended,
        former: replaced,
      }
      if (isJson) return print(JSON.stringify(facts))
      print(
        [
          `Restored the backup of ${facts.made_at} into ${dir.path}.`,
          ...(migrations.length > 0 ? [`Applied migrations: ${migrations.join(', ')}.`] : []),
          ...(facts.files_missing > 0 ? [`${facts.files_missing} media files are missing.`] : []),
          ...(marked > 0
            ? [`${marked} unsent messages were marked unknown and will not be sent.`]
            : []),
          ...(paused > 0
            ? [
                `${paused} campaigns were paused because they may have sent messages since the backup. ` +
                  'Check each one before you resume it.',
              ]
            : []),
          ...(due > 0
            ? [`${due} scheduled messages were due since the backup and will not be sent.`]
            : []),
          ...(ended > 0 ? [`${ended} active sessions of the chatbot were ended.`] : []),
          ...(replaced.length > 0 ? [`Previous data kept at: ${replaced.join(', ')}.`] : []),
        ].join('\n'),
      )
    } catch (error) {
      if (existsSync(dir.databasePath) || !isSwapping)
        rmSync(workDir, { recursive: true, force: true })
      // the folder was already incomplete
      if (wasCutOff) mkdirSync(workDir, { recursive: true, mode: 0o700 })
      throw error
    } finally {
      lock.release()
    }
  },
}

/**
 * Returns the data folder to restore into: a named one, or that of an installation. Requires a key.
 * Throws DataDirError and KeyError.
 */
function openFolder(settings: Config): DataDir {
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
