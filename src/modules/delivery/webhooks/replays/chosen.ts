import { and, count, eq, gt, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import type { ReplayRow } from '../row'
import { MAX_REPLAYED } from '../rules'
import { webhookDeliveries } from '../table'

/** States of deliveries that a replay makes again by default. */
const FAILED_STATES = ['exhausted', 'missed', 'cancelled'] as const

/** Which deliveries a replay makes again. */
export type DeliveryChoice = Pick<
  ReplayRow,
  'endpointId' | 'fromMs' | 'toMs' | 'onlyFailed' | 'events' | 'createdAtMs'
>

/** The deliveries of the time range, whether they are chosen or not. */
export const inRange = (replay: DeliveryChoice): SQL | undefined =>
  and(
    eq(webhookDeliveries.endpointId, replay.endpointId),
    gte(webhookDeliveries.createdAtMs, replay.fromMs),
    lt(webhookDeliveries.createdAtMs, Math.min(replay.toMs, replay.createdAtMs)),
  )

/** Which of them are sent again. */
export const chosen = (replay: DeliveryChoice): SQL | undefined =>
  and(
    replay.onlyFailed
      ? inArray(webhookDeliveries.state, [...FAILED_STATES])
      : inArray(webhookDeliveries.state, [...FAILED_STATES, 'delivered']),
    eq(webhookDeliveries.isManual, false),
    gt(webhookDeliveries.seq, 0),
    replay.events === null
      ? undefined
      : inArray(webhookDeliveries.event, JSON.parse(replay.events) as string[]),
  )

/** Returns the number of chosen deliveries, or one above `MAX_REPLAYED`. */
export function countChosen(ctx: ReadCtx, replay: DeliveryChoice): number {
  const some = ctx.db.orm
    .select({ one: sql`1`.as('one') })
    .from(webhookDeliveries)
    .where(inOrganization(ctx, webhookDeliveries, inRange(replay), chosen(replay)))
    .limit(MAX_REPLAYED + 1)
    .as('some')
  return ctx.db.orm.select({ rows: count() }).from(some).get()?.rows ?? 0
}
