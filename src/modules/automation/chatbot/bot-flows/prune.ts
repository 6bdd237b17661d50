import { and, asc, gt, isNotNull } from 'drizzle-orm'

import { systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { transact, type Tx } from '../../../../infra/db/transact'
import { of } from '../../../../infra/scoped'
import { botSessions } from '../engine/table'
import { deleteUnusedVersionsIn } from './store'
import { botFlows, botFlowVersions } from './table'

const BATCH = 50

/**
 * Deletes what is left of a batch of deleted bot flows: versions that no active session follows, and
 * flows that no session names. Returns where to continue, or `null` at the end.
 */
export function pruneBotFlows(deps: Deps, after: string | null): string | null {
  return transact(deps.db, (tx) => {
    const rows = tx
      .select({ organizationId: botFlows.organizationId, id: botFlows.id })
      .from(botFlows)
      .where(
        inWorkingOrganizations(
          'deleted flows are pruned for all organizations at once',
          botFlows,
          and(isNotNull(botFlows.deletedAtMs), gt(botFlows.id, after ?? '')),
        ),
      )
      .orderBy(asc(botFlows.id))
      .limit(BATCH)
      .all()
    for (const { organizationId, id } of rows)
      pruneBotFlowIn(tx, systemCtx(deps, organizationId), id)
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  })
}

function pruneBotFlowIn(tx: Tx, ctx: Ctx, id: string): void {
  deleteUnusedVersionsIn(tx, ctx, id, Number.MAX_SAFE_INTEGER)
  const isUsed =
    of(ctx, botFlowVersions).count({ flowId: id }) > 0 ||
    of(ctx, botSessions).find({ flowId: id }) !== null
  if (!isUsed) of(ctx, botFlows).delete(tx, { id })
}
