import type { Ctx } from '../../infra/ctx'
import { yieldToEventLoop } from '../../infra/event-loop'
import { pruneIdempotencyKeys } from '../../infra/idempotency/store'
import { pruneJobs } from '../../infra/jobs/prune'
import { pruneEvents } from '../../infra/outbox/relay'
import { pruneAudit } from '../audit/prune'
import { pruneSessions } from '../auth/sessions'
import { pruneJournal, pruneShorterJournal } from '../inbound/journal/prune'
import { markOrphans } from '../inbound/process/mark-orphans'
import { pruneHours } from '../inbound/stats/hourly'
import { eraseOrphans } from '../members/erase-orphans'
import { pruneNotifications } from '../notifications/service'

/** Maximum number of batches in one run. The next run continues. */
const MAX_ROUNDS = 200

const inRounds = async (prune: () => number): Promise<void> => {
  for (let round = 0; round < MAX_ROUNDS && prune() > 0; round += 1) await yieldToEventLoop()
}

/** Deletes expired data in batches and yields to the event loop in between. */
export async function pruneOldData(ctx: Ctx): Promise<void> {
  await inRounds(() => pruneJobs(ctx))
  await inRounds(() => pruneEvents(ctx))
  await inRounds(() => pruneSessions(ctx))
  await inRounds(() => pruneJournal(ctx))
  await inRounds(() => pruneShorterJournal(ctx))
  await inRounds(() => markOrphans(ctx))
  pruneHours(ctx)
  await inRounds(() => pruneAudit(ctx))
  await inRounds(() => pruneIdempotencyKeys(ctx))
  await inRounds(() => pruneNotifications(ctx))
  await inRounds(() => eraseOrphans(ctx))
  ctx.throttle.prune()
}
