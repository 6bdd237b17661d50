import type { Ctx, JobCtx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import type { Turn } from '../model'
import { beginRun, endSession, finishRun, trace } from '../run'
import { resumeRun, runTurn, TOO_OLD_MS } from '../turn'
import { effectiveSettings } from '../../../chatbot-settings/effective'
import { prepareRules } from '../../keywords/sets'
import {
  clearInboxIn,
  debounceMs,
  LONGEST_DEBOUNCE_MS,
  scheduleTurnIn,
  waitingMessages,
} from './inbox'
import { productionPorts, unreachableReason } from './ports'
import { messagesOfTurn, turnOf } from './read-turn'
import { findActiveSession, findSession, sessionOf, type Place, type SessionRow } from './store'

/**
 * Takes the messages of a contact on a number that wait for the bot and answers them as one turn, in
 * the transaction of the job. While a session waits for a call, they wait for its end. Returns when
 * to look again if the customer may still be writing.
 */
export function answerTurnIn(tx: Tx, ctx: JobCtx, place: Place): Outcome {
  const before = findActiveSession(ctx, place)
  const taken = takeTurn(tx, ctx, place, before)
  if (taken === null) return undefined
  if ('snoozeMs' in taken) return taken
  const ports = productionPorts(tx, ctx, { place, before })
  const run = beginRun(ports, before && sessionOf(before), taken.turn)
  runTurn(run, taken.turn)
  finishRun(run)
  const answer = run.rows.at(-1)?.stage ?? 'none'
  ctx.metrics.chatbotTurns.inc({ outcome: answer })
  return undefined
}

/** Steps 1 and 2 of a turn: the debounce, and one run at a time. */
function takeTurn(
  tx: Tx,
  ctx: Ctx,
  place: Place,
  session: SessionRow | null,
): { turn: Turn } | { snoozeMs: number } | null {
  const rows = waitingMessages(ctx, place)
  const [first] = rows
  const last = rows.at(-1)
  if (!first || !last) return null
  // The run that is under way takes care of the messages when it ends.
  if (session && (session.waitingFor === 'http' || session.waitingFor === null)) return null
  const settings = effectiveSettings(ctx, place.accountId)
  const dueAtMs = rows.some(({ isUrgent }) => isUrgent)
    ? 0
    : Math.min(last.receivedAtMs + debounceMs(settings), first.receivedAtMs + LONGEST_DEBOUNCE_MS)
  const nowMs = ctx.clock.nowMs()
  if (dueAtMs > nowMs) return { snoozeMs: dueAtMs - nowMs }
  if (settings.chatbot_enabled && !prepareRules(ctx)) return { snoozeMs: 0 }
  clearInboxIn(tx, ctx, place)
  const found = messagesOfTurn(
    ctx,
    rows.map(({ messageId }) => messageId),
  )
  if (found.length === 0) return null
  const fresh = found.filter(({ timestampMs }) => timestampMs >= nowMs - TOO_OLD_MS)
  const isConsentWord = rows.some((row) => row.isConsentWord)
  return { turn: turnOf(fresh.length > 0 ? fresh : found, isConsentWord) }
}

/**
 * Continues a session at a step, in the transaction of the job. Does nothing if the session has
 * moved on since.
 */
export function continueSessionIn(
  tx: Tx,
  ctx: Ctx,
  { sessionId, step }: { sessionId: string; step: number },
): Outcome {
  const before = findSession(ctx, sessionId)
  if (before?.status !== 'active' || before.steps !== step) return undefined
  const session = sessionOf(before)
  const { run: paused } = session.state
  const isDue =
    session.waitingFor === 'timer' ||
    (session.waitingFor === null && paused !== null) ||
    (session.waitingFor === 'http' && paused?.result != null)
  if (!isDue) return undefined
  if (paused?.point.at === 'rule' && !prepareRules(ctx)) return { snoozeMs: 0 }
  const place = { contactId: before.contactId, accountId: before.accountId }
  const ports = productionPorts(tx, ctx, { place, before })
  const run = beginRun(ports, session, null)
  const gone = unreachableReason(ctx, before.contactId)
  if (gone === null) resumeRun(run, paused?.point ?? { at: 'flow' })
  else {
    run.drafts.length = 0
    trace(run, { stage: 'silence', outcome: gone })
    endSession(run, 'failed', gone)
  }
  finishRun(run)
  const isFree = session.waitingFor !== 'http' && session.waitingFor !== null
  if (isFree || session.status !== 'active') wakeInboxIn(tx, ctx, place)
  return undefined
}

/** Lets the messages that arrived during a run form the next turn. */
function wakeInboxIn(tx: Tx, ctx: Ctx, place: Place): void {
  if (waitingMessages(ctx, place).length > 0) scheduleTurnIn(tx, ctx, place, ctx.clock.nowMs())
}
