import { and, desc, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, INSTALLATION, type Ctx } from '../../../../infra/ctx'
import { jobs } from '../../../../infra/jobs/table'
import { events } from '../../../../infra/outbox/table'
import { accounts } from '../../../channel/accounts/table'
import { inboundEvents, inboundStaging, isNotDone } from '../../../channel/inbound/table'
import { endpointsOf } from '../../../delivery/webhooks/queries'
import { readerPosition } from '../../../delivery/webhooks/log/position'

/**
 * Returns what must end here before an organization that is frozen can be copied; `null` if nothing
 * touches its rows any more. `ctx` is that of the organization. `frozenMs` is a moment of
 * `performance.now()` after which this process knew that it is frozen.
 *
 * Deliveries of the platform that are only staged may wait: they are routed when they get into the
 * journal, and then passed on. Those that another cell passed on may not: nothing is passed on twice.
 */
export function obstacleOf(ctx: Ctx, frozenMs: number): string | null {
  const running = runningJob(ctx)
  if (running !== null) return `The job ${running} is still running.`
  if (ctx.openRequests.hasChangeOf(ctx.organizationId, frozenMs))
    return 'A request that changes data is still open.'
  if (hasPendingDeliveries(ctx)) return 'Webhooks are still being processed.'
  const position = newestEvent(ctx)
  if (position > ctx.eventLog.relayedUpTo) return 'Events are still being published.'
  if (endpointsOf(ctx).length > 0 && position > readerPosition(ctx))
    return 'Webhooks to other systems are still being prepared.'
  return null
}

/** Reads the few leased jobs, not the many of the organization. */
const runningJob = (ctx: Ctx): string | null =>
  ctx.db.orm
    .select({ kind: jobs.kind })
    .from(jobs)
    .where(
      and(
        sql`${jobs.state} = 'executing'`,
        sql`+${jobs.organizationId} = ${sql.param(ctx.organizationId, jobs.organizationId)}`,
      ),
    )
    .limit(1)
    .get()?.kind ?? null

const newestEvent = (ctx: Ctx): number =>
  ctx.db.orm
    .select({ position: events.position })
    .from(events)
    .where(eq(events.organizationId, ctx.organizationId))
    .orderBy(desc(events.seq))
    .limit(1)
    .get()?.position ?? 0

const PENDING = ['pending', 'processing'] as const

/** Whether a delivery that may be about the organization is in the journal or on its way there. */
function hasPendingDeliveries(ctx: Ctx): boolean {
  const numbers = ctx.db.orm
    .select({ phoneId: accounts.phoneId, businessId: accounts.businessId })
    .from(accounts)
    .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
    .all()
  const isOfNumber = inArray(
    inboundEvents.phoneNumberId,
    numbers.map(({ phoneId }) => phoneId),
  )
  const isOfBusiness = and(
    isNull(inboundEvents.phoneNumberId),
    inArray(
      inboundEvents.businessId,
      numbers.map(({ businessId }) => businessId),
    ),
  )
  return (
    ctx.db.orm
      .select({ id: inboundEvents.id })
      .from(inboundEvents)
      .where(
        acrossOrganizations(
          'a delivery that waits has no organization yet',
          and(
            isNotDone,
            inArray(inboundEvents.state, PENDING),
            or(isOfNumber, isOfBusiness, eq(inboundEvents.organizationId, ctx.organizationId)),
          ),
        ),
      )
      .limit(1)
      .get() !== undefined || hasPassedOnDeliveries(ctx)
  )
}

/** Whether deliveries of other cells are on their way into the journal. */
export const hasPassedOnDeliveries = ({ db }: Ctx): boolean =>
  db.orm
    .select({ id: inboundStaging.id })
    .from(inboundStaging)
    .where(ne(inboundStaging.cell, ''))
    .limit(1)
    .get() !== undefined ||
  LIVE.some(
    (state) =>
      db.orm
        .select({ id: jobs.id })
        .from(jobs)
        .where(
          and(
            state,
            eq(jobs.organizationId, INSTALLATION),
            eq(jobs.kind, 'inbound.store-part'),
            sql`json_extract(${jobs.args}, '$.cell') <> ''`,
          ),
        )
        .limit(1)
        .get() !== undefined,
  )

/** Jobs of the inbound queue that have not ended, by the index that finds them. */
const LIVE = [
  sql`${jobs.queue} = 'inbound' and ${jobs.state} = 'available' and ${jobs.isBlocked} = 0`,
  sql`${jobs.state} = 'executing'`,
  sql`${jobs.state} in ('scheduled', 'retryable')`,
]
