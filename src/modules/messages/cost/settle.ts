import { eq } from 'drizzle-orm'

import { compiledUpdate } from '../../../infra/db/compiled-update'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { uuidPlaceholder } from '../../../infra/db/uuid'
import { billingMonthOf } from '../../accounts/allowance'
import { findPrice, SERVICE } from '../../prices/lookup'
import { messages } from '../table'
import type { MessageRow } from '../view'
import { warnAboutSpendIn } from './spend'
import { isAmongFree, messagesAtLimit } from './order-of-delivery'
import { billingOf, isOurs, type Billing, type CostColumns } from './billing'

/** The delivery of a message as far as its cost depends on it. */
export type DeliveryFacts = Pick<
  MessageRow,
  'status' | 'sentAtMs' | 'deliveredAtMs' | 'readAtMs' | 'pricing'
>

type SettledColumns = Pick<
  CostColumns,
  'costMicros' | 'costCategory' | 'costFreeReason' | 'isCostEstimate' | 'costMonth'
> &
  Pick<MessageRow, 'allowanceMonth'>

const changeCost = compiledUpdate(
  messages,
  inOrganization(anyScope, messages, eq(messages.id, uuidPlaceholder('id'))),
)

/**
 * Updates the cost of a message after its delivery has changed, in the caller's transaction. The
 * platform's report decides. Without one, the first messages delivered in a month are free as far
 * as the allowance goes. The result depends on the reported statuses only, not on their order.
 * `before` is the message before the change, `after` its delivery now.
 */
export function settleCostIn(tx: Tx, ctx: Ctx, before: MessageRow, after: DeliveryFacts): void {
  const row = { ...before, ...after }
  const allowanceMonth = allowanceMonthOf(ctx, row)
  if (row.costMonth === null && allowanceMonth === row.allowanceMonth) return
  saveIn(tx, ctx, before, settled(ctx, row, allowanceMonth))
  const isMoved =
    allowanceMonth !== before.allowanceMonth ||
    (allowanceMonth !== null && before.deliveredAtMs !== after.deliveredAtMs)
  if (!isMoved) return
  for (const month of new Set([before.allowanceMonth, allowanceMonth]))
    if (month !== null)
      for (const { row: other, isFree } of messagesAtLimit(ctx, {
        accountId: row.accountId,
        month,
      }))
        if (isOurs(other) && other.costMonth !== null && billingOf(other.pricing) === null)
          saveIn(tx, ctx, other, estimatedAt(ctx, other, isFree))
}

function saveIn(tx: Tx, ctx: Ctx, before: MessageRow, set: Partial<SettledColumns>): void {
  const changed = Object.entries(set).filter(
    ([column, value]) => before[column as keyof SettledColumns] !== value,
  )
  if (changed.length === 0) return
  changeCost(
    ctx.db,
    { organizationId: ctx.organizationId, id: before.id },
    Object.fromEntries(changed),
  )
  warnAboutSpendIn(tx, ctx, before.accountId)
}

/**
 * Returns the month in which a delivered service message uses up the allowance of its number;
 * `null` for all other messages.
 */
function allowanceMonthOf(ctx: Ctx, row: MessageRow): number | null {
  if (row.deliveredAtMs === null || row.source === 'phone_app') return null
  const billing = billingOf(row.pricing)
  if (billing?.freeReason === 'free_entry_point') return null
  if (billing === null && row.windowAtSend === 'free_entry') return null
  const category = billing?.category ?? row.costCategory
  return category === SERVICE ? billingMonthOf(ctx, row.accountId, row.deliveredAtMs) : null
}

function settled(
  ctx: Ctx,
  row: MessageRow,
  allowanceMonth: number | null,
): Partial<SettledColumns> {
  if (!isOurs(row) || row.costMonth === null) return { allowanceMonth }
  const costMonth = billingMonthOf(ctx, row.accountId, row.sentAtMs ?? row.createdAtMs)
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

function chargedAs(ctx: Ctx, row: MessageRow, billing: Billing): Partial<SettledColumns> {
  const costCategory = billing.category ?? row.costCategory
  const costMicros =
    billing.freeReason === null ? chargeOf(ctx, { ...row, costCategory }) : freeOf(row)
  return { costMicros, costCategory, costFreeReason: billing.freeReason, isCostEstimate: false }
}

const freeOf = ({ costCurrency }: MessageRow): number | null => (costCurrency === null ? null : 0)

/** Returns the estimate of a delivered message whose pricing the platform has not reported. */
function estimatedAt(ctx: Ctx, row: MessageRow, isInAllowance: boolean): Partial<SettledColumns> {
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
