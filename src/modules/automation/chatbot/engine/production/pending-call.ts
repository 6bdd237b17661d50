import type { Ctx } from '../../../../../infra/ctx'
import type { PendingCall, Session } from '../model'
import { findSession, sessionOf, type BotSessionRow } from './store'

/** A call of a session, by the step that made it. */
export interface CallOfStep {
  sessionId: string
  step: number
}

/** A call that a session waits for. */
export interface Pending {
  row: BotSessionRow
  session: Session
  call: PendingCall
}

/** Returns the call of a step if its session still waits for it, otherwise `null`. */
export function pendingCall(ctx: Ctx, { sessionId, step }: CallOfStep): Pending | null {
  const row = findSession(ctx, sessionId)
  if (row?.status !== 'active' || row.waitingFor !== 'http') return null
  const session = sessionOf(row)
  const { run } = session.state
  return run?.call?.key === step && run.result === null ? { row, session, call: run.call } : null
}
