import { dateAfter, localDays } from '../../../../lib/local-day'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { NIL_UUID, uuidToBytes } from '../../../../infra/db/uuid'
import { contactCounts } from '../../../inbox/contacts/table'
import { growthOf } from '../report/rates'
import { planOf } from '../rollups/plan'
import { countsOf } from '../rollups/queries'
import { ALL_PERIODS, UNIT } from '../rollups/rules'
import type { Dashboard } from './model'
import type { DashboardScope } from './scope'

/** The whole time by units of which every contact is counted in one. */
const ALL_TIME = {
  spans: [UNIT.NEW, UNIT.DAY, UNIT.MONTH].map((unit) => ({ unit, from: 0, before: ALL_PERIODS })),
}

/** Returns the figures about contacts. */
export function contactFigures(
  ctx: ReadCtx,
  { accountId, range, timezone, days }: DashboardScope,
): Dashboard['contacts'] {
  const before = dateAfter(days.start, -range.days.length)
  const firstDate = before < days.monday ? before : days.monday
  const buckets = localDays(firstDate, days.today, timezone)
  const [first, last] = [buckets[0], buckets.at(-1)]
  if (!first || !last) throw new Error('the period has no days')
  const span = { timezone, days: buckets, fromMs: first.fromMs, beforeMs: last.beforeMs }
  const plan = planOf(span, { granularity: 'day', buckets, nowMs: ctx.clock.nowMs() })
  const of = {
    table: 'contacts_seen',
    keys: [],
    // The counts of the whole organization are those of no number.
    where: [['account_id = ?', uuidToBytes(accountId ?? NIL_UUID)]],
  } as const
  const seen = new Map<string, number>()
  for (const [unit, start, contacts] of countsOf(ctx, { ...of, sums: ['contacts'], plan })) {
    const date = buckets[plan.pointOf(unit, start)]?.date
    if (date !== undefined) seen.set(date, (seen.get(date) ?? 0) + Number(contacts))
  }
  const between = (from: string, end: string): number =>
    [...seen].reduce((sum, [date, n]) => (date >= from && date <= end ? sum + n : sum), 0)
  const end = range.days.at(-1)?.date ?? days.today
  const now = between(days.start, end)
  const live = { ...of, sums: ['live'], plan: ALL_TIME, addUp: 'over all' } as const
  return {
    total:
      accountId === undefined
        ? totalOf(ctx)
        : countsOf(ctx, live).reduce((sum, [, , contacts]) => sum + Number(contacts), 0),
    new_today: between(days.today, days.today),
    new_this_week: between(days.monday, days.today),
    new_in_period: now,
    growth_percent: growthOf(now, between(before, dateAfter(days.start, -1))),
  }
}

/** Returns the number of contacts that exist. */
const totalOf = (ctx: ReadCtx): number =>
  ctx.db.orm
    .select({ contacts: contactCounts.contacts })
    .from(contactCounts)
    .where(inOrganization(ctx, contactCounts))
    .get()?.contacts ?? 0
