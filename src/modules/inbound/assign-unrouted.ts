import { and, desc, eq, gte, inArray, isNull, or } from 'drizzle-orm'

import { acrossOrganizations, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import type { InboundEventRow } from './journal/row'
import { inboundEvents } from './table'

const ADOPTED_AT_ONCE = 50

/**
 * Takes up to 50 changes that came for a number of the organization before it was connected back to
 * pending, the newest no older than `sinceMs`; those that were another organization's stay where
 * they are. Returns them as they were.
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

/** Changes of a business account that are taken over when it is proven. */
const OF_BUSINESS_AT_ONCE = 200

/**
 * Takes the newest changes that came for a business account while no number was proven to belong to
 * it back to pending, none older than `sinceMs`. Returns them as they were. A change may end
 * unrouted again, so it is called once for each proof.
 */
export function adoptOfBusinessIn(tx: Tx, businessId: string, sinceMs: number): InboundEventRow[] {
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
          eq(inboundEvents.state, 'unrouted'),
          isNull(inboundEvents.organizationId),
          gte(inboundEvents.receivedAtMs, sinceMs),
        ),
      ),
    )
    .orderBy(desc(inboundEvents.receivedAtMs), desc(inboundEvents.id))
    .limit(OF_BUSINESS_AT_ONCE)
    .all()
  reopenAllIn(tx, adopted)
  return adopted.toReversed()
}

/**
 * The changes that came for a number while nobody had it, those of other organizations left out.
 */
export const waitingFor = (
  ctx: Pick<Ctx, 'organizationId'>,
  phoneNumberId: string,
  sinceMs: number,
) =>
  and(
    eq(inboundEvents.phoneNumberId, phoneNumberId),
    eq(inboundEvents.state, 'unrouted'),
    gte(inboundEvents.receivedAtMs, sinceMs),
    or(isNull(inboundEvents.organizationId), eq(inboundEvents.organizationId, ctx.organizationId)),
  )

/** Makes changes pending again. */
function reopenAllIn(tx: Tx, events: InboundEventRow[]): void {
  const ids = events.map(({ id }) => id)
  if (ids.length > 0)
    tx.update(inboundEvents)
      .set({ state: 'pending', processedAtMs: null })
      .where(
        acrossOrganizations(
          'an unrouted change has no organization',
          inArray(inboundEvents.id, ids),
        ),
      )
      .run()
}
