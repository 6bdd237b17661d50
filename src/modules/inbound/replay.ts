import { count, eq } from 'drizzle-orm'

import { ConflictError, InvalidError } from '../../lib/errors'
import { INSTALLATION, systemCtx, type Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db'
import { enqueue } from '../../infra/jobs/enqueue'
import { recordAudit } from '../audit/service'
import { enqueueReplay, replayMany } from './jobs'
import type { InboundEventView, ReplayRequest } from './model'
import { eventView, getEventRow } from './queries'
import { chosenBy, FRESH, NOT_SIGNED_FOR } from './selection'
import { inboundEvents } from './table'

/**
 * Works a change off once more: what it brought already stays as it is. Throws NotFoundError, and ConflictError while it is under
 * way and for one that nobody signed for.
 */
export function replayInboundEvent(ctx: Ctx, id: string): InboundEventView {
  return transact(ctx.db, (tx) => {
    const { event, digest } = getEventRow(ctx, id)
    if (event.state === 'pending' || event.state === 'processing')
      throw new ConflictError('The change is being worked off.', { code: 'in_progress' })
    if (event.reason === NOT_SIGNED_FOR)
      throw new ConflictError('The signature of this delivery does not speak for this change.', { code: NOT_SIGNED_FOR })
    tx.update(inboundEvents).set(FRESH).where(eq(inboundEvents.id, id)).run()
    enqueueReplay(tx, ctx, event)
    const organizationId = event.organizationId ?? ctx.organizationId
    recordAudit(
      tx,
      { ...ctx, organizationId },
      { action: 'replayed', resourceType: 'inbound_event', resourceId: id, resourceName: event.field },
    )
    return eventView({ ...event, ...FRESH }, digest)
  })
}

/** Changes one request may put back to work. */
const MOST_REPLAYED = 100_000

/** Puts many changes back to work, those of the whole installation that fit the request; a chain of jobs does it. Throws InvalidError over 100,000. */
export function replayInboundEvents(ctx: Ctx, request: ReplayRequest): { queued: number } {
  return transact(ctx.db, (tx) => {
    const queued = tx.select({ rows: count() }).from(inboundEvents).where(chosenBy(request)).get()?.rows ?? 0
    if (queued > MOST_REPLAYED)
      throw new InvalidError(`${queued} deliveries fit; at most ${MOST_REPLAYED} are worked off again at once. Narrow the request.`, {
        code: 'too_many',
      })
    if (queued > 0) {
      enqueue(tx, systemCtx(ctx, INSTALLATION), replayMany, { args: { request, after: null } })
      const changes = [{ field: 'changes', old_value: null, new_value: queued }]
      recordAudit(tx, ctx, {
        action: 'replayed',
        resourceType: 'inbound_event',
        resourceId: null,
        resourceName: request.field ?? null,
        changes,
      })
    }
    return { queued }
  })
}
