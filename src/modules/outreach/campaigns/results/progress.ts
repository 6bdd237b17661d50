import { and, count, eq, gte } from 'drizzle-orm'

import { isoTimeOrNull, MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { errorsOf } from './errors'
import type { ProgressView } from './model'
import { countsOf, getCampaignRow } from '../state'
import { campaignRecipients } from '../table'
import { countersOf, type CampaignRow } from '../view'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

const MAX_ERRORS = 50

/** Returns how many messages the platform accepted in the last minute. */
function ratePerMinute(scope: Scope, campaignId: string, nowMs: number): number {
  return (
    scope.db.orm
      .select({ rows: count() })
      .from(campaignRecipients)
      .where(
        inOrganization(
          scope,
          campaignRecipients,
          and(
            eq(campaignRecipients.campaignId, campaignId),
            gte(campaignRecipients.sentAtMs, nowMs - MINUTE_MS),
          ),
        ),
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
