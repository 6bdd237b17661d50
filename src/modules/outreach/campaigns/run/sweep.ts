import { and, eq, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'

import { inOrganization, systemCtx, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { pruneReach } from './quota'
import { countsOf, findCampaign } from '../state'
import { continueIn } from './continue'
import { resumeIn } from './resume'
import { startDueIn } from './start'
import { campaignCounts, campaignRecipients, campaigns, campaignSends } from '../table'
import type { CampaignRow, CountsRow } from '../view'
import { yieldToEventLoop } from '../../../../infra/event-loop'

const PAGE = 200

/** The condition for campaigns to process, by state. The text matches the partial index. */
const DUE = {
  scheduled: (nowMs: number) =>
    sql`${campaigns.status} = 'scheduled' and ${campaigns.scheduledAtMs} <= ${nowMs}`,
  paused: (nowMs: number) =>
    sql`${campaigns.status} = 'paused' and ${campaigns.resumesAtMs} <= ${nowMs}`,
  sending: () => sql`${campaigns.status} = 'sending'`,
} as const

type CampaignKey = Pick<CampaignRow, 'organizationId' | 'id'>

/** Returns a page of campaigns of all organizations, after the given one. */
const dueCampaigns = (ctx: Ctx, condition: SQL, after: CampaignKey): CampaignKey[] =>
  ctx.db.orm
    .select({ organizationId: campaigns.organizationId, id: campaigns.id })
    .from(campaigns)
    .where(
      inWorkingOrganizations(
        'the sweep goes through the campaigns of all organizations',
        campaigns,
        and(
          condition,
          isNull(campaigns.deletedAtMs),
          sql`(${campaigns.organizationId}, ${campaigns.id}) > (${sql.param(after.organizationId, campaigns.organizationId)}, ${sql.param(after.id, campaigns.id)})`,
        ),
      ),
    )
    .orderBy(campaigns.organizationId, campaigns.id)
    .limit(PAGE)
    .all()

/**
 * Starts campaigns that are due, resumes those whose pause has ended and re-enqueues lost jobs of
 * sending ones. Processes all campaigns and yields to the event loop between them.
 */
export async function sweepCampaigns(ctx: Ctx): Promise<void> {
  const nowMs = ctx.clock.nowMs()
  for (const status of ['scheduled', 'paused', 'sending'] as const)
    for (
      let after: CampaignKey | undefined = { organizationId: '', id: '' };
      after !== undefined;
    ) {
      const page: CampaignKey[] = dueCampaigns(ctx, DUE[status](nowMs), after)
      for (const { organizationId, id } of page) {
        transact(ctx.db, (tx) => sweepIn(tx, systemCtx(ctx, organizationId), id, nowMs))
        await yieldToEventLoop()
      }
      after = page.length < PAGE ? undefined : page.at(-1)
    }
  while (transact(ctx.db, (tx) => pruneReach(ctx, tx)) > 0) await yieldToEventLoop()
}

function sweepIn(tx: Tx, ctx: Ctx, id: string, nowMs: number): void {
  const row = findCampaign(ctx, id)
  if (row?.status === 'scheduled' && row.scheduledAtMs !== null && row.scheduledAtMs <= nowMs)
    startDueIn(tx, ctx, { campaignId: row.id, scheduledAtMs: row.scheduledAtMs })
  if (row?.status === 'sending') continueIn(tx, ctx, row)
  if (row?.status === 'paused' && row.resumesAtMs !== null && row.resumesAtMs <= nowMs)
    resumeIn(tx, ctx, row.id, { ignoresErrors: false, asker: null })
}

/** A counter that does not match the recipients. */
export interface Difference {
  organizationId: string
  campaignId: string
  field: string
  kept: number
  counted: number
}

const FIELDS = [
  'pending',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'unknown',
  'skipped',
  'cancelled',
] as const

/**
 * Compares the counters of every campaign with its recipients and corrects them. Returns the
 * differences, each of which is a bug.
 */
export async function compareCounts(ctx: Ctx): Promise<Difference[]> {
  const found: Difference[] = []
  for (let after = { organizationId: '', id: '' }; ;) {
    const next = ctx.db.orm
      .select({ organizationId: campaigns.organizationId, id: campaigns.id })
      .from(campaigns)
      .where(
        inWorkingOrganizations(
          'the sweep goes through the campaigns of all organizations',
          campaigns,
          sql`(${campaigns.organizationId}, ${campaigns.id}) > (${sql.param(after.organizationId, campaigns.organizationId)}, ${sql.param(after.id, campaigns.id)})`,
        ),
      )
      .orderBy(campaigns.organizationId, campaigns.id)
      .limit(1)
      .get()
    if (!next) return found
    found.push(
      ...transact(ctx.db, (tx) => compareIn(tx, systemCtx(ctx, next.organizationId), next.id)),
    )
    after = next
    await yieldToEventLoop()
  }
}

function compareIn(tx: Tx, ctx: Ctx, campaignId: string): Difference[] {
  const kept = countsOf(ctx, campaignId)
  const own = inOrganization(ctx, campaignRecipients, eq(campaignRecipients.campaignId, campaignId))
  const byStatus = tx
    .select({ status: campaignRecipients.status, rows: sql<number>`count(*)` })
    .from(campaignRecipients)
    .where(own)
    .groupBy(campaignRecipients.status)
    .all()
  const sums = tx
    .select({
      replied: sql<number>`count(${campaignRecipients.repliedAtMs})`,
      clicked: sql<number>`count(${campaignRecipients.clickedAtMs})`,
      accepted: sql<number>`count(${campaignRecipients.sentAtMs})`,
      spentMicros: sql<number>`coalesce(sum(case when ${inArray(campaignRecipients.status, ['sending', 'sent', 'delivered', 'read', 'unknown'])} then ${campaignRecipients.costMicros} end), 0)`,
      actualMicros: sql<number>`coalesce(sum(case when ${campaignRecipients.isCostActual} = 1 then ${campaignRecipients.costMicros} end), 0)`,
    })
    .from(campaignRecipients)
    .where(own)
    .get() ?? { replied: 0, clicked: 0, accepted: 0, spentMicros: 0, actualMicros: 0 }
  const open = tx
    .select({ micros: sql<number>`coalesce(sum(${campaignSends.openCostMicros}), 0)` })
    .from(campaignSends)
    .where(
      inOrganization(
        ctx,
        campaignSends,
        and(eq(campaignSends.campaignId, campaignId), isNotNull(campaignSends.openCostMicros)),
      ),
    )
    .get()
  const counted = {
    ...Object.fromEntries(
      FIELDS.map((field) => [field, byStatus.find(({ status }) => status === field)?.rows ?? 0]),
    ),
    ...sums,
    spentMicros: sums.spentMicros + (open?.micros ?? 0),
  } as Pick<CountsRow, (typeof FIELDS)[number] | keyof typeof sums>
  const different = (Object.keys(counted) as (keyof typeof counted)[]).filter(
    (field) => kept[field] !== counted[field],
  )
  if (different.length > 0)
    tx.update(campaignCounts)
      .set(counted)
      .where(inOrganization(ctx, campaignCounts, eq(campaignCounts.campaignId, campaignId)))
      .run()
  return different.map((field) => ({
    organizationId: ctx.organizationId,
    campaignId,
    field,
    kept: kept[field],
    counted: counted[field],
  }))
}
