import type { Config } from '../config'
import { filesOf } from '../container'
import { sheetAdvice } from '../recovery-sheet'
import { KeyError, readRootKeys } from '../secrets'
import { schemaDifferences } from '../infra/backup/schema'
import type { Db } from '../infra/db/connection'
import { damaged, DatabaseError, isDamaged, isStorageError } from '../infra/db/errors'
import { requireReadableSecrets, rotationProgress, WrongKeyError } from '../infra/keys/keyring'
import { MigrationError, migrationStatus } from '../infra/db/migrate'
import { DAY_MS, isoTime } from '../lib/clock'
import { counted } from '../lib/counted'
import { createSealer, type Sealer } from '../lib/secret'
import {
  checkClock,
  checkDatabase,
  checkFiles,
  checkWork,
} from '../modules/operation/system/doctor'
import type { DoctorFinding } from '../modules/operation/system/finding'
import { checkVersions } from '../modules/operation/system/platform-checks'
import { openDatabase } from './database'

/** Reading a database in WAL mode requires write access to its folder. */
const UNUSABLE: DoctorFinding = {
  check: 'database',
  state: 'problem',
  message: 'The database cannot be opened: the disk is read-only, full or failing.',
}

/** Checks the database of an installation: integrity, schema, key, jobs, clock and files. */
export async function runDatabaseChecks(
  config: Config,
  {
    folder,
    databasePath,
    isFull,
    nowMs,
  }: { folder: string; databasePath: string; isFull: boolean; nowMs: number },
): Promise<DoctorFinding[]> {
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
      ...checkKey(config, folder, db),
      ...checkWork(db.sqlite, nowMs),
      ...checkClock(db.sqlite, nowMs),
      ...checkVersions(config.platformApiVersion, db.sqlite, nowMs),
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

function checkSchema(db: Db): DoctorFinding {
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
            `${counted(pending.length, 'migration is', 'migrations are')} pending. Run "switchboard migrate" or start the ` +
            'server to apply them.',
        }
  } catch (error) {
    if (error instanceof MigrationError)
      return { check: 'schema', state: 'problem', message: error.message }
    throw error
  }
}

/** Checks that the stored secrets can be decrypted. Never creates a key. */
function checkKey(config: Config, folder: string, db: Db): DoctorFinding[] {
  try {
    const roots = readRootKeys(config, { path: folder })
    const vault = createSealer(roots)
    requireReadableSecrets({ db, vault })
    return [
      rotationFinding(config, db, vault),
      ...sheetAdvice(config, { path: folder }, roots).map((message): DoctorFinding => ({
        check: 'recovery sheet',
        state: 'note',
        message,
      })),
    ]
  } catch (error) {
    if (error instanceof WrongKeyError || error instanceof KeyError)
      return [{ check: 'key', state: 'problem', message: error.message }]
    throw error
  }
}

/** Reports whether the previous key can be removed, if one is set. */
function rotationFinding(config: Config, db: Db, vault: Sealer): DoctorFinding {
  if (config.secretKeyPrevious === null)
    return { check: 'key', state: 'ok', message: 'Stored secrets can be read.' }
  const { isUnderway, sinceMs } = rotationProgress({ db, vault })
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
