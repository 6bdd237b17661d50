import { and, eq, isNull, sql } from 'drizzle-orm'

import { isUuid } from '../../../../lib/ids'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import type { InboundStatus, Pricing } from '../../../../platform/webhook/statuses'
import type { AccountRow } from '../../../channel/accounts/view'
import { recordRecipientIn } from './effects'
import { plausibleTime, REACTION_KEY } from '../rules'
import { applyReactionStatusIn } from '../reactions/own-reaction'
import { messages } from '../table'
import type { MessageRow } from '../view'
import { extendFreeEntryIn } from '../cost/estimate'
import { recordStatusIn } from './ledger'
import { deriveStatusIn } from './derive'

/** Result of a reported status: applied to a message, or stored until its message is known. */
export type StatusReceipt = { outcome: 'applied'; messageId: string } | { outcome: 'parked' }
const outgoingByPlatformId = compiled((orm) =>
  orm
    .select()
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.accountId, place(messages.accountId, 'accountId')),
          eq(messages.waMessageId, place(messages.waMessageId, 'waMessageId')),
          sql`${messages.direction} = 'outgoing'`,
        ),
      ),
    )
    .prepare(),
)

/**
 * Records a reported status and updates its message, in the caller's transaction (spec 3, 6.1).
 * Finds the message by platform ID, otherwise by the message ID sent along. Statuses of unknown
 * messages are stored until the message appears.
 */
export function applyStatusIn(
  tx: Tx,
  ctx: Ctx,
  item: { account: AccountRow; status: InboundStatus; receivedAtMs: number },
): StatusReceipt {
  const { account, status, receivedAtMs } = item
  if (
    status.callbackData?.startsWith(REACTION_KEY) &&
    applyReactionStatusIn(tx, ctx, account.id, status)
  )
    return { outcome: 'applied', messageId: status.callbackData.slice(REACTION_KEY.length) }
  recordStatusIn(tx, ctx, {
    accountId: account.id,
    waMessageId: status.waMessageId,
    status: status.status,
    participant: status.participant ?? '',
    timestampMs: plausibleTime(status.timestampMs, receivedAtMs),
    receivedAtMs,
    errors: JSON.stringify(status.errors),
    pricing: status.pricing && JSON.stringify(pricingOf(status.pricing)),
    templateId: status.templateId,
  })
  const row = findMessageOf(tx, ctx, account.id, status)
  if (!row) return { outcome: 'parked' }
  deriveStatusIn(tx, ctx, row)
  if (status.freeEntryUntilMs !== null)
    extendFreeEntryIn(tx, ctx, row.conversationId, status.freeEntryUntilMs)
  recordRecipientIn(tx, ctx, row, status)
  return { outcome: 'applied', messageId: row.id }
}

const pricingOf = ({ category, type, billable, pricingModel }: Pricing) => ({
  category,
  type,
  billable,
  pricing_model: pricingModel,
})

function findMessageOf(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  status: InboundStatus,
): MessageRow | null {
  const known = outgoingByPlatformId(ctx.db).get({
    organizationId: ctx.organizationId,
    accountId,
    waMessageId: status.waMessageId,
  })
  if (known) return known
  if (status.callbackData === null || !isUuid(status.callbackData)) return null
  // The response of the send call is not recorded yet or was lost: the ID sent along identifies the
  // message.
  return (
    tx
      .update(messages)
      .set({ waMessageId: status.waMessageId })
      .where(
        inOrganization(
          ctx,
          messages,
          and(
            eq(messages.id, status.callbackData),
            eq(messages.accountId, accountId),
            eq(messages.direction, 'outgoing'),
            isNull(messages.waMessageId),
          ),
        ),
      )
      .returning()
      .get() ?? null
  )
}
