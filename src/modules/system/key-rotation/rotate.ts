import { INSTALLATION, systemCtx, type Deps } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { adoptRootKey } from '../../../infra/keys/keyring'
import { REMOVABLE, resealSecrets } from './jobs'
import { FIRST_PLACE } from './steps'

/**
 * Goes over to the configured root key: what a former key encrypted is encrypted with it by a job,
 * and the log says when that is done.
 */
export function rotateSecrets(deps: Deps): void {
  const { isUnderway } = adoptRootKey(deps)
  if (!isUnderway) {
    if (deps.vault.keyIds.length > 1) deps.log.info(REMOVABLE)
    return
  }
  deps.log.info(
    'stored secrets are being encrypted with the present secret key: keep SECRET_KEY_PREVIOUS until the log says that it can be removed',
  )
  transact(deps.db, (tx) => {
    enqueue(tx, systemCtx(deps, INSTALLATION), resealSecrets, {
      args: { keyId: deps.vault.currentKeyId, ...FIRST_PLACE },
    })
  })
}
