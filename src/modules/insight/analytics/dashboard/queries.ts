import { dateAfter, localDateOf, localDayOf } from '../../../../lib/local-day'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getAccount } from '../../../channel/accounts/queries'
import { getOrganization } from '../../../organization/organizations/service'
import { filtersOf, IS_RECEIVED } from '../messages/queries'
import { bucketsOf } from '../report/buckets'
import { reportRange } from '../report/range'
import { currencyOf } from '../report/view'
import { planOf, type RollupSpan } from '../rollups/plan'
import { countsOf, type CountRow, type RollupReading } from '../rollups/queries'
import { slotOf, UNIT } from '../rollups/rules'
import {
  breachReading,
  campaignFigures,
  chatbotFigures,
  chatbotReading,
  transferFigures,
} from './activity'
import { contactFigures } from './contacts'
import type { Dashboard } from './model'
import type { Period } from './rules'
import type { DashboardDays } from './scope'

/**
 * Returns the figures of the organization, or of one phone number. Throws NotFoundError for an
 * unknown number.
 */
export function dashboard(
  ctx: ReadCtx,
  query: { account_id?: string | undefined; period: Period },
): Dashboard {
  const accountId =
    query.account_id === undefined ? undefined : getAccount(ctx, query.account_id).id
  const { timezone } = getOrganization(ctx)
  const days = daysOf(localDateOf(ctx.clock.nowMs(), timezone), query.period)
  return dashboardOf(ctx, { accountId, days, endDate: days.today })
}

/** Returns the figures of the organization for days in the past; what is true now stays of now. */
export function pastDashboard(
  ctx: ReadCtx,
  { startDate, endDate }: { startDate: string; endDate: string },
): Dashboard {
  const { timezone } = getOrganization(ctx)
  const days = daysOf(localDateOf(ctx.clock.nowMs(), timezone), 'today')
  return dashboardOf(ctx, { accountId: undefined, days: { ...days, start: startDate }, endDate })
}

function dashboardOf(
  ctx: ReadCtx,
  {
    accountId,
    days,
    endDate,
  }: { accountId: string | undefined; days: DashboardDays; endDate: string },
): Dashboard {
  const { timezone } = getOrganization(ctx)
  const range = reportRange(ctx, { start_date: days.start, end_date: endDate })
  const today = localDayOf(days.today, timezone)
  const scope = { accountId, range, today, timezone, days }
  const buckets = bucketsOf(range, 'day')
  const plan = planOf(range, { granularity: 'day', buckets, nowMs: ctx.clock.nowMs() })
  const where = filtersOf(ctx, { account_id: accountId })
  const ofToday = { spans: plan.spans.flatMap((span) => partOf(span, today)) }
  const read = (reading: RollupReading): CountRow[] => countsOf(ctx, reading)
  return {
    contacts: contactFigures(ctx, scope),
    messages: messageFigures(
      read(messageReading(plan, where)),
      read(messageReading(ofToday, where)),
    ),
    campaigns: campaignFigures(ctx, scope),
    chatbot: chatbotFigures(
      read(chatbotReading(plan, where)),
      read(chatbotReading(ofToday, where)),
    ),
    transfers: transferFigures(ctx, scope, read(breachReading(plan, where))),
    period: { start: days.start, end: endDate },
    ...currencyOf(ctx),
  }
}

function daysOf(today: string, period: Period): DashboardDays {
  const monday = dateAfter(today, 1 - Temporal.PlainDate.from(today).dayOfWeek)
  const month = `${today.slice(0, 'YYYY-MM'.length)}-01`
  const starts = { today, week: monday, month, year: `${today.slice(0, 'YYYY'.length)}-01-01` }
  return { start: starts[period], today, monday, month }
}

/** Returns the part of the quarter hours to read that is today, which is never folded into a day. */
const partOf = (span: RollupSpan, today: { fromMs: number; beforeMs: number }): RollupSpan[] =>
  span.unit === UNIT.NEW
    ? [
        {
          unit: span.unit,
          from: Math.max(span.from, slotOf(today.fromMs)),
          before: Math.min(span.before, slotOf(today.beforeMs)),
        },
      ]
    : []

const messageReading = (
  plan: RollupReading['plan'],
  where: RollupReading['where'],
): RollupReading => ({
  ...{ table: 'message_rollups', keys: [IS_RECEIVED], sums: ['messages', 'failed'] },
  ...{ plan, where, addUp: 'over all' },
})

function messageFigures(
  rows: readonly CountRow[],
  rowsOfToday: readonly CountRow[],
): Dashboard['messages'] {
  const figures = { total: 0, sent: 0, received: 0, today: 0, failed: 0 }
  for (const [, , isReceived, messages, failed] of rows) {
    figures[isReceived === 1 ? 'received' : 'sent'] += Number(messages)
    figures.total += Number(messages)
    figures.failed += Number(failed)
  }
  for (const [, , , messages] of rowsOfToday) figures.today += Number(messages)
  return figures
}
