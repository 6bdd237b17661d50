import { and, desc, eq, gte, isNull, sql } from 'drizzle-orm'

import { amountOf } from '../../../../lib/money'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { inSlices } from '../../../../infra/event-loop'
import { getAccount } from '../../../channel/accounts/queries'
import { campaignCounts, campaigns } from '../../../outreach/campaigns/table'
import {
  errorsOf,
  failuresOf,
  messageOf,
  type ErrorCount,
} from '../../../outreach/campaigns/results/errors'
import { countersOf } from '../../../outreach/campaigns/view'
import { percentOf } from '../report/rates'
import { reportRange, type ReportRange } from '../report/range'
import { currencyOf, rangeView } from '../report/view'
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
    'id' | 'name' | 'status' | 'currency' | 'estimatedMicros' | 'startedAtMs'
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
  const { rows, failures } = await readCampaigns(ctx, range, query.account_id)
  const { page, limit } = query
  return {
    items: await itemsOf(ctx, rows.slice((page - 1) * limit, page * limit)),
    total: rows.length,
    page,
    limit,
    total_pages: Math.ceil(rows.length / limit),
    summary: { ...summaryOf(rows), failure_reasons: reasonsOf(ctx, failures) },
    range: rangeView(range, 'day'),
    ...currencyOf(ctx),
  }
}

/** Campaigns read per query. */
const READ_AT_ONCE = 200

/** Failures of all campaigns with one code, and the campaign with most of them. */
interface FailureSum {
  count: number
  most: { campaignId: string; count: number }
}

/** Reads the campaigns that began in a range, newest first, and their failures by code, in slices. */
async function readCampaigns(
  ctx: Ctx,
  range: ReportRange,
  accountId: string | undefined,
): Promise<{ rows: CountedCampaign[]; failures: Map<string, FailureSum> }> {
  const rows: CountedCampaign[] = []
  const failures = new Map<string, FailureSum>()
  let before = { startedAtMs: range.beforeMs, id: '' }
  await inSlices(ctx, () => {
    const next = nextCampaigns(ctx, { fromMs: range.fromMs, before, accountId })
    rows.push(...next)
    const ids = next.filter(({ counts }) => counts.failed > 0).map(({ campaign }) => campaign.id)
    if (ids.length > 0)
      for (const { campaignId, code, count } of failuresOf(ctx, ids)) {
        const known = failures.get(code)
        const most = { campaignId, count }
        failures.set(code, {
          count: (known?.count ?? 0) + count,
          most: known && known.most.count >= count ? known.most : most,
        })
      }
    const last = next.at(-1)?.campaign
    if (last) before = { startedAtMs: last.startedAtMs ?? 0, id: last.id }
    return next.length < READ_AT_ONCE
  })
  return { rows, failures }
}

const nextCampaigns = (
  ctx: Ctx,
  {
    fromMs,
    before,
    accountId,
  }: {
    fromMs: number
    before: { startedAtMs: number; id: string }
    accountId: string | undefined
  },
): CountedCampaign[] =>
  ctx.db.orm
    .select({
      campaign: {
        id: campaigns.id,
        name: campaigns.name,
        status: campaigns.status,
        currency: campaigns.currency,
        estimatedMicros: campaigns.estimatedMicros,
        startedAtMs: campaigns.startedAtMs,
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
          gte(campaigns.startedAtMs, fromMs),
          sql`(${campaigns.startedAtMs}, ${campaigns.id}) < (${before.startedAtMs}, ${sql.param(before.id, campaigns.id)})`,
          accountId === undefined ? undefined : eq(campaigns.accountId, accountId),
        ),
      ),
    )
    .orderBy(desc(campaigns.startedAtMs), desc(campaigns.id))
    .limit(READ_AT_ONCE)
    .all()

/** Number of reasons listed. */
const MAX_REASONS = 10

/** Returns the most frequent failures of all campaigns. */
const reasonsOf = (ctx: Ctx, failures: ReadonlyMap<string, FailureSum>): ErrorCount[] =>
  [...failures]
    .toSorted(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .slice(0, MAX_REASONS)
    .map(([code, { count, most }]) => ({
      code,
      message: messageOf(ctx, most.campaignId, code),
      count,
    }))

/** Returns the figures of campaigns. Reads why messages failed in slices of a few milliseconds. */
async function itemsOf(ctx: Ctx, rows: readonly CountedCampaign[]): Promise<CampaignFigures[]> {
  const items: CampaignFigures[] = []
  await inSlices(ctx, () => {
    const row = rows[items.length]
    if (row) items.push(itemOf(ctx, row))
    return items.length >= rows.length
  })
  return items
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

function itemOf(ctx: Ctx, row: CountedCampaign): CampaignFigures {
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
