import type { Gate } from '../../infra/jobs/define'
import { findAccount } from '../accounts/state'
import type { AccountRow } from '../accounts/view'
import { paceOf } from './pace'

/** Why a number's messages wait, and until when where that is known, epoch milliseconds. */
export interface Hold {
  reason: 'pending' | 'disconnected' | 'suspended' | 'no_token' | 'paused' | 'paused_by_person'
  untilMs: number | null
}

/** Why nothing is sent from a number at the moment; `null` when it may send, and for one that was deleted: its messages are to fail. */
export function holdOf(account: AccountRow, nowMs: number): Hold | null {
  if (account.deletedAtMs !== null) return null
  if (account.status !== 'active') return { reason: account.status, untilMs: null }
  if (account.accessTokenSealed === null) return { reason: 'no_token', untilMs: null }
  if (account.sendingPausedAtMs !== null) return { reason: 'paused_by_person', untilMs: null }
  if (account.pausedUntilMs !== null && account.pausedUntilMs > nowMs) return { reason: 'paused', untilMs: account.pausedUntilMs }
  return null
}

/** So many messages that can only fail are worked off at once. */
const ROOM_FOR_FAILURES = 16

/** Keeps the messages of each number waiting while it may not send, and lets them out no faster than it may. The key is the account's id. */
export const sendGate: Gate = {
  lane: 'send',
  look(deps, { organizationId, gateKey }) {
    const account = findAccount({ db: deps.db, organizationId }, gateKey)
    if (!account || account.deletedAtMs !== null) return { room: ROOM_FOR_FAILURES, nextAtMs: null }
    const nowMs = deps.clock.nowMs()
    const hold = holdOf(account, nowMs)
    return hold ? { room: 0, nextAtMs: hold.untilMs } : paceOf(deps).opening(account, nowMs)
  },
}
