import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { of } from '../../../../infra/scoped'
import type { EncryptedTable } from '../../../../infra/keys/encrypted-columns'
import { resealed } from './secrets'
import { botFlows, botFlowVersions } from './table'

const BATCH = 10

/** Header values of bot flows and their versions. */
export const sealedBotFlows: EncryptedTable = {
  name: 'bot_flows',
  reencryptIn(tx, deps, after) {
    const rows = tx
      .select({
        organizationId: botFlows.organizationId,
        id: botFlows.id,
        sealed: botFlows.completionHeadersSealed,
      })
      .from(botFlows)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          gt(botFlows.id, after),
        ),
      )
      .orderBy(asc(botFlows.id))
      .limit(BATCH)
      .all()
    for (const { organizationId, id, sealed } of rows) {
      const ctx = systemCtx(deps, organizationId)
      reencryptVersionsIn(tx, ctx, id)
      const completionHeadersSealed = resealed(ctx, id, 'completion', sealed)
      if (completionHeadersSealed !== sealed)
        of(ctx, botFlows).update(tx, { id }, { completionHeadersSealed })
    }
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}

function reencryptVersionsIn(tx: Tx, ctx: Ctx, flowId: string): void {
  const versions = tx
    .select({ version: botFlowVersions.version, sealed: botFlowVersions.headersSealed })
    .from(botFlowVersions)
    .where(
      inOrganization(
        ctx,
        botFlowVersions,
        and(eq(botFlowVersions.flowId, flowId), isNotNull(botFlowVersions.headersSealed)),
      ),
    )
    .all()
  for (const { version, sealed } of versions) {
    const headersSealed = resealed(ctx, flowId, 'headers', sealed)
    if (headersSealed !== sealed)
      of(ctx, botFlowVersions).update(tx, { flowId, version }, { headersSealed })
  }
}
