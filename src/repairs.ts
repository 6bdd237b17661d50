import type { Deps } from './infra/ctx'
import { requireReadableSecrets } from './infra/keys/keyring'
import { repairSystemRoles } from './modules/organization/roles/service'
import { rotateSecrets } from './modules/operation/system/key-rotation/rotate'

/**
 * Checks and repairs what a former version or other settings left behind, at each start. Throws if
 * the secrets cannot be read.
 */
export function repairAtStart(deps: Deps): void {
  requireReadableSecrets(deps)
  rotateSecrets(deps)
  repairSystemRoles(deps)
}
