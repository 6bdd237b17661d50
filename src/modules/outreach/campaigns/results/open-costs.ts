import { and, eq, exists, inArray, isNotNull, isNull, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../../../inbox/messages/table'
import { isCurrentSend } from '../state'
import { campaignRecipients, campaignSends } from '../table'

/**
 * Keeps the estimated cost of messages with an unknown outcome in the budget, in the transaction
 * that lets their recipients wait for another message.
 */
export function keepOpenCostsIn(tx: Tx, ctx: Ctx, campaignId: string, recipients: string[]): void {
  const { costMicros, isCostActual, status } = campaignRecipients
  const ofUnknown = tx
    .select({ costMicros })
    .from(campaignRecipients)
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(isCurrentSend, eq(status, 'unknown'), eq(isCostActual, false)),
      ),
    )
  tx.update(campaignSends)
    .set({ openCostMicros: sql`(${ofUnknown})` })
    .where(
      inOrganization(
        ctx,
        campaignSends,
        and(
          eq(campaignSends.campaignId, campaignId),
          inArray(campaignSends.recipientId, recipients),
          isNull(campaignSends.openCostMicros),
        ),
      ),
    )
    .run()
}

const closeSettled = compiled((orm) =>
  orm
    .update(campaignSends)
    .set({ openCostMicros: null })
    .where(
      inOrganization(
        anyScope,
        campaignSends,
        and(
          eq(campaignSends.campaignId, place(campaignSends.campaignId, 'campaignId')),
          eq(campaignSends.recipientId, place(campaignSends.recipientId, 'recipientId')),
          isNotNull(campaignSends.openCostMicros),
          exists(
            orm
              .select({ one: sql`1` })
              .from(messages)
              .where(
                inOrganization(
                  anyScope,
                  messages,
                  and(
                    eq(messages.id, campaignSends.messageId),
                    sql`(${messages.status} = 'failed' or (${sql.placeholder('isCostActual')} and ${messages.isCostEstimate} = 0 and ${messages.costMonth} is not null))`,
                  ),
                ),
              ),
          ),
        ),
      ),
    )
    .prepare(),
)

/**
 * Takes the estimated cost of former messages out of the budget once they failed, or once the cost
 * of their recipient includes them. Runs inside the transaction that settled a message.
 */
export function closeOpenCostsIn(
  tx: Tx,
  ctx: Ctx,
  at: { campaignId: string; recipientId: string; isCostActual: boolean },
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  closeSettled(ctx.db).run({
    organizationId: ctx.organizationId,
    campaignId: at.campaignId,
    recipientId: at.recipientId,
    isCostActual: at.isCostActual ? 1 : 0,
  })
}
