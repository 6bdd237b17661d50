import type { Ctx, JobCtx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import {
  callProvider,
  reserveAnswer,
  settleAnswer,
  type AiAnswer,
  type AiQuestion,
} from '../../../ai/answer'
import { hasRoomForCall } from '../../../ai/usage/call-limit'
import { NO_RESULT, type CallResult, type PendingCall, type Session, type Turn } from '../model'
import type { SessionPlace } from './store'

/** A question with its reserved budget. */
interface ReservedQuestion {
  callId: string
  question: AiQuestion
}

/** What the question to the AI provider is made of. */
interface Asked {
  place: SessionPlace
  session: Session
  turn: Turn | null
  /** The prompt of a node; empty for the turn. */
  prompt: string
}

/**
 * Reserves the budget of a question to the AI provider, in the caller's transaction: the prompt of a
 * node, or the customer's turn. Returns the question as JSON, or why it cannot be asked.
 */
export function reserveQuestionIn(
  tx: Tx,
  ctx: Ctx,
  { place, session, turn, prompt }: Asked,
): { reservation: string } | { refusal: string } {
  const text = prompt === '' ? (turn?.text ?? '') : prompt
  if (text === '') return { refusal: 'no_question' }
  const question: AiQuestion = {
    ...place,
    purpose: session.flowId === null ? 'answer' : 'flow',
    text,
    isTheirText: prompt === '',
    messageIds: turn?.messageIds ?? [],
  }
  const reserved = reserveAnswer(tx, ctx, question)
  if (reserved.kind === 'refused') return { refusal: reserved.reason }
  const reservation: ReservedQuestion = { callId: reserved.callId, question }
  return { reservation: JSON.stringify(reservation) }
}

/** Whether a call may be made now. Tests and previews also take of the calls at the same time. */
export const mayAsk = (ctx: Ctx, { kind, reservation }: PendingCall): boolean =>
  kind !== 'ai' ||
  reservation === null ||
  hasRoomForCall(ctx, (JSON.parse(reservation) as ReservedQuestion).callId)

/**
 * Asks the provider. Returns what settles the budget and gives the result, in the caller's
 * transaction.
 */
export async function askProvider(
  ctx: JobCtx,
  { reservation }: PendingCall,
): Promise<(tx: Tx) => CallResult> {
  if (reservation === null) return () => ({ ...NO_RESULT, error: 'not_reserved' })
  const { callId, question } = JSON.parse(reservation) as ReservedQuestion
  const result = await callProvider(ctx, callId, question, ctx.signal)
  return (tx) => resultOf(settleAnswer(tx, ctx, { callId, question, result }))
}

/** Returns an answer of the AI as the result of a call. */
export function resultOf(answer: AiAnswer): CallResult {
  switch (answer.kind) {
    case 'answer':
      return {
        ...NO_RESULT,
        isOk: true,
        verdict: 'answer',
        text: answer.text,
        model: answer.model,
      }
    case 'handover':
      return { ...NO_RESULT, isOk: true, verdict: 'handover' }
    case 'off_topic':
      return { ...NO_RESULT, isOk: true, verdict: 'off_topic', text: answer.text }
    case 'empty':
      return { ...NO_RESULT, error: 'empty' }
    case 'failed':
      return { ...NO_RESULT, error: answer.failure.kind }
  }
}
