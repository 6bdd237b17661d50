import type { NodeOf } from '../../bot-flows/graph'
import { aiText } from '../ai-answer'
import type { CallResult, Session, TraceRow } from '../model'
import { renderText } from '../render'
import { say, type Run } from '../run'
import { refuseTransfer, transferOut } from '../transfer-out'
import type { NodeResult } from './node-result'
import { setVariables } from './guards'

/** Continues after the response of an API: with its variables and its message. */
export function continueHttp(
  run: Run,
  session: Session,
  { config }: NodeOf<'api_call'>,
  { result, row }: { result: CallResult; row: TraceRow },
): NodeResult {
  const error = result.error
  if (!result.isOk)
    return { kind: 'next', outcome: 'http:non2xx', error: error ?? `status ${result.status}` }
  const tooMuch = setVariables(session, result.values)
  if (tooMuch !== null) return { kind: 'loop', error: tooMuch }
  const refusal = say(run, renderText(run, config.message_template), row)
  if (refusal !== null) return { kind: 'next', outcome: 'error', error: refusal }
  return { kind: 'next', outcome: 'http:2xx', error }
}

/** Continues after the answer of an AI provider. A node that stores it does not send it. */
export function continueAi(
  run: Run,
  session: Session,
  { config }: NodeOf<'ai_response'>,
  { result, row }: { result: CallResult; row: TraceRow },
): NodeResult {
  if (result.verdict === 'handover') {
    if (!refuseTransfer(run)) transferOut(run, { source: 'ai', teamId: null, notes: null }, { row })
    return { kind: 'ended' }
  }
  const text = aiText(run, result)
  if (!result.isOk || text === null)
    return { kind: 'next', outcome: 'error', error: result.error ?? 'no answer' }
  if (config.store_as != null) {
    const tooMuch = setVariables(
      session,
      { [config.store_as]: text },
      result.model === null ? {} : { [config.store_as]: result.model },
    )
    if (tooMuch !== null) return { kind: 'loop', error: tooMuch }
    return { kind: 'next', outcome: 'default' }
  }
  const refusal = say(run, text, row, result.model)
  if (refusal !== null) return { kind: 'next', outcome: 'error', error: refusal }
  return { kind: 'next', outcome: 'default' }
}
