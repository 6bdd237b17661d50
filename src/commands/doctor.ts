import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config'
import { machine } from '../container'
import { backupsIn, becomeOwner } from '../infra/data-dir'
import {
  checkBackups,
  checkDisk,
  checkLeftovers,
  checkPermissions,
  checkReplica,
} from '../modules/operation/system/doctor'
import type { DoctorFinding } from '../modules/operation/system/finding'
import {
  checkArchive,
  checkPlatform,
  checkVersions,
} from '../modules/operation/system/platform-checks'
import { startRebuilds } from '../modules/insight/analytics/rollups/rebuild'
import { checkProxy } from '../modules/operation/system/proxy-checks'
import { checkBodyLimit } from '../modules/operation/system/proxy-probe'
import { openDatabase } from './database'
import { printFolder, print, type Command } from './command'
import { runDatabaseChecks } from './doctor-database'
import { doctorReport } from './doctor-report'

/** Checks the installation and changes nothing. A server may be running. */
export const doctor: Command = {
  name: 'doctor',
  forms: [
    [
      'doctor [--full] [--rebuild-rollups]',
      'check the installation; exits with 1 if problems are found',
    ],
  ],
  more:
    'Checks settings, file permissions, database, keys, disk, clock, platform, Graph ' +
    'API versions,\nstuck jobs and backups.\n--full also verifies every page, index and reference of the database, ' +
    'and looks for missing and\norphaned files. That takes minutes for databases of several ' +
    'gigabytes.\n--rebuild-rollups counts the figures of the reports again from what is stored. The running ' +
    'server\ndoes it, or the next start.',
  flags: { full: { type: 'boolean' }, 'rebuild-rollups': { type: 'boolean' } },
  words: 0,
  async run({ flags, isJson, config }) {
    const settings = config()
    becomeOwner(resolve(settings.dataDir))
    printFolder(resolve(settings.dataDir), isJson)
    const findings = await runChecks(settings, flags['full'] === true)
    if (flags['rebuild-rollups'] === true) findings.push(rebuild(settings))
    const problems = findings.filter(({ state }) => state === 'problem').length
    if (isJson)
      print(JSON.stringify({ healthy: problems === 0, findings, settings: settings.shown }))
    else print(`\n${doctorReport(settings.shown, findings)}`)
    if (problems > 0) process.exitCode = 1
  },
}

/** Starts to count the figures of all reports again. */
function rebuild(config: Config): DoctorFinding {
  const check = 'rollups'
  const databasePath = join(resolve(config.dataDir), 'switchboard.sqlite')
  if (!existsSync(databasePath))
    return { check, state: 'problem', message: 'There is no database to count.' }
  const db = openDatabase(config, databasePath)
  try {
    const organizations = startRebuilds({ db, ...machine() })
    const message = `The figures of ${organizations} organizations are being counted again.`
    return { check, state: 'ok', message }
  } finally {
    db.sqlite.close()
  }
}

async function runChecks(config: Config, isFull: boolean): Promise<DoctorFinding[]> {
  const { clock } = machine()
  const folder = resolve(config.dataDir)
  const databasePath = join(folder, 'switchboard.sqlite')
  const platformFindings = Promise.all([
    checkPlatform(config.platformBaseUrl, () => clock.nowMs()),
    checkArchive(config.platformArchiveUrl, { baseUrl: config.platformBaseUrl }),
  ]).then((found) => found.flat())
  const replica =
    config.replicaPath === null ? [] : [checkReplica(config.replicaPath, clock.nowMs())]
  const settings: DoctorFinding =
    config.warnings.length === 0
      ? { check: 'settings', state: 'ok', message: 'Settings are valid.' }
      : { check: 'settings', state: 'note', message: config.warnings.join(' ') }
  if (!existsSync(databasePath)) {
    const missing: DoctorFinding = {
      check: 'database',
      // A machine that stands by has none until it is promoted.
      state: config.replicaPath === null ? 'problem' : 'note',
      message:
        `No installation in ${folder}. Set DATA_DIR to the directory of an installation, start ` +
        'the server, or restore a backup.',
    }
    return [
      settings,
      ...(existsSync(folder) ? checkLeftovers(folder) : []),
      missing,
      ...checkVersions(config.platformApiVersion, null, clock.nowMs()),
      ...replica,
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
    ...replica,
    ...(await addressFindings),
    ...(await platformFindings),
  ]
}
