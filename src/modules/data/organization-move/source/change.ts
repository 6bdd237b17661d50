import { eq } from 'drizzle-orm'

import { inOrganization, INSTALLATION, systemCtx, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { recordAudit } from '../../../organization/audit/record'
import { workAgainIn } from '../../../channel/accounts/arrive'
import { nameOfOrganization } from '../../../organization/notifications/organization-names'
import {
  findOrganization,
  setOrganizationStateIn,
} from '../../../organization/organizations/service'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import { MoveOrganization } from '../jobs'
import { findMove } from '../queries'
import { organizationMoves, type MoveRow, type MoveStep } from '../table'
import type { MoveProblem } from './problem'

/** Somebody else has changed the move since it was read. */
export class MoveChanged extends Error {
  override readonly name = 'MoveChanged'
}

/** Stores columns of a move, in the caller's transaction. Throws MoveChanged if it has left its step. */
export function changeMoveIn(tx: Tx, ctx: Ctx, move: MoveRow, set: Partial<MoveRow>): void {
  if (findMove(ctx, move)?.step !== move.step) throw new MoveChanged()
  tx.update(organizationMoves)
    .set(set)
    .where(
      inOrganization(
        { organizationId: move.organizationId },
        organizationMoves,
        eq(organizationMoves.id, move.id),
      ),
    )
    .run()
}

/** Takes a move to a step, in the caller's transaction. Throws MoveChanged. */
export const enterStepIn = (
  tx: Tx,
  ctx: Ctx,
  move: MoveRow,
  step: MoveStep,
  set: Partial<MoveRow> = {},
): void =>
  changeMoveIn(tx, ctx, move, {
    ...{ step, stepAtMs: ctx.clock.nowMs(), failures: 0, error: null, errorCode: null },
    ...set,
  })

/** Takes a move to a step. Throws MoveChanged. */
export const enterStep = (
  ctx: Ctx,
  move: MoveRow,
  step: MoveStep,
  set: Partial<MoveRow> = {},
): void => transact(ctx.db, (tx) => enterStepIn(tx, ctx, move, step, set))

/** Enqueues the job of a move, in the caller's transaction. */
export const enqueueMoveIn = (tx: Tx, ctx: Ctx, { organizationId, id }: MoveRow): void =>
  void enqueue(tx, systemCtx(ctx, INSTALLATION), MoveOrganization, {
    args: { organizationId, moveId: id },
  })

/**
 * Aborts a move, in the caller's transaction: the organization works here again at once, and the
 * target is told by the job of the move. Throws MoveChanged.
 */
export function abortMoveIn(
  tx: Tx,
  ctx: Ctx,
  move: MoveRow,
  problem: MoveProblem,
  { forcedAtMs }: Pick<MoveRow, 'forcedAtMs'> = { forcedAtMs: null },
): void {
  const there = systemCtx(ctx, move.organizationId)
  const thawedAtMs = ctx.clock.nowMs()
  enterStepIn(tx, ctx, move, 'aborting', {
    ...{ ...problem, thawedAtMs, forcedAtMs, finishedAtMs: null },
  })
  const state = findOrganization(ctx, move.organizationId)?.state
  if (state === 'moved') enqueueMoveIn(tx, ctx, move) // its job has ended
  // One that is frozen before its move has begun waits for the answers of other cells after a restore.
  if ((state === 'moving' && move.step !== 'freezing') || state === 'moved') {
    setOrganizationStateIn(tx, move.organizationId, { state: 'active', deletesAtMs: null })
    workAgainIn(tx, there)
  }
  recordAudit(
    tx,
    { ...there, actor: ctx.actor, origin: ctx.origin },
    {
      action: forcedAtMs === null ? 'move_aborted' : 'move_forced',
      resourceType: 'organization',
      resourceId: move.organizationId,
      resourceName: findOrganization(ctx, move.organizationId)?.name ?? null,
      changes: [{ field: 'reason', old_value: null, new_value: problem.error }],
    },
  )
}

/** Aborts a move that cannot go on, and notifies the super admins. Throws MoveChanged. */
export function giveUpMoveIn(tx: Tx, ctx: Ctx, move: MoveRow, problem: MoveProblem): void {
  abortMoveIn(tx, ctx, move, problem)
  notifySuperAdminsIn(tx, systemCtx(ctx, INSTALLATION), {
    kind: 'organization_move_aborted',
    severity: 'warning',
    title: 'Organization not moved',
    body: `${nameOfOrganization(move.organizationId)} stays here: ${problem.error}`,
  })
}
