import { machine } from '../container'
import { migrationStatus } from '../infra/db/migrate'
import { openDataDir, openInstallation, type DataDir } from '../infra/data-dir'
import { claimDataDir } from '../infra/fence'
import { SECOND_MS } from '../lib/clock'
import { expectedOf, migrateWithBackup } from '../migrate'
import { openDatabase } from './database'
import { printFolder, print, type Command } from './command'

/** Migrates the database to the current schema, or shows its state. */
export const migrate: Command = {
  name: 'migrate',
  forms: [['migrate [--status]', 'apply migrations, or show their status']],
  flags: { status: { type: 'boolean' } },
  words: 0,
  async run({ flags, isJson, config }) {
    const settings = config()
    const dir =
      flags['status'] === true ? openInstallation(settings.dataDir) : openDataDir(settings.dataDir)
    printFolder(dir.path, isJson)
    if (flags['status'] === true) {
      const { applied, pending } = migrationStatus(openDatabase(settings, dir.databasePath).sqlite)
      const status = {
        applied: applied.map(({ tag }) => tag),
        pending: pending.map(({ tag }) => tag),
      }
      print(
        isJson
          ? JSON.stringify(status)
          : `applied: ${status.applied.join(', ') || 'none'}\npending: ${status.pending.join(', ') || 'none'}`,
      )
      return
    }
    const claim = await claimDataDir(dir, () => process.exit(1))
    const db = openDatabase(settings, dir.databasePath)
    const { isNew, pending } = migrationStatus(db.sqlite)
    if (!isJson && !isNew && pending.length > 0) print(announcement(dir))
    const startedMs = performance.now()
    const applied = migrateWithBackup(db, dir, machine().clock)
    const seconds = Math.ceil((performance.now() - startedMs) / SECOND_MS)
    claim.release()
    print(
      isJson
        ? JSON.stringify({ applied, seconds })
        : applied.length === 0
          ? 'The database is up to date.'
          : `Applied${isNew ? '' : ` in ${seconds} s`}: ${applied.join(', ')}`,
    )
  },
}

function announcement({ databasePath, backupsPath }: DataDir): string {
  const { database_mib: mib, expected_seconds: seconds } = expectedOf(databasePath)
  return (
    `Copying the database of ${mib} MiB to ${backupsPath} and migrating it. This takes about ` +
    `${seconds} s.`
  )
}
