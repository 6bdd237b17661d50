import { refusesTransfers, sayClosed } from './closed'
import { textMessage } from './drafts'
import type { CallResult, Turn } from './model'
import { renderText } from './render'
import { pauseRun, trace, waitFor, write, type Run } from './run'
import { transferOut } from './transfer-out'

/** Step 11: asks the AI provider, if there is one. Reports whether the turn waits for its answer. */
export function askAi(run: Run, turn: Turn): boolean {
  const { ports, session } = run
  if (!ports.settings.ai_enabled || turn.text === null || !session) return false
  session.steps += 1
  const row = trace(run, { stage: 'ai', outcome: 'asked', input: turn.text })
  const call = { kind: 'ai' as const, key: session.steps, subject: { prompt: '' } }
  const refused = pauseRun(run, { at: 'ai' }, call)
  if (!refused) return true
  row.outcome = 'not_asked'
  row.error = refused.refusal
  return false
}

/** Returns what an AI provider answered; the organization's text about other topics is a template. */
export const aiText = (run: Run, { verdict, text }: CallResult): string | null =>
  verdict === 'off_topic' ? renderText(run, text) : text

/** Takes the answer of the AI provider. Reports whether it answers the turn. */
export function takeAiAnswer(run: Run): boolean {
  const { session, result } = run
  run.result = null
  if (!session || !result) return false
  if (result.verdict === 'handover') {
    const row = trace(run, { stage: 'ai', outcome: 'handover' })
    if (refusesTransfers(run)) {
      sayClosed(run, { isAsked: true })
      waitFor(run, session, 'reply')
      return true
    }
    run.isAnswered = true
    transferOut(run, { source: 'ai', teamId: null, notes: null }, { row })
    return true
  }
  const text = aiText(run, result)
  const row = trace(run, {
    stage: 'ai',
    outcome: result.isOk && text !== null ? (result.verdict ?? 'answer') : 'no_answer',
    error: result.error,
  })
  if (!result.isOk || text === null) return false
  write(run, textMessage(text), row, result.model)
  run.isAnswered = true
  waitFor(run, session, 'reply')
  return true
}
