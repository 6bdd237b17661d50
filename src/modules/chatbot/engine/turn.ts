import { MINUTE_MS } from '../../../lib/clock'
import { hasWholeWords, normalText } from '../../../lib/whole-words'
import { askAi, takeAiAnswer } from './ai-answer'
import { answerWith, transferRuleIn } from './answer-rule'
import type { Candidate, Candidates } from './candidates'
import { isClosed, refusesTransfers, sayClosed } from './closed'
import { buttonsMessage } from './drafts'
import { answerNode, isCancelWord } from './flow/answer'
import { resumeNode } from './flow/advance'
import { cancelFlow } from './flow/end'
import type { RunPoint, Session, TraceRow, Turn } from './model'
import { openSession, trace, waitFor, write, type Run } from './run'
import { transferOut } from './transfer-out'

/** Age from which a message gets no automatic answer, milliseconds. */
export const TOO_OLD_MS = 30 * MINUTE_MS

/**
 * Answers a turn of a customer. These are the steps of one inbound message in their order (automation
 * contract 5); each may stop it. Steps 1 and 2, the debounce and one run at a time, are in
 * `takeTurn`, which hands over the turn.
 */
export function runTurn(run: Run, turn: Turn): void {
  const { ports } = run
  if (turn.atMs < ports.nowMs() - TOO_OLD_MS) return stop(run, 'received', 'too_old')
  // 3. Words to opt in or out are recorded and confirmed when they arrive.
  if (turn.isConsentWord) return stop(run, 'consent', 'consent_word')
  // 4. A person or another app answers the contact.
  const silence = ports.silenceReason()
  if (silence !== null) return stop(run, 'silence', silence)
  // 5. The bot is off.
  if (!ports.settings.chatbot_enabled) return refuseDisabled(run)
  const candidates = ports.candidates(turn)
  for (const note of candidates.notes) trace(run, { stage: 'rules', outcome: note })
  // 6. The customer asks for a person.
  if (asksForPerson(run, turn, candidates)) return undefined
  // 7. Closed, and nothing answers then.
  if (isClosed(run)) return sayClosed(run)
  // 8. A flow waits for an answer.
  if (run.session && run.session.flowId !== null)
    return answerFlow(run, run.session, turn, candidates)
  // 9. A new session begins with the greeting.
  if (!run.session) greet(run)
  // 10. Rules and triggers of flows.
  if (answerFromRules(run, candidates)) return undefined
  // 11. and 12. The AI, else the fallback.
  return askAi(run, turn) ? undefined : fallBack(run, turn)
}

/** Continues a run that waited for a call, for a time, or for other work. */
export function resumeRun(run: Run, point: RunPoint): void {
  if (!run.session) return
  if (point.at === 'flow') return resumeNode(run, run.session)
  if (!run.turn) return
  if (point.at === 'rule') {
    const candidates = run.ports.candidates(run.turn)
    const from = candidates.found.findIndex(
      (candidate) => candidate.kind === 'rule' && candidate.rule.id === point.ruleId,
    )
    const rest = { ...candidates, found: from === -1 ? [] : candidates.found.slice(from) }
    if (answerFromRules(run, rest) || askAi(run, run.turn)) return
    return fallBack(run, run.turn)
  }
  if (!takeAiAnswer(run)) fallBack(run, run.turn)
}

/** Ends a turn without an answer. */
function stop(run: Run, stage: TraceRow['stage'], outcome: string): void {
  trace(run, { stage, outcome, input: run.turn?.text ?? null })
}

function refuseDisabled(run: Run): void {
  if (run.ports.settings.disabled_action === 'none') return stop(run, 'disabled', 'disabled')
  if (refusesTransfers(run)) return sayClosed(run)
  stop(run, 'disabled', 'transfer')
  transferOut(run, { source: 'chatbot_disabled', teamId: null, notes: null })
}

/** Step 6, also in the middle of a flow. Reports whether it ended the turn. */
function asksForPerson(run: Run, turn: Turn, candidates: Candidates): boolean {
  const { ports } = run
  const text = turn.text === null ? '' : normalText(turn.text)
  const word = ports.settings.transfer_keywords.find((each) =>
    hasWholeWords(text, normalText(each)),
  )
  const rule = word === undefined ? transferRuleIn(candidates) : null
  if (word === undefined && rule === null) return false
  if (refusesTransfers(run)) {
    sayClosed(run)
    return true
  }
  const row = trace(run, {
    stage: 'transfer',
    outcome: rule ? `rule:${rule.rule.id}` : 'transfer_word',
    input: turn.text,
  })
  if (rule) answerWith(run, rule, row)
  else transferOut(run, { source: 'keyword', teamId: null, notes: null })
  run.isAnswered = true
  return true
}

/** Step 8. */
function answerFlow(run: Run, session: Session, turn: Turn, candidates: Candidates): void {
  if (isCancelWord(run, session, turn)) return cancelFlow(run, session, turn)
  const interrupting = candidates.found.find(
    (candidate) => candidate.kind === 'rule' && candidate.rule.interruptsFlow,
  )
  if (interrupting?.kind === 'rule') {
    const row = trace(run, {
      stage: 'rules',
      outcome: `rule:${interrupting.rule.id}`,
      input: turn.text,
    })
    const { waitingFor } = session
    const result = answerWith(run, interrupting, row)
    if (result !== 'skipped') {
      run.isAnswered = result === 'answered'
      // The flow waits on, from this message. A rule that begins a flow replaces it.
      if (result === 'answered' && interrupting.rule.responseType !== 'flow')
        waitFor(run, session, waitingFor, session.expiresAtMs)
      return
    }
  }
  if (session.waitingFor === 'timer') return stop(run, 'flow', 'waiting_for_timer')
  answerNode(run, session, turn)
}

/** Step 9: begins a session. The greeting is kept, so that the answer joins it. */
function greet(run: Run): void {
  const { settings } = run.ports
  const session = openSession(run)
  waitFor(run, session, 'reply')
  const row = trace(run, {
    stage: 'greeting',
    outcome: settings.greeting_message === null ? 'none' : 'greeted',
  })
  if (settings.greeting_message === null) return
  write(
    run,
    buttonsMessage({ body: settings.greeting_message, buttons: settings.greeting_buttons }),
    row,
  )
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
    if (session?.status === 'active' && session.flowId === null) waitFor(run, session, 'reply')
    return true
  }
  return false
}

const nameOf = (candidate: Candidate): string =>
  candidate.kind === 'rule' ? `rule:${candidate.rule.id}` : `flow:${candidate.flowId}`

/** Step 12: the greeting is the answer, or the fallback is sent and counted. */
function fallBack(run: Run, turn: Turn): void {
  const { ports, session } = run
  const { settings } = ports
  if (session) waitFor(run, session, 'reply')
  // Only a new session has a greeting among what is written.
  if (run.drafts.length > 0) {
    trace(run, { stage: 'fallback', outcome: 'greeting_answers' })
    run.isAnswered = true
    return
  }
  const isSilent = turn.text === null && !settings.fallback_on_media
  if (isSilent || settings.fallback_message === null) {
    trace(run, { stage: 'fallback', outcome: 'no_match', input: turn.text })
    return
  }
  const count = (session?.state.fallbacks ?? 0) + 1
  if (session) session.state.fallbacks = count
  const isLast =
    settings.fallback_transfer_after !== null && count >= settings.fallback_transfer_after
  const isRefused = isLast && refusesTransfers(run)
  const row = trace(run, {
    stage: 'fallback',
    outcome: isLast && !isRefused ? 'fallback_transfer' : 'fallback',
    input: turn.text,
  })
  write(
    run,
    buttonsMessage({ body: settings.fallback_message, buttons: settings.fallback_buttons }),
    row,
  )
  if (!isLast) return
  if (isRefused) sayClosed(run)
  else transferOut(run, { source: 'fallback', teamId: null, notes: null })
}
