import { and, eq, inArray, isNull } from 'drizzle-orm'

import { ConflictError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { runHooks } from '../../../infra/transaction-hooks'
import { recordAudit } from '../../organization/audit/record'
import { campaigns } from '../../outreach/campaigns/table'
import { AccountChanged, AccountDisconnected } from './events'
import { NO_FLOW_KEY, NO_SECRETS } from './secrets'
import { getAccount } from './queries'
import { accounts } from './table'

/**
 * Requires that no campaign of the number is scheduled, sending or paused. Throws ConflictError
 * `campaign_running`.
 */
function refuseWhileCampaignRuns(ctx: Ctx, id: string): void {
  const running = ctx.db.orm
    .select({ id: campaigns.id, name: campaigns.name })
    .from(campaigns)
    .where(
      inOrganization(
        ctx,
        campaigns,
        and(
          eq(campaigns.accountId, id),
          inArray(campaigns.status, ['scheduled', 'sending', 'paused']),
          isNull(campaigns.deletedAtMs),
        ),
      ),
    )
    .limit(1)
    .get()
  if (running)
    throw new ConflictError(
      `Campaign "${running.name}" uses this number. Cancel the campaign first.`,
      {
        code: 'campaign_running',
        details: { campaign_id: running.id },
      },
    )
}

/**
 * Disconnects a number: it no longer routes or sends, and its secrets are deleted. Its history
 * stays. Throws NotFoundError and ConflictError `campaign_running`.
 */
export function deleteAccount(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const { name } = getAccount(ctx, id)
    refuseWhileCampaignRuns(ctx, id)
    disconnectIn(tx, ctx, { id, name })
  })
}

/**
 * Disconnects every number of the organization, also while campaigns run, in the caller's
 * transaction.
 */
export function disconnectAllIn(tx: Tx, ctx: Ctx): void {
  const live = tx
    .select({ id: accounts.id, name: accounts.name })
    .from(accounts)
    .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
    .all()
  for (const account of live) disconnectIn(tx, ctx, account)
}

function disconnectIn(tx: Tx, ctx: Ctx, { id, name }: { id: string; name: string }): void {
  const nowMs = ctx.clock.nowMs()
  tx.update(accounts)
    .set({
      deletedAtMs: nowMs,
      updatedAtMs: nowMs,
      isDefaultIncoming: false,
      isDefaultOutgoing: false,
      isSubscribed: false,
      subscribedAtMs: null,
      ...NO_SECRETS,
      ...NO_FLOW_KEY,
    })
    .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
    .run()
  runHooks(tx, ctx, AccountDisconnected, { accountId: id })
  recordAudit(tx, ctx, {
    action: 'deleted',
    resourceType: 'account',
    resourceId: id,
    resourceName: name,
  })
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId: id, changed: ['deleted'], isConnected: false },
  })
}
