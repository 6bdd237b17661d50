import { isNull } from 'drizzle-orm'

import type { Deps } from '../../infra/ctx'
import { accounts } from './table'

/** Stored secrets cannot be decrypted with the present key; the message is one sentence for the operator. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError'
}

const LOOKED_AT_ONCE = 1_000

/** Refuses to go on when a secret in the database was encrypted with a key this server does not have. Throws WrongKeyError. */
export function requireReadableSecrets(deps: Pick<Deps, 'db' | 'vault'>): void {
  for (let offset = 0; ; offset += LOOKED_AT_ONCE) {
    const rows = deps.db.orm
      .select({
        token: accounts.accessTokenSealed,
        secret: accounts.appSecretSealed,
        verify: accounts.verifyTokenSealed,
        pin: accounts.pinSealed,
        flowKey: accounts.flowPrivateKeySealed,
        formerFlowKey: accounts.flowFormerKeySealed,
        nextFlowKey: accounts.flowNextKeySealed,
      })
      .from(accounts)
      .where(isNull(accounts.deletedAtMs))
      .limit(LOOKED_AT_ONCE)
      .offset(offset)
      .all()
    const isForeign = rows.flatMap((row) => Object.values(row)).some((sealed) => sealed !== null && !deps.vault.knows(sealed))
    if (isForeign)
      throw new WrongKeyError('SECRET_KEY is not the key this database was encrypted with; restore the key file or set the right key.')
    if (rows.length < LOOKED_AT_ONCE) return
  }
}
