import { and, eq, isNull } from 'drizzle-orm'

import { AppError, InvalidError, NotFoundError } from '../../../../lib/errors'
import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { isObject, objectOf, wordOf, type JsonObject } from '../../../../platform/lenient-json'
import type { AccountRow } from '../../accounts/view'
import { messages } from '../../../inbox/messages/table'
import { requireNotMoving } from '../../../organization/organizations/service'
import { findFlow } from '../state'
import { flows } from '../table'
import { flowTokens } from '../sent-table'
import type { FlowRow } from '../view'
import { decryptRequest, type DecryptedRequest } from './encryption'
import { askCells, openFlowRequest, type EndpointAnswer } from './pass-on'
import { exchange } from './exchange'
import { logExchange } from './log'
import {
  type EndpointRequest,
  findAddressee,
  decryptionFailed,
  readSigned,
  readEncrypted,
  parse,
  keysOf,
} from './open-request'

const EXPIRED = 'This form is no longer open. Ask for a new one in the chat.'

/**
 * Answers a data exchange request, with checks in the order of the contract (templates, flows,
 * campaigns B): 404 unknown account, 432 signature, 400 malformed, 421 not decryptable, 503 while the
 * organization moves, 427 unknown token, else 200. Throws AppError for all but the last two. Passes a
 * request on if another cell has the account.
 */
export async function answerEndpoint(
  deps: Deps,
  request: EndpointRequest,
): Promise<EndpointAnswer> {
  const { account, cells } = findAddressee(deps, request.accountId)
  const bytes = await readSigned(deps, account, request)
  if (account === null || cells.length > 0)
    return askCells(deps, cells, { accountId: request.accountId, bytes })
  return answerBytes(deps, account, bytes)
}

/**
 * Answers a data exchange request that another cell passed on, which has verified its signature. It is
 * not passed on again. Throws like `answerEndpoint`.
 */
export async function answerForCell(
  deps: Deps,
  { bytes, headers }: { bytes: Uint8Array; headers: Headers },
): Promise<EndpointAnswer> {
  const { account: accountId, body } = openFlowRequest(deps, { bytes, headers })
  const { account, cells } = findAddressee(deps, accountId)
  if (account === null || cells.length > 0) throw new NotFoundError('Flow endpoint')
  try {
    return await answerBytes(deps, account, body)
  } catch (error) {
    if (error instanceof AppError && error.httpStatus === 421) return { status: 421, body: '' }
    throw error
  }
}

async function answerBytes(
  deps: Deps,
  account: AccountRow,
  bytes: Uint8Array,
): Promise<EndpointAnswer> {
  const opened = await decryptRequest(readEncrypted(bytes), keysOf(deps, account))
  if (opened === null) throw decryptionFailed()
  return await answerDecrypted(systemCtx(deps, account.organizationId), account, opened)
}

/** A sent Flow that is still open. */
interface OpenFlow {
  flow: FlowRow
  contactId: string
  messageId: string
}

async function answerDecrypted(
  ctx: Ctx,
  account: AccountRow,
  { text, seal }: DecryptedRequest,
): Promise<EndpointAnswer> {
  const request = parse(new TextEncoder().encode(text))
  if (!isObject(request))
    throw new InvalidError('The decrypted body is not a JSON object.', { code: 'malformed_json' })
  const action = wordOf(request['action']) ?? ''
  const answered = async (
    status: EndpointAnswer['status'],
    answer: unknown,
  ): Promise<EndpointAnswer> => ({
    status,
    body: await seal(JSON.stringify(answer)),
  })
  if (action.toLowerCase() === 'ping') return await answered(200, { data: { status: 'active' } })
  requireNotMoving(ctx, ctx.organizationId)
  const token = wordOf(request['flow_token']) ?? ''
  const sent = findOpenFlow(ctx, account, token)
  if (wordOf(objectOf(request['data'])['error']) !== null) {
    logClientError(ctx, sent, request)
    return await answered(200, { data: { acknowledged: true } })
  }
  if (sent === null) return await answered(427, { error_msg: EXPIRED })
  return await answered(200, await runExchange(ctx, sent, { account, token, action, request }))
}

/** Returns the sent Flow of a token, unless it is expired, deleted or of another phone number. */
function findOpenFlow(ctx: Ctx, account: AccountRow, token: string): OpenFlow | null {
  const found = ctx.db.orm
    .select({
      flowId: flowTokens.flowId,
      messageId: flowTokens.messageId,
      expiresAtMs: flowTokens.expiresAtMs,
      contactId: messages.contactId,
    })
    .from(flowTokens)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, flowTokens.organizationId),
        eq(messages.id, flowTokens.messageId),
      ),
    )
    .innerJoin(
      flows,
      and(eq(flows.organizationId, flowTokens.organizationId), eq(flows.id, flowTokens.flowId)),
    )
    .where(
      inOrganization(
        ctx,
        flowTokens,
        and(
          eq(flowTokens.token, token),
          eq(flowTokens.accountId, account.id),
          isNull(flows.deletedAtMs),
        ),
      ),
    )
    .get()
  if (!found || found.expiresAtMs <= ctx.clock.nowMs()) return null
  const flow = findFlow(ctx, found.flowId)
  return flow && { flow, contactId: found.contactId, messageId: found.messageId }
}

/** Logs that the phone could not use an answer. */
function logClientError(ctx: Ctx, sent: OpenFlow | null, request: JsonObject): void {
  const { error, error_message: message } = objectOf(request['data'])
  const said = [wordOf(error), wordOf(message)].filter((word) => word !== null).join(': ')
  ctx.log.warn(
    { organization_id: ctx.organizationId, flow_id: sent?.flow.id ?? null, error: wordOf(error) },
    'a phone could not use the response of a flow endpoint',
  )
  if (sent)
    logExchange(ctx, {
      flowId: sent.flow.id,
      atMs: ctx.clock.nowMs(),
      action: wordOf(request['action']) ?? 'error',
      screen: wordOf(request['screen']),
      outcome: 'acknowledged',
      durationMs: 0,
      error: said.slice(0, 500),
    })
}

async function runExchange(
  ctx: Ctx,
  { flow, contactId, messageId }: OpenFlow,
  {
    account,
    token,
    action,
    request,
  }: { account: AccountRow; token: string; action: string; request: JsonObject },
): Promise<Record<string, unknown>> {
  const atMs = ctx.clock.nowMs()
  const screen = wordOf(request['screen'])
  const question = {
    contactId,
    messageId,
    accountId: account.id,
    flowToken: token,
    action,
    screen,
    data: objectOf(request['data']),
  }
  const { answer, outcome, error } = await exchange(ctx, flow, question)
  logExchange(ctx, {
    flowId: flow.id,
    atMs,
    action: action || 'none',
    screen,
    outcome,
    durationMs: ctx.clock.nowMs() - atMs,
    error,
  })
  return answer
}
