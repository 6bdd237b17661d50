import { count } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { acrossOrganizations, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { AccountRow } from '../accounts/view'
import { notifyIn } from '../../organization/notifications/service'
import { waitingFor } from './assign-unrouted'
import { inboundEvents } from './table'
import { findAdmins } from '../../organization/memberships/admins'

/** How far back changes received before a number was connected are offered for replay. */
const OFFERED_MS = 7 * DAY_MS

/**
 * Notifies the admins of an organization how many deliveries of the last week arrived for a phone
 * number before it was connected and are not replayed automatically, in the caller's transaction. A
 * super admin can replay them (inbound contract 5).
 */
export function offerBackfillIn(tx: Tx, ctx: Ctx, account: AccountRow): void {
  const rows =
    tx
      .select({ rows: count() })
      .from(inboundEvents)
      .where(
        acrossOrganizations(
          'a change that came before its number was connected has no organization',
          waitingFor(ctx, account.phoneId, ctx.clock.nowMs() - OFFERED_MS),
        ),
      )
      .get()?.rows ?? 0
  if (rows === 0) return
  ctx.log.info(
    { organization_id: ctx.organizationId, account_id: account.id, deliveries: rows },
    'webhook deliveries from before the connection can be reprocessed',
  )
  for (const userId of findAdmins(ctx))
    notifyIn(tx, ctx, {
      userId,
      kind: 'account_notice',
      severity: 'info',
      title: 'Earlier messages are available',
      body:
        `${rows} webhook deliveries of the last seven days arrived for ${account.name} before ` +
        'it was connected. A super admin can process them.',
      link: `/accounts/${account.id}`,
    })
}
