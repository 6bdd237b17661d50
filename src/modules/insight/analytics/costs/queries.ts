import { localMonthOf } from '../../../../lib/local-day'
import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { amountOf } from '../../../../lib/money'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { costMonthView } from '../../../channel/accounts/cost-month'
import { getAccount } from '../../../channel/accounts/queries'
import { costSumsOfMonth } from '../../../inbox/messages/cost/spend'
import { getOrganization } from '../../../organization/organizations/service'
import { spendView } from '../../../organization/organizations/spend'
import { bucketsOf } from '../report/buckets'
import { requireCampaign, requireMember } from '../report/filters'
import { reportRange, type ReportRange } from '../report/range'
import type { Granularity } from '../report/rules'
import { currencyOf, rangeView } from '../report/view'
import type { CostGroup, CostReport, GroupBy } from './model'
import { namesOf } from './names'
import { planOf } from '../rollups/plan'
import { readConversationCosts } from './read-messages'
import { readCostCounts, type OnlyOf } from './read-rollups'
import { CostSums } from './sums'

/** Filters and form of the report. */
export interface CostQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  campaign_id?: string | undefined
  user_id?: string | undefined
  granularity: Granularity
  groupBy: GroupBy
  page: number
  limit: number
}

/** Prices of AI providers are in US dollars. */
const AI_CURRENCY = 'USD'

/**
 * Returns the costs of messages by group and over time, from counts of the amounts of the messages.
 * A message counts once, when it was sent. Throws InvalidError for an invalid range
 * and NotFoundError for an unknown phone number, campaign or member.
 */
export function costReport(ctx: ReadCtx, query: CostQuery): CostReport {
  const range = costRange(ctx, query)
  const buckets = bucketsOf(range, query.granularity)
  const accountId =
    query.account_id === undefined ? undefined : getAccount(ctx, query.account_id).id
  const nowMs = ctx.clock.nowMs()
  const plan = planOf(range, { granularity: query.granularity, buckets, nowMs })
  const all = new CostSums()
  const points = buckets.map(() => new CostSums())
  const only = onlyOf(ctx, query)
  const counted = readCostCounts(ctx, plan, { ...query, accountId, only })
  for (const { point, counts } of counted.timeline) {
    all.addCounts(counts)
    points[point]?.addCounts(counts)
  }
  const groups = new Groups()
  const grouped =
    query.groupBy === 'conversation'
      ? readConversationCosts(
          ctx,
          { range, accountId },
          counted.groups.map(({ counts }) => counts),
        )
      : counted.groups
  for (const { key, counts } of grouped) groups.of(key, counts.currency).addCounts(counts)
  const [currency = null, ...others] = all.currencies
  const listed = groups.inOrder(currency)
  const { page, limit } = query
  const { timezone } = range
  return {
    summary: {
      ...all.figures(currency),
      other_costs: others.map((other) => ({
        cost: amountOf(all.microsIn(other)),
        currency: other,
      })),
      ai_cost: amountOf(counted.aiMicros),
      ai_cost_currency: AI_CURRENCY,
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

const refuse = (path: string, message: string): never => {
  throw new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path: `query.${path}`, message }],
  })
}

/** Returns the campaign or member whose costs are asked for. Throws InvalidError and NotFoundError. */
function onlyOf(ctx: ReadCtx, { campaign_id, user_id, groupBy }: CostQuery): OnlyOf | null {
  if (campaign_id === undefined && user_id === undefined) return null
  if (campaign_id !== undefined && user_id !== undefined)
    return refuse('user_id', 'must not be given with campaign_id')
  const only: OnlyOf =
    campaign_id === undefined
      ? { dimension: 'agent', id: user_id ?? '' }
      : { dimension: 'campaign', id: campaign_id }
  if (only.dimension === 'campaign') requireCampaign(ctx, only.id)
  else requireMember(ctx, only.id)
  if (groupBy !== 'account' && groupBy !== only.dimension)
    refuse('group_by', `must be account or ${only.dimension} for the costs of one`)
  return only
}

/** The longest range by conversation, days: its messages are read one by one. */
const MAX_DAYS_BY_CONVERSATION = 31

function costRange(ctx: ReadCtx, query: CostQuery): ReportRange {
  const range = reportRange(ctx, query, query.granularity)
  if (query.groupBy !== 'conversation' || range.days.length <= MAX_DAYS_BY_CONVERSATION)
    return range
  return refuse(
    'start_date',
    `must not be more than ${MAX_DAYS_BY_CONVERSATION} days before the end when grouping by conversation`,
  )
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

  /** Returns the sums of a group in a currency; empty for messages without a price. */
  of(key: string | null, named: string): CostSums {
    const currency = named === '' ? null : named
    const id = JSON.stringify([key, currency])
    let group = this.known.get(id)
    if (!group) this.known.set(id, (group = { key, currency, sums: new CostSums() }))
    return group.sums
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

function groupViews(ctx: ReadCtx, groupBy: GroupBy, groups: Group[]): CostGroup[] {
  const ids = groups.map(({ key }) => key).filter((key) => key !== null)
  const names = namesOf(ctx, groupBy, [...new Set(ids)])
  return groups.map(({ key, currency, sums }) => ({
    key,
    name: names.get(key ?? '') ?? null,
    ...sums.figures(currency),
  }))
}
