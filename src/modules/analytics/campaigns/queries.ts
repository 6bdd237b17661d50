import { and, between, desc, eq, isNull } from 'drizzle-orm'

import { amountOf } from '../../../lib/money'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { inSlices } from '../../../infra/event-loop'
import { getAccount } from '../../accounts/queries'
import { campaignCounts, campaigns } from '../../campaigns/table'
import { countersOf } from '../../campaigns/view'
import { percentOf } from '../report/rates'
import { reportRange, type ReportRange } from '../report/range'
import { currencyOf, rangeView } from '../report/view'
import { failuresOf, mostFrequent, type Failure } from './failures'
import type { CampaignFigures, CampaignReport, CampaignSummary } from './model'

/** Filters and page of the report. */
export interface CampaignReportQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  page: number
  limit: number
}

/** A campaign with its counters. */
interface CountedCampaign {
  campaign: Pick<
    typeof campaigns.$inferSelect,
    'id' | 'name' | 'status' | 'currency' | 'estimatedMicros'
  >
  counts: typeof campaignCounts.$inferSelect
}

/**
 * Returns the figures of the campaigns that began in a range, newest first (analytics contract A5).
 * Throws InvalidError for an invalid range and NotFoundError for an unknown phone number.
 */
export async function campaignReport(
  ctx: Ctx,
  query: CampaignReportQuery,
): Promise<CampaignReport> {
  const range = reportRange(ctx, query)
  if (query.account_id !== undefined) getAccount(ctx, query.account_id)
  const rows = campaignsIn(ctx, range, query.account_id)
  const failures = await failuresOfAll(ctx, rows)
  const { page, limit } = query
  return {
    items: rows
      .slice((page - 1) * limit, page * limit)
      .map((row) => itemOf(row, failures.get(row.campaign.id) ?? [])),
    total: rows.length,
    page,
    limit,
    total_pages: Math.ceil(rows.length / limit),
    summary: summaryOf(rows, [...failures.values()].flat()),
    range: rangeView(range, 'day'),
    ...currencyOf(ctx),
  }
}

const campaignsIn = (
  ctx: Ctx,
  { fromMs, beforeMs }: ReportRange,
  accountId: string | undefined,
): CountedCampaign[] =>
  ctx.db.orm
    .select({
      campaign: {
        id: campaigns.id,
        name: campaigns.name,
        status: campaigns.status,
        currency: campaigns.currency,
        estimatedMicros: campaigns.estimatedMicros,
      },
      counts: campaignCounts,
    })
    .from(campaigns)
    .innerJoin(
      campaignCounts,
      and(
        eq(campaignCounts.organizationId, campaigns.organizationId),
        eq(campaignCounts.campaignId, campaigns.id),
      ),
    )
    .where(
      inOrganization(
        ctx,
        campaigns,
        and(
          isNull(campaigns.deletedAtMs),
          between(campaigns.startedAtMs, fromMs, beforeMs - 1),
          accountId === undefined ? undefined : eq(campaigns.accountId, accountId),
        ),
      ),
    )
    .orderBy(desc(campaigns.startedAtMs), desc(campaigns.id))
    .all()

/** Returns why messages failed by campaign. Reads in slices of a few milliseconds. */
async function failuresOfAll(
  ctx: Ctx,
  rows: readonly CountedCampaign[],
): Promise<Map<string, Failure[]>> {
  const failures = new Map<string, Failure[]>()
  const failed = rows.filter(({ counts }) => counts.failed > 0)
  await inSlices(ctx, () => {
    const row = failed[failures.size]
    if (row) failures.set(row.campaign.id, failuresOf(ctx, row.campaign.id))
    return failures.size >= failed.length
  })
  return failures
}

/** The figures that are added up over campaigns. */
type Sums = Pick<
  CampaignFigures,
  | 'recipients'
  | 'sent'
  | 'delivered'
  | 'read'
  | 'replied'
  | 'clicked'
  | 'failed'
  | 'unknown'
  | 'skipped'
  | 'opt_outs'
>

function sumsOf({ counts }: CountedCampaign): Sums {
  const shown = countersOf(counts)
  return {
    recipients: shown.total_recipients,
    sent: shown.sent_count,
    delivered: shown.delivered_count,
    read: shown.read_count,
    replied: shown.replied_count,
    clicked: shown.clicked_count,
    failed: shown.failed_count,
    unknown: shown.unknown_count,
    skipped: shown.skipped_count,
    opt_outs: counts.optedOut,
  }
}

const ratesOf = ({ sent, delivered, read, replied }: Sums) => ({
  delivery_rate: percentOf(delivered, sent),
  read_rate: percentOf(read, delivered),
  reply_rate: percentOf(replied, delivered),
})

function itemOf(row: CountedCampaign, failures: readonly Failure[]): CampaignFigures {
  const { campaign, counts } = row
  const sums = sumsOf(row)
  return {
    campaign_id: campaign.id,
    name: campaign.name,
    status: campaign.status,
    ...sums,
    ...ratesOf(sums),
    estimated_cost: amountOf(campaign.estimatedMicros ?? 0),
    actual_cost: amountOf(counts.actualMicros),
    currency: campaign.currency,
    failure_reasons: mostFrequent(failures),
  }
}

function summaryOf(
  rows: readonly CountedCampaign[],
  failures: readonly Failure[],
): CampaignSummary {
  const sums: Sums = {
    recipients: 0,
    sent: 0,
    delivered: 0,
    read: 0,
    replied: 0,
    clicked: 0,
    failed: 0,
    unknown: 0,
    skipped: 0,
    opt_outs: 0,
  }
  for (const row of rows)
    for (const [field, count] of Object.entries(sumsOf(row)) as [keyof Sums, number][])
      sums[field] += count
  const [main, ...others] = costsByCurrency(rows)
  return {
    ...sums,
    ...ratesOf(sums),
    estimated_cost: main?.estimated_cost ?? amountOf(0),
    actual_cost: main?.actual_cost ?? amountOf(0),
    currency: main?.currency ?? null,
    failure_reasons: mostFrequent(failures),
    other_costs: others,
  }
}

/** Returns the costs in each currency, the largest first. */
function costsByCurrency(rows: readonly CountedCampaign[]): CampaignSummary['other_costs'] {
  const sums = new Map<string, { estimated: number; actual: number }>()
  for (const { campaign, counts } of rows) {
    if (campaign.currency === null) continue
    const sum = sums.get(campaign.currency) ?? { estimated: 0, actual: 0 }
    sum.estimated += campaign.estimatedMicros ?? 0
    sum.actual += counts.actualMicros
    sums.set(campaign.currency, sum)
  }
  return [...sums]
    .toSorted(([a, one], [b, two]) => two.estimated - one.estimated || (a < b ? -1 : 1))
    .map(([currency, { estimated, actual }]) => ({
      estimated_cost: amountOf(estimated),
      actual_cost: amountOf(actual),
      currency,
    }))
}
