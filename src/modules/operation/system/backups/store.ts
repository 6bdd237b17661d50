import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { DAY_MS, HOUR_MS } from '../../../../lib/clock'
import { isUuid } from '../../../../lib/ids'
import { NotFoundError, UnavailableError } from '../../../../lib/errors'
import type { Deps } from '../../../../infra/ctx'
import { folderProblem } from '../../../../infra/backup/folder'
import {
  folderOf,
  listManifests,
  readManifest,
  removeBackup,
  type Manifest,
} from '../../../../infra/backup/manifest'
import { missingSpaceMessage, estimateSpace } from '../../../../infra/backup/disk-space'
import { listUpgradeCopies } from '../../../../infra/backup/upgrade-copies'
import { findJobState } from '../../../../infra/jobs/live-jobs'
import { backupView, type BackupView } from './model'

const LIVE = new Set(['available', 'scheduled', 'executing', 'retryable'])

/**
 * Returns all backups, newest first, or none if they cannot be read. A running backup whose job has
 * ended is marked as interrupted.
 */
export function listBackups(deps: Deps): Manifest[] {
  const { folder } = deps.backups
  return folder === null || folderProblem(folder) !== null
    ? []
    : listManifests(folder).map((manifest) => asItIs(deps, manifest))
}

/**
 * Returns the backup folder if it can be read and written. Throws UnavailableError
 * `storage_unavailable`.
 */
export function usableFolder({ backups: { folder } }: Pick<Deps, 'backups'>): string {
  const trouble =
    folder === null ? 'This server has no backup directory. Set BACKUP_DIR.' : folderProblem(folder)
  if (folder === null || trouble !== null)
    throw new UnavailableError(trouble ?? '', 60, { code: 'storage_unavailable' })
  return folder
}

/** Returns one backup. Throws NotFoundError, and UnavailableError `storage_unavailable`. */
export function getBackup(deps: Deps, id: string): Manifest {
  const folder = usableFolder(deps)
  const manifest = readManifest(folderOf(folder, id))
  if (!manifest) throw new NotFoundError('Backup')
  return asItIs(deps, manifest)
}

/** Whether a backup is being checked again. */
export function isBeingVerified(
  deps: Pick<Deps, 'db'>,
  { verifyJobId = null }: Pick<Manifest, 'verifyJobId'>,
): boolean {
  const state = verifyJobId === null ? null : findJobState(deps, verifyJobId)
  return state !== null && LIVE.has(state)
}

/** Returns a backup as the API answers it. */
export const shownBackup = (deps: Pick<Deps, 'db'>, manifest: Manifest): BackupView =>
  backupView(manifest, isBeingVerified(deps, manifest))

function asItIs(deps: Deps, manifest: Manifest): Manifest {
  if (manifest.state !== 'running') return manifest
  const state = manifest.jobId === null ? null : findJobState(deps, manifest.jobId)
  if (state !== null && LIVE.has(state)) return manifest
  return { ...manifest, state: 'failed', error: 'The backup was interrupted.' }
}

/** Returns the newest complete backup. */
export const newestComplete = (manifests: Manifest[]): Manifest | null =>
  manifests.find(({ state }) => state === 'completed') ?? null

/** Whether a backup is due: the newest one, or the installation, is older than the interval. */
export function isBackupDue(deps: Deps): boolean {
  const { intervalHours } = deps.settings.backups
  if (intervalHours === 0 || deps.backups.folder === null) return false
  const known = listBackups(deps)
  if (known.some(({ state }) => state === 'running')) return false
  const newestMs = newestComplete(known)?.startedAtMs ?? installedAtMs(deps)
  const failed = known.find(({ state }) => state === 'failed')
  const isResting = failed !== undefined && deps.clock.nowMs() - failed.startedAtMs < HOUR_MS
  return !isResting && deps.clock.nowMs() - newestMs >= intervalHours * HOUR_MS
}

const installedAtMs = (deps: Deps): number =>
  deps.db.sqlite
    .query<{ atMs: number | null }, []>('select min(applied_at_ms) as atMs from schema_migrations')
    .get()?.atMs ?? 0

/** How long the newest copy from before an upgrade is kept at least, for the way back. */
const WAY_BACK_MS = 7 * DAY_MS

/**
 * Deletes automatic backups and copies before upgrades beyond their retention, so that erased data
 * does not stay in them. The newest copy is kept for a week, however many backups follow. Also deletes manifests of failed backups after a week, and files without a
 * manifest.
 */
export function pruneBackups(deps: Deps): void {
  const { folder, upgradeCopies } = deps.backups
  if (folder === null) return
  const known = listBackups(deps)
  const backups = known
    .filter(({ state, isAutomatic }) => state === 'completed' && isAutomatic)
    .map(({ id, startedAtMs }) => ({
      madeAtMs: startedAtMs,
      remove: () => removeBackup(folder, id),
    }))
  const newestFirst = <T extends { madeAtMs: number }>(list: T[]): T[] =>
    list.toSorted((a, b) => b.madeAtMs - a.madeAtMs)
  const copies = newestFirst(listUpgradeCopies(upgradeCopies ?? folder))
    .filter(({ madeAtMs }, at) => at > 0 || deps.clock.nowMs() - madeAtMs >= WAY_BACK_MS)
    .map(({ path, madeAtMs }) => ({ madeAtMs, remove: () => rmSync(path, { force: true }) }))
  const automatic = newestFirst([...backups, ...copies])
  for (const { remove } of automatic.slice(deps.settings.backups.keep)) remove()
  if (!existsSync(folder)) return
  const old = deps.clock.nowMs() - 7 * DAY_MS
  const failed = known.filter(({ state, startedAtMs }) => state === 'failed' && startedAtMs < old)
  for (const { id } of failed) removeBackup(folder, id)
  const described = new Set(known.map(({ id }) => id))
  for (const name of readdirSync(folder).filter(isUuid))
    if (!described.has(name) && statSync(join(folder, name)).mtimeMs < deps.clock.nowMs() - DAY_MS)
      removeBackup(folder, name)
}

/** Returns why a backup does not fit beside the reserved disk space, or `null` if it fits. */
export async function missingRoomMessage(deps: Deps, folder: string): Promise<string | null> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return missingSpaceMessage(await estimateSpace(deps, folder, false))
}
