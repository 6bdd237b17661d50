import { asc, eq, gt } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Deps } from '../../infra/ctx'
import type { EncryptedTable } from '../../infra/keys/keyring'
import { reencryptSecrets } from './secrets'
import { accounts } from './table'

const BATCH = 50

/** Re-encrypts the secrets of phone numbers. */
export const sealedAccounts: EncryptedTable = {
  name: 'accounts',
  reencryptIn(tx, deps: Deps, after) {
    const rows = tx
      .select()
      .from(accounts)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          gt(accounts.id, after),
        ),
      )
      .orderBy(asc(accounts.id))
      .limit(BATCH)
      .all()
    for (const row of rows) {
      const set = reencryptSecrets(deps, row)
      if (Object.keys(set).length === 0) continue
      tx.update(accounts)
        .set(set)
        .where(
          inOrganization(systemCtx(deps, row.organizationId), accounts, eq(accounts.id, row.id)),
        )
        .run()
    }
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
