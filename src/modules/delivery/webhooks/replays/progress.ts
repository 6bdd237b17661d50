import { eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { advanceWorkIn } from '../../../organization/notifications/work/note'
import { notifyReplayIn } from '../notices'
import { findEndpoint } from '../queries'
import type { ReplayRow } from '../row'
import { webhookReplays } from '../table'

/** Returns a replay, or `null`. */
export const findReplay = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): ReplayRow | null =>
  ctx.db.orm
    .select()
    .from(webhookReplays)
    .where(inOrganization(ctx, webhookReplays, eq(webhookReplays.id, id)))
    .get() ?? null

/** Writes changes of a replay in the caller's transaction. */
export const changeReplayIn = (tx: Tx, ctx: Ctx, id: string, set: Partial<ReplayRow>): void =>
  tx
    .update(webhookReplays)
    .set(set)
    .where(inOrganization(ctx, webhookReplays, eq(webhookReplays.id, id)))
    .run()

/**
 * Counts a delivery of a replay that has ended, and ends the replay after the last one. `null` is one
 * that was not sent: a failure, unless the replay was stopped.
 */
export function countReplayedIn(
  tx: Tx,
  ctx: Ctx,
  id: string,
  end: 'delivered' | 'failed' | null,
): void {
  if (end === null && findReplay(ctx, id)?.state === 'stopped') return
  const as = end ?? 'failed'
  tx.update(webhookReplays)
    .set({ [as]: sql`${webhookReplays[as]} + 1` })
    .where(inOrganization(ctx, webhookReplays, eq(webhookReplays.id, id)))
    .run()
  endReplayIfDoneIn(tx, ctx, id)
}

/** Ends a replay whose deliveries were all made again and have all ended. */
export function endReplayIfDoneIn(tx: Tx, ctx: Ctx, id: string): void {
  const replay = findReplay(ctx, id)
  if (replay?.state !== 'running') return
  const { total, isQueued } = replay
  const done = replay.delivered + replay.failed
  const isDone = isQueued && done >= total
  advanceWorkIn(tx, ctx, id, { done, state: isDone ? 'completed' : 'running' })
  if (!isDone) return
  changeReplayIn(tx, ctx, id, { state: 'done', endedAtMs: ctx.clock.nowMs() })
  const endpoint = findEndpoint(ctx, replay.endpointId)
  if (endpoint) notifyReplayIn(tx, ctx, endpoint, replay)
}
