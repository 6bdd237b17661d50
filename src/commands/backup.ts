import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { BackupError, writeArchive } from '../infra/backup/archive'
import { folderProblem } from '../infra/backup/folder'
import { createBackup } from '../infra/backup/create'
import { folderOf } from '../infra/backup/manifest'
import { missingSpaceMessage, estimateSpace } from '../infra/backup/disk-space'
import { backupView } from '../modules/operation/system/backups/model'
import { backupStoreOf, filesOf, machine } from '../container'
import { VERSION } from '../version'
import { withDatabase } from './database'
import { print, textOf, type Command } from './command'

/** Creates a full backup. The server may keep running. */
export const backup: Command = {
  name: 'backup',
  forms: [['backup [--out FILE] [--no-verify]', 'create a backup; the server may keep running']],
  more:
    'Without --out, the backup is a directory in BACKUP_DIR; media files are hard-linked ' +
    'where the file\nsystem allows it. With --out, it is one ZIP file. A backup contains ' +
    'everything except the secret\nkey, which "recovery-sheet" prints, and the other secret files and settings.\n\nThe copy is opened and checked, which takes most of the time for a large database; --no-verify leaves that out.',
  flags: { out: { type: 'string' }, 'no-verify': { type: 'boolean' } },
  words: 0,
  async run(invocation) {
    const { flags, isJson } = invocation
    const out = textOf(flags, 'out')
    if (out !== undefined && existsSync(out)) throw new BackupError(`${out} already exists.`)
    // Not the whole program: that asks for secrets which a backup does not use.
    const result = await withDatabase(invocation, async ({ settings, dir, db }) => {
      const backups = backupStoreOf(settings, dir.path)
      const files = filesOf(dir)
      const { clock, ids } = machine()
      const targetFolder = out === undefined ? backups.folder : dirname(resolve(out))
      if (targetFolder === null) throw new BackupError('No backup directory. Set BACKUP_DIR.')
      const problem = out === undefined ? folderProblem(targetFolder) : null
      if (problem !== null) throw new BackupError(problem)
      if (out === undefined) mkdirSync(targetFolder, { recursive: true, mode: 0o700 })
      const spaceProblem = missingSpaceMessage(
        await estimateSpace({ db, files }, targetFolder, out !== undefined),
      )
      if (spaceProblem !== null) throw new BackupError(spaceProblem)
      const room = out === undefined ? targetFolder : mkdtempSync(join(targetFolder, '.backup-'))
      const options = {
        id: ids.next(),
        label: null,
        isAutomatic: false,
        jobId: null,
        program: VERSION,
        isVerified: flags['no-verify'] !== true,
      }
      try {
        const manifest = await createBackup(
          { db, files, clock, room, copy: backups.copy },
          options,
          new AbortController().signal,
        )
        if (manifest.state !== 'completed')
          throw new BackupError(`The backup failed: ${manifest.error}`)
        if (out !== undefined) await writeArchive(folderOf(room, manifest.id), out)
        return { manifest, path: out ?? folderOf(room, manifest.id) }
      } finally {
        if (out !== undefined) rmSync(room, { recursive: true, force: true })
      }
    })
    const view = { ...backupView(result.manifest), path: result.path }
    if (isJson) return print(JSON.stringify(view))
    print(
      `${view.path}\n${view.size_bytes} bytes, ${view.files?.count ?? 0} files, schema ` +
        `${view.schema_version}${view.verified ? ', verified' : ''}\nsha256 of the database: ` +
        `${view.sha256}`,
    )
  },
}
