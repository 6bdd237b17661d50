import { eq } from 'drizzle-orm'

import { SECOND_MS } from '../../../../../lib/clock'
import { inOrganization, type Ctx, type JobCtx } from '../../../../../infra/ctx'
import { transact, type Tx } from '../../../../../infra/db/transact'
import type { Outcome } from '../../../../../infra/jobs/work'
import { enqueue } from '../../../../../infra/jobs/enqueue'
import { fetchMediaUrl } from '../../../../channel/media/fetch-url'
import type { SentMediaKind } from '../../../../channel/media/prepare-to-send'
import { AppError } from '../../../../../lib/errors'
import { headersOfNode, versionOf } from '../../bot-flows/queries'
import { nodeOf } from '../../bot-flows/graph'
import { RunBotStep } from '../../jobs'
import { askApi, buildRequest, requestConfigOf, type ApiRequest } from '../api-request'
import { NO_RESULT, type CallResult, type PendingCall } from '../model'
import { dataOf } from '../template-data'
import { botSessions } from '../table'
import { askProvider, mayAsk } from './ask-provider'
import { botKey } from './inbox'
import { productionPorts } from './ports'
import { pendingCall, type CallOfStep, type Pending } from './pending-call'

/** Returns the result of a call that gave none. */
export const failedCall = (error: string): CallResult => ({ ...NO_RESULT, error })

/**
 * Makes the call that a session waits for and stores its result, which continues the session. Does
 * nothing if the session has moved on.
 */
export async function makeCall(ctx: JobCtx, at: CallOfStep): Promise<Outcome> {
  const pending = pendingCall(ctx, at)
  if (!pending) return undefined
  if (!mayAsk(ctx, pending.call)) return { snoozeMs: SECOND_MS }
  const settle = await performed(ctx, pending)
  transact(ctx.db, (tx) => storeResultIn(tx, ctx, at, settle(tx)))
  return undefined
}

/** Stores the result of a call and enqueues the next step, unless the session has moved on. */
export function storeResultIn(tx: Tx, ctx: Ctx, at: CallOfStep, result: CallResult): void {
  const pending = pendingCall(ctx, at)
  const run = pending?.session.state.run
  if (!pending || !run) return
  const { row, session } = pending
  const state = { ...session.state, run: { ...run, result } }
  tx.update(botSessions)
    .set({ state: JSON.stringify(state) })
    .where(inOrganization(ctx, botSessions, eq(botSessions.id, row.id)))
    .run()
  enqueue(tx, ctx, RunBotStep, {
    args: { sessionId: row.id, step: row.steps },
    orderingKey: botKey(row.contactId),
  })
}

/** Makes a call. Returns what stores its effects and gives its result, in the caller's transaction. */
async function performed(ctx: JobCtx, pending: Pending): Promise<(tx: Tx) => CallResult> {
  if (pending.call.kind === 'ai') return await askProvider(ctx, pending.call)
  const result =
    pending.call.kind === 'file' ? await fetchFile(ctx, pending.call) : await callApi(ctx, pending)
  return () => result
}

async function callApi(ctx: JobCtx, pending: Pending): Promise<CallResult> {
  const request = requestOf(ctx, pending)
  return 'problem' in request
    ? failedCall(request.problem)
    : await askApi(ctx.fetchGuarded, request.request, ctx.signal)
}

async function fetchFile(ctx: JobCtx, { subject }: PendingCall): Promise<CallResult> {
  try {
    const media = await fetchMediaUrl(ctx, subject['url'] ?? '', subject['kind'] as SentMediaKind, {
      path: 'url',
    })
    return { ...NO_RESULT, isOk: true, mediaId: media.id }
  } catch (error) {
    if (error instanceof AppError) return failedCall(error.code)
    throw error
  }
}

/** Returns the request of the node at which a session waits. */
function requestOf(
  ctx: Ctx,
  { row, session }: Pending,
): { request: ApiRequest } | { problem: string } {
  const { flowId, flowVersion, node: nodeId } = session
  const flow = flowId === null || flowVersion === null ? null : versionOf(ctx, flowId, flowVersion)
  const node = flow && nodeId !== null ? nodeOf(flow.graph, nodeId) : null
  if (!flow || node?.type !== 'api_call') return { problem: 'flow_gone' }
  const place = { contactId: row.contactId, accountId: row.accountId }
  return transact(ctx.db, (tx) => {
    const ports = productionPorts(tx, ctx, { place, before: row })
    return buildRequest(
      ctx.liquid,
      requestConfigOf(
        node.config,
        headersOfNode(ctx, flow, node.id),
        `${row.id}-${session.state.run?.call?.key ?? session.steps}`,
      ),
      dataOf(ports, { session, turn: session.state.run?.turn ?? null }),
    )
  })
}
