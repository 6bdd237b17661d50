import { resolve } from 'node:path'

import type { Config } from '../config'
import { folderOf, listManifests } from '../infra/backup/manifest'
import { backupsIn } from '../infra/data-dir'
import { isoTime } from '../lib/clock'
import { printFolder, print, UsageError, type Command } from './command'
import { openTarget, restoreInto, restoreReport } from './restore-data'

/** Restores a backup into the data folder. The server must be stopped. */
export const restore: Command = {
  name: 'restore',
  forms: [
    [
      'restore BACKUP [--yes] [--open] [--discard-secrets]',
      'restore a backup; stop the server first',
    ],
  ],
  more:
    'BACKUP is a backup directory, a ZIP file (downloaded or written by backup --out), or ' +
    'a database file\nalone, for example from Litestream; then the media files in ' +
    'DATA_DIR/media are used. The backup is\nverified first; a backup of a newer version is ' +
    'rejected. The previous data is kept beside it as\n*.before-restore. Messages that were ' +
    'unsent when the backup was made are marked unknown and are never\nsent, because they ' +
    'may have been sent since. For the same reason, scheduled and running campaigns\nare ' +
    'paused, scheduled messages that were due since fail, and the clocks of transfers count anew.\n\nIf a database already exists, pass --yes to replace it. To restore into a ' +
    'new directory, set\nDATA_DIR. A backup does not contain the secret key: use the ' +
    'secret.key that belongs to it, or the one on\nthe recovery sheet. If it is lost, --discard-secrets gives up what it encrypted, such as access tokens,\nsecond factors and secrets of webhooks, keeps everything else, makes a new key if there is none, and\nlists what must be entered again.\n\nWith CELLS, organizations can only be read until the other ' +
    'servers have answered that they have not\nmoved there since, for ten minutes at most. --open does not wait for that.',
  flags: {
    yes: { type: 'boolean' },
    open: { type: 'boolean' },
    'discard-secrets': { type: 'boolean' },
  },
  words: 1,
  async run({ words, flags, isJson, config }) {
    const [path] = words
    const settings = config()
    if (path === undefined) {
      print(backupsText(settings))
      throw new UsageError('restore needs the path of a backup.')
    }
    const discards = flags['discard-secrets'] === true
    const dir = openTarget(settings, { needsKey: !discards })
    printFolder(dir.path, isJson)
    const facts = await restoreInto(settings, dir, {
      path,
      replaces: flags['yes'] === true,
      opens: flags['open'] === true,
      discards,
    })
    print(isJson ? JSON.stringify(facts) : restoreReport(facts, dir.path))
  },
}

/** Lists the backups that can be restored, newest first. */
function backupsText({ dataDir, backups }: Config): string {
  const room = backups.dir ?? backupsIn(resolve(dataDir))
  const found = listManifests(room).filter(({ state }) => state === 'completed')
  return found.length === 0
    ? `There are no backups in ${room}.`
    : [
        `Backups in ${room}, with the time of each:`,
        ...found.map(({ id, startedAtMs }) => `  ${isoTime(startedAtMs)}  ${folderOf(room, id)}`),
      ].join('\n')
}
