import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { PlatformError } from '../../../platform/client/errors'
import { businessCallOf } from '../accounts/platform-calls'
import { platformErrorOf } from '../accounts/platform-errors'
import { getAccount } from '../accounts/queries'
import { liveAccounts } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { recordAudit } from '../../organization/audit/record'
import type { FlowSyncResult } from './model'
import { changeFlowIn } from './state'
import { flows } from './table'
import { fetchDefinition } from './fetch-definition'
import { applyPlatformFlowIn } from './sync-flow'

/** Flows per batch: parallel downloads and one transaction. */
const BATCH_SIZE = 8

type Counts = Pick<FlowSyncResult, 'synced' | 'new' | 'updated' | 'removed'>

/**
 * Syncs the Flows of the business account of a phone number, or of every active one: all pages,
 * each business account once. Local changes are kept. Throws NotFoundError and, if every account
 * failed, InvalidError `platform_rejected` or UnavailableError.
 */
export async function syncFlows(ctx: Ctx, accountId: string | undefined): Promise<FlowSyncResult> {
  const chosen =
    accountId === undefined
      ? liveAccounts(ctx).filter(({ status }) => status === 'active')
      : [getAccount(ctx, accountId)]
  const byBusiness = [...Map.groupBy(chosen, ({ businessId }) => businessId).values()]
  const result: FlowSyncResult = { synced: 0, new: 0, updated: 0, removed: 0, accounts: [] }
  const failures: unknown[] = []
  for (const [account] of byBusiness) {
    if (!account) continue
    try {
      const counts = await syncBusiness(ctx, account)
      for (const key of ['synced', 'new', 'updated', 'removed'] as const) result[key] += counts[key]
      result.accounts.push({ account_id: account.id, error: null })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      failures.push(error)
      result.accounts.push({ account_id: account.id, error: error.message })
    }
  }
  if (failures.length > 0 && failures.length === byBusiness.length)
    throw platformErrorOf(failures[0], {
      rejected: 'The platform rejected the request for the flows of this business account.',
    })
  transact(ctx.db, (tx) => {
    const { accounts: _, ...counts } = result
    recordAudit(tx, ctx, {
      action: 'synced',
      resourceType: 'flow',
      resourceId: null,
      resourceName: null,
      changes: Object.entries(counts).map(([field, value]) => ({
        field,
        old_value: null,
        new_value: value,
      })),
    })
  })
  return result
}

/** Syncs the Flows of one business account. Throws PlatformError. */
async function syncBusiness(ctx: Ctx, account: AccountRow): Promise<Counts> {
  const { flows: listed, isComplete: isWhole } = await ctx.platform.listFlows(
    businessCallOf(ctx, account),
  )
  const counts: Counts = { synced: listed.length, new: 0, updated: 0, removed: 0 }
  for (let from = 0; from < listed.length; from += BATCH_SIZE) {
    const some = listed.slice(from, from + BATCH_SIZE)
    const documents = await Promise.all(some.map((flow) => fetchDefinition(ctx, account, flow)))
    transact(ctx.db, (tx) => {
      for (const [index, flow] of some.entries()) {
        const outcome = applyPlatformFlowIn(tx, ctx, {
          account,
          flow,
          document: documents[index] ?? null,
        })
        if (outcome !== null) counts[outcome] += 1
      }
    })
  }
  if (isWhole)
    counts.removed = transact(ctx.db, (tx) =>
      markMissingIn(tx, ctx, account.businessId, new Set(listed.map(({ id }) => id))),
    )
  return counts
}

/**
 * Updates Flows that the platform no longer lists: drafts become local drafts, published ones are
 * deprecated. Returns their number.
 */
function markMissingIn(tx: Tx, ctx: Ctx, businessId: string, listed: ReadonlySet<string>): number {
  const rows = tx
    .select({ id: flows.id, metaFlowId: flows.metaFlowId, status: flows.status })
    .from(flows)
    .where(
      inOrganization(
        ctx,
        flows,
        and(
          eq(flows.businessId, businessId),
          isNotNull(flows.metaFlowId),
          isNull(flows.deletedAtMs),
        ),
      ),
    )
    .all()
  const gone = rows.filter(({ metaFlowId }) => !listed.has(metaFlowId ?? ''))
  for (const { id, status } of gone)
    changeFlowIn(
      tx,
      ctx,
      id,
      status === 'DRAFT'
        ? { metaFlowId: null, hasLocalChanges: true, previewUrl: null }
        : { metaFlowId: null, status: 'DEPRECATED' },
      ['meta_flow_id', 'status'],
    )
  // Flows deleted both here and there no longer need their platform ID.
  const buried = tx
    .select({ id: flows.id, metaFlowId: flows.metaFlowId })
    .from(flows)
    .where(
      inOrganization(
        ctx,
        flows,
        and(
          eq(flows.businessId, businessId),
          isNotNull(flows.metaFlowId),
          isNotNull(flows.deletedAtMs),
        ),
      ),
    )
    .all()
    .filter(({ metaFlowId }) => !listed.has(metaFlowId ?? ''))
    .map(({ id }) => id)
  if (buried.length > 0)
    tx.update(flows)
      .set({ metaFlowId: null })
      .where(inOrganization(ctx, flows, inArray(flows.id, buried.slice(0, 500))))
      .run()
  return gone.length
}
