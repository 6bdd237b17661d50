import { eq } from 'drizzle-orm'

import { ConflictError, ForbiddenError, InvalidError } from '../../../lib/errors'
import { acrossOrganizations, INSTALLATION, systemCtx, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { recordAudit } from '../../organization/audit/record'
import { reauthorizedCtx } from '../../organization/auth/delegated-ctx'
import { requireWritable } from '../../organization/organizations/service'
import { enqueueReplayIn } from './enqueue-replay'
import { ReplayChanges } from './jobs'
import type { InboundEventView, ReplayRequest } from './model'
import { eventView, getEventRow } from './queries'
import { CountReplayed } from './readers'
import { FRESH, MAX_REPLAYED, NOT_SIGNED_FOR } from './select'
import { inboundEvents } from './table'

/**
 * Replays a change. Rows it already created stay as they are. Throws NotFoundError, ConflictError while
 * the change is in progress, if its signature is not valid for it or if its organization has moved to
 * another server (`moved`), and UnavailableError `organization_moving`.
 */
export function replayInboundEvent(ctx: Ctx, id: string): InboundEventView {
  return transact(ctx.db, (tx) => {
    const { event, digest } = getEventRow(ctx, id)
    if (event.organizationId !== null) requireWritable(ctx, event.organizationId)
    if (event.state === 'pending' || event.state === 'processing')
      throw new ConflictError('The delivery is being processed.', { code: 'in_progress' })
    if (event.reason === NOT_SIGNED_FOR)
      throw new ConflictError(
        'The delivery was not signed for the account of this change, so it cannot be ' +
          'reprocessed.',
        {
          code: NOT_SIGNED_FOR,
        },
      )
    tx.update(inboundEvents)
      .set(FRESH)
      .where(
        acrossOrganizations(
          "the row was found within the caller's scope",
          eq(inboundEvents.id, id),
        ),
      )
      .run()
    enqueueReplayIn(tx, ctx, event)
    const organizationId = event.organizationId ?? ctx.organizationId
    recordAudit(
      tx,
      { ...ctx, organizationId },
      {
        action: 'replayed',
        resourceType: 'inbound_event',
        resourceId: id,
        resourceName: event.field,
      },
    )
    return eventView({ ...event, ...FRESH }, digest)
  })
}

/**
 * Replays the changes of the whole installation that match the request, in a chain of jobs. Throws
 * InvalidError above 100,000 changes, and ForbiddenError or UnauthorizedError if the caller lost
 * access while they were counted.
 */
export async function replayInboundEvents(
  ctx: Ctx,
  request: ReplayRequest,
): Promise<{ queued: number }> {
  const queued = await ctx.reads.value(CountReplayed, ctx, request)
  if (queued > MAX_REPLAYED)
    throw new InvalidError(
      `The filter matches more than ${MAX_REPLAYED} deliveries, the limit for reprocessing ` +
        'at once. Narrow the filter.',
      {
        code: 'too_many',
      },
    )
  return transact(ctx.db, (tx) => {
    const caller = reauthorizedCtx(ctx)
    if (!caller.actor.isSuperAdmin)
      throw new ForbiddenError('This requires a super admin.', { code: 'super_admin_required' })
    if (queued > 0) {
      enqueue(tx, systemCtx(ctx, INSTALLATION), ReplayChanges, { args: { request, after: null } })
      recordAudit(tx, caller, {
        action: 'replayed',
        resourceType: 'inbound_event',
        resourceId: null,
        resourceName: request.field ?? null,
        changes: [{ field: 'changes', old_value: null, new_value: queued }],
      })
    }
    return { queued }
  })
}
