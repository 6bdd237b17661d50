import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Config } from '../config'
import { filesOf, KeyError, machine, readRootKeys } from '../container'
import { schemaDifferences } from '../infra/backup/schema'
import type { Db } from '../infra/db/connection'
import { damaged, DatabaseError, isDamaged, isStorageError } from '../infra/db/errors'
import { requireReadableSecrets, rotationOf, WrongKeyError } from '../infra/keys/keyring'
import { MigrationError, migrationStatus } from '../infra/db/migrate'
import { backupsIn, becomeOwner } from '../infra/data-dir'
import { DAY_MS, isoTime } from '../lib/clock'
import { createSealer, type Sealer } from '../lib/secret'
import {
  checkBackups,
  checkClock,
  checkDatabase,
  checkDisk,
  checkFiles,
  checkLeftovers,
  checkPermissions,
  checkPlatform,
  checkWork,
  type Finding,
} from '../modules/system/doctor'
import { checkProxy } from '../modules/system/proxy-checks'
import { checkBodyLimit } from '../modules/system/proxy-probe'
import { openDatabase } from './database'
import { printFolder, print, table, type Command } from './command'

/** Checks the installation and changes nothing. A server may be running. */
export const doctor: Command = {
  name: 'doctor',
  forms: [['doctor [--full]', 'check the installation; exits with 1 if problems are found']],
  more:
    'Checks settings, file permissions, database, keys, disk, clock, platform, stuck jobs ' +
    'and backups.\n--full also verifies every page, index and reference of the database, ' +
    'and looks for missing and\norphaned files. That takes minutes for databases of several ' +
    'gigabytes.',
  flags: { full: { type: 'boolean' } },
  words: 0,
  async run({ flags, isJson, config }) {
    const settings = config()
    becomeOwner(resolve(settings.dataDir))
    printFolder(resolve(settings.dataDir), isJson)
    const findings = await runChecks(settings, flags['full'] === true)
    const problems = findings.filter(({ state }) => state === 'problem').length
    if (isJson)
      print(JSON.stringify({ healthy: problems === 0, findings, settings: settings.shown }))
    else {
      print(
        table(
          ['setting', 'value'],
          Object.entries(settings.shown).map(([name, value]) => [name, String(value ?? 'unset')]),
        ),
      )
      print(
        `\n${table(
          ['check', 'state', ''],
          findings.map(({ check, state, message }) => [check, state, message]),
        )}`,
      )
      print(
        problems === 0
          ? '\n\nNo problems found.'
          : `\n\n${problems} ${problems === 1 ? 'problem' : 'problems'} found.`,
      )
    }
    if (problems > 0) process.exitCode = 1
  },
}

async function runChecks(config: Config, isFull: boolean): Promise<Finding[]> {
  const { clock } = machine()
  const folder = resolve(config.dataDir)
  const databasePath = join(folder, 'switchboard.sqlite')
  const platformFindings = checkPlatform(config.platformBaseUrl, () => clock.nowMs())
  const settings: Finding =
    config.warnings.length === 0
      ? { check: 'settings', state: 'ok', message: 'Settings are valid.' }
      : { check: 'settings', state: 'note', message: config.warnings.join(' ') }
  if (!existsSync(databasePath)) {
    const missing: Finding = {
      check: 'database',
      state: 'problem',
      message:
        `No installation in ${folder}. Set DATA_DIR to the directory of an installation, start ` +
        'the server, or restore a backup.',
    }
    return [
      settings,
      ...(existsSync(folder) ? checkLeftovers(folder) : []),
      missing,
      ...(await platformFindings),
    ]
  }
  const { BASE_URL: publicAddress } = config.shown
  const addressFindings =
    publicAddress === null
      ? []
      : checkBodyLimit(config.baseUrl, config.uploadLimitBytes).then((finding) => [finding])
  const folderFindings = [
    ...checkPermissions(folder),
    ...checkDisk(folder),
    ...checkLeftovers(folder),
    ...checkProxy(folder),
  ]
  const backups = checkBackups(
    config.backups.dir ?? backupsIn(folder),
    config.backups.intervalHours,
    clock.nowMs(),
  )
  const databaseFindings = await runDatabaseChecks(config, {
    folder,
    databasePath,
    isFull,
    nowMs: clock.nowMs(),
  })
  return [
    settings,
    ...folderFindings,
    ...databaseFindings,
    backups,
    ...(await addressFindings),
    ...(await platformFindings),
  ]
}

/** Reading a database in WAL mode requires write access to its folder. */
const UNUSABLE: Finding = {
  check: 'database',
  state: 'problem',
  message: 'The database cannot be opened: the disk is read-only, full or failing.',
}

async function runDatabaseChecks(
  config: Config,
  {
    folder,
    databasePath,
    isFull,
    nowMs,
  }: { folder: string; databasePath: string; isFull: boolean; nowMs: number },
): Promise<Finding[]> {
  let db: Db
  try {
    db = openDatabase(config, databasePath)
  } catch (error) {
    if (error instanceof DatabaseError)
      return [{ check: 'database', state: 'problem', message: error.message }]
    if (isStorageError(error)) return [UNUSABLE]
    throw error
  }
  try {
    const integrity = checkDatabase(db.sqlite, isFull)
    if (integrity.state === 'problem') return [integrity]
    const schema = checkSchema(db)
    if (schema.state === 'problem') return [integrity, schema]
    const files = isFull ? await checkFiles(db.sqlite, filesOf({ path: folder }), nowMs) : []
    return [
      integrity,
      schema,
      checkKey(config, folder, db),
      ...checkWork(db.sqlite, nowMs),
      ...checkClock(db.sqlite, nowMs),
      ...files,
    ]
  } catch (error) {
    // a damaged schema prevents even the integrity check
    if (isDamaged(error))
      return [{ check: 'database', state: 'problem', message: damaged(databasePath).message }]
    if (isStorageError(error)) return [UNUSABLE]
    throw error
  } finally {
    db.sqlite.close()
  }
}

function checkSchema(db: Db): Finding {
  try {
    const { applied, pending } = migrationStatus(db.sqlite)
    const differences = pending.length === 0 ? schemaDifferences(db.sqlite) : []
    if (differences.length > 0)
      return {
        check: 'schema',
        state: 'problem',
        message:
          `The schema does not match its version: ${differences.slice(0, 5).join(', ')}. Restore ` +
          'a backup, or undo these changes.',
      }
    return pending.length === 0
      ? { check: 'schema', state: 'ok', message: `Up to date (${applied.at(-1)?.tag}).` }
      : {
          check: 'schema',
          state: 'problem',
          message:
            `${pending.length} migrations are pending. Run "switchboard migrate" or start the ` +
            'server to apply them.',
        }
  } catch (error) {
    if (error instanceof MigrationError)
      return { check: 'schema', state: 'problem', message: error.message }
    throw error
  }
}

/** Checks that the stored secrets can be decrypted. Never creates a key. */
function checkKey(config: Config, folder: string, db: Db): Finding {
  try {
    const vault = createSealer(readRootKeys(config, { path: folder }))
    requireReadableSecrets({ db, vault })
    return rotationFinding(config, db, vault)
  } catch (error) {
    if (error instanceof WrongKeyError || error instanceof KeyError)
      return { check: 'key', state: 'problem', message: error.message }
    throw error
  }
}

/** Reports whether the previous key can be removed, if one is set. */
function rotationFinding(config: Config, db: Db, vault: Sealer): Finding {
  if (config.secretKeyPrevious === null)
    return { check: 'key', state: 'ok', message: 'Stored secrets can be read.' }
  const { isUnderway, sinceMs } = rotationOf({ db, vault })
  if (isUnderway || sinceMs === 0)
    return {
      check: 'key',
      state: 'note',
      message:
        'Stored secrets can be read. Keep SECRET_KEY_PREVIOUS until the running server has ' +
        're-encrypted all of them.',
    }
  const lastMs = sinceMs + config.refreshTokenDays * DAY_MS
  const signIns =
    `Removing it ends sign-ins that were last used before ${isoTime(sinceMs)}. From ` +
    `${isoTime(lastMs)} on, it ends none.`
  return {
    check: 'key',
    state: 'note',
    message: `SECRET_KEY_PREVIOUS can be removed: no stored secret needs it. ${signIns}`,
  }
}
