import { giveNotice } from './closed'
import type { Session, TraceRow } from './model'
import { failureMessage } from './own-words'
import { endSession, trace, write, type Run } from './run'

/** Sends what was written, and stores the session, its trace and the state of the conversation. */
export function finishRun(run: Run): void {
  const { session, ports } = run
  giveNotice(run)
  sendDrafts(run)
  if (session?.status === 'failed') tellOfFailure(run, session)
  if (session) {
    session.lastActivityMs = ports.nowMs()
    session.messages += run.received
    if (run.turn) session.state.isAnswered = run.isAnswered
    if (run.isAnswered) {
      session.state.fallbacks = 0
      session.hasAnswered = true
    }
    ports.saveSession(session)
  }
  ports.saveTrace(session, run.rows)
  settleConversation(run)
}

/** Reasons for which a session fails although nothing is wrong with its flow. */
const UNREACHABLE: ReadonlySet<string | null> = new Set(['contact_blocked', 'contact_deleted'])

/**
 * Tells the customer once that the bot cannot go on, and those who manage it why, and whether the
 * customer was told. A session in a loop has said so, and a contact that is gone hears nothing.
 */
function tellOfFailure(run: Run, session: Session): void {
  if (UNREACHABLE.has(session.endReason)) return
  const row = run.rows.find(({ outcome }) => outcome === 'loop_guard') ?? sayFailed(run)
  run.ports.reportFailure(session, { isTold: row.sentMessageIds.length > 0 })
}

/** Sends the fallback or our words, if they can be sent. */
function sayFailed(run: Run): TraceRow {
  const input = failureMessage(run)
  const error = run.ports.refusalOf(input)
  const row = trace(run, { stage: 'fallback', outcome: 'failed', error })
  if (error !== null) return row
  write(run, input, row)
  sendDrafts(run)
  return row
}

/**
 * Sends the drafts. A flow whose message is refused fails. Each message is tried, whatever became of
 * those before it.
 */
function sendDrafts(run: Run): void {
  const { session, ports } = run
  const flowId = session?.flowId ?? null
  for (const { input, seqs, isOfFlow, aiModel } of run.drafts.splice(0)) {
    const sent = ports.send(input, { flowId, aiModel })
    const rows = session ? run.rows.filter(({ seq }) => seqs.includes(seq)) : run.rows.slice(-1)
    const earlier = seqs.filter((seq) => !rows.some((row) => row.seq === seq))
    if ('refusal' in sent) {
      for (const row of rows) row.error = sent.refusal
      if (session && earlier.length > 0) ports.addRefusal(session, earlier, sent.refusal)
      if (isOfFlow) endSession(run, 'failed', sent.refusal)
      continue
    }
    for (const row of rows) row.sentMessageIds.push(sent.id)
    if (session) countSent(run, session)
    if (session && earlier.length > 0) ports.addSent(session, earlier, sent.id)
  }
}

/** Counts a message that was sent. A run counts once, also if it goes on after a call. */
function countSent(run: Run, session: Session): void {
  session.messages += 1
  session.botMessages += 1
  if (run.hasWritten) return
  session.botTurns += 1
  run.hasWritten = true
  if (session.state.run) session.state.run.hasWritten = true
}

/**
 * Puts the conversation into the state that follows from the run (messaging contract 5). What no
 * session answers any more is left to people.
 */
function settleConversation(run: Run): void {
  const { session, turn, isAnswered, isCancelled, ports } = run
  const isOver = session !== null && session.status !== 'active'
  const isSettled = turn?.isConsentWord === true
  if (!isOver) {
    // A run that waits for a call has not decided yet. Without a session it is a person's turn.
    if (turn && (session === null || session.state.run === null))
      ports.setConversation(isAnswered && session ? 'pending' : 'open', {
        isOnlyIfPending: false,
        isLeft: isUnheard(run) && !isAnswered && !isSettled,
      })
    return
  }
  const { status, state } = session
  const closes =
    status === 'completed' || status === 'timed_out' || (status === 'cancelled' && isCancelled)
  const isUnanswered = turn ? !isAnswered : !state.isAnswered
  // A customer who was told that the bot failed was told, too, that people look at it.
  ports.setConversation(closes && !isUnanswered ? 'closed' : 'open', {
    isOnlyIfPending: !turn,
    isLeft: (isUnanswered || run.isRefused || status === 'failed') && !isSettled,
  })
}

/** Whether a customer heard nothing but that it is closed, and nothing is still to come. */
const isUnheard = ({ session, hasWritten, isRefused }: Run): boolean =>
  session === null || isRefused || (!hasWritten && session.waitingFor !== 'timer')
