import type { Database } from 'bun:sqlite'
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import { databaseProblems } from '../../../infra/backup/copy-database'
import { folderProblem } from '../../../infra/backup/folder'
import { listManifests } from '../../../infra/backup/manifest'
import { newestChangeMs } from '../../../infra/replica/read'
import { MAX_REPLICA_AGE_MS } from '../../../infra/replica/watch'
import type { FileStore } from '../../../infra/files/store'
import { newestComplete } from './backups/store'
import { note, ok, problem, type DoctorFinding } from './finding'

/** Files of the data folder that other users must not read. */
const PRIVATE = [
  'secret.key',
  'app-secret',
  'webhook-verify-token',
  'switchboard.sqlite',
  'switchboard.sqlite-wal',
]

/** Files of the data folder that the server writes. */
const WRITTEN = ['switchboard.sqlite', 'switchboard.sqlite-wal', 'lock', 'media', 'backups']

/**
 * Checks that this user can write the server's files, and that others cannot read the private ones.
 */
export function checkPermissions(folder: string): DoctorFinding[] {
  const shut = ['', ...WRITTEN].filter(
    (name) => existsSync(join(folder, name)) && !isWritable(join(folder, name)),
  )
  const unwritable = problem(
    'permissions',
    'not_writable',
    `${namesOf(shut)} is not writable. Run this as the server's user and check that the ` +
      'disk is not read-only.',
    { names: namesOf(shut) },
  )
  return [...(shut.length === 0 ? [] : [unwritable]), checkPrivacy(folder)]
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const namesOf = (names: string[]): string =>
  names.map((name) => name || 'the data directory').join(', ')

function checkPrivacy(folder: string): DoctorFinding {
  const modeOf = (path: string): number => statSync(path).mode & 0o077
  const open = ['', ...PRIVATE].filter(
    (name) => existsSync(join(folder, name)) && modeOf(join(folder, name)) !== 0,
  )
  return open.length === 0
    ? ok('permissions', 'The data directory is private.')
    : problem(
        'permissions',
        'readable_by_others',
        `Other users can read ${namesOf(open)}. Run chmod go-rwx on it.`,
        { names: namesOf(open) },
      )
}

/** Checks that the follower has the newest changes. */
export function checkReplica(path: string, nowMs: number): DoctorFinding {
  const newestMs = newestChangeMs(path)
  if (newestMs === null)
    return problem('replica', 'replica_unreadable', `The follower ${path} cannot be read.`, {
      path,
    })
  const ageS = Math.max(0, Math.round((nowMs - newestMs) / SECOND_MS))
  return ageS * SECOND_MS > MAX_REPLICA_AGE_MS
    ? problem(
        'replica',
        'replica_old',
        `The newest change in the follower is ${ageS} seconds old. Either it stands still, or no ` +
          'server writes.',
        { seconds: ageS },
      )
    : ok('replica', `The newest change in the follower is ${ageS} seconds old.`)
}

const MIN_FREE_BYTES = 512 * 1024 * 1024
const MAX_LOG_BYTES = 512 * 1024 * 1024

/** Checks the free disk space and the size of the write-ahead log. */
export function checkDisk(folder: string): DoctorFinding[] {
  const { bavail, blocks, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const walBytes =
    statSync(join(folder, 'switchboard.sqlite-wal'), { throwIfNoEntry: false })?.size ?? 0
  const mib = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`
  return [
    free < MIN_FREE_BYTES || bavail / blocks < 0.05
      ? problem(
          'disk',
          'disk_short',
          `Only ${mib(free)} are free. Below 512 MiB or 5 % the server is not ready.`,
          { bytes: free },
        )
      : ok('disk', `${mib(free)} are free.`),
    walBytes > MAX_LOG_BYTES
      ? problem(
          'log',
          'log_large',
          `The write-ahead log has ${mib(walBytes)}. Another process has been reading the database ` +
            'for a long time.',
          { bytes: walBytes },
        )
      : ok('log', `The write-ahead log has ${mib(walBytes)}.`),
  ]
}

/** Checks the structure and references of the database, and with `isFull` every page and index. */
export function checkDatabase(sqlite: Database, isFull: boolean): DoctorFinding {
  const found = isFull
    ? databaseProblems(sqlite)
    : sqlite
        .query<{ quick_check: string }, []>('pragma quick_check(20)')
        .all()
        .map((row) => row.quick_check)
        .filter((line) => line !== 'ok')
  return found.length === 0
    ? ok(
        'database',
        isFull
          ? 'Every page, index and reference is valid.'
          : 'The structure is valid. Use --full to check indexes and references too.',
      )
    : problem(
        'database',
        'database_damaged',
        `The database is damaged. Restore a backup. Found: ${found.join('; ')}.`,
      )
}

/** How much background work is not as it should be. */
interface WorkFacts {
  stalled: number
  /** How long the oldest due job has waited, seconds. */
  waitsS: number
  failed: number
  changes: number
}

/** Checks for stalled queues, discarded jobs and failed changes. */
export function checkWork(sqlite: Database, nowMs: number): DoctorFinding[] {
  const number = (query: string, ...values: number[]): number =>
    sqlite.query<{ n: number | null }, number[]>(query).get(...values)?.n ?? 0
  const dueMs = number(
    "select min(scheduled_at_ms) as n from jobs where state = 'available' and gate_key = ''",
  )
  return workFindings({
    stalled: number(
      "select count(*) as n from jobs where state = 'executing' and lease_until_ms < ?",
      nowMs - 5 * MINUTE_MS,
    ),
    waitsS: dueMs === 0 ? 0 : Math.floor((nowMs - dueMs) / SECOND_MS),
    failed: number("select count(*) as n from jobs where state = 'discarded'"),
    changes: number(
      "select count(*) as n from inbound_events where state = 'failed' and state <> 'done'",
    ),
  })
}

/** Returns what is to be said about background work. */
export const workFindings = ({ stalled, waitsS, failed, changes }: WorkFacts): DoctorFinding[] => [
  stalled > 0
    ? problem(
        'jobs',
        'jobs_stalled',
        `${stalled} jobs have stalled for more than five minutes. Restart the server.`,
        { count: stalled },
      )
    : waitsS > 300
      ? problem(
          'jobs',
          'jobs_late',
          `The oldest due job has waited ${Math.floor(waitsS / 60)} minutes. Check that the ` +
            'server is running.',
          { minutes: Math.floor(waitsS / 60) },
        )
      : ok('jobs', 'No stuck jobs.'),
  ...(failed > 0
    ? [
        note(
          'jobs',
          'jobs_failed',
          `${failed} jobs were discarded after their last attempt. See "switchboard jobs list ` +
            '--state discarded".',
          { count: failed },
        ),
      ]
    : []),
  ...(changes > 0
    ? [
        note(
          'journal',
          'changes_failed',
          `${changes} webhook changes could not be processed. See GET ` +
            '/api/inbound/events?state=failed.',
          { count: changes },
        ),
      ]
    : []),
]

const MAX_LISTED = 5

/** Finds files without a row, and rows without a file. */
export async function checkFiles(
  sqlite: Database,
  files: FileStore,
  nowMs: number,
): Promise<DoctorFinding[]> {
  const named = new Set<string>()
  for (const table of ['media', 'organization_branding', 'imports', 'exports', 'privacy_requests'])
    for (const { name } of sqlite
      .query<{ name: string }, []>(
        `select stored_as as name from ${table} where stored_as is not null`,
      )
      .iterate())
      named.add(name)
  let orphans = 0
  for await (const { name, changedAtMs } of files.list())
    if (!named.delete(name) && changedAtMs < nowMs - 24 * HOUR_MS) orphans += 1
  const missing: string[] = []
  for (const name of named) if (!(await files.has(name))) missing.push(name)
  const shown = missing.slice(0, MAX_LISTED).join(', ')
  return [
    missing.length > 0
      ? problem(
          'files',
          'files_missing',
          `${missing.length} files that rows refer to are missing: ${shown}.`,
          { count: missing.length },
        )
      : ok('files', 'All files present.'),
    ...(orphans > 0
      ? [
          note(
            'files',
            'files_orphaned',
            `${orphans} files belong to nothing. The server deletes them automatically.`,
            { count: orphans },
          ),
        ]
      : []),
  ]
}

/** Checks that backups can be made and that a recent one exists. */
export function checkBackups(folder: string, intervalHours: number, nowMs: number): DoctorFinding {
  const trouble = folderProblem(folder)
  if (trouble !== null) return problem('backups', 'backup_folder', trouble, { folder })
  const newest = newestComplete(listManifests(folder))
  const ageHours = newest && Math.floor((nowMs - newest.startedAtMs) / HOUR_MS)
  if (intervalHours === 0)
    return note('backups', 'backups_off', 'Automatic backups are off (BACKUP_INTERVAL_HOURS is 0).')
  if (ageHours === null)
    return note('backups', 'no_backup', 'No backup yet. Run "switchboard backup".')
  return ageHours > 2 * intervalHours
    ? problem('backups', 'backup_old', `The latest successful backup is ${ageHours} hours old.`, {
        hours: ageHours,
      })
    : ok(
        'backups',
        `The latest backup is ${ageHours} hours old${newest?.isVerified ? ' and verified' : ''}.`,
      )
}

const FAR_OFF_MS = 2 * MINUTE_MS

/** Checks for timestamps in the future, which show that the clock was set back. */
export function checkClock(sqlite: Database, nowMs: number): DoctorFinding[] {
  const newest =
    sqlite
      .query<{ atMs: number | null }, []>(
        'select at_ms as atMs from events order by position desc limit 1',
      )
      .get()?.atMs ?? 0
  return newest - nowMs > FAR_OFF_MS
    ? [
        problem(
          'clock',
          'clock_back',
          'The latest event in the database is in the future: the clock was set back.',
        ),
      ]
    : []
}

/** Checks for leftovers of a restore or migration. */
export function checkLeftovers(folder: string): DoctorFinding[] {
  const former = readdirSync(folder)
    .filter((name) => name.endsWith('.before-restore'))
    .toSorted()
  return [
    ...(existsSync(join(folder, 'restoring'))
      ? [
          problem(
            'restore',
            'restore_interrupted',
            'A restore or a rollback was interrupted. Run it again.',
          ),
        ]
      : []),
    ...(former.length > 0
      ? [
          note(
            'restore',
            'replaced_data',
            `Data replaced by a restore or rollback is still stored: ${former.join(', ')}. Delete it ` +
              'when nobody needs it any more.',
            { names: former.join(', ') },
          ),
        ]
      : []),
  ]
}
