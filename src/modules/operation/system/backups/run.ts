import type { Ctx, JobCtx } from '../../../../infra/ctx'
import { newManifest, createBackup, type BackupOptions } from '../../../../infra/backup/create'
import { folderProblem } from '../../../../infra/backup/folder'
import { writeManifest, type Manifest } from '../../../../infra/backup/manifest'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import { enqueueBackupIn } from './enqueue'
import { isBackupDue, missingRoomMessage, pruneBackups } from './store'

/**
 * Deletes old backups and enqueues one when it is due. Gives the job up when the folder cannot be
 * used.
 */
export function checkBackups(ctx: JobCtx): Outcome {
  const { folder } = ctx.backups
  const trouble = folder === null ? null : folderProblem(folder)
  if (trouble !== null) return { giveUp: trouble }
  pruneBackups(ctx)
  if (isBackupDue(ctx))
    transact(
      ctx.db,
      (tx) => void enqueueBackupIn(tx, ctx, { label: null, isVerified: true, isAutomatic: true }),
    )
  return undefined
}

/**
 * Makes a backup. If that fails, notifies the super admins and discards the job; the next backup is
 * a new job.
 */
export async function runBackup(ctx: JobCtx, wanted: BackupOptions): Promise<Outcome> {
  const { folder, copy } = ctx.backups
  if (folder === null) return { giveUp: 'no backup directory' }
  const trouble = folderProblem(folder)
  if (trouble !== null) {
    ctx.log.error({ backup: wanted.id, reason: trouble }, 'backup failed')
    transact(ctx.db, (tx) => tellSuperAdminsIn(tx, ctx, trouble))
    return { giveUp: trouble }
  }
  const lack = await missingRoomMessage(ctx, folder)
  const made =
    lack === null
      ? await createBackup(
          { db: ctx.db, files: ctx.files, clock: ctx.clock, room: folder, copy },
          wanted,
          ctx.signal,
        )
      : withoutRoom(ctx, folder, { wanted, lack })
  const facts = {
    backup: made.id,
    size_bytes: made.database?.sizeBytes,
    duration_ms: (made.finishedAtMs ?? 0) - made.startedAtMs,
  }
  if (made.state === 'completed') {
    ctx.log.info(facts, 'backup created')
    pruneBackups(ctx)
    return undefined
  }
  ctx.log.error({ ...facts, reason: made.error }, 'backup failed')
  transact(ctx.db, (tx) => tellSuperAdminsIn(tx, ctx, made.error ?? 'failed'))
  return { giveUp: made.error ?? 'failed' }
}

/**
 * Returns the manifest of a backup that is not started because there is not enough space. A backup
 * that fills the disk would stop the server.
 */
function withoutRoom(
  ctx: JobCtx,
  folder: string,
  { wanted, lack }: { wanted: BackupOptions; lack: string },
): Manifest {
  const nowMs = ctx.clock.nowMs()
  const failed: Manifest = {
    ...newManifest(wanted, nowMs),
    state: 'failed',
    finishedAtMs: nowMs,
    error: lack,
  }
  writeManifest(folder, failed)
  return failed
}

/** Notifies every super admin that a backup failed, each in their home organization. */
const tellSuperAdminsIn = (tx: Tx, ctx: Ctx, reason: string): void =>
  notifySuperAdminsIn(tx, ctx, {
    kind: 'backup_failed',
    severity: 'critical',
    title: 'Backup failed',
    body: reason.slice(0, 500),
  })
