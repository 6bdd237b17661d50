import { machine } from '../container'
import { migrationStatus } from '../infra/db/migrate'
import { openDataDir, openInstallation } from '../infra/data-dir'
import { claimDataDir } from '../infra/fence'
import { migrateWithBackup } from '../migrate'
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
    const applied = migrateWithBackup(
      openDatabase(settings, dir.databasePath),
      dir,
      machine().clock,
    )
    claim.release()
    print(
      isJson
        ? JSON.stringify({ applied })
        : applied.length === 0
          ? 'The database is up to date.'
          : `Applied: ${applied.join(', ')}`,
    )
  },
}
