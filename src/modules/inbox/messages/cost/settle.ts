import { eq } from 'drizzle-orm'

import { compiledUpdate } from '../../../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { localMonthOf } from '../../../../lib/local-day'
import { billingTimezoneOf } from '../../../channel/accounts/allowance'
import { warnAboutAllowanceIn } from '../../../channel/accounts/funding/warn'
import { findPrice, SERVICE } from '../../../channel/prices/lookup'
import { messages } from '../table'
import type { MessageRow } from '../view'
import { warnAboutSpendIn } from './spend'
import { isAmongFree, messagesAtLimit } from './order-of-delivery'
import { billingOf, isOurs, type Billing, type CostColumns } from './billing'
import { place } from '../../../../infra/db/compiled'

/** The delivery of a message as far as its cost depends on it. */
export type CostFacts = Pick<MessageRow, 'status' | 'sentAtMs' | 'deliveredAtMs' | 'pricing'>

/** Whether a delivery has the same cost as before: it was only read, or reported again. */
const costsTheSame = (before: CostFacts, after: CostFacts): boolean =>
  before.sentAtMs === after.sentAtMs &&
  before.deliveredAtMs === after.deliveredAtMs &&
  before.pricing === after.pricing &&
  (before.status === 'failed') === (after.status === 'failed')

type SettledColumns = Pick<
  CostColumns,
  'costMicros' | 'costCategory' | 'costFreeReason' | 'isCostEstimate' | 'costMonth'
> &
  Pick<MessageRow, 'allowanceMonth'>

/** The columns of a message's cost that change. */
export type SettledCost = Partial<SettledColumns>

const changeCost = compiledUpdate(
  messages,
  inOrganization(anyScope, messages, eq(messages.id, place(messages.id, 'id'))),
)

/**
 * Updates the cost of a message after its delivery has changed, in the caller's transaction.
 * `before` is the message before the change, `after` its delivery now.
 */
export function settleCostIn(tx: Tx, ctx: Ctx, before: MessageRow, after: CostFacts): void {
  const settled = settledCost(ctx, before, after)
  saveIn(ctx, before, settled)
  settleOthersIn(tx, ctx, { before, after, settled })
}

/**
 * Returns the columns of the cost that change with the delivery of a message. The platform's report
 * decides. Without one, the first messages delivered in a month are free as far as the allowance
 * goes. The result depends on the reported statuses only, not on their order. The caller writes
 * them and then calls `settleOthersIn`.
 */
export function settledCost(ctx: Ctx, before: MessageRow, after: CostFacts): SettledCost {
  if (costsTheSame(before, after)) return {}
  const row = { ...before, ...after }
  const timezone = billingTimezoneOf(ctx, row.accountId)
  const allowanceMonth = allowanceMonthOf(row, timezone)
  if (row.costMonth === null && allowanceMonth === row.allowanceMonth) return {}
  return changedIn(before, settledAs(ctx, row, { allowanceMonth, timezone }))
}

/**
 * Applies what the new cost of a message means for others: for the budget, and for the messages
 * that become free or are no longer free in its place. Call it after the row is written.
 */
export function settleOthersIn(
  tx: Tx,
  ctx: Ctx,
  { before, after, settled }: { before: MessageRow; after: CostFacts; settled: SettledCost },
): void {
  const { accountId } = before
  const { allowanceMonth = before.allowanceMonth } = settled
  let isChanged = Object.keys(settled).length > 0
  const isMoved =
    allowanceMonth !== before.allowanceMonth ||
    (allowanceMonth !== null && before.deliveredAtMs !== after.deliveredAtMs)
  const months = isMoved ? new Set([before.allowanceMonth, allowanceMonth]) : []
  for (const month of months)
    if (month !== null)
      for (const { row: other, isFree } of messagesAtLimit(ctx, { accountId, month }))
        if (isOurs(other) && other.costMonth !== null && billingOf(other.pricing) === null) {
          saveIn(ctx, other, changedIn(other, estimatedAt(ctx, other, isFree)))
          isChanged = true
        }
  if (isChanged) warnAboutSpendIn(tx, ctx, accountId)
  if (isMoved && allowanceMonth !== null) warnAboutAllowanceIn(tx, ctx, accountId, allowanceMonth)
}

const changedIn = (before: MessageRow, set: SettledCost): SettledCost =>
  Object.fromEntries(
    Object.entries(set).filter(
      ([column, value]) => before[column as keyof SettledColumns] !== value,
    ),
  )

function saveIn(ctx: Ctx, before: MessageRow, changed: SettledCost): void {
  if (Object.keys(changed).length > 0)
    changeCost(ctx.db, { organizationId: ctx.organizationId, id: before.id }, changed)
}

/**
 * Returns the month in which a delivered service message uses up the allowance of its number;
 * `null` for all other messages.
 */
function allowanceMonthOf(row: MessageRow, timezone: string): number | null {
  if (row.deliveredAtMs === null || row.source === 'phone_app') return null
  const billing = billingOf(row.pricing)
  if (billing?.freeReason === 'free_entry_point') return null
  if (billing === null && row.windowAtSend === 'free_entry') return null
  const category = billing?.category ?? row.costCategory
  return category === SERVICE ? localMonthOf(row.deliveredAtMs, timezone) : null
}

function settledAs(
  ctx: Ctx,
  row: MessageRow,
  { allowanceMonth, timezone }: { allowanceMonth: number | null; timezone: string },
): SettledCost {
  if (!isOurs(row) || row.costMonth === null) return { allowanceMonth }
  const costMonth = localMonthOf(row.sentAtMs ?? row.createdAtMs, timezone)
  const rest = { costMonth, allowanceMonth }
  if (row.status === 'failed')
    return { ...rest, costMicros: 0, costFreeReason: 'not_delivered', isCostEstimate: false }
  const billing = billingOf(row.pricing)
  if (billing !== null) return { ...rest, ...chargedAs(ctx, row, billing) }
  const isUndecided = row.deliveredAtMs === null && row.costFreeReason !== 'not_delivered'
  return isUndecided
    ? rest
    : {
        ...rest,
        ...estimatedAt(ctx, row, allowanceMonth !== null && isAmongFree(ctx, row, allowanceMonth)),
      }
}

function chargedAs(ctx: Ctx, row: MessageRow, billing: Billing): SettledCost {
  const costCategory = billing.category ?? row.costCategory
  const costMicros =
    billing.freeReason === null ? chargeOf(ctx, { ...row, costCategory }) : freeOf(row)
  return { costMicros, costCategory, costFreeReason: billing.freeReason, isCostEstimate: false }
}

const freeOf = ({ costCurrency }: MessageRow): number | null => (costCurrency === null ? null : 0)

/** Returns the estimate of a delivered message whose pricing the platform has not reported. */
function estimatedAt(ctx: Ctx, row: MessageRow, isInAllowance: boolean): SettledCost {
  const costFreeReason =
    row.windowAtSend === 'free_entry'
      ? 'free_entry_point'
      : isInAllowance
        ? 'service_allowance'
        : null
  const costMicros =
    costFreeReason === null ? priceOf(ctx, row, row.windowAtSend === 'open') : freeOf(row)
  return { costMicros, costFreeReason, isCostEstimate: true }
}

/**
 * Returns the price of a message that the platform charges. If the price list says that messages
 * inside the window are free, the price outside of it applies.
 */
function chargeOf(ctx: Ctx, row: MessageRow): number | null {
  const inside = row.windowAtSend === 'closed' ? null : priceOf(ctx, row, true)
  return inside === null || inside === 0 ? priceOf(ctx, row, false) : inside
}

/** Categories whose price is that of another one, unless the price list has their own. */
const SAME_PRICE: Readonly<Record<string, string>> = { MARKETING_LITE: 'MARKETING' }

function priceOf(ctx: Ctx, row: MessageRow, isInsideWindow: boolean): number | null {
  const { costCategory, costCurrency, costCountry } = row
  if (costCategory === null || costCurrency === null) return null
  const query = {
    country: costCountry,
    currency: costCurrency,
    atMs: row.sentAtMs ?? row.createdAtMs,
    isInsideWindow,
  }
  const own = findPrice(ctx, { ...query, category: costCategory })
  const other = own === null ? SAME_PRICE[costCategory] : undefined
  const price = other === undefined ? own : findPrice(ctx, { ...query, category: other })
  return price?.priceMicros ?? null
}
