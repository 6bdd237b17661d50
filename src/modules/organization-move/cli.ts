import { INSTALLATION, systemCtx, type Deps } from '../../infra/ctx'
import { moveView, type MoveView } from './model'
import { newestMove } from './queries'
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

/** Aborts the move of an organization. For the command line. Throws the errors of `abortMove`. */
export const abortNamedMove = (deps: Deps, organizationId: string): MoveView =>
  abortMove(systemCtx(deps, INSTALLATION), organizationId)
