import { and, between, eq, sql } from 'drizzle-orm'

import { localDateOf } from '../../../../lib/local-day'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { getOrganization } from '../../../organization/organizations/service'
import { aiDays } from '../table'
import type { Used } from './rules'

type Reader = Pick<Ctx, 'db' | 'organizationId'>

/** Sums of a day. */
type DayRow = typeof aiDays.$inferSelect

/** Sums that change with a call. */
type DaySums = Pick<
  DayRow,
  | 'requests'
  | 'failed'
  | 'handovers'
  | 'inputTokens'
  | 'outputTokens'
  | 'costMicros'
  | 'unpriced'
  | 'reservedTokens'
  | 'reservedMicros'
>

/** Returns a date (`YYYY-MM-DD`) as the number that stands for it: 20261121. */
export const dayNumber = (date: string): number => Number(date.replaceAll('-', ''))

/** Returns the date of a day number, `YYYY-MM-DD`. */
export const dateOfDay = (day: number): string =>
  String(day).replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')

/** Returns the present day in the organization's time zone. */
export const today = (ctx: Reader & Pick<Ctx, 'clock'>): number =>
  dayNumber(localDateOf(ctx.clock.nowMs(), getOrganization(ctx).timezone))

/** Returns the first and last number that a day of the same month can have. */
const monthOf = (day: number): [first: number, last: number] => {
  const month = Math.floor(day / 100) * 100
  return [month, month + 99]
}

/** Adds to the sums of a day, in the caller's transaction. Negative numbers are subtracted. */
export function addToDayIn(tx: Tx, ctx: Reader, day: number, add: Partial<DaySums>): void {
  const columns = Object.entries(add) as [keyof DaySums, number][]
  tx.insert(aiDays)
    .values({ organizationId: ctx.organizationId, day, ...add })
    .onConflictDoUpdate({
      target: [aiDays.organizationId, aiDays.day],
      set: Object.fromEntries(
        columns.map(([column, number]) => [column, sql`${aiDays[column]} + ${number}`]),
      ),
    })
    .run()
}

function usedBetween(ctx: Reader, first: number, last: number): Used {
  const total = (expression: ReturnType<typeof sql>) => sql<number>`coalesce(sum(${expression}), 0)`
  return (
    ctx.db.orm
      .select({
        tokens: total(sql`${aiDays.inputTokens} + ${aiDays.outputTokens}`),
        reservedTokens: total(sql`${aiDays.reservedTokens}`),
        costMicros: total(sql`${aiDays.costMicros}`),
        reservedMicros: total(sql`${aiDays.reservedMicros}`),
      })
      .from(aiDays)
      .where(inOrganization(ctx, aiDays, between(aiDays.day, first, last)))
      .get() ?? { tokens: 0, reservedTokens: 0, costMicros: 0, reservedMicros: 0 }
  )
}

/** Returns what a day has used. */
export const usedOnDay = (ctx: Reader, day: number): Used => usedBetween(ctx, day, day)

/** Returns what the month of a day has used. */
export const usedInMonth = (ctx: Reader, day: number): Used => usedBetween(ctx, ...monthOf(day))

/** Returns the days from `first` to `last` on which AI was used, oldest first. */
export const daysBetween = (ctx: Reader, first: number, last: number): DayRow[] =>
  ctx.db.orm
    .select()
    .from(aiDays)
    .where(inOrganization(ctx, aiDays, between(aiDays.day, first, last)))
    .orderBy(aiDays.day)
    .all()

/**
 * Records that people were notified of a used-up budget on a day, in the caller's transaction.
 * Returns `false` if they were before.
 */
export function recordNoticeIn(tx: Tx, ctx: Reader & Pick<Ctx, 'clock'>, day: number): boolean {
  addToDayIn(tx, ctx, day, { requests: 0 })
  const changed = tx
    .update(aiDays)
    .set({ notifiedAtMs: ctx.clock.nowMs() })
    .where(
      inOrganization(ctx, aiDays, and(eq(aiDays.day, day), sql`${aiDays.notifiedAtMs} is null`)),
    )
    .returning({ day: aiDays.day })
    .all()
  return changed.length > 0
}
