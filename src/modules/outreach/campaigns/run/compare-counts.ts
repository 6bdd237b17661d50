import { and, count, eq, isNotNull, sql } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { campaignCounts, campaignRecipients, campaignSends } from '../table'

/** Statuses of recipients whose message costs something, or may. */
const SPENT = ['sending', 'sent', 'delivered', 'read', 'unknown'] as const

/** What the recipients of a campaign say its counters are. */
type Counted = ReturnType<typeof countedOf>

/** A counter that does not match the recipients. */
export interface Difference {
  field: keyof Counted
  kept: number
  counted: number
}

/** Returns the counters of a campaign that do not match its recipients. */
export function differencesOf(ctx: ReadCtx, campaignId: string): Difference[] {
  const kept = ctx.db.orm
    .select()
    .from(campaignCounts)
    .where(inOrganization(ctx, campaignCounts, eq(campaignCounts.campaignId, campaignId)))
    .get()
  if (!kept) return [] // the campaign has been erased since it was listed
  const counted = countedOf(ctx, campaignId)
  return (Object.keys(counted) as (keyof Counted)[])
    .map((field) => ({ field, kept: kept[field], counted: counted[field] }))
    .filter((one) => one.kept !== one.counted)
}

function countedOf(ctx: ReadCtx, campaignId: string) {
  const { status, repliedAtMs, clickedAtMs, sentAtMs, costMicros, isCostActual } =
    campaignRecipients
  const alike = ctx.db.orm
    .select({
      status,
      rows: count(),
      replied: count(repliedAtMs),
      clicked: count(clickedAtMs),
      accepted: count(sentAtMs),
      micros: sql<number>`coalesce(sum(${costMicros}), 0)`,
      actualMicros: sql<number>`coalesce(sum(${costMicros}) filter (where ${eq(isCostActual, true)}), 0)`,
    })
    .from(campaignRecipients)
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.campaignId, campaignId)))
    .groupBy(status)
    .all()
  type Group = (typeof alike)[number]
  const rowsOf = (wanted: Group['status']): number =>
    alike.find((group) => group.status === wanted)?.rows ?? 0
  const sumOf = (
    field: 'replied' | 'clicked' | 'accepted' | 'micros' | 'actualMicros',
    groups = alike,
  ) => groups.reduce((sum, group) => sum + group[field], 0)
  return {
    pending: rowsOf('pending'),
    sending: rowsOf('sending'),
    sent: rowsOf('sent'),
    delivered: rowsOf('delivered'),
    read: rowsOf('read'),
    failed: rowsOf('failed'),
    unknown: rowsOf('unknown'),
    skipped: rowsOf('skipped'),
    cancelled: rowsOf('cancelled'),
    replied: sumOf('replied'),
    clicked: sumOf('clicked'),
    accepted: sumOf('accepted'),
    spentMicros:
      sumOf(
        'micros',
        alike.filter((group) => SPENT.some((spent) => spent === group.status)),
      ) + openMicrosOf(ctx, campaignId),
    actualMicros: sumOf('actualMicros'),
  }
}

/** Returns the estimated cost of former messages whose outcome is unknown. */
const openMicrosOf = (ctx: ReadCtx, campaignId: string): number =>
  ctx.db.orm
    .select({ micros: sql<number>`coalesce(sum(${campaignSends.openCostMicros}), 0)` })
    .from(campaignSends)
    .where(
      inOrganization(
        ctx,
        campaignSends,
        and(eq(campaignSends.campaignId, campaignId), isNotNull(campaignSends.openCostMicros)),
      ),
    )
    .get()?.micros ?? 0
