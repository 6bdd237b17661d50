import { and, asc, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../infra/db/compiled'
import { freeServiceMessages, serviceCountsOf } from '../../../channel/accounts/allowance'
import { messages } from '../table'
import type { MessageRow } from '../view'

/** The service messages of a number that were delivered in a month. */
interface Month {
  accountId: string
  month: number
}

const isOfMonth = inOrganization(
  anyScope,
  messages,
  and(
    eq(messages.accountId, place(messages.accountId, 'accountId')),
    // The text matches the partial index.
    sql`${messages.allowanceMonth} is not null`,
    eq(messages.allowanceMonth, place(messages.allowanceMonth, 'month')),
  ),
)

const deliveredBefore = compiled((orm) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        isOfMonth,
        sql`${messages.id} <> ${place(messages.id, 'id')}`,
        sql`(${messages.deliveredAtMs}, ${messages.id}) < (${place(messages.deliveredAtMs, 'atMs')}, ${place(messages.id, 'id')})`,
      ),
    )
    .orderBy(asc(messages.deliveredAtMs), asc(messages.id))
    .limit(atMost(1))
    .offset(atMost('skipped'))
    .prepare(),
)

/**
 * Whether a delivered message is among the free ones of the month, in the order of delivery. Its own
 * row may still hold an earlier state.
 */
export function isAmongFree(ctx: Ctx, row: MessageRow, month: number): boolean {
  const free = freeServiceMessages(ctx, month)
  if (free === 0) return false
  const { accountId, id } = row
  const { delivered, erasedFree } = serviceCountsOf(ctx, { accountId, month })
  if (delivered < free) return true
  if (erasedFree >= free) return false
  const lastFree = deliveredBefore(ctx.db).get({
    organizationId: ctx.organizationId,
    accountId,
    month,
    atMs: row.deliveredAtMs,
    id,
    skipped: free - erasedFree - 1,
  })
  return lastFree === undefined
}

const inOrderOfDelivery = compiled((orm) =>
  orm
    .select()
    .from(messages)
    .where(isOfMonth)
    .orderBy(asc(messages.deliveredAtMs), asc(messages.id))
    .limit(atMost(2))
    .offset(atMost('skipped'))
    .prepare(),
)

/**
 * Returns the last free message of a month and the first one that is not free, in the order of
 * delivery. Only these two can change sides when a message is inserted before them or taken out.
 */
export function messagesAtLimit(ctx: Ctx, at: Month): { row: MessageRow; isFree: boolean }[] {
  const free = freeServiceMessages(ctx, at.month)
  const { delivered, erasedFree } = serviceCountsOf(ctx, at)
  if (delivered < free || erasedFree >= free) return []
  return inOrderOfDelivery(ctx.db)
    .all({ organizationId: ctx.organizationId, ...at, skipped: free - erasedFree - 1 })
    .map((row, nth) => ({ row, isFree: nth === 0 }))
}
