import { asc, eq, gt } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx } from '../../infra/ctx'
import type { EncryptedTable } from '../../infra/keys/keyring'
import { reencryptFlowSecrets } from './endpoint/secrets'
import { flows } from './table'

const BATCH = 50

/** Secrets for requests to customer endpoints. */
export const sealedFlows: EncryptedTable = {
  name: 'flows',
  reencryptIn(tx, deps, after) {
    const rows = tx
      .select()
      .from(flows)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          gt(flows.id, after),
        ),
      )
      .orderBy(asc(flows.id))
      .limit(BATCH)
      .all()
    for (const row of rows) {
      const ctx = systemCtx(deps, row.organizationId)
      const set = reencryptFlowSecrets(ctx, row)
      if (
        set.endpointSecretSealed === row.endpointSecretSealed &&
        set.endpointHeadersSealed === row.endpointHeadersSealed
      )
        continue
      tx.update(flows)
        .set(set)
        .where(inOrganization(ctx, flows, eq(flows.id, row.id)))
        .run()
    }
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
