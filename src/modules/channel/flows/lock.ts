import { MINUTE_MS } from '../../../lib/clock'
import { ConflictError, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { FlowAccess } from '../../../platform/client/flows'
import { businessCallOf } from '../accounts/platform-calls'
import type { AccountRow } from '../accounts/view'
import { changeFlowIn, requireFlow } from './state'

import type { FlowRow } from './view'
import { findAccount, liveAccounts } from '../accounts/queries'

/** Calls to the platform are shorter; an older lock belongs to a process that crashed. */
const LOCK_EXPIRY_MS = 2 * MINUTE_MS

/** A locked Flow and the phone number used for the calls. */
export interface LockedFlow {
  row: FlowRow
  account: AccountRow
}

/**
 * Runs `work` while no other call changes the Flow at the platform; `check` checks the Flow in the
 * transaction that takes the lock. Throws NotFoundError, ConflictError `flow_busy`, InvalidError
 * `account_inactive`, and the errors of `check` and `work`.
 */
export async function withLock<T>(
  ctx: Ctx,
  id: string,
  check: (turn: LockedFlow) => void,
  work: (turn: LockedFlow) => Promise<T>,
): Promise<T> {
  const turn = transact(ctx.db, (tx) => {
    const row = requireFlow(ctx, id)
    const account = requireAccount(ctx, row)
    check({ row, account })
    const nowMs = ctx.clock.nowMs()
    if (row.busySinceMs !== null && nowMs - row.busySinceMs < LOCK_EXPIRY_MS)
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
 * Returns the credentials for one platform call; never store them. Throws InvalidError `not_saved`
 * if the platform does not have the Flow.
 */
export function flowCallOf(ctx: Pick<Ctx, 'vault'>, { row, account }: LockedFlow): FlowAccess {
  if (row.metaFlowId === null) throw flowNotSaved()
  const { apiVersion, accessToken } = businessCallOf(ctx, account)
  return { flowId: row.metaFlowId, apiVersion, accessToken }
}

/** Returns the error for a Flow that the platform does not have yet. */
export const flowNotSaved = (): InvalidError =>
  new InvalidError('The flow is not on the platform yet. Save it there first.', {
    code: 'not_saved',
  })

/**
 * Returns a connected phone number of the business account, preferably the one of the Flow. Throws
 * InvalidError `account_inactive`.
 */
export function requireAccount(
  ctx: Ctx,
  row: Pick<FlowRow, 'accountId' | 'businessId'>,
): AccountRow {
  const own = findAccount(ctx, row.accountId)
  const account =
    own?.deletedAtMs === null
      ? own
      : liveAccounts(ctx).find(({ businessId }) => businessId === row.businessId)
  if (account) return account
  throw new InvalidError("No phone number of this flow's business account is connected any more.", {
    code: 'account_inactive',
  })
}
