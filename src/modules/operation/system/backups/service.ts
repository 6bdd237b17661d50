import type { Readable } from 'node:stream'

import { ConflictError, UnavailableError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { archiveOf } from '../../../../infra/backup/archive'
import { newManifest } from '../../../../infra/backup/create'
import {
  folderOf,
  removeBackup,
  writeManifest,
  type Manifest,
} from '../../../../infra/backup/manifest'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { requireFreshLogin } from '../../../organization/auth/fresh-login'
import { backupView, type BackupView, type NewBackup } from './model'
import { enqueueBackupIn } from './enqueue'
import { getBackup, missingRoomMessage, listBackups, usableFolder } from './store'

/**
 * Enqueues a backup. Throws ConflictError `backup_running`, and UnavailableError `disk_full` if
 * there is not enough space or `storage_unavailable` if the folder cannot be used.
 */
export async function requestBackup(ctx: Ctx, wish: NewBackup): Promise<BackupView> {
  const folder = usableFolder(ctx)
  const lack = await missingRoomMessage(ctx, folder)
  const { label = null, verify: isVerified = true } = wish
  return transact(ctx.db, (tx) => {
    if (listBackups(ctx).some(({ state }) => state === 'running'))
      throw new ConflictError('A backup is already running.', { code: 'backup_running' })
    if (lack !== null) throw new UnavailableError(lack, 60, { code: 'disk_full' })
    const { id, jobId } = enqueueBackupIn(tx, ctx, { label, isVerified, isAutomatic: false })
    const begun = newManifest(
      { id, jobId, label, isVerified, isAutomatic: false, program: '' },
      ctx.clock.nowMs(),
    )
    writeManifest(folder, begun) // a backup without its job counts as interrupted
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'backup',
      resourceId: id,
      resourceName: label,
    })
    return backupView(begun)
  })
}

/**
 * Deletes a backup. Throws NotFoundError, and ConflictError `backup_running` while it is being
 * made.
 */
export function deleteBackup(ctx: Ctx, id: string): void {
  const known = getBackup(ctx, id)
  if (known.state === 'running')
    throw new ConflictError('The backup is still being created. Try again when it is complete.', {
      code: 'backup_running',
    })
  transact(ctx.db, (tx) =>
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'backup',
      resourceId: id,
      resourceName: known.label,
    }),
  )
  removeBackup(ctx.backups.folder ?? '', id)
}

/**
 * A backup as one ZIP file. Throws NotFoundError, ForbiddenError `fresh_login_required`,
 * ConflictError `backup_unfinished`.
 */
export async function downloadBackup(
  ctx: Ctx,
  id: string,
): Promise<{ manifest: Manifest; stream: Readable }> {
  const manifest = getBackup(ctx, id)
  requireFreshLogin(ctx)
  if (manifest.state !== 'completed')
    throw new ConflictError(`The backup cannot be used because its state is ${manifest.state}.`, {
      code: 'backup_unfinished',
    })
  transact(ctx.db, (tx) =>
    recordAudit(tx, ctx, {
      action: 'downloaded',
      resourceType: 'backup',
      resourceId: id,
      resourceName: manifest.label,
    }),
  )
  return { manifest, stream: await archiveOf(folderOf(ctx.backups.folder ?? '', id)) }
}
