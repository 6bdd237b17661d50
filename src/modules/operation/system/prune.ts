import type { Ctx, JobCtx } from '../../../infra/ctx'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { pruneIdempotencyKeys } from '../../../infra/idempotency/store'
import { pruneJobs } from '../../../infra/jobs/prune'
import { pruneEvents } from '../../../infra/outbox/relay'
import { pruneAudit } from '../../organization/audit/prune'
import { pruneSessions } from '../../organization/auth/sessions'
import { pruneJournal, pruneShorterJournal } from '../../channel/inbound/journal/prune'
import { pruneBotFlows } from '../../automation/chatbot/bot-flows/prune'
import { markOrphans } from '../../channel/inbound/process/mark-orphans'
import { pruneHours } from '../../channel/inbound/stats/hourly'
import { eraseOrphans } from '../../organization/members/erase-orphans'
import { pruneNotifications } from '../../organization/notifications/service'
import { pruneWork } from '../../organization/notifications/work/note'
import { pruneSubscriptions } from '../../delivery/push/subscriptions'
import { pruneScheduled } from '../../inbox/scheduled-messages/prune'
import { prunableUpTo } from '../../delivery/webhooks/log/position'

/** Maximum number of batches of one kind of data in one run. */
const MAX_ROUNDS = 20_000

/** Returns a step that continues where the one before ended. */
function stepsOf<P>(step: (after: P | null) => P | null): () => boolean {
  let after: P | null = null
  return () => (after = step(after)) !== null
}

/**
 * Deletes expired data in batches and yields to the event loop in between. Ends early when the
 * server stops; the next run continues.
 */
export async function pruneOldData(ctx: Ctx & Pick<JobCtx, 'signal'>): Promise<void> {
  const inRounds = async (prune: () => number | boolean): Promise<void> => {
    for (let round = 0; round < MAX_ROUNDS && Number(prune()) > 0; round += 1) {
      if (ctx.signal.aborted) return
      await yieldToEventLoop()
    }
  }
  await inRounds(() => pruneJobs(ctx))
  await inRounds(() => pruneEvents(ctx, prunableUpTo(ctx)))
  await inRounds(() => pruneSessions(ctx))
  await inRounds(stepsOf((after: number | null) => pruneJournal(ctx, after)))
  await inRounds(() => pruneShorterJournal(ctx))
  await inRounds(() => markOrphans(ctx))
  pruneHours(ctx)
  await inRounds(() => pruneAudit(ctx))
  await inRounds(() => pruneIdempotencyKeys(ctx))
  await inRounds(() => pruneNotifications(ctx))
  await inRounds(() => pruneWork(ctx))
  await inRounds(() => pruneScheduled(ctx))
  await inRounds(() => pruneSubscriptions(ctx))
  await inRounds(stepsOf((after: string | null) => pruneBotFlows(ctx, after)))
  await inRounds(() => eraseOrphans(ctx))
  ctx.throttle.prune()
}
