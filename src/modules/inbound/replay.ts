import { eq } from 'drizzle-orm'

import { ConflictError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db'
import { enqueueReplay } from './jobs'
import type { InboundEventView } from './model'
import { eventView, getEventRow } from './queries'
import { inboundEvents } from './table'

/** Works a change off once more: what it brought already stays as it is. Throws NotFoundError, and ConflictError while it is under way. */
export function replayInboundEvent(ctx: Ctx, id: string): InboundEventView {
  return transact(ctx.db, (tx) => {
    const { event, digest } = getEventRow(ctx, id)
    if (event.state === 'pending' || event.state === 'processing')
      throw new ConflictError('The change is being worked off.', { code: 'in_progress' })
    const reset = {
      state: 'pending' as const,
      processedAtMs: null,
      lastError: null,
      outcomes: '[]',
      messages: 0,
      statuses: 0,
      errors: 0,
      other: 0,
    }
    tx.update(inboundEvents).set(reset).where(eq(inboundEvents.id, id)).run()
    enqueueReplay(tx, ctx, id, event.organizationId)
    return eventView({ ...event, ...reset }, digest)
  })
}
