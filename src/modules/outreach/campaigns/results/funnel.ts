import { count, eq, sql, type SQL } from 'drizzle-orm'

import { DAY_MS, HOUR_MS, isoTime, QUARTER_MS } from '../../../../lib/clock'
import { localDateOf, timeSpanOf } from '../../../../lib/local-day'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getCampaignRow } from '../state'
import { campaignRecipients } from '../table'
import type { FunnelView } from './model'

/** When a recipient reached each step. */
const STEPS = {
  sent: campaignRecipients.sentAtMs,
  delivered: campaignRecipients.deliveredAtMs,
  read: campaignRecipients.readAtMs,
  replied: campaignRecipients.repliedAtMs,
  clicked: campaignRecipients.clickedAtMs,
  failed: campaignRecipients.failedAtMs,
} as const

type Step = keyof typeof STEPS
const NAMES = Object.keys(STEPS) as Step[]

const NONE: Record<Step, number> = {
  sent: 0,
  delivered: 0,
  read: 0,
  replied: 0,
  clicked: 0,
  failed: 0,
}

/** Maximum number of intervals in a funnel; older ones are omitted. */
const MAX_SPANS = 1_000

/** Returns the results of a campaign by hour, or by day in its time zone. Throws NotFoundError. */
export function funnelOf(
  ctx: ReadCtx,
  { campaignId, interval }: { campaignId: string; interval: 'hour' | 'day' },
): FunnelView {
  const { timezone } = getCampaignRow(ctx, campaignId)
  const grainMs = interval === 'hour' ? HOUR_MS : QUARTER_MS
  const spans = new Map<number, Record<Step, number>>()
  for (const [nth, counts] of grainsOf(ctx, campaignId, grainMs)) {
    const atMs = interval === 'hour' ? nth * grainMs : dayOf(nth * grainMs, timezone)
    const span = spanAt(spans, atMs)
    for (const name of NAMES) span[name] += counts[name]
  }
  const series = [...spans]
    .toSorted(([a], [b]) => a - b)
    .slice(-MAX_SPANS)
    .map(([atMs, counts]) => ({ at: isoTime(atMs), ...counts }))
  return { interval, series }
}

/** Returns how many recipients reached each step in each grain of time. Reads each of them once. */
function grainsOf(
  ctx: ReadCtx,
  campaignId: string,
  grainMs: number,
): Map<number, Record<Step, number>> {
  const nths = Object.fromEntries(
    NAMES.map((name) => [name, sql`${STEPS[name]} / ${grainMs}`]),
  ) as Record<Step, SQL<number | null>>
  const alike = ctx.db.orm
    .select({ rows: count(), ...nths })
    .from(campaignRecipients)
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.campaignId, campaignId)))
    .groupBy(...Object.values(nths))
    .all()
  const grains = new Map<number, Record<Step, number>>()
  for (const { rows, ...reached } of alike)
    for (const name of NAMES) {
      const nth = reached[name]
      if (nth !== null) spanAt(grains, nth)[name] += rows
    }
  return grains
}

function spanAt(spans: Map<number, Record<Step, number>>, at: number): Record<Step, number> {
  const span = spans.get(at) ?? { ...NONE }
  spans.set(at, span)
  return span
}

const dayOf = (atMs: number, timezone: string): number =>
  timeSpanOf(localDateOf(atMs, timezone), timezone)?.fromMs ?? Math.floor(atMs / DAY_MS) * DAY_MS
