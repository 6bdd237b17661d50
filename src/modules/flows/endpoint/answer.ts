import { and, eq, isNull } from 'drizzle-orm'

import { fieldSentence, AppError, InvalidError, NotFoundError } from '../../../lib/errors'
import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { isObject, objectOf, wordOf, type JsonObject } from '../../../platform/lenient-json'
import { parseSignature, verifySignature } from '../../../platform/webhook/signature'
import { openSecret } from '../../accounts/secrets'
import { appSecretOf, findAccountAnywhere } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import { messages } from '../../messages/table'
import { findFlow } from '../state'
import { flows } from '../table'
import { flowTokens } from '../sent-table'
import type { FlowRow } from '../view'
import { isBase64, openRequest, type Candidate, type Opened, type Sealed } from './encryption'
import { exchange } from './exchange'
import { logExchange } from './log'

/** A request of the platform on behalf of somebody who has a form open. */
export interface EndpointRequest {
  accountId: string
  /** `X-Hub-Signature-256`. */
  signature: string | null
  /** Its bytes; throws when there are too many. Only read once the request may be good. */
  read: () => Promise<Uint8Array>
}

/** The encrypted answer, in base64; 427 when the form it is about is not open any more. */
export interface EndpointAnswer {
  status: 200 | 427
  body: string
}

const EXPIRED = 'This form is no longer open. Ask for a new one in the chat.'

/**
 * Answers a request of the platform about a form, in the order of the contract (templates, flows,
 * campaigns B): 404 unknown account, 432 signature, 400 malformed, 421 not to be decrypted, 427
 * unknown token, else 200. Throws AppError for all but the last two.
 */
export async function answerEndpoint(
  deps: Deps,
  request: EndpointRequest,
): Promise<EndpointAnswer> {
  const account = accountOf(deps, request.accountId)
  const bytes = await prove(deps, account, request)
  const opened = await openRequest(sealedOf(bytes), keysOf(deps, account))
  if (opened === null) throw notReadable()
  return await answerOpened(systemCtx(deps, account.organizationId), account, opened)
}

/** The account in the path, which must have a key. Throws NotFoundError. */
function accountOf(deps: Deps, id: string): AccountRow {
  const account = findAccountAnywhere(deps, id)
  if (!account || account.deletedAtMs !== null || account.flowPublicKey === null)
    throw new NotFoundError('Flow endpoint')
  return account
}

const notSigned = (): AppError =>
  new AppError(432, 'The signature does not match the body.', { code: 'signature_mismatch' })

const notReadable = (): AppError =>
  new AppError(
    421,
    'The request cannot be decrypted. Fetch the current public key of the number.',
    {
      code: 'decryption_failed',
    },
  )

/**
 * Signed with the account's own app secret; where it has none, with one of the installation's.
 * Throws AppError 432.
 */
async function prove(
  deps: Deps,
  account: AccountRow,
  { signature: header, read }: EndpointRequest,
): Promise<Uint8Array> {
  const signature = parseSignature(header)
  if (signature === null) throw notSigned()
  const bytes = await read()
  const own = appSecretOf(deps, account)
  const secrets = own === null ? deps.settings.appSecrets : [own]
  if (!secrets.some((secret) => verifySignature(bytes, signature, secret))) throw notSigned()
  return bytes
}

const PARTS = ['encrypted_flow_data', 'encrypted_aes_key', 'initial_vector'] as const

/** The encrypted parts of a body. Throws InvalidError. */
function sealedOf(bytes: Uint8Array): Sealed {
  const body = parse(bytes)
  const errors = PARTS.filter((name) => !isBase64(objectOf(body)[name])).map((name) => ({
    path: `body.${name}`,
    message: 'must be base64',
  }))
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors,
    })
  return body as unknown as Sealed
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new InvalidError('The request body is not valid JSON.', { code: 'malformed_json' })
  }
}

/**
 * The private keys of a number: the present one, the one before it, and one that is just being
 * handed over.
 */
function keysOf(deps: Pick<Deps, 'vault'>, account: AccountRow): Candidate[] {
  return (['flowPrivateKeySealed', 'flowFormerKeySealed', 'flowNextKeySealed'] as const).flatMap(
    (column) => {
      const sealed = account[column]
      return sealed === null
        ? []
        : [{ name: `${account.id} ${sealed}`, pem: () => openSecret(deps, account, column) ?? '' }]
    },
  )
}

/** A form that was sent, and to whom. */
interface Sent {
  flow: FlowRow
  contactId: string
  messageId: string
}

async function answerOpened(
  ctx: Ctx,
  account: AccountRow,
  { text, seal }: Opened,
): Promise<EndpointAnswer> {
  const asked = parse(new TextEncoder().encode(text))
  if (!isObject(asked))
    throw new InvalidError('The decrypted body is not a JSON object.', { code: 'malformed_json' })
  const action = wordOf(asked['action']) ?? ''
  const answered = async (
    status: EndpointAnswer['status'],
    answer: unknown,
  ): Promise<EndpointAnswer> => ({
    status,
    body: await seal(JSON.stringify(answer)),
  })
  if (action.toLowerCase() === 'ping') return await answered(200, { data: { status: 'active' } })
  const token = wordOf(asked['flow_token']) ?? ''
  const sent = sentOf(ctx, account, token)
  if (wordOf(objectOf(asked['data'])['error']) !== null) {
    acknowledge(ctx, sent, asked)
    return await answered(200, { data: { acknowledged: true } })
  }
  if (sent === null) return await answered(427, { error_msg: EXPIRED })
  return await answered(200, await ask(ctx, sent, { account, token, action, asked }))
}

/** The form a token stands for: of this number, not expired, not deleted. */
function sentOf(ctx: Ctx, account: AccountRow, token: string): Sent | null {
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

/** The phone tells that it could not use an answer: that is kept where people look for it. */
function acknowledge(ctx: Ctx, sent: Sent | null, asked: JsonObject): void {
  const { error, error_message: message } = objectOf(asked['data'])
  const said = [wordOf(error), wordOf(message)].filter((word) => word !== null).join(': ')
  ctx.log.warn(
    { organization_id: ctx.organizationId, flow_id: sent?.flow.id ?? null, error: wordOf(error) },
    'a phone could not use the response of a flow endpoint',
  )
  if (sent)
    logExchange(ctx, {
      flowId: sent.flow.id,
      atMs: ctx.clock.nowMs(),
      action: wordOf(asked['action']) ?? 'error',
      screen: wordOf(asked['screen']),
      outcome: 'acknowledged',
      durationMs: 0,
      error: said.slice(0, 500),
    })
}

async function ask(
  ctx: Ctx,
  { flow, contactId, messageId }: Sent,
  {
    account,
    token,
    action,
    asked,
  }: { account: AccountRow; token: string; action: string; asked: JsonObject },
): Promise<Record<string, unknown>> {
  const atMs = ctx.clock.nowMs()
  const screen = wordOf(asked['screen'])
  const question = {
    contactId,
    messageId,
    accountId: account.id,
    flowToken: token,
    action,
    screen,
    data: objectOf(asked['data']),
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
