import { MINUTE_MS } from '../../lib/clock'
import { ConflictError, InvalidError } from '../../lib/errors'
import type { Ctx } from '../../infra/ctx'
import { transact } from '../../infra/db/transact'
import type { FlowAccess } from '../../platform/client/flows'
import { businessCallOf } from '../accounts/platform-calls'
import type { AccountRow } from '../accounts/view'
import { changeFlowIn, flowOf } from './state'
import { accountFor } from './service'
import type { FlowRow } from './view'

/** No call about a form takes longer; a turn that is older belongs to a process that died. */
const MAX_TURN_MS = 2 * MINUTE_MS

/** A form whose turn it is, and the number it is worked on with. */
export interface Turn {
  row: FlowRow
  account: AccountRow
}

/**
 * Works on a form at the platform, one at a time; `judge` looks at it in the transaction that takes
 * the turn. Throws NotFoundError, ConflictError `flow_busy`, InvalidError `account_inactive`, and
 * what `judge` and `work` throw.
 */
export async function withLock<T>(
  ctx: Ctx,
  id: string,
  judge: (turn: Turn) => void,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const turn = transact(ctx.db, (tx) => {
    const row = flowOf(ctx, id)
    const account = accountFor(ctx, row)
    judge({ row, account })
    const nowMs = ctx.clock.nowMs()
    if (row.busySinceMs !== null && nowMs - row.busySinceMs < MAX_TURN_MS)
      throw new ConflictError(
        'Another request is updating this flow on the platform. Try again in a moment.',
        { code: 'flow_busy' },
      )
    return { row: changeFlowIn(tx, ctx, id, { busySinceMs: nowMs }, []), account }
  })
  try {
    return await work(turn)
  } finally {
    transact(ctx.db, (tx) => void changeFlowIn(tx, ctx, id, { busySinceMs: null }, []))
  }
}

/**
 * What a call about a form carries: for one call only, never to be stored. Throws InvalidError
 * `not_saved` when the platform does not have it.
 */
export function flowCallOf(ctx: Pick<Ctx, 'vault'>, { row, account }: Turn): FlowAccess {
  if (row.metaFlowId === null) throw notSaved()
  const { apiVersion, accessToken } = businessCallOf(ctx, account)
  return { flowId: row.metaFlowId, apiVersion, accessToken }
}

/** The platform does not have the form yet. */
export const notSaved = (): InvalidError =>
  new InvalidError('The flow is not on the platform yet. Save it there first.', {
    code: 'not_saved',
  })
