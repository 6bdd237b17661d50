import { and, asc, eq, isNotNull, isNull, ne } from 'drizzle-orm'

import { inOrganization, type Ctx, type JobCtx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { PlatformError } from '../../../platform/client/errors'
import { notifyAboutAccountIn } from '../accounts/notify'
import { findAccount } from '../accounts/queries'
import type { AccountRow } from '../accounts/view'
import { DirectEndpoints } from './jobs'
import { flowCallOf } from './lock'
import { flows } from './table'
import type { FlowRow } from './view'

/** Returns the URL of the data exchange endpoint of a phone number, in this cell if there are several. */
export const endpointUriOf = ({ settings }: Pick<Ctx, 'settings'>, accountId: string): string =>
  `${settings.cells?.own ?? settings.baseUrl}/api/flows/endpoint/${accountId}`

/** Directs the endpoints of a number's Flows to this cell soon, in the caller's transaction. */
export function directEndpointsIn(tx: Tx, ctx: Ctx, accountId: string): void {
  if (ctx.settings.cells && flowsWithEndpoint(ctx, accountId).length > 0)
    enqueue(tx, ctx, DirectEndpoints, { args: { accountId } })
}

/**
 * Gives the Flows of a number the address of this cell at the platform, published ones too. If the
 * platform refuses that for some, their requests are passed on by the other cell, and the members who may
 * change the number are notified. Throws PlatformError for what may pass.
 */
export async function directEndpoints(ctx: JobCtx, accountId: string): Promise<void> {
  const account = findAccount(ctx, accountId)
  if (account === null || account.deletedAtMs !== null || account.movedAtMs !== null) return
  const endpointUri = endpointUriOf(ctx, accountId)
  const refused: string[] = []
  for (const row of flowsWithEndpoint(ctx, accountId))
    try {
      const call = flowCallOf(ctx, { row, account })
      await ctx.platform.setFlowEndpoint({ ...call, signal: ctx.signal, endpointUri })
    } catch (error) {
      if (!(error instanceof PlatformError) || MAY_PASS.has(error.retryClass)) throw error
      refused.push(row.name)
    }
  if (refused.length > 0) transact(ctx.db, (tx) => reportIn(tx, ctx, account, refused))
}

const MAY_PASS: ReadonlySet<PlatformError['retryClass']> = new Set([
  'again',
  'throughput',
  'quota',
  'ambiguous',
])

const flowsWithEndpoint = (ctx: Pick<Ctx, 'db' | 'organizationId'>, accountId: string): FlowRow[] =>
  ctx.db.orm
    .select()
    .from(flows)
    .where(
      inOrganization(
        ctx,
        flows,
        and(
          eq(flows.accountId, accountId),
          isNull(flows.deletedAtMs),
          isNotNull(flows.metaFlowId),
          ne(flows.endpointMode, 'none'),
          ne(flows.status, 'DEPRECATED'),
        ),
      ),
    )
    .orderBy(asc(flows.id))
    .all()

const NAMED = 5

function reportIn(tx: Tx, ctx: Ctx, account: AccountRow, refused: string[]): void {
  const more = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : ''
  notifyAboutAccountIn(tx, ctx, account, {
    kind: 'account_notice',
    severity: 'warning',
    title: 'Forms take a detour',
    body:
      `The platform did not accept the new address of ${refused.slice(0, NAMED).join(', ')}${more}. ` +
      'The former server passes their requests on and must keep running. Duplicate these flows and ' +
      'publish the copies.',
  })
}
