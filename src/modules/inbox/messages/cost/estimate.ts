import { HOUR_MS } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import {
  billingMonthOf,
  freeServiceMessages,
  serviceCountsOf,
} from '../../../channel/accounts/allowance'
import { findConversationById, type ConversationRow } from '../../conversations/row'
import { changeConversationIn } from '../../conversations/update'
import { isWindowOpen } from '../../conversations/window'
import { getOrganization } from '../../../organization/organizations/service'
import { spendIn } from '../../../organization/organizations/spend'
import {
  categoryKey,
  defaultCurrency,
  findPrice,
  isPriced,
  SERVICE,
} from '../../../channel/prices/lookup'
import type { CostColumns } from './billing'

/** Price category of a message that is sent without a template outside of the 24-hour window. */
export const DIRECT_CATEGORY = 'UTILITY'

/** An answer to an ad click within this time makes the messages that follow free. */
const ANSWER_MS = 24 * HOUR_MS

/** How long messages are free after an answer to an ad click (platform documentation 2.8). */
const FREE_ENTRY_MS = 72 * HOUR_MS

/** The conversation columns that a cost depends on. */
type PricedConversation = Pick<
  ConversationRow,
  'id' | 'lastInboundAtMs' | 'windowClosedAtMs' | 'lastReferral' | 'freeEntryUntilMs'
>

/** A message to estimate the cost of. */
interface MessageToPrice {
  accountId: string
  /** Country of the recipient, ISO 3166; `null` if unknown. */
  country: string | null
  /** `null` for the first message to a customer. */
  conversation: PricedConversation | null
  /** Category of the template, or of a direct message; `null` for all other messages. */
  category: string | null
  /** Defaults to the currency of the budget, else the common one of the price list. */
  currency?: string | null | undefined
}

/** Returns the currency of the monthly budget if it has prices, else that of the price list. */
function currencyOf(ctx: Ctx): string | null {
  const budgeted = spendIn(getOrganization(ctx))?.currency
  return budgeted !== undefined && isPriced(ctx, budgeted) ? budgeted : defaultCurrency(ctx)
}

/** Returns what a message would cost if it was sent now. Changes nothing. */
export function estimateCost(ctx: Ctx, message: MessageToPrice): CostColumns {
  const { accountId, country, conversation } = message
  const atMs = ctx.clock.nowMs()
  const category = message.category === null ? SERVICE : categoryKey(message.category)
  const currency = message.currency === undefined ? currencyOf(ctx) : message.currency
  const isInsideWindow = isWindowOpen(conversation, atMs)
  const costMonth = billingMonthOf(ctx, accountId, atMs)
  const isFree = isFreeEntry(conversation, atMs)
  const freeReason = isFree
    ? 'free_entry_point'
    : category === SERVICE &&
        serviceCountsOf(ctx, { accountId, month: costMonth }).sent <
          freeServiceMessages(ctx, costMonth)
      ? 'service_allowance'
      : null
  return {
    costMicros:
      currency === null
        ? null
        : freeReason !== null
          ? 0
          : (findPrice(ctx, { country, category, currency, atMs, isInsideWindow })?.priceMicros ??
            null),
    costCurrency: currency,
    costCategory: category,
    costCountry: country,
    costFreeReason: freeReason,
    isCostEstimate: true,
    costMonth,
    windowAtSend: isFree ? 'free_entry' : isInsideWindow ? 'open' : 'closed',
  }
}

/**
 * Returns the estimated cost of a message that is being created. The first answer to an ad click
 * starts the 72 hours in which all messages are free. Runs inside the caller's transaction.
 */
export function estimateCostIn(
  tx: Tx,
  ctx: Ctx,
  message: MessageToPrice & { conversation: ConversationRow },
): CostColumns {
  const { conversation } = message
  const nowMs = ctx.clock.nowMs()
  if (opensFreeEntry(conversation, nowMs))
    changeConversationIn(tx, ctx, conversation, { freeEntryUntilMs: nowMs + FREE_ENTRY_MS })
  return estimateCost(ctx, message)
}

/**
 * Extends the time in which messages of a conversation are free to the end that the platform
 * reports, inside the caller's transaction. An earlier end changes nothing.
 */
export function extendFreeEntryIn(tx: Tx, ctx: Ctx, conversationId: string, untilMs: number): void {
  const conversation = findConversationById(ctx, conversationId)
  if (!conversation || untilMs <= (conversation.freeEntryUntilMs ?? 0)) return
  if (untilMs > ctx.clock.nowMs() + FREE_ENTRY_MS) return
  changeConversationIn(tx, ctx, conversation, { freeEntryUntilMs: untilMs })
}

/**
 * Whether messages to a conversation are free at a time: within 72 hours after the first answer to
 * an ad click, or because the message would be that answer.
 */
export const isFreeEntry = (conversation: PricedConversation | null, nowMs: number): boolean =>
  conversation !== null &&
  (nowMs < (conversation.freeEntryUntilMs ?? 0) || opensFreeEntry(conversation, nowMs))

/** Whether a message sent now is the first answer to an ad click. */
function opensFreeEntry(conversation: PricedConversation, nowMs: number): boolean {
  if (conversation.lastReferral === null) return false
  const clickedAtMs = (JSON.parse(conversation.lastReferral) as { at_ms: number }).at_ms
  const { freeEntryUntilMs } = conversation
  const isAnswered = freeEntryUntilMs !== null && clickedAtMs <= freeEntryUntilMs - FREE_ENTRY_MS
  return !isAnswered && nowMs >= clickedAtMs && nowMs - clickedAtMs < ANSWER_MS
}
