import { isoTime } from '../../../../lib/clock'
import { NEW_STATE, type Session, type TraceRow } from '../engine/model'
import type { TurnMessage } from '../engine/production/read-turn'
import type { TraceEntry } from '../sessions/model'
import type { PreviewMessage, PreviewSession } from './model'

/** Returns the session of an earlier preview as the engine works on it. */
export const readSession = (given: PreviewSession, nowMs: number): Session => ({
  id: given.id,
  status: given.status,
  waitingFor: given.waiting_for,
  flowId: given.current_flow_id,
  flowVersion: given.flow_version,
  node: given.current_step,
  variables: given.variables,
  state: {
    ...NEW_STATE,
    seq: given.seq,
    retries: given.retries,
    choices: given.choices,
    fallbacks: given.fallbacks,
    question: given.question ?? null,
    isDisclosed: given.is_disclosed,
    aiVariables: given.ai_variables ?? {},
  },
  steps: given.steps,
  firstMessageId: null,
  startedAtMs: nowMs,
  lastActivityMs: nowMs,
  expiresAtMs: null,
  endedAtMs: null,
  endReason: given.end_reason,
  messages: 0,
  botMessages: 0,
  botTurns: 0,
  hasAnswered: false,
})

/** Returns a session for the next preview. */
export const writeSession = (
  { state, ...session }: Session,
  { isGreeted, language }: { isGreeted: boolean; language: string | null },
): PreviewSession => ({
  id: session.id,
  status: session.status,
  waiting_for: session.waitingFor,
  current_flow_id: session.flowId,
  flow_version: session.flowVersion,
  current_step: session.node,
  variables: session.variables,
  steps: session.steps,
  seq: state.seq,
  retries: state.retries,
  choices: state.choices,
  fallbacks: state.fallbacks,
  question: state.question,
  language,
  is_disclosed: state.isDisclosed,
  ai_variables: { ...state.aiVariables },
  is_greeted: isGreeted,
  end_reason: session.endReason,
})

/** Returns a message of a preview as a stored one. */
export function messageOf(message: PreviewMessage, id: string, atMs: number): TurnMessage {
  const at = { id, mediaId: null, timestampMs: atMs }
  if (typeof message === 'string') return { ...at, type: 'text', content: { text: message } }
  if ('text' in message) return { ...at, type: 'text', content: { text: message.text } }
  if ('media' in message) return { ...at, type: message.media.type, content: message.media }
  if ('location' in message) return { ...at, type: 'location', content: message.location }
  if ('contacts' in message) return { ...at, type: 'contacts', content: message }
  if ('order' in message) return { ...at, type: 'order', content: message.order }
  const content =
    'button_id' in message
      ? { kind: 'button_reply', id: message.button_id, title: message.title ?? message.button_id }
      : { kind: 'flow_reply', flow_id: message.flow_id ?? null, data: message.form }
  return { ...at, type: 'interactive', content }
}

/** Returns a trace row as the API shows it. */
export const traceEntry = (row: TraceRow): TraceEntry => ({
  seq: row.seq,
  at: isoTime(row.atMs),
  message_id: row.messageId,
  stage: row.stage,
  node_id: row.nodeId,
  node_type: row.nodeType,
  input: row.input,
  outcome: row.outcome,
  next_node: row.nextNode,
  sent_message_ids: row.sentMessageIds,
  duration_ms: row.durationMs,
  error: row.error,
})
