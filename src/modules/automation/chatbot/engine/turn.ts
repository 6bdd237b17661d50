import { HOUR_MS } from '../../../../lib/clock'
import { askAi, takeAiAnswer } from './ai-answer'
import { answerWith } from './answer-rule'
import type { Candidate, Candidates } from './candidates'
import { isClosed, refusesTransfers, sayClosed } from './closed'
import { answerNode, isTapOnNode } from './flow/answer'
import { resumeNode } from './flow/advance'
import { cancelFlow } from './flow/end'
import type { Interrupted, RunPoint, Session, TraceRow, Turn } from './model'
import { settingMessage } from './render'
import { endSession, isDisabled, openSession, trace, waitFor, write, type Run } from './run'
import { timerOf } from './table'
import { transferOut } from './transfer-out'
import { candidatesOf, isCancelled, isTooOld, personWanted, precedesFlow } from './words'

/** The messages of a contact that wait for the bot. */
export interface Arrivals {
  /** Milliseconds after which to look again, as the customer may still be writing; else `null`. */
  waitMs: () => number | null
  /** Whether a run of the contact is under way that the messages do not end. */
  isBusy: () => boolean
  /** Takes the messages as one turn and begins its run; `null` if none is left. */
  begin: () => { run: Run; turn: Turn } | null
}

/** Arrivals of a turn that is ready. */
export const readyArrivals = (run: Run, turn: Turn): Arrivals => ({
  waitMs: () => null,
  isBusy: () => false,
  begin: () => ({ run, turn }),
})

/**
 * Answers what a customer wrote. These are the steps of one inbound message in their order
 * (automation contract 5); each may end the turn. Returns the run, which the caller finishes, or how
 * long to wait; `null` if there is nothing to answer.
 */
export function runTurn(arrivals: Arrivals): Run | { waitMs: number } | null {
  // 1. Debounce: the customer may still be writing.
  const waitMs = arrivals.waitMs()
  if (waitMs !== null) return { waitMs }
  // 2. One run at a time: the one that is under way takes the messages when it ends. Words to cancel
  // and for a person end it.
  if (arrivals.isBusy()) return null
  const begun = arrivals.begin()
  if (begun === null) return null
  const { run, turn } = begun
  const { ports } = run
  if (isTooOld(ports, turn)) return stop(run, 'received', 'too_old')
  // 3. Words to opt in or out are recorded and confirmed when they arrive.
  if (turn.isConsentWord) return stopForConsent(run, turn)
  // 4. A person or another app answers the contact.
  const silence = ports.silenceReason()
  if (silence !== null) return stop(run, 'silence', silence)
  // 5. The bot is off.
  if (isDisabled(run)) return refuseDisabled(run)
  run.givesNotice = ports.settings.out_of_hours_notice
  const candidates = candidatesOf(run, turn)
  if (candidates.note) trace(run, { stage: 'rules', ...candidates.note })
  // 6. The customer asks for a person.
  if (asksForPerson(run, turn, candidates)) return run
  // 7. Closed, and nothing answers then.
  if (isClosed(run)) return refuseClosed(run)
  // 8. A flow waits for an answer.
  if (run.session && run.session.flowId !== null)
    return answerFlow(run, run.session, turn, candidates)
  // 9. A new session begins with the greeting.
  if (!run.session) greet(run)
  // 10. Rules and triggers of flows.
  if (answerFromRules(run, candidates)) return run
  if (run.session) run.session.state.question = turn.text ?? run.session.state.question
  // 11. The AI.
  if (askAi(run, turn)) return run
  // 12. The fallback.
  return fallBack(run, turn)
}

/** Continues a run that waited for a call, for a time, or for other work. */
export function resumeRun(run: Run, point: RunPoint): void {
  if (!run.session) return
  if (point.at === 'flow') return resumeNode(run, run.session)
  if (!run.turn) return
  if (point.at === 'rule') {
    const rest = candidatesFrom(run, run.turn, point.ruleId)
    if (point.interrupted) resumeInterrupted(run, run.session, rest, point.interrupted)
    else if (!answerFromRules(run, rest) && !askAi(run, run.turn)) fallBack(run, run.turn)
    return
  }
  if (!takeAiAnswer(run)) fallBack(run, run.turn)
}

/**
 * Returns the rule that waited for its file and the candidates after it. If it no longer matches, its
 * file is of no use, and all candidates are tried.
 */
function candidatesFrom(run: Run, turn: Turn, ruleId: string): Candidates {
  const { found, note } = candidatesOf(run, turn)
  const from = found.findIndex((each) => each.kind === 'rule' && each.rule.id === ruleId)
  if (from === -1) run.result = null
  return { note, found: found.slice(Math.max(0, from)) }
}

/** Goes on in the middle of a flow after a rule waited for its file. The flow waits as before. */
function resumeInterrupted(
  run: Run,
  session: Session,
  rest: Candidates,
  { waitingFor, expiresAtMs }: Interrupted,
): void {
  session.waitingFor = waitingFor
  session.expiresAtMs = expiresAtMs
  if (run.turn) answerFlow(run, session, run.turn, rest)
  // The job of the delay belonged to an earlier step.
  if (session.waitingFor === 'timer') run.ports.continueAt(session, timerOf(session.expiresAtMs))
}

/** Ends a turn without an answer. */
function stop(run: Run, stage: TraceRow['stage'], outcome: string): Run {
  trace(run, { stage, outcome, input: run.turn?.text ?? null })
  return run
}

/** Step 3: the confirmation is the answer. A flow that the word cancels says nothing more. */
function stopForConsent(run: Run, turn: Turn): Run {
  stop(run, 'consent', 'consent_word')
  if (isCancelled(run, turn)) endSession(run, 'cancelled', 'cancel_word')
  return run
}

/** Step 5: a person answers instead, or nobody. While it is closed, the customer is told. */
function refuseDisabled(run: Run): Run {
  const { disabled_action: action, out_of_hours_notice: isTold } = run.ports.settings
  if (action === 'none') {
    if (isTold && !run.ports.isOpenNow()) refuseClosed(run)
    else stop(run, 'disabled', 'disabled')
    endSession(run, 'cancelled', 'chatbot_disabled')
    return run
  }
  if (refusesTransfers(run)) return refuseClosed(run)
  const row = trace(run, { stage: 'disabled', outcome: 'transfer', input: run.turn?.text ?? null })
  transferOut(run, { source: 'chatbot_disabled', teamId: null, notes: null }, { row })
  return run
}

/** Step 7: the message for closed hours, once. */
function refuseClosed(run: Run): Run {
  sayClosed(run, { isAsked: false })
  return run
}

/** Step 6, also in the middle of a flow. Reports whether it ended the turn. */
function asksForPerson(run: Run, turn: Turn, candidates: Candidates): boolean {
  const wanted = personWanted(run, turn, candidates)
  if (!wanted) return false
  const { rule } = wanted
  if (refusesTransfers(run)) {
    sayClosed(run, { isAsked: true })
    return true
  }
  const row = trace(run, {
    stage: 'transfer',
    outcome: rule ? `rule:${rule.rule.id}` : 'transfer_word',
    input: turn.text,
  })
  if (rule) answerWith(run, rule, row)
  else transferOut(run, { source: 'keyword', teamId: null, notes: null }, { row })
  run.isAnswered = true
  return true
}

/**
 * Step 8: words to cancel, rules that interrupt, else the node that waits. A flow that was started
 * since then is the answer itself.
 */
function answerFlow(run: Run, session: Session, turn: Turn, candidates: Candidates): Run {
  if (precedesFlow(session, turn)) {
    run.isAnswered = true
    return stop(run, 'flow', 'before_flow')
  }
  if (isCancelled(run, turn)) cancelFlow(run, session, turn)
  else if (isTapOnNode(run, session, turn)) answerNode(run, session, turn)
  else if (interruptFlow(run, session, candidates)) return run
  else if (session.waitingFor === 'timer') return stop(run, 'flow', 'waiting_for_timer')
  else answerNode(run, session, turn)
  return run
}

/** Answers with the first rule that may interrupt flows and can answer. Reports whether one did. */
function interruptFlow(run: Run, session: Session, { found }: Candidates): boolean {
  const { waitingFor, expiresAtMs } = session
  for (const candidate of found) {
    if (candidate.kind !== 'rule' || !candidate.rule.interruptsFlow) continue
    const row = trace(run, {
      stage: 'rules',
      outcome: nameOf(candidate),
      input: run.turn?.text ?? null,
    })
    const result = answerWith(run, candidate, row)
    if (result === 'skipped') continue
    run.isAnswered = result === 'answered'
    // The flow waits on, from this message. A rule that begins a flow replaces it.
    if (result === 'answered' && candidate.rule.responseType !== 'flow')
      waitFor(run, session, waitingFor, timerOf(expiresAtMs))
    return true
  }
  return false
}

/** Step 9: begins a session. The greeting is kept, so that the answer joins it. */
function greet(run: Run): void {
  const { ports } = run
  const { settings } = ports
  const session = openSession(run)
  waitFor(run, session, 'reply')
  const greeting = settingMessage(run, settings.greeting_message, settings.greeting_buttons)
  const sinceMs = ports.nowMs() - settings.greeting_every_hours * HOUR_MS
  const isGreeted = greeting !== null && ports.wasGreetedSince(sinceMs)
  const outcome = isGreeted ? 'greeted_before' : 'greeted'
  const row = trace(run, { stage: 'greeting', outcome: greeting === null ? 'none' : outcome })
  if (greeting === null || isGreeted) return
  ports.markGreeted()
  write(run, greeting, row)
}

/** Step 10: the first that can answer answers. */
function answerFromRules(run: Run, candidates: Candidates): boolean {
  for (const candidate of candidates.found) {
    if (candidate.kind === 'rule' && candidate.rule.responseType === 'transfer') continue
    const row = trace(run, {
      stage: 'rules',
      outcome: nameOf(candidate),
      input: run.turn?.text ?? null,
    })
    const result = answerWith(run, candidate, row)
    if (result === 'waits') return true
    if (result !== 'answered') continue
    run.isAnswered = true
    const { session } = run
    if (session) session.state.question = null
    if (session?.status === 'active' && session.flowId === null) waitFor(run, session, 'reply')
    return true
  }
  return false
}

const nameOf = (candidate: Candidate): string =>
  candidate.kind === 'rule' ? `rule:${candidate.rule.id}` : `flow:${candidate.flowId}`

/** Step 12: the greeting is the answer, or the fallback is sent, if there is one, and counted. */
function fallBack(run: Run, turn: Turn): Run {
  const { ports, session } = run
  const { settings } = ports
  if (session) waitFor(run, session, 'reply')
  // Only a new session has a greeting among what is written.
  if (run.drafts.length > 0) {
    trace(run, { stage: 'fallback', outcome: 'greeting_answers' })
    run.isAnswered = true
    return run
  }
  if (turn.text === null && !settings.fallback_on_media) return stop(run, 'fallback', 'no_match')
  const count = (session?.state.fallbacks ?? 0) + 1
  if (session) session.state.fallbacks = count
  const isLast =
    settings.fallback_transfer_after !== null && count >= settings.fallback_transfer_after
  if (isLast && !refusesTransfers(run)) {
    const row = trace(run, { stage: 'fallback', outcome: 'fallback_transfer', input: turn.text })
    transferOut(run, { source: 'fallback', teamId: null, notes: null }, { row })
    return run
  }
  const fallback = settingMessage(run, settings.fallback_message, settings.fallback_buttons)
  if (fallback === null) stop(run, 'fallback', 'no_match')
  else
    write(run, fallback, trace(run, { stage: 'fallback', outcome: 'fallback', input: turn.text }))
  if (isLast) sayClosed(run, { isAsked: fallback === null })
  return run
}
