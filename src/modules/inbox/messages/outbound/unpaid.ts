import type { Ctx } from '../../../../infra/ctx'
import { holdsServiceMessages } from '../../../channel/accounts/funding/hold'
import type { AccountRow } from '../../../channel/accounts/view'
import { findConversationById, type ConversationRow } from '../../conversations/row'
import { findConversation } from '../../conversations/service'
import { SERVICE } from '../../../channel/prices/lookup'
import { isFreeEntry } from '../cost/estimate'
import type { MessageRow } from '../view'

/** Whether a message uses up the free service messages of its number. */
export const isServiceMessage = ({ costCategory }: Pick<MessageRow, 'costCategory'>): boolean =>
  costCategory === SERVICE

/** Whether service messages of a conversation wait. Those after an ad click are free. */
const holdsReplies = (
  ctx: Ctx,
  account: AccountRow,
  conversation: ConversationRow | null,
): boolean => holdsServiceMessages(ctx, account) && !isFreeEntry(conversation, ctx.clock.nowMs())

/**
 * Whether a message waits because its number has no payment method: those of campaigns, and those
 * that are free until the allowance is used up. Templates are tried, because one that is delivered
 * proves that somebody pays again.
 */
export function waitsForFunding(ctx: Ctx, row: MessageRow, account: AccountRow): boolean {
  if (account.fundingState !== 'missing') return false
  if (row.source === 'campaign') return true
  return (
    isServiceMessage(row) &&
    holdsReplies(ctx, account, findConversationById(ctx, row.conversationId))
  )
}

/**
 * Returns the warnings for a message that is being created: `payment_missing` if it will wait, or
 * if it is always charged, as templates are, so that WhatsApp will probably refuse it.
 */
export function paymentWarnings(
  ctx: Ctx,
  account: AccountRow,
  { isCharged, contactId }: { isCharged: boolean; contactId: string | null },
): string[] {
  if (account.fundingState !== 'missing') return []
  const conversation =
    contactId === null ? null : findConversation(ctx, { contactId, accountId: account.id })
  return isCharged || holdsReplies(ctx, account, conversation) ? ['payment_missing'] : []
}
