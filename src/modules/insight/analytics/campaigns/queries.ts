import { and, desc, eq, gte, isNull, lt, type SQL } from 'drizzle-orm'

import { amountOf } from '../../../../lib/money'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getAccount } from '../../../channel/accounts/queries'
import { campaignCounts, campaigns } from '../../../outreach/campaigns/table'
import { errorsOf, failuresOf } from '../../../outreach/campaigns/results/errors'
import { countersOf } from '../../../outreach/campaigns/view'
import { requireCampaign } from '../report/filters'
import { percentOf } from '../report/rates'
import { reportRange } from '../report/range'
import { currencyOf, rangeView } from '../report/view'
import type { CampaignFigures, CampaignReport, CampaignSummary } from './model'

/** Filters and page of the report. */
export interface CampaignReportQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  campaign_id?: string | undefined
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
 * Throws InvalidError for an invalid range and NotFoundError for an unknown phone number or campaign.
 */
export function campaignReport(ctx: ReadCtx, query: CampaignReportQuery): CampaignReport {
  const range = reportRange(ctx, query)
  if (query.account_id !== undefined) getAccount(ctx, query.account_id)
  if (query.campaign_id !== undefined) requireCampaign(ctx, query.campaign_id)
  const isReported = and(
    isNull(campaigns.deletedAtMs),
    gte(campaigns.startedAtMs, range.fromMs),
    lt(campaigns.startedAtMs, range.beforeMs),
    query.account_id === undefined ? undefined : eq(campaigns.accountId, query.account_id),
    query.campaign_id === undefined ? undefined : eq(campaigns.id, query.campaign_id),
  )
  const rows = countedCampaigns(ctx, isReported)
  const { page, limit } = query
  return {
    items: rows.slice((page - 1) * limit, page * limit).map((row) => itemOf(ctx, row)),
    total: rows.length,
    page,
    limit,
    total_pages: Math.ceil(rows.length / limit),
    summary: { ...summaryOf(rows), failure_reasons: failuresOf(ctx, isReported, MAX_REASONS) },
    range: rangeView(range, 'day'),
    ...currencyOf(ctx),
  }
}

/** Failures listed. */
const MAX_REASONS = 10

/** Returns campaigns with their counters, those that began last first. */
const countedCampaigns = (ctx: ReadCtx, condition: SQL | undefined): CountedCampaign[] =>
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
    .where(inOrganization(ctx, campaigns, condition))
    .orderBy(desc(campaigns.startedAtMs), desc(campaigns.id))
    .all()

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

function itemOf(ctx: ReadCtx, row: CountedCampaign): CampaignFigures {
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
    failure_reasons:
      counts.failed === 0 ? [] : errorsOf(ctx, campaign.id, { of: 'failed', limit: MAX_REASONS }),
  }
}

function summaryOf(rows: readonly CountedCampaign[]): Omit<CampaignSummary, 'failure_reasons'> {
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
