import { INSTALLATION, systemCtx, type Deps } from '../../../infra/ctx'
import { forceAbort, takeOver } from './force'
import { moveView, type MoveView } from './model'
import { newestMove } from './queries'
import { eraseCopy } from './source/erase-copy'
import { abortMove, startMoveTo } from './start'

/** How often the command line looks how far a move is. */
const LOOKING_MS = 250

const ENDED = new Set<MoveView['step']>(['completed', 'aborting', 'aborted'])

/**
 * Moves an organization to another cell and waits until the running server has done it. Calls `show`
 * whenever something has changed. For the command line. Throws the errors of `startMoveTo`.
 */
export async function moveAndWatch(
  deps: Deps,
  { organizationId, to }: { organizationId: string; to: string },
  show: (view: MoveView) => void,
): Promise<MoveView> {
  const { id } = await startMoveTo(systemCtx(deps, INSTALLATION), organizationId, to)
  for (let shown = ''; ;) {
    const move = newestMove(deps, organizationId)
    const view = moveView(move)
    if (JSON.stringify(view) !== shown) show(view)
    shown = JSON.stringify(view)
    if (move.id !== id || ENDED.has(view.step)) return view
    await Bun.sleep(LOOKING_MS)
  }
}

/**
 * Aborts the move of an organization; if `isForced`, also one whose target was told to take over. For
 * the command line. Throws the errors of `abortMove` and `forceAbort`.
 */
export const abortNamedMove = async (
  deps: Deps,
  organizationId: string,
  { isForced }: { isForced: boolean },
): Promise<MoveView> =>
  (isForced ? forceAbort : abortMove)(systemCtx(deps, INSTALLATION), organizationId)

/**
 * Takes over an organization that moves here although the other cell did not order it. Returns the
 * address of that cell. For the command line. Throws the errors of `takeOver`.
 */
export const takeOverNamed = (deps: Deps, organizationId: string): Promise<string> =>
  takeOver(systemCtx(deps, INSTALLATION), organizationId)

/**
 * Erases the copy of an organization that has moved; if `isForced`, although the other cell does not
 * answer that it works there. For the command line. Throws the errors of `eraseCopy`.
 */
export const eraseNamedCopy = (
  deps: Deps,
  organizationId: string,
  { isForced }: { isForced: boolean },
): Promise<void> => eraseCopy(systemCtx(deps, INSTALLATION), organizationId, { isForced })
