import { and, gt, inArray, isNotNull, isNull, ne, or } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { aiUsage } from '../table'

/** Calls of an organization that are under way at most (automation contract 6.6). */
const AT_ONCE = 8

/** No call takes longer. One that began before was interrupted. */
const LONGEST_MS = 2 * MINUTE_MS

/**
 * Whether the organization may make another call now. Calls of jobs count from their beginning, those
 * of tests and previews from their reservation. `callId` itself is not counted.
 */
export function hasRoomForCall(ctx: Ctx, callId: string | null): boolean {
  const sinceMs = ctx.clock.nowMs() - LONGEST_MS
  const running = ctx.db.orm
    .select({ id: aiUsage.id })
    .from(aiUsage)
    .where(
      inOrganization(
        ctx,
        aiUsage,
        and(
          isNull(aiUsage.settledAtMs),
          or(
            and(isNotNull(aiUsage.startedAtMs), gt(aiUsage.startedAtMs, sinceMs)),
            and(inArray(aiUsage.purpose, ['test', 'preview']), gt(aiUsage.createdAtMs, sinceMs)),
          ),
          callId === null ? undefined : ne(aiUsage.id, callId),
        ),
      ),
    )
    .limit(AT_ONCE)
    .all()
  return running.length < AT_ONCE
}
