import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { isUuid } from '../../../lib/ids'
import type { JobCtx } from '../../../infra/ctx'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work } from '../../../infra/jobs/work'
import { findMoveImport } from '../organization-import/queries'
import { AskAfterRestore, ClearMoves, MoveOrganization, ThawAfterRestore, WatchMoved } from './jobs'
import { movesFolder } from './protocol'
import { needsArchive } from './queries'
import { stopMovedAway, thawSoonIn, thawUnanswered } from './source/ask-after-restore'
import { discardMoveIn, runMove } from './source/run'
import { watchMoved } from './source/watch'

export const moveWorkers = [
  work(
    MoveOrganization,
    (ctx, { organizationId, moveId }) => runMove(ctx, { organizationId, id: moveId }),
    {
      timeoutMs: 12 * HOUR_MS,
      whenDiscarded: (tx, ctx, { organizationId, moveId }, reason) =>
        discardMoveIn(tx, ctx, { organizationId, id: moveId }, reason),
    },
  ),

  work(ClearMoves, clearMoves),

  work(WatchMoved, watchMoved, { timeoutMs: HOUR_MS }),

  work(AskAfterRestore, stopMovedAway, { timeoutMs: HOUR_MS, whenDiscarded: thawSoonIn }),

  work(ThawAfterRestore, thawUnanswered),
]

/** Deletes archives that are older than a day and belong to no open move, here or from elsewhere. */
async function clearMoves(ctx: JobCtx): Promise<void> {
  const folder = movesFolder(ctx)
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const [moveId = ''] = name.split('.')
    const { mtimeMs } = await stat(path)
    if (!isUuid(moveId)) continue
    const isNeeded = needsArchive(ctx, moveId) || findMoveImport(ctx, moveId)?.finishedAtMs === null
    if (!isNeeded && mtimeMs < ctx.clock.nowMs() - DAY_MS) await rm(path, { force: true })
  }
}

/** How often the other cells are asked about organizations that moved there. */
const WATCHING_MS = 5 * MINUTE_MS

export const moveSchedules = [
  defineSchedule(DAY_MS, ClearMoves),
  defineSchedule(WATCHING_MS, WatchMoved),
]
