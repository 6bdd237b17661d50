import { localMonthOf } from '../../../lib/local-day'
import { amountOf } from '../../../lib/money'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { costMonthView } from '../../accounts/cost-month'
import { getAccount } from '../../accounts/queries'
import { accounts } from '../../accounts/table'
import { costSumsOfMonth } from '../../messages/cost/spend'
import { getOrganization } from '../../organizations/service'
import { spendView } from '../../organizations/spend'
import { bucketAt, bucketsOf } from '../report/buckets'
import { reportRange } from '../report/range'
import type { Granularity } from '../report/rules'
import { currencyOf, rangeView } from '../report/view'
import type { CostGroup, CostReport, GroupBy } from './model'
import { namesOf } from './names'
import { readCosts, type CostRow } from './read-messages'
import { CostSums } from './sums'

/** Filters and form of the report. */
export interface CostQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  granularity: Granularity
  groupBy: GroupBy
  page: number
  limit: number
}

const KEYS: Readonly<Record<GroupBy, (row: CostRow) => string | null>> = {
  category: ({ costCategory }) => costCategory,
  country: ({ costCountry }) => costCountry,
  account: ({ accountId }) => accountId,
  campaign: ({ campaignId }) => campaignId,
  template: ({ templateId }) => templateId,
  source: ({ source }) => source,
  bot_flow: ({ botFlowId }) => botFlowId,
  agent: ({ source, sentBy }) => (source === 'agent' ? sentBy : null),
  conversation: ({ conversationId }) => conversationId,
}

/**
 * Returns the costs of messages by group and over time, from the amounts of the messages
 * themselves. A message counts once, when it was sent. Throws InvalidError for an invalid range and
 * NotFoundError for an unknown phone number.
 */
export async function costReport(ctx: Ctx, query: CostQuery): Promise<CostReport> {
  const range = reportRange(ctx, query, query.granularity)
  const buckets = bucketsOf(range, query.granularity)
  const all = new CostSums()
  const points = buckets.map(() => new CostSums())
  const groups = new Groups()
  const keyOf = KEYS[query.groupBy]
  for (const accountId of accountsOf(ctx, query.account_id))
    await readCosts(ctx, { accountId, ...range }, (row, atMs) => {
      all.add(row)
      points[bucketAt(buckets, atMs)]?.add(row)
      groups.add(keyOf(row), row)
    })
  const [currency = null, ...others] = all.currencies
  const listed = groups.inOrder(currency)
  const { page, limit } = query
  const { timezone } = range
  const nowMs = ctx.clock.nowMs()
  return {
    summary: {
      ...all.figures(currency),
      other_costs: others.map((other) => ({
        cost: amountOf(all.microsIn(other)),
        currency: other,
      })),
      month_to_date: costMonthView(costSumsOfMonth(ctx, localMonthOf(nowMs, timezone))),
      budget: spendView(getOrganization(ctx)),
    },
    groups: groupViews(ctx, query.groupBy, listed.slice((page - 1) * limit, page * limit)),
    total: listed.length,
    page,
    limit,
    total_pages: Math.ceil(listed.length / limit),
    timeline: buckets.map(({ date }, nth) => ({
      date,
      ...(points[nth] ?? new CostSums()).figures(currency),
    })),
    range: rangeView(range, query.granularity),
    ...currencyOf(ctx),
  }
}

/** Returns the phone numbers of the report, deleted ones included. */
function accountsOf(ctx: Ctx, accountId: string | undefined): string[] {
  if (accountId !== undefined) return [getAccount(ctx, accountId).id]
  return ctx.db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(inOrganization(ctx, accounts))
    .all()
    .map(({ id }) => id)
}

/** The messages of a group with costs in one currency. */
interface Group {
  key: string | null
  currency: string | null
  sums: CostSums
}

/** The groups of the report by key and currency. */
class Groups {
  private readonly known = new Map<string, Group>()

  add(key: string | null, row: CostRow): void {
    const id = JSON.stringify([key, row.costCurrency])
    let group = this.known.get(id)
    if (!group)
      this.known.set(id, (group = { key, currency: row.costCurrency, sums: new CostSums() }))
    group.sums.add(row)
  }

  /** Returns the groups with messages: those in the main currency first, then by cost. */
  inOrder(main: string | null): Group[] {
    const costOf = ({ currency, sums }: Group): number => sums.microsIn(currency)
    return [...this.known.values()]
      .filter(({ sums }) => !sums.isEmpty)
      .toSorted(
        (a, b) =>
          Number(b.currency === main) - Number(a.currency === main) ||
          costOf(b) - costOf(a) ||
          ((a.key ?? '') < (b.key ?? '') ? -1 : 1),
      )
  }
}

function groupViews(ctx: Ctx, groupBy: GroupBy, groups: Group[]): CostGroup[] {
  const ids = groups.map(({ key }) => key).filter((key) => key !== null)
  const names = namesOf(ctx, groupBy, [...new Set(ids)])
  return groups.map(({ key, currency, sums }) => ({
    key,
    name: names.get(key ?? '') ?? null,
    ...sums.figures(currency),
  }))
}
