import { INSTALLATION, systemCtx, type Deps } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { MakeBackup, type BackupArgs } from '../jobs'

/** Enqueues a backup, in the caller's transaction. Returns the IDs of the backup and its job. */
export function enqueueBackupIn(
  tx: Tx,
  deps: Deps,
  what: Omit<BackupArgs, 'id'>,
): { id: string; jobId: string } {
  const id = deps.ids.next()
  const jobId = enqueue(tx, systemCtx(deps, INSTALLATION), MakeBackup, { args: { id, ...what } })
  return { id, jobId }
}
