import { and, eq, gt, gte, inArray, isNull, or } from 'drizzle-orm'

import { acrossOrganizations, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { InboundEventRow } from './journal/row'
import { inboundEvents, isNotDone } from './table'

/** Most changes that are adopted in one transaction. */
export const ADOPTED_AT_ONCE = 50

/**
 * Makes up to 50 changes pending again that arrived for a phone number of the organization before
 * it was connected, received at or after `sinceMs`. Skips changes that belong to other
 * organizations. Returns the changes as they were before.
 */
export function adoptUnroutedIn(
  tx: Tx,
  ctx: Ctx,
  phoneNumberId: string,
  sinceMs: number,
): InboundEventRow[] {
  const adopted = tx
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'an unrouted change has no organization',
        waitingFor(ctx, phoneNumberId, sinceMs),
      ),
    )
    .orderBy(inboundEvents.receivedAtMs, inboundEvents.id)
    .limit(ADOPTED_AT_ONCE)
    .all()
  reopenAllIn(tx, adopted)
  return adopted
}

/** A change in the order in which those of a business account are adopted. */
export type Adopted = Pick<InboundEventRow, 'receivedAtMs' | 'id'>

/**
 * Makes up to 50 changes pending again that arrived for a business account before one of its numbers
 * was verified, received at or after `sinceMs` and after the change `after`. Returns the changes as
 * they were before. A change may end up unrouted again, so go on after the last one.
 */
export function adoptOfBusinessIn(
  tx: Tx,
  businessId: string,
  { sinceMs, after }: { sinceMs: number; after: Adopted | null },
): InboundEventRow[] {
  const isOfBusiness = and(
    isNull(inboundEvents.phoneNumberId),
    eq(inboundEvents.businessId, businessId),
  )
  const adopted = tx
    .select()
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'an unrouted change has no organization',
        and(
          isOfBusiness,
          isNotDone,
          eq(inboundEvents.state, 'unrouted'),
          isNull(inboundEvents.organizationId),
          gte(inboundEvents.receivedAtMs, sinceMs),
          after === null
            ? undefined
            : or(
                gt(inboundEvents.receivedAtMs, after.receivedAtMs),
                and(
                  eq(inboundEvents.receivedAtMs, after.receivedAtMs),
                  gt(inboundEvents.id, after.id),
                ),
              ),
        ),
      ),
    )
    .orderBy(inboundEvents.receivedAtMs, inboundEvents.id)
    .limit(ADOPTED_AT_ONCE)
    .all()
  reopenAllIn(tx, adopted)
  return adopted
}

/**
 * Selects the changes that arrived for a phone number while it was not connected, without those of
 * other organizations.
 */
export const waitingFor = (
  ctx: Pick<Ctx, 'organizationId'>,
  phoneNumberId: string,
  sinceMs: number,
) =>
  and(
    eq(inboundEvents.phoneNumberId, phoneNumberId),
    isNotDone,
    eq(inboundEvents.state, 'unrouted'),
    gte(inboundEvents.receivedAtMs, sinceMs),
    or(isNull(inboundEvents.organizationId), eq(inboundEvents.organizationId, ctx.organizationId)),
  )

/** Makes unrouted changes pending again, in the caller's transaction. */
export function reopenAllIn(tx: Tx, events: InboundEventRow[]): void {
  const ids = events.map(({ id }) => id)
  if (ids.length > 0)
    tx.update(inboundEvents)
      .set({ state: 'pending', reason: null, processedAtMs: null })
      .where(
        acrossOrganizations(
          'an unrouted change has no organization',
          inArray(inboundEvents.id, ids),
        ),
      )
      .run()
}
