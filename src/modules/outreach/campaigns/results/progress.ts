import { and, count, eq, gte, isNotNull, sql } from 'drizzle-orm'

import {
  DAY_MS,
  HOUR_MS,
  isoTime,
  isoTimeOrNull,
  MINUTE_MS,
  QUARTER_MS,
  SECOND_MS,
} from '../../../../lib/clock'
import { localDateOf, timeSpanOf } from '../../../../lib/local-day'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { errorsOf } from './errors'
import type { FunnelView, ProgressView } from './model'
import { countsOf, getCampaignRow } from '../state'
import { campaignRecipients } from '../table'
import { countersOf, type CampaignRow } from '../view'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

const MAX_ERRORS = 50

const ofCampaign = (scope: Scope, campaignId: string) =>
  inOrganization(scope, campaignRecipients, eq(campaignRecipients.campaignId, campaignId))

/** Returns how many messages the platform accepted in the last minute. */
function ratePerMinute(scope: Scope, campaignId: string, nowMs: number): number {
  return (
    scope.db.orm
      .select({ rows: count() })
      .from(campaignRecipients)
      .where(
        and(ofCampaign(scope, campaignId), gte(campaignRecipients.sentAtMs, nowMs - MINUTE_MS)),
      )
      .get()?.rows ?? 0
  )
}

/**
 * Returns when a campaign completes at its current speed, epoch milliseconds; `null` if it is not
 * sending or has no speed.
 */
export function etaOf(scope: Scope, row: CampaignRow, nowMs: number): number | null {
  if (row.status !== 'sending') return null
  const { pending, sending } = countsOf(scope, row.id)
  const sinceMs = Math.min(MINUTE_MS, Math.max(SECOND_MS, nowMs - (row.startedAtMs ?? nowMs)))
  const perMs = ratePerMinute(scope, row.id, nowMs) / sinceMs
  return perMs === 0 ? null : nowMs + Math.ceil((pending + sending) / perMs)
}

/** Returns the counters and the speed of a campaign for sockets and the API. */
export function progressOf(
  scope: Scope,
  row: CampaignRow,
  nowMs: number,
): Omit<ProgressView, 'errors' | 'eta_seconds'> {
  return {
    campaign_id: row.id,
    status: row.status,
    pause_reason: row.pauseReason,
    ...countersOf(countsOf(scope, row.id)),
    rate_per_minute: row.status === 'sending' ? ratePerMinute(scope, row.id, nowMs) : 0,
    eta_at: isoTimeOrNull(etaOf(scope, row, nowMs)),
  }
}

/** Returns the progress of a campaign and its most frequent errors. Throws NotFoundError. */
export function getProgress(ctx: Ctx, id: string): ProgressView {
  const row = getCampaignRow(ctx, id)
  const nowMs = ctx.clock.nowMs()
  const etaAtMs = etaOf(ctx, row, nowMs)
  return {
    ...progressOf(ctx, row, nowMs),
    eta_seconds: etaAtMs === null ? null : Math.ceil((etaAtMs - nowMs) / SECOND_MS),
    errors: errorsOf(ctx, id, { of: 'recipients', limit: MAX_ERRORS }),
  }
}

const STEPS = {
  sent: campaignRecipients.sentAtMs,
  delivered: campaignRecipients.deliveredAtMs,
  read: campaignRecipients.readAtMs,
  replied: campaignRecipients.repliedAtMs,
  clicked: campaignRecipients.clickedAtMs,
  failed: campaignRecipients.failedAtMs,
} as const

/** Maximum number of intervals in a funnel; older ones are omitted. */
const MAX_SPANS = 1_000

/** Returns the results of a campaign by hour, or by day in its time zone. Throws NotFoundError. */
export function getFunnel(ctx: Ctx, id: string, interval: 'hour' | 'day'): FunnelView {
  const row = getCampaignRow(ctx, id)
  const spans = new Map<number, FunnelView['series'][number]>()
  const grainMs = interval === 'hour' ? HOUR_MS : QUARTER_MS
  for (const [name, column] of Object.entries(STEPS) as [
    keyof typeof STEPS,
    (typeof STEPS)['sent'],
  ][]) {
    const grains = ctx.db.orm
      .select({ nth: sql<number>`${column} / ${grainMs}`, rows: count() })
      .from(campaignRecipients)
      .where(and(ofCampaign(ctx, id), isNotNull(column)))
      .groupBy(sql`1`)
      .all()
    for (const { nth, rows } of grains) {
      const atMs = interval === 'hour' ? nth * grainMs : dayOf(nth * grainMs, row.timezone)
      const span = spans.get(atMs) ?? {
        at: isoTime(atMs),
        sent: 0,
        delivered: 0,
        read: 0,
        replied: 0,
        clicked: 0,
        failed: 0,
      }
      span[name] += rows
      spans.set(atMs, span)
    }
  }
  const series = [...spans.entries()].toSorted(([a], [b]) => a - b).map(([, span]) => span)
  return { interval, series: series.slice(-MAX_SPANS) }
}

const dayOf = (atMs: number, timezone: string): number =>
  timeSpanOf(localDateOf(atMs, timezone), timezone)?.fromMs ?? Math.floor(atMs / DAY_MS) * DAY_MS
