import { ConflictError } from '../../../../lib/errors'
import { INSTALLATION, systemCtx, type Ctx, type JobCtx } from '../../../../infra/ctx'
import { folderOf, readManifest, writeManifest } from '../../../../infra/backup/manifest'
import { transact } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import type { Outcome } from '../../../../infra/jobs/work'
import { recordAudit } from '../../../organization/audit/record'
import { VerifyBackup } from '../jobs'
import type { BackupView } from './model'
import { getBackup, isBeingVerified, shownBackup, usableFolder } from './store'

/**
 * Orders the check of a finished backup. Throws NotFoundError, ConflictError `backup_running` while
 * it is made or checked, and `backup_unfinished` if it failed.
 */
export function requestVerification(ctx: Ctx, id: string): BackupView {
  const folder = usableFolder(ctx)
  return transact(ctx.db, (tx) => {
    const manifest = getBackup(ctx, id)
    if (manifest.state === 'running' || isBeingVerified(ctx, manifest))
      throw new ConflictError('The backup is still being created or verified.', {
        code: 'backup_running',
      })
    if (manifest.state === 'failed')
      throw new ConflictError('The backup cannot be verified because it failed.', {
        code: 'backup_unfinished',
      })
    const verifyJobId = enqueue(tx, systemCtx(ctx, INSTALLATION), VerifyBackup, { args: { id } })
    const begun = { ...manifest, verifyJobId }
    writeManifest(folder, begun)
    recordAudit(tx, ctx, {
      action: 'tested',
      resourceType: 'backup',
      resourceId: id,
      resourceName: manifest.label,
    })
    return shownBackup(ctx, begun)
  })
}

/**
 * Checks a backup beside the thread, and notes in its description what is wrong with it. Does nothing
 * to one that was deleted before or meanwhile.
 */
export async function runVerification(ctx: JobCtx, id: string): Promise<Outcome> {
  if (ctx.backups.folder === null) return { giveUp: 'no backup directory' }
  const folder = usableFolder(ctx)
  const place = folderOf(folder, id)
  const manifest = readManifest(place)
  if (manifest === null) return undefined
  const fault = await ctx.backups.verify({ folder: place, manifest }, ctx.signal)
  if (readManifest(place) === null) return undefined
  if (fault === null) {
    writeManifest(folder, { ...manifest, isVerified: true, verifyJobId: null })
    return undefined
  }
  const failed = { state: 'failed', isVerified: false, error: fault } as const
  writeManifest(folder, { ...manifest, ...failed, verifyJobId: null })
  return { giveUp: fault }
}
