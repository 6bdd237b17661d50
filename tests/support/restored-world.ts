import { startRebuilds } from '../../src/modules/insight/analytics/rollups/rebuild'
import { leaveOutMissedReports } from '../../src/modules/insight/analytics/scheduled/leave-out-after-restore'
import { pauseRestored } from '../../src/modules/outreach/campaigns/run/pause-after-restore'
import { endRestoredSessions } from '../../src/modules/automation/chatbot/engine/end-after-restore'
import { markSendsUnknown } from '../../src/modules/inbox/messages/outbound/mark-unknown-after-restore'
import { failDueAfterRestore } from '../../src/modules/inbox/scheduled-messages/fail-after-restore'
import { restartClocks } from '../../src/modules/automation/transfers/restart-after-restore'
import { renewEventLog } from '../../src/infra/outbox/relay'
import { World, type Furnished } from './world'

/** What the command `restore` does with the database of a backup, in its order. */
const AFTER_RESTORE = [
  markSendsUnknown,
  pauseRestored,
  failDueAfterRestore,
  endRestoredSessions,
  restartClocks,
  startRebuilds,
  leaveOutMissedReports,
  renewEventLog,
]

/** Stops a world and returns one that goes on, at the same time, from an earlier copy. */
export async function restoredWorld(world: World, image: Furnished): Promise<World> {
  const startMs = world.clock.nowMs()
  const { ids } = await world.copy()
  await world.stop()
  const restored = await World.create({ from: { ...image, ids }, startMs })
  for (const step of AFTER_RESTORE) step(restored.program.http)
  return restored
}
