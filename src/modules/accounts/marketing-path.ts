import { and, eq, ne } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import type { MarketingStatus } from '../../platform/client/marketing-status'
import { AccountChanged } from './events'
import { accounts } from './table'
import type { AccountRow } from './view'

/** Returns the stored policy of a validated request. */
export const policyOf = ({ policy }: { policy: string }): AccountRow['marketingPolicy'] =>
  policy === 'always' || policy === 'never' ? policy : 'auto'

/**
 * Returns the columns that follow from a reported status. An accepted message proves more than a
 * report that the terms are not accepted; only `off` overrules it.
 */
export function marketingColumns(
  reported: MarketingStatus | null,
  provenAtMs: number | null,
): Partial<Pick<AccountRow, 'marketingStatus' | 'marketingProvenAtMs'>> {
  if (reported === null) return {}
  if (reported === 'off') return { marketingStatus: 'off', marketingProvenAtMs: null }
  return { marketingStatus: provenAtMs === null ? reported : 'onboarded' }
}

/**
 * Records that the platform accepted a message on the marketing path, so that later marketing
 * messages take it directly.
 */
export function recordMarketingPathIn(tx: Tx, ctx: Ctx, account: AccountRow): void {
  if (account.marketingStatus === 'onboarded') return
  const nowMs = ctx.clock.nowMs()
  const changed = tx
    .update(accounts)
    .set({ marketingStatus: 'onboarded', marketingProvenAtMs: nowMs, updatedAtMs: nowMs })
    .where(
      inOrganization(
        ctx,
        accounts,
        and(
          eq(accounts.id, account.id),
          eq(accounts.businessId, account.businessId),
          ne(accounts.marketingStatus, 'onboarded'),
        ),
      ),
    )
    .returning({ id: accounts.id })
    .all()
  if (changed.length > 0)
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId: account.id, changed: ['marketing_path'], isConnected: false },
    })
}
