import { and, countDistinct, desc, eq, gte, isNull, lt, sql } from 'drizzle-orm'

import { DAY_MS, HOUR_MS } from '../../../../lib/clock'
import { localMonthOf } from '../../../../lib/local-day'
import { inOrganization, systemCtx, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { messages } from '../../../inbox/messages/table'
import { billingMonthOf, isAllowanceUsedUp } from '../allowance'
import { notifyAboutAccountIn } from '../notify'
import { accounts } from '../table'
import type { AccountRow } from '../view'
import { suspectNotice } from './notices'

/** So many customers must wait for so long, because a phone can be off. */
const SILENT_CUSTOMERS = 3
const SILENT_MS = HOUR_MS

/** A number is suspected once in a billing month, whose length varies. */
const REPEATED_MS = 25 * DAY_MS

const PAGE = 100

type AccountKey = Pick<AccountRow, 'organizationId' | 'id'>

/** Returns a page of numbers whose free messages of this or the last days were used up, in order. */
const numbersWithoutFree = (ctx: Ctx, after: AccountKey): AccountRow[] =>
  ctx.db.orm
    .select()
    .from(accounts)
    .where(
      inWorkingOrganizations(
        'the check goes through the numbers of all organizations',
        accounts,
        and(
          isNull(accounts.deletedAtMs),
          eq(accounts.fundingState, 'unknown'),
          sql`json_extract(${accounts.allowanceWarned}, '$.percent') >= 100`,
          sql`json_extract(${accounts.allowanceWarned}, '$.month') >= ${localMonthOf(ctx.clock.nowMs() - DAY_MS, 'UTC')}`,
          sql`(${accounts.organizationId}, ${accounts.id}) > (${sql.param(after.organizationId, accounts.organizationId)}, ${sql.param(after.id, accounts.id)})`,
        ),
      ),
    )
    .orderBy(accounts.organizationId, accounts.id)
    .limit(PAGE)
    .all()

/**
 * Notifies about numbers whose free service messages are used up and whose later ones were accepted
 * and not delivered: without a payment method the platform may say nothing else. Yields to the event
 * loop between numbers.
 */
export async function suspectSilentNumbers(ctx: Ctx): Promise<void> {
  for (let after: AccountKey | undefined = { organizationId: '', id: '' }; after !== undefined;) {
    const page: AccountRow[] = numbersWithoutFree(ctx, after)
    for (const row of page) {
      const own = systemCtx(ctx, row.organizationId)
      if (isSilent(own, row))
        transact(ctx.db, (tx) => {
          notifyAboutAccountIn(tx, own, row, suspectNotice(row), {
            onceSinceMs: ctx.clock.nowMs() - REPEATED_MS,
          })
        })
      await yieldToEventLoop()
    }
    after = page.length < PAGE ? undefined : page.at(-1)
  }
}

function isSilent(ctx: Ctx, { id }: AccountRow): boolean {
  const nowMs = ctx.clock.nowMs()
  const month = billingMonthOf(ctx, id, nowMs)
  if (!isAllowanceUsedUp(ctx, id, month)) return false
  const newest = ctx.db.orm
    .select({ atMs: messages.deliveredAtMs })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.accountId, id),
          // The text matches the partial index.
          sql`${messages.allowanceMonth} is not null`,
          eq(messages.allowanceMonth, month),
        ),
      ),
    )
    .orderBy(desc(messages.deliveredAtMs))
    .limit(1)
    .get()
  const sinceMs = newest?.atMs ?? 0
  const isUndelivered = and(
    eq(messages.accountId, id),
    sql`${messages.direction} = 'outgoing'`,
    gte(messages.createdAtMs, sinceMs),
    lt(messages.acceptedAtMs, nowMs - SILENT_MS),
    eq(messages.status, 'sent'),
    eq(messages.costCategory, 'SERVICE'),
  )
  const waiting = ctx.db.orm
    .select({ customers: countDistinct(messages.contactId) })
    .from(messages)
    .where(inOrganization(ctx, messages, isUndelivered))
    .get()
  return (waiting?.customers ?? 0) >= SILENT_CUSTOMERS
}
