import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { callProvider, reserveAnswer, settleAnswer, type AiQuestion } from '../../ai/answer'
import { nodeOf, type NodeOf } from '../bot-flows/graph'
import { askApi, buildRequest, requestConfigOf } from '../engine/api-request'
import { NO_RESULT, type CallResult, type PendingCall, type Session } from '../engine/model'
import type { Ports } from '../engine/ports'
import { resultOf } from '../engine/production/ask-provider'
import { dataOf } from '../engine/template-data'
import { headersIn, type PreviewFlow } from './flow'
import { NO_FILE, type Recorder } from './recorder'

export interface PreviewCall {
  session: Session
  call: PendingCall
  ports: Ports
  recorder: Recorder
  flow: PreviewFlow | null
  accountId: string | null
  contactId: string | null
  executes: { http: boolean; ai: boolean }
}

/** The answer of an AI that a preview does not ask. */
const PLACEHOLDER = '(answer of the AI)'

/** Makes a call of a preview, or answers in its place. */
export async function performCall(ctx: Ctx, at: PreviewCall): Promise<CallResult> {
  switch (at.call.kind) {
    case 'file':
      return { ...NO_RESULT, isOk: true, mediaId: NO_FILE }
    case 'ai':
      return at.executes.ai
        ? await askProvider(ctx, at)
        : { ...NO_RESULT, isOk: true, verdict: 'answer', text: PLACEHOLDER }
    case 'http':
      return await callApi(ctx, at)
  }
}

async function callApi(ctx: Ctx, at: PreviewCall): Promise<CallResult> {
  const { session, ports, call } = at
  const version =
    session.flowId === null || session.flowVersion === null
      ? null
      : ports.flowVersion(session.flowId, session.flowVersion)
  const node = version && session.node !== null ? nodeOf(version.graph, session.node) : null
  if (!version || node?.type !== 'api_call') return { ...NO_RESULT, error: 'flow_gone' }
  const { flowId } = version
  const headers = headersIn(ctx, at.flow, { flowId, version: version.version, nodeId: node.id })
  const built = buildRequest(
    ctx.liquid,
    requestConfigOf(node.config, headers, `${session.id}-${call.key}`),
    dataOf(ports, { session, turn: session.state.run?.turn ?? null }),
  )
  if ('problem' in built) return { ...NO_RESULT, error: built.problem }
  const { url, sends } = built.request
  at.recorder.record('request', { node_id: node.id, method: sends.method, url, body: sends.body })
  return at.executes.http ? await askApi(ctx.fetchGuarded, built.request) : answered(node)
}

/** The result of a request that is not made: all its variables are nil. */
const answered = ({ config }: NodeOf<'api_call'>): CallResult => ({
  ...NO_RESULT,
  isOk: true,
  status: 200,
  values: Object.fromEntries(Object.keys(config.response_mapping).map((name) => [name, null])),
})

async function askProvider(
  ctx: Ctx,
  { session, call, accountId, contactId }: PreviewCall,
): Promise<CallResult> {
  const prompt = call.subject['prompt'] ?? ''
  const question: AiQuestion = {
    purpose: 'preview',
    accountId,
    contactId,
    text: prompt === '' ? (session.state.run?.turn?.text ?? '') : prompt,
    isTheirText: false,
    messageIds: [],
    history: [],
  }
  const reserved = transact(ctx.db, (tx) => reserveAnswer(tx, ctx, question))
  if (reserved.kind === 'refused') return { ...NO_RESULT, error: reserved.reason }
  const { callId } = reserved
  const result = await callProvider(ctx, callId, question)
  return transact(ctx.db, (tx) => resultOf(settleAnswer(tx, ctx, { callId, question, result })))
}
