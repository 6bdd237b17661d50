import { ConflictError, NotFoundError } from '../../../lib/errors'
import { systemCtx, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { recordAudit } from '../../organization/audit/record'
import { findArrivingImport } from '../organization-import/queries'
import { completeMoveImportIn } from '../organization-import/start'
import { findOrganization, setMovesIn } from '../../organization/organizations/service'
import { moveView, type MoveView } from './model'
import type { MoveAnswer } from './protocol'
import { findMove, newestMove } from './queries'
import { isAskingAfterRestore } from './source/ask-after-restore'
import { askTarget, discardThere, MoveRefused } from './source/ask-target'
import { abortMoveIn } from './source/change'
import { isAbortable } from './source/run'
import type { MoveProblem } from './source/problem'
import { treatAsRestored } from './source/treat-as-restored'
import { ABORTED, abortMove } from './start'
import type { MoveRow } from './table'

/**
 * Aborts the newest move of an organization although its target was told to take over, or had taken
 * over: the operator states that the target is lost for good. It is asked first, and if it answers, that
 * counts: it may have lost the organization by a restore. Throws NotFoundError, and ConflictError
 * `too_late` if the organization works there, its copy is not here any more, or the move took a step
 * meanwhile.
 */
export async function forceAbort(ctx: Ctx, organizationId: string): Promise<MoveView> {
  const move = newestMove(ctx, organizationId)
  if (isAbortable(move)) return abortMove(ctx, organizationId)
  if (!isForceable(ctx, move)) throw new ConflictError('The move has ended.', { code: 'too_late' })
  const answer = await unlessSilent(() => discardThere(ctx, move))
  if (answer?.state === 'completed' || answer?.place === 'here')
    throw new ConflictError(`${move.target} answers: the organization works there.`, {
      code: 'too_late',
    })
  await treatAsRestored(systemCtx(ctx, organizationId))
  return transact(ctx.db, (tx) => {
    const now = newestMove(ctx, organizationId)
    // The operator spoke of the move as it was: it may have been completed in this moment.
    if (now.id !== move.id || now.step !== move.step)
      throw new ConflictError('The move went on meanwhile. Look at it, and decide again.', {
        code: 'too_late',
      })
    if (!isForceable(ctx, now)) return moveView(now)
    const forcedAtMs = answer === null ? ctx.clock.nowMs() : null
    const problem: MoveProblem =
      answer === null
        ? {
            error: `The operator stated that ${move.target} is lost for good.`,
            errorCode: 'cell_lost',
          }
        : ABORTED
    countReturnIn(tx, ctx, now)
    abortMoveIn(tx, ctx, now, problem, { forcedAtMs })
    return moveView(findMove(ctx, now) ?? now)
  })
}

/**
 * Counts a move to the target and one back, so that a target that is restored to the time after it had taken
 * over hears that the organization works here. A server that was restored itself does not know how often the
 * organization has moved until the others have answered.
 */
function countReturnIn(tx: Tx, ctx: Ctx, { organizationId }: MoveRow): void {
  const row = findOrganization(ctx, organizationId)
  if (row === null || isAskingAfterRestore(ctx)) return
  setMovesIn(tx, organizationId, row.moves + (row.state === 'moved' ? 1 : 2))
}

/** Whether a move is with its target, and the copy is still here. */
const isForceable = (ctx: Ctx, { step, organizationId }: MoveRow): boolean =>
  step === 'activating' ||
  (step === 'completed' && findOrganization(ctx, organizationId)?.state === 'moved')

/** Returns the answer of another cell; `null` if there is none. */
async function unlessSilent(ask: () => Promise<MoveAnswer>): Promise<MoveAnswer | null> {
  try {
    return await ask()
  } catch {
    return null
  }
}

/**
 * Takes the last step of a move to this cell without an order: the operator states that the cell it
 * comes from is lost for good. Returns the address of that cell. Throws NotFoundError, and
 * ConflictError `cell_refused`, or `wrong_state` if not all rows are here.
 */
export async function takeOver(ctx: Ctx, organizationId: string): Promise<string> {
  const arriving = findArrivingImport(ctx, organizationId)
  if (arriving?.moveId == null) throw new NotFoundError('Move')
  const { moveId, fromCell } = arriving
  const cell = fromCell ?? ''
  if (await isThere(ctx, { id: moveId, organizationId, target: cell }))
    throw new ConflictError(`${cell} answers. It decides about the move.`, { code: 'cell_refused' })
  const hasArchive = await Bun.file(arriving.archivePath ?? '').exists()
  return transact(ctx.db, (tx) => {
    if (!hasArchive || findArrivingImport(ctx, organizationId)?.state !== 'waiting')
      throw new ConflictError('The copy is not complete.', { code: 'wrong_state' })
    completeMoveImportIn(tx, ctx, moveId)
    recordAudit(tx, systemCtx(ctx, organizationId), {
      action: 'move_forced',
      resourceType: 'organization',
      resourceId: organizationId,
      resourceName: null,
      changes: [{ field: 'lost_cell', old_value: null, new_value: cell }],
    })
    return cell
  })
}

/** Whether a cell answers anything. */
async function isThere(ctx: Ctx, question: Parameters<typeof askTarget>[1]): Promise<boolean> {
  try {
    await askTarget(ctx, question, { action: 'offer' })
    return true
  } catch (error) {
    return error instanceof MoveRefused && error.code !== 'unknown_cell'
  }
}
