import { INSTALLATION, systemCtx, type Deps, type JobCtx } from '../../../../infra/ctx'
import { transact, onCommit, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import {
  activateRootKey,
  retireFormerKeysIn,
  rotationProgress,
} from '../../../../infra/keys/keyring'
import { ReencryptSecrets } from '../jobs'
import { FIRST_PLACE, resealSomeIn, type SealedPlace } from './steps'

/** Log line when the former key is no longer needed. */
const REMOVABLE =
  'no stored secret needs the previous key any more; SECRET_KEY_PREVIOUS can be removed'

/**
 * Switches to the configured root key. A job encrypts the data of a former key again, and the log
 * reports when it is done.
 */
export function rotateSecrets(deps: Deps): void {
  const { isUnderway } = activateRootKey(deps)
  if (!isUnderway) {
    if (deps.vault.keyIds.length > 1) deps.log.info(REMOVABLE)
    return
  }
  deps.log.info(
    're-encrypting stored secrets with the current key; keep SECRET_KEY_PREVIOUS until the ' +
      'log reports that it can be removed',
  )
  transact(deps.db, (tx) => {
    enqueue(tx, systemCtx(deps, INSTALLATION), ReencryptSecrets, {
      args: { keyId: deps.vault.currentKeyId, ...FIRST_PLACE },
    })
  })
}

/**
 * Encrypts a batch of stored secrets with the current key and enqueues the next batch, in the
 * caller's transaction. Retires the former keys after the last one.
 */
export function reencryptBatchIn(
  tx: Tx,
  ctx: JobCtx,
  { keyId, ...place }: SealedPlace & { keyId: string },
): void {
  // A later rotation has its own job, which starts with the first table.
  if (keyId !== ctx.vault.currentKeyId) return
  const next = resealSomeIn(tx, ctx, place)
  if (next) return void enqueue(tx, ctx, ReencryptSecrets, { args: { keyId, ...next } })
  if (!rotationProgress(ctx).isUnderway) return
  retireFormerKeysIn(tx, ctx)
  onCommit(tx, () => ctx.log.info(REMOVABLE))
}
