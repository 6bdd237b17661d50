import { and, count, desc, eq, gt, min, sql } from 'drizzle-orm'

import { DAY_MS, HOUR_MS, isoTime, isoTimeOrNull } from '../../../lib/clock'
import { acrossOrganizations, inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { inboundEvents, isNotDone } from '../inbound/table'
import { costTotals } from '../../inbox/messages/cost/table'
import { messages } from '../../inbox/messages/table'
import {
  billingMonthOf,
  billingTimezoneOf,
  freeServiceMessages,
  serviceCountsOf,
} from './allowance'
import { costMonthView } from './cost-month'
import type { HealthView } from './connection/model'
import { holdsServiceMessages, nextAllowanceMs } from './funding/hold'
import { getAccount } from './queries'
import { countReached } from './reached'
import { accountQuality } from './table'
import { unknownFieldsOf } from './unknown-fields'
import { fundingView, lastErrorOf, type AccountRow } from './view'

/** Maximum number of quality changes in the response. */
const MAX_CHANGES = 100

/**
 * Messages that are not finished, and outgoing messages. Literal values, because SQLite matches a
 * partial index only to those.
 */
const isWaiting = sql`${messages.stage} in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')`
const isOutgoing = sql`${messages.direction} = 'outgoing'`

/**
 * Returns the health of a number: waiting messages, failure rate, quality history and use of the
 * messaging limit. Throws NotFoundError.
 */
export function accountHealth(ctx: ReadCtx, id: string): HealthView {
  const row = getAccount(ctx, id)
  const { waiting, oldestMs } = waitingOf(ctx, id)
  return {
    status: row.status,
    last_error: lastErrorOf(row),
    last_inbound_at: isoTimeOrNull(row.lastInboundAtMs),
    last_send_ok_at: isoTimeOrNull(row.lastSendOkAtMs),
    queue_depth: waiting,
    oldest_pending_at: isoTimeOrNull(oldestMs),
    unrouted_24h: unroutedOf(ctx, row),
    failed_rate_1h: failedRateOf(ctx, id),
    quality_history: qualityOf(ctx, id),
    limits: { tier: row.messagingLimitTier, used_24h: countReached(ctx, row, ctx.clock.nowMs()) },
    billing_timezone: billingTimezoneOf(ctx, id),
    funding: fundingView(row),
    service_allowance: serviceAllowanceOf(ctx, row),
    cost_month: costThisMonthOf(ctx, id),
    unknown_fields: unknownFieldsOf(ctx, id),
  }
}

/** Returns the free service messages of a number this month; `null` if none are free. */
function serviceAllowanceOf(ctx: ReadCtx, row: AccountRow): HealthView['service_allowance'] {
  const { id: accountId } = row
  const month = billingMonthOf(ctx, accountId, ctx.clock.nowMs())
  const free = freeServiceMessages(ctx, month)
  if (free === 0) return null
  return {
    free,
    used: Math.min(free, serviceCountsOf(ctx, { accountId, month }).delivered),
    resets_at: isoTime(nextAllowanceMs(ctx, accountId)),
    held: holdsServiceMessages(ctx, row),
  }
}

/** Returns what the messages of a number cost this month. */
function costThisMonthOf(ctx: ReadCtx, id: string): HealthView['cost_month'] {
  const month = billingMonthOf(ctx, id, ctx.clock.nowMs())
  return costMonthView(
    ctx.db.orm
      .select()
      .from(costTotals)
      .where(
        inOrganization(
          ctx,
          costTotals,
          and(eq(costTotals.accountId, id), eq(costTotals.month, month)),
        ),
      )
      .all(),
  )
}

function waitingOf(ctx: ReadCtx, id: string): { waiting: number; oldestMs: number | null } {
  const found = ctx.db.orm
    .select({ waiting: count(), oldestMs: min(messages.createdAtMs) })
    .from(messages)
    .where(inOrganization(ctx, messages, and(eq(messages.accountId, id), isWaiting)))
    .get()
  return { waiting: found?.waiting ?? 0, oldestMs: found?.oldestMs ?? null }
}

/** Counts unrouted deliveries that name this phone number. */
const unroutedOf = (ctx: ReadCtx, row: AccountRow): number =>
  ctx.db.orm
    .select({ rows: count() })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a change that came before its number was connected has no organization',
        and(
          eq(inboundEvents.phoneNumberId, row.phoneId),
          isNotDone,
          eq(inboundEvents.state, 'unrouted'),
          gt(inboundEvents.receivedAtMs, ctx.clock.nowMs() - DAY_MS),
        ),
      ),
    )
    .get()?.rows ?? 0

function failedRateOf(ctx: ReadCtx, id: string): number {
  const isRecent = and(
    eq(messages.accountId, id),
    isOutgoing,
    eq(messages.isObserved, false),
    gt(messages.createdAtMs, ctx.clock.nowMs() - HOUR_MS),
  )
  const found = ctx.db.orm
    .select({ all: count(), failed: sql<number>`coalesce(sum(${messages.status} = 'failed'), 0)` })
    .from(messages)
    .where(inOrganization(ctx, messages, isRecent))
    .get()
  if (!found || found.all === 0) return 0
  return Math.round((found.failed / found.all) * 10_000) / 10_000
}

const qualityOf = (ctx: ReadCtx, id: string): HealthView['quality_history'] =>
  ctx.db.orm
    .select()
    .from(accountQuality)
    .where(
      inOrganization(
        ctx,
        accountQuality,
        and(eq(accountQuality.accountId, id), eq(accountQuality.kind, 'quality')),
      ),
    )
    .orderBy(desc(accountQuality.atMs), desc(accountQuality.id))
    .limit(MAX_CHANGES)
    .all()
    .map(({ atMs, before, after }) => ({ at: isoTime(atMs), from: before, to: after }))
