import type { FlowVersion } from '../../bot-flows/queries'
import { refusesTransfers } from '../closed'
import type { Session, Turn } from '../model'
import { failureMessage } from '../own-words'
import { renderText } from '../render'
import { endSession, say, trace, write, type Run } from '../run'
import { handOver } from '../transfer-out'
import { orderWebhook } from './webhook'

/** Ends the session at the end of its flow: with its last message and its webhook. */
export function completeFlow(run: Run, session: Session, flow: FlowVersion): void {
  const text = renderText(run, flow.settings.completionMessage)
  if (text !== null) say(run, text, trace(run, { stage: 'flow', outcome: 'completion_message' }))
  const { completion } = flow.settings
  const key = `${session.id}-end`
  const problem =
    completion && orderWebhook(run, session, { flow, nodeId: null, key, config: completion })
  if (problem != null) trace(run, { stage: 'flow', outcome: 'completion_webhook', error: problem })
  // Who has just finished a flow is not welcomed as a stranger.
  if (run.ports.settings.greeting_message !== null) run.ports.markGreeted()
  endSession(run, 'completed', null)
}

/** Ends the session because the customer said so. */
export function cancelFlow(run: Run, session: Session, turn: Turn): void {
  const flow =
    session.flowId === null || session.flowVersion === null
      ? null
      : run.ports.flowVersion(session.flowId, session.flowVersion)
  const row = trace(run, { stage: 'cancel', outcome: 'cancel_word', input: turn.text })
  say(run, renderText(run, flow?.settings.cancelMessage), row)
  run.isAnswered = true
  run.isCancelled = true
  endSession(run, 'cancelled', 'cancel_word')
}

/**
 * Ends a session that goes on for ever or grows too large: with the fallback or our words, or with a
 * transfer if the settings have one after fallbacks, which says enough where there is no fallback.
 */
export function breakLoop(run: Run, error: string): void {
  const { settings } = run.ports
  const row = trace(run, { stage: 'guard', outcome: 'loop_guard', error })
  // What the loop wrote is not sent.
  run.drafts.length = 0
  endSession(run, 'failed', 'loop_guard')
  const transfers = settings.fallback_transfer_after !== null && !refusesTransfers(run)
  if (settings.fallback_message !== null || !transfers) write(run, failureMessage(run), row)
  if (transfers) handOver(run, { source: 'fallback', teamId: null, notes: null }, { row })
}
