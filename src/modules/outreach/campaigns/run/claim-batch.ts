import { and, asc, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { isStorageError } from '../../../../infra/db/errors'
import { savepoint, type Tx } from '../../../../infra/db/transact'
import type { AccountRow } from '../../../channel/accounts/view'
import { ownFailure } from '../../../inbox/messages/outbound/delivery-state'
import type { CampaignTemplate } from '../draft/template'
import { failRecipientIn } from '../state'
import { campaignRecipients } from '../table'
import type { CampaignRow, RecipientRow } from '../view'
import { claimIn, type Claimed } from './claim'
import { loadEligibilityContext } from './eligibility'
import { watchErrorsIn } from './error-rate'

/**
 * Approximate maximum duration of one transaction, milliseconds, and maximum number of recipients
 * read in it.
 */
const AT_ONCE_MS = 8

const READ_AT_ONCE = 24

export interface DispatchInput {
  campaign: CampaignRow
  account: AccountRow
  template: CampaignTemplate
}

/**
 * Claims recipients up to a limit, the time of one transaction or the budget. Returns `more` if it
 * can continue at once.
 */
export function claimBatchIn(
  tx: Tx,
  ctx: Ctx,
  input: DispatchInput,
  limit: number,
): 'done' | 'more' | 'over_budget' {
  const { campaign, account, template } = input
  const startedMs = performance.now()
  const context = loadEligibilityContext(ctx, campaign, template)
  const { organizationId } = ctx
  const rows = nextPending(ctx.db).all({
    organizationId,
    campaignId: campaign.id,
    limit: Math.min(limit, READ_AT_ONCE),
  })
  for (const [index, row] of rows.entries()) {
    if (index > 0 && performance.now() - startedMs > AT_ONCE_MS) return 'more'
    const claimed = claimOneIn(tx, ctx, row, () => claimIn(tx, ctx, { context, account, row }))
    if (claimed === 'over_budget') return 'over_budget'
    if (claimed === 'failed' && watchErrorsIn(tx, ctx, campaign)) return 'done'
  }
  return rows.length === READ_AT_ONCE && limit > READ_AT_ONCE ? 'more' : 'done'
}

/**
 * Claims a recipient. An unexpected error fails only this recipient; errors of the storage are
 * rethrown.
 */
function claimOneIn(tx: Tx, ctx: Ctx, row: RecipientRow, claim: () => Claimed): Claimed {
  try {
    return savepoint(tx, claim)
  } catch (error) {
    if (isStorageError(error)) throw error
    ctx.log.error(
      { error, campaign_id: row.campaignId, organization_id: ctx.organizationId },
      'campaign message not created',
    )
    failRecipientIn(
      tx,
      ctx,
      row,
      ownFailure(
        'internal_error',
        'The server could not create the message because of an internal error.',
        true,
      ),
    )
    return 'failed'
  }
}

const nextPending = compiled((orm) =>
  orm
    .select()
    .from(campaignRecipients)
    .where(
      inOrganization(
        anyScope,
        campaignRecipients,
        and(
          eq(campaignRecipients.campaignId, place(campaignRecipients.campaignId, 'campaignId')),
          sql`${campaignRecipients.status} = 'pending'`,
        ),
      ),
    )
    .orderBy(asc(campaignRecipients.id))
    .limit(sql.placeholder('limit'))
    .prepare(),
)
