import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Config } from '../config'
import { KeyError, machine, readRootKeys } from '../container'
import { verifyBackup } from '../infra/backup/verify'
import { openBackup, stageBackup, swapIn, restoreWorkDir } from '../infra/backup/restore'
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
import { pauseRestored } from '../modules/campaigns/run/pause-after-restore'
import { forgetSends } from '../modules/messages/outbound/mark-unknown-after-restore'
import { openDatabase } from './database'
import { nameFolder, say, UsageError, type Command } from './command'

/** Restores a backup into the data folder. The server must be stopped. */
export const restore: Command = {
  name: 'restore',
  forms: [
    [
      'restore BACKUP [--yes]',
      'put a backup in the place of the present data; the server must be stopped',
    ],
  ],
  more: `BACKUP is a folder of backups, the ZIP file that was downloaded or written by backup --out, or a database alone, for instance one that Litestream
gave back: the files of messages are then those in DATA_DIR/media. It is proven first; one of a newer
version is refused. What is there now stays beside it as *.before-restore. Messages that were still to be sent when the backup was made are
marked unknown and are never sent: they may have been sent since. Campaigns that were scheduled, sending or paused are paused for the same reason.

Where there is a database already, --yes must be given. A new folder must be named with DATA_DIR. The secret key is in no
backup: secret.key must be that of the backup.`,
  flags: { yes: { type: 'boolean' } },
  words: 1,
  async run({ words, flags, isJson, config }) {
    const [path] = words
    if (path === undefined) throw new UsageError('restore needs the path of a backup')
    const settings = config()
    const dir = openFolder(settings)
    nameFolder(dir.path, isJson)
    const lock = lockDataDir(dir)
    const workshop = restoreWorkDir(dir)
    const wasCutOff = existsSync(workshop) && !existsSync(dir.databasePath)
    let isSwapping = false
    try {
      if (existsSync(dir.databasePath) && flags['yes'] !== true)
        throw new UsageError(
          `there is a database in ${dir.path}; with --yes the backup takes its place`,
        )
      rmSync(workshop, { recursive: true, force: true })
      mkdirSync(workshop, { recursive: true, mode: 0o700 })
      const { clock, ids } = machine()
      const { folder, manifest } = await openBackup(path, dir)
      await verifyBackup(folder, manifest)
      const db = openDatabase(settings, stageBackup(folder, workshop))
      const migrations = migrateWithBackup(db, { ...dir, backupsPath: workshop }, clock)
      requireReadableSecrets({ db, vault: createSealer(readRootKeys(settings, dir)) })
      const marked = forgetSends({ db, clock })
      const paused = pauseRestored({ db, clock, ids })
      renewEventLog({ db, ids })
      db.sqlite.run('pragma wal_checkpoint(truncate)')
      db.sqlite.close()
      isSwapping = true
      const former = swapIn(dir, clock.nowMs())
      const facts = {
        id: manifest.id === '' ? null : manifest.id,
        files_missing: manifest.files?.missing ?? 0,
        made_at: isoTime(manifest.startedAtMs),
        migrations,
        marked_unknown: marked,
        campaigns_paused: paused,
        former,
      }
      if (isJson) return say(JSON.stringify(facts))
      say(
        [
          `Restored the backup of ${facts.made_at} into ${dir.path}.`,
          ...(migrations.length > 0
            ? [`Brought to the present schema: ${migrations.join(', ')}.`]
            : []),
          ...(facts.files_missing > 0
            ? [`${facts.files_missing} files of messages are missing.`]
            : []),
          ...(marked > 0
            ? [
                `${marked} messages that were still to be sent are marked unknown and will not be sent.`,
              ]
            : []),
          ...(paused > 0
            ? [
                `${paused} campaigns are paused: their recipients may have been written to since. Look at each before you resume it.`,
              ]
            : []),
          ...(former.length > 0 ? [`What was there before: ${former.join(', ')}.`] : []),
        ].join('\n'),
      )
    } catch (error) {
      if (existsSync(dir.databasePath) || !isSwapping)
        rmSync(workshop, { recursive: true, force: true })
      // the folder was already incomplete
      if (wasCutOff) mkdirSync(workshop, { recursive: true, mode: 0o700 })
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
      throw new KeyError(`${error.message} A backup holds no secret key.`)
    throw error
  }
  return openDataDir(path)
}
