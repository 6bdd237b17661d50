import type { Ctx, JobCtx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import type { Outcome } from '../../../../../infra/jobs/work'
import type { SessionStatus, Turn } from '../model'
import { finishRun } from '../finish-run'
import { beginRun, endSession, trace, type Run } from '../run'
import { resumeRun, runTurn, type Arrivals } from '../turn'
import { endsSession, TOO_OLD_MS } from '../words'
import { outcomeWaitMs } from '../../../../inbox/messages/outbound/outcome-wait'
import { findHoldingTransfer } from '../../../transfers/find'
import { effectiveSettings } from '../../../chatbot-settings/effective'
import { prepareRules } from '../../keywords/sets'
import { endSessionIn } from './end-sessions'
import {
  enqueueTurnIn,
  takeFromInboxIn,
  turnDueAtMs,
  turnLengths,
  waitingMessages,
  wakeInboxIn,
  type WaitingMessage,
} from './inbox'
import { productionPorts } from './ports'
import { messagesOfTurn, turnOf } from './read-turn'
import { haltReasonOf, unreachableReason } from './silence'
import {
  findActiveSession,
  findSession,
  sessionOf,
  type SessionPlace,
  type BotSessionRow,
} from './store'
import { awaitOutcomeIn } from './unconfirmed'

/**
 * Answers the messages of a contact on a number that wait for the bot as one turn, in the transaction
 * of the job. Returns when to look again if the customer may still be writing.
 */
export function answerTurnIn(tx: Tx, ctx: JobCtx, place: SessionPlace): Outcome {
  const waiting = waitingMessages(ctx, place)
  if (waiting.length === 0) return undefined
  const arrivals = arrivalsIn(tx, ctx, place, waiting)
  const run = runTurn(arrivals)
  if (run !== null && 'waitMs' in run) return laterIn(tx, ctx, place, run.waitMs)
  if (run !== null) {
    finishRun(run)
    ctx.metrics.chatbotTurns.inc({ outcome: run.rows.at(-1)?.stage ?? 'none' })
  }
  const left = arrivals.left()
  if (left.length === 0) return undefined
  const dueAtMs = turnDueAtMs(effectiveSettings(ctx, place.accountId), left)
  return laterIn(tx, ctx, place, dueAtMs - ctx.clock.nowMs())
}

/**
 * Looks again at the inbox later. A job that waits would hold back the next step of a session that
 * goes on meanwhile, as one that failed does; a new one comes after it.
 */
function laterIn(tx: Tx, ctx: Ctx, place: SessionPlace, waitMs: number): Outcome {
  if (waitMs <= 0) return { snoozeMs: 0 }
  enqueueTurnIn(tx, ctx, place, ctx.clock.nowMs() + waitMs)
  return undefined
}

/** The messages in the inbox, as the engine takes them. `left` are those for the next turn. */
function arrivalsIn(
  tx: Tx,
  ctx: Ctx,
  place: SessionPlace,
  waiting: WaitingMessage[],
): Arrivals & { left: () => WaitingMessage[] } {
  const session = findActiveSession(ctx, place)
  const lengths = turnLengths(waiting, session)
  let length = lengths[0] ?? 0
  let isTaken = false
  return {
    waitMs: () => {
      const settings = effectiveSettings(ctx, place.accountId)
      const waitMs = turnDueAtMs(settings, waiting) - ctx.clock.nowMs()
      if (waitMs > 0) return waitMs
      // Many rules are prepared in steps, between which other work has its turn.
      return settings.chatbot_enabled && !prepareRules(ctx) ? 0 : null
    },
    isBusy: () => {
      if (session === null) return false
      if (session.waitingFor === null) return true
      if (session.waitingFor !== 'http') return false
      const ends = lengths.find((each) =>
        endsCallIn(tx, ctx, place, { session, waiting: waiting.slice(0, each) }),
      )
      length = ends ?? length
      return ends === undefined
    },
    begin: () => {
      const taken = waiting.slice(0, length)
      isTaken = true
      takeFromInboxIn(tx, ctx, place, taken)
      const turn = takeTurn(ctx, taken)
      return turn && { run: newRunIn(tx, ctx, place, { session, turn }), turn }
    },
    left: () => (isTaken ? waiting.slice(length) : []),
  }
}

/** Begins the run of a turn. The result of a call that is under way is no longer waited for. */
function newRunIn(
  tx: Tx,
  ctx: Ctx,
  place: SessionPlace,
  { session: before, turn }: { session: BotSessionRow | null; turn: Turn },
): Run {
  const session = before && sessionOf(before)
  if (session) session.state.run = null
  return beginRun(productionPorts(tx, ctx, { place, before }), session, turn)
}

/** Whether waiting messages end a session that waits for a call. */
function endsCallIn(
  tx: Tx,
  ctx: Ctx,
  place: SessionPlace,
  { session, waiting }: { session: BotSessionRow; waiting: WaitingMessage[] },
): boolean {
  const turn = takeTurn(ctx, waiting)
  return turn !== null && endsSession(newRunIn(tx, ctx, place, { session, turn }), turn)
}

/** Returns waiting messages as one turn; `null` if all were deleted. */
function takeTurn(ctx: Ctx, waiting: WaitingMessage[]): Turn | null {
  const ids = waiting.map(({ messageId }) => messageId)
  const found = messagesOfTurn(ctx, ids)
  if (found.length === 0) return null
  const oldestMs = ctx.clock.nowMs() - TOO_OLD_MS
  const fresh = found.filter(({ timestampMs }) => timestampMs >= oldestMs)
  const isConsentWord = waiting.some((row) => row.isConsentWord)
  return turnOf(fresh.length > 0 ? fresh : found, isConsentWord)
}

/**
 * Continues a session at a step, in the transaction of the job. Does nothing if the session has
 * moved on since. Waits while a message of the bot to the contact is not confirmed.
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
  if (findHoldingTransfer(ctx, before.contactId)) {
    endSessionIn(tx, ctx, before, { status: 'transferred', reason: 'transfer_active' })
    return undefined
  }
  const outcomeMs = outcomeWaitMs(ctx, before)
  if (outcomeMs !== null) return awaitOutcomeIn(tx, ctx, session, outcomeMs)
  session.state.awaitsOutcome = false
  if (paused?.point.at === 'rule' && !prepareRules(ctx)) return { snoozeMs: 0 }
  const place = { contactId: before.contactId, accountId: before.accountId }
  const ports = productionPorts(tx, ctx, { place, before })
  const run = beginRun(ports, session, null)
  const gone = unreachableReason(ctx, before.contactId)
  const halted = haltReasonOf(ctx, before.contactId, { settings: ports.settings, session })
  if (gone !== null) endSilently(run, 'failed', gone)
  else if (halted !== null) endSilently(run, 'cancelled', halted)
  else resumeRun(run, paused?.point ?? { at: 'flow' })
  finishRun(run)
  const isFree = session.waitingFor !== 'http' && session.waitingFor !== null
  if (isFree || session.status !== 'active') wakeInboxIn(tx, ctx, place)
  return undefined
}

/** Ends a session without the messages that were written so far. */
function endSilently(run: Run, status: SessionStatus, reason: string): void {
  run.drafts.length = 0
  run.givesNotice = false
  trace(run, { stage: 'silence', outcome: reason })
  endSession(run, status, reason)
}
