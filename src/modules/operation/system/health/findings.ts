import { statSync, statfsSync } from 'node:fs'

import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { UnavailableError } from '../../../../lib/errors'
import type { Ctx, Deps } from '../../../../infra/ctx'
import { oldestDueMs } from '../../../../infra/jobs/inspect'
import { rotationProgress } from '../../../../infra/keys/keyring'
import {
  checkBackups,
  checkClock,
  checkDisk,
  checkLeftovers,
  checkPermissions,
  checkReplica,
  workFindings,
} from '../doctor'
import { note, type DoctorFinding } from '../finding'
import { checkArchive, checkPlatform, checkVersions } from '../platform-checks'
import { checkProxy } from '../proxy-checks'
import { checkBodyLimit } from '../proxy-probe'
import { countFailed } from './failed-jobs'
import { CheckDatabase } from './readers'

const MAX_CHANGES = 10_000

/** What may change from one moment to the next. Every query uses an index and is bounded. */
export function findNow(deps: Deps, dataDir: string | null): DoctorFinding[] {
  const { db, backups, settings, clock } = deps
  const nowMs = clock.nowMs()
  const stalled =
    db.sqlite
      .query<{ n: number }, [number]>(
        "select count(*) as n from jobs where state = 'executing' and lease_until_ms < ?",
      )
      .get(nowMs - 5 * MINUTE_MS)?.n ?? 0
  const changes =
    db.sqlite
      .query<{ n: number }, [number]>(
        "select count(*) as n from (select 1 from inbound_events where state = 'failed' and state <> 'done' limit ?)",
      )
      .get(MAX_CHANGES)?.n ?? 0
  const dueMs = oldestDueMs(deps)
  const waitsS = dueMs === null ? 0 : Math.floor((nowMs - dueMs) / SECOND_MS)
  return [
    ...(dataDir === null ? [] : checkDisk(dataDir)),
    ...workFindings({ stalled, waitsS, failed: countFailed(deps), changes }),
    ...(backups.folder === null
      ? []
      : [checkBackups(backups.folder, settings.backups.intervalHours, nowMs)]),
  ]
}

/** What changes seldom. */
export function findSlowly(deps: Deps, dataDir: string | null): DoctorFinding[] {
  const { db, settings, clock } = deps
  const nowMs = clock.nowMs()
  const { warnings, replicaPath } = settings
  return [
    ...warnings.map((warning) =>
      note('settings', 'settings_misspelled', warning, { names: warning.split(' ', 1)[0] ?? '' }),
    ),
    ...(dataDir === null
      ? []
      : [...checkPermissions(dataDir), ...checkLeftovers(dataDir), ...checkProxy(dataDir)]),
    ...keyFindings(deps),
    ...checkClock(db.sqlite, nowMs),
    ...checkVersions(settings.platformApiVersion, db.sqlite, nowMs),
    ...(replicaPath === null ? [] : [checkReplica(replicaPath, nowMs)]),
  ]
}

/** Whether the former root key can be removed, if one is set. */
function keyFindings(deps: Deps): DoctorFinding[] {
  if (deps.settings.shown['SECRET_KEY_PREVIOUS'] !== 'set') return []
  const { isUnderway, sinceMs } = rotationProgress(deps)
  return isUnderway || sinceMs === 0
    ? [note('key', 'key_rotating', 'Stored secrets are being encrypted with the new key.')]
    : [note('key', 'key_removable', 'SECRET_KEY_PREVIOUS can be removed.')]
}

/** What takes a while: the structure of the database, and whether others can be reached. */
export async function findThoroughly(ctx: Ctx): Promise<DoctorFinding[]> {
  const { settings, clock } = ctx
  const { baseUrl, uploadLimitBytes, platformBaseUrl, platformArchiveUrl } = settings
  const hasAddress = settings.shown['BASE_URL'] !== null
  const found = await Promise.all([
    checkedDatabase(ctx),
    checkPlatform(platformBaseUrl, () => clock.nowMs()),
    checkArchive(platformArchiveUrl, { baseUrl: platformBaseUrl }),
    hasAddress ? checkBodyLimit(baseUrl, uploadLimitBytes) : [],
  ])
  return found.flat()
}

/** The structure of the database, read beside the thread, if that does not take too long. */
async function checkedDatabase(ctx: Ctx): Promise<DoctorFinding[]> {
  try {
    return [await ctx.reads.value(CheckDatabase, ctx, null)]
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    const message =
      'The database is too large to be checked while it works. Run "switchboard doctor".'
    return [note('database', 'database_unchecked', message)]
  }
}

/** The size of the disk of a folder, bytes. */
export function diskBytes(folder: string): number {
  const { blocks, bsize } = statfsSync(folder)
  return blocks * bsize
}

/** Whether two folders are on different disks. */
export function areOnOtherDisks(one: string | null, other: string | null): boolean {
  const deviceOf = (folder: string | null): number | null =>
    folder === null ? null : (statSync(folder, { throwIfNoEntry: false })?.dev ?? null)
  const devices = [deviceOf(one), deviceOf(other)]
  return devices.every((device) => device !== null) && devices[0] !== devices[1]
}
