import { transact, type Tx } from '../../../../infra/db/transact'
import type { JobCtx } from '../../../../infra/ctx'
import type { Outcome } from '../../../../infra/jobs/work'
import { MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { markKept, numbersOf } from '../../../channel/inbound/cells/kept'
import { findMove, type MoveKey } from '../queries'
import type { MoveRow, MoveStep } from '../table'
import { MoveRefused } from './ask-target'
import { changeMoveIn, enqueueMoveIn, giveUpMoveIn, MoveChanged } from './change'
import { problemOf } from './problem'
import { STEPS, type Again } from './steps'

/** Tries of one step after which a move is aborted: about two minutes. */
const MOST_FAILURES = 30

/** Longest pause between two tries while people wait, and while the target is to discard its copy. */
const LONGEST_PAUSE_MS = 5 * SECOND_MS
const LONGEST_ABORTING_MS = MINUTE_MS
const FIRST_PAUSE_MS = 250

/** Takes the steps of a move until it has ended or has to wait. */
export async function runMove(ctx: JobCtx, key: MoveKey): Promise<Outcome> {
  for (;;) {
    const move = findMove(ctx, key)
    if (move === null || !WRITING.has(move.step)) ctx.archives.release(key.id)
    if (move === null || move.step === 'aborted') return undefined
    if (move.step === 'completed') {
      await markKept(ctx, numbersOf({ ...ctx, organizationId: move.organizationId }))
      return undefined
    }
    try {
      const again = await takeInTime(ctx, move)
      if (again) return { snoozeMs: again.againInMs }
    } catch (error) {
      if (ctx.signal.aborted) throw error
      const pauseMs = error instanceof MoveChanged ? 0 : recordFailure(ctx, move, error)
      if (pauseMs > 0) return { snoozeMs: pauseMs }
    }
  }
}

/** The steps for which the writer of archives is kept. */
const WRITING: ReadonlySet<MoveStep> = new Set(['freezing', 'draining', 'exporting'])

/**
 * Takes a step. Throws MoveRefused if the organization is frozen for too long before the last one; a step
 * that is under way then is interrupted.
 */
async function takeInTime(ctx: JobCtx, move: MoveRow): Promise<Again | void> {
  const step = STEPS[move.step as keyof typeof STEPS]
  if (!step.isAbortable || move.frozenAtMs === null) return step.take(ctx, move)
  const { moveFrozenMinutes: minutes } = ctx.settings
  const leftMs = move.frozenAtMs + minutes * MINUTE_MS - ctx.clock.nowMs()
  const tooLong = (): MoveRefused =>
    new MoveRefused(`The organization was frozen for ${minutes} minutes.`, 'frozen_too_long')
  if (leftMs <= 0) throw tooLong()
  const late = new AbortController()
  const stop = ctx.clock.after(leftMs, () => late.abort())
  try {
    return await step.take({ ...ctx, signal: AbortSignal.any([ctx.signal, late.signal]) }, move)
  } catch (error) {
    throw late.signal.aborted && !(error instanceof MoveChanged) ? tooLong() : error
  } finally {
    stop()
  }
}

/**
 * Stores why a step failed, or aborts the move if it cannot go on. Returns how long to wait before
 * the next try.
 */
function recordFailure(ctx: JobCtx, move: MoveRow, error: unknown): number {
  const problem = problemOf(error)
  const failures = move.failures + 1
  const mayAbort = isAbortable(move)
  const isOver = error instanceof MoveRefused || failures >= MOST_FAILURES
  ctx.log.warn(
    { move_id: move.id, step: move.step, failures, reason: problem.error },
    'step of a move failed',
  )
  try {
    transact(ctx.db, (tx) => {
      if (mayAbort && isOver) giveUpMoveIn(tx, ctx, move, problem)
      else
        changeMoveIn(tx, ctx, move, {
          failures,
          ...(move.step === 'aborting' ? {} : problem),
        })
    })
  } catch (changed) {
    if (!(changed instanceof MoveChanged)) throw changed
    return 0
  }
  if (mayAbort && isOver) return 0
  const longestMs = move.step === 'aborting' ? LONGEST_ABORTING_MS : LONGEST_PAUSE_MS
  return Math.min(longestMs, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10))
}

/** Whether a move has not ended and its target was not told to take over. */
export const isAbortable = ({ step }: MoveRow): boolean =>
  step !== 'completed' && step !== 'aborted' && STEPS[step].isAbortable

/** Aborts a move whose process ended during every attempt, or goes on if that is not possible. */
export function discardMoveIn(tx: Tx, ctx: JobCtx, key: MoveKey, reason: string): void {
  const move = findMove(ctx, key)
  if (move === null || move.step === 'completed' || move.step === 'aborted') return
  if (isAbortable(move)) giveUpMoveIn(tx, ctx, move, { error: reason, errorCode: 'process_ended' })
  enqueueMoveIn(tx, ctx, move)
}
