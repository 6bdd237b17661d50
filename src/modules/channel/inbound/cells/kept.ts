import { and, eq, inArray, isNull, not, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { acrossOrganizations, inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { accounts } from '../../accounts/table'
import { deleteChangesIn } from '../journal/erase-organization'
import type { InboundEventRow } from '../journal/row'
import { PASSED_ON } from '../select'
import { countUnroutedIn } from '../stats/hourly'
import { inboundEvents, isNotDone } from '../table'
import { hurryIn, isBeingPassedOn, isToBePassedOn } from './pass-on'

/** The phone numbers and business accounts of an organization that moves. */
export interface Numbers {
  phoneIds: string[]
  businessIds: string[]
}

/** Returns the numbers that an organization has. */
export function numbersOf(ctx: Pick<Ctx, 'db' | 'organizationId'>): Numbers {
  const rows = ctx.db.orm
    .select({ phoneId: accounts.phoneId, businessId: accounts.businessId })
    .from(accounts)
    .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
    .all()
  return {
    phoneIds: rows.map(({ phoneId }) => phoneId),
    businessIds: [...new Set(rows.map(({ businessId }) => businessId))],
  }
}

const isOneOf = (column: SQLiteColumn, values: string[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`

const REASON = 'a change that is not here has no organization'

/** Selects the changes of the numbers that nobody has taken, in one of the states. */
const untaken = (
  { phoneIds, businessIds }: Numbers,
  states: InboundEventRow['state'][],
  condition?: SQL,
): SQL | undefined =>
  acrossOrganizations(
    REASON,
    and(
      isNotDone,
      inArray(inboundEvents.state, states),
      isNull(inboundEvents.organizationId),
      or(
        isOneOf(inboundEvents.phoneNumberId, phoneIds),
        and(isNull(inboundEvents.phoneNumberId), isOneOf(inboundEvents.businessId, businessIds)),
      ),
      condition,
    ),
  )

/** Changes that are dropped or marked in one transaction. */
const AT_ONCE = 20

const passedOn = (tx: Tx, numbers: Numbers): InboundEventRow[] =>
  tx
    .select()
    .from(inboundEvents)
    .where(untaken(numbers, ['unrouted'], not(isToBePassedOn(inboundEvents.bodyId))))
    .limit(AT_ONCE)
    .all()

/**
 * Deletes the changes that were kept here for the numbers of a move that was aborted, and that the
 * other cells have. If interrupted, it can be called again.
 */
export async function dropKept(ctx: Ctx, numbers: Numbers): Promise<void> {
  const dropIn = (tx: Tx): boolean => {
    const rows = passedOn(tx, numbers)
    deleteChangesIn(tx, ctx, rows)
    for (const row of rows) countUnroutedIn(tx, ctx, row, -1)
    return rows.length > 0
  }
  while (transact(ctx.db, dropIn)) await yieldToEventLoop()
}

/** Marks what was kept here for the numbers of a move that was completed: the other cell has it. */
export async function markKept(ctx: Ctx, numbers: Numbers): Promise<void> {
  const markIn = (tx: Tx): boolean => {
    const rows = passedOn(tx, numbers)
    const ids = rows.map(({ id }) => id)
    if (rows.length > 0)
      tx.update(inboundEvents)
        .set({ state: 'ignored', reason: PASSED_ON, processedAtMs: ctx.clock.nowMs() })
        .where(acrossOrganizations(REASON, inArray(inboundEvents.id, ids)))
        .run()
    for (const row of rows) countUnroutedIn(tx, ctx, row, -1)
    return rows.length > 0
  }
  while (transact(ctx.db, markIn)) await yieldToEventLoop()
}

/** Bodies that are hurried in one transaction. */
const HURRIED_AT_ONCE = 100

/**
 * Whether changes of the numbers still have to be passed on to a cell, or to be looked at. Lets the
 * jobs that wait to pass them on try now, because the cell can be reached.
 */
export const hurryKept = (ctx: Ctx, numbers: Numbers, cell: string): boolean =>
  transact(ctx.db, (tx) => {
    const waiting = tx
      .selectDistinct({ bodyId: inboundEvents.bodyId })
      .from(inboundEvents)
      .where(
        untaken(
          numbers,
          ['pending', 'processing', 'unrouted'],
          or(not(eq(inboundEvents.state, 'unrouted')), isBeingPassedOn(inboundEvents.bodyId, cell)),
        ),
      )
      .limit(HURRIED_AT_ONCE)
      .all()
      .map(({ bodyId }) => bodyId)
    hurryIn(tx, ctx, waiting, cell)
    return waiting.length > 0
  })
