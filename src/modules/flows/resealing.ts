import { and, eq, isNotNull, or, sql } from 'drizzle-orm'

import { inOrganization, systemCtx, type Deps } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { openOfFlow, sealForFlow } from './endpoint-config'
import { flows } from './table'

/** Forms in one transaction. */
const BATCH = 50

/**
 * Encrypts secrets of forms with the present key that were encrypted with the former one, a batch in the caller's transaction. Returns how
 * many forms it was.
 */
export function sealFlowsAnewIn(tx: Tx, deps: Deps): number {
  if (!deps.vault.isRotating) return 0
  const current = `${deps.vault.currentKeyId}.%`
  const rows = tx
    .select()
    .from(flows)
    .where(
      or(
        and(isNotNull(flows.endpointSecretSealed), sql`${flows.endpointSecretSealed} not like ${current}`),
        and(isNotNull(flows.endpointHeadersSealed), sql`${flows.endpointHeadersSealed} not like ${current}`),
      ),
    )
    .limit(BATCH)
    .all()
  for (const row of rows) {
    const ctx = systemCtx(deps, row.organizationId)
    const [secret, headers] = [openOfFlow(ctx, row, 'secret'), openOfFlow(ctx, row, 'headers')]
    tx.update(flows)
      .set({
        endpointSecretSealed: secret === null ? null : sealForFlow(ctx, row.id, 'secret', secret),
        endpointHeadersSealed: headers === null ? null : sealForFlow(ctx, row.id, 'headers', headers),
      })
      .where(inOrganization(ctx, flows, eq(flows.id, row.id)))
      .run()
  }
  return rows.length
}
