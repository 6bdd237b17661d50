import { eq, inArray, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { fieldSentence, InvalidError } from '../../../lib/errors'
import { randomHex } from '../../../lib/random'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { FlowContent } from '../../../platform/send/content'
import type { AccountRow } from '../accounts/view'
import { factsOf } from './definition'
import { requireFlow } from './state'
import { flowResponses, flowTokens } from './sent-table'
import { flows } from './table'
import type { FlowRow } from './view'

/** How long the endpoint accepts the token of a sent Flow. */
const TOKEN_LIFE_MS = 7 * DAY_MS
const TOKEN_BYTES = 16

/** A Flow to send. */
export interface FlowInput {
  flowId: string
  mode: 'draft' | 'published'
  screen: string | null
  data: Record<string, unknown> | null
  /** Its path in the request. */
  path: string
}

/** Message fields derived from the Flow. */
export type FlowContentFields = Pick<
  FlowContent,
  'flow_id' | 'meta_flow_id' | 'flow_name' | 'mode' | 'flow_action' | 'screen' | 'data'
>

const invalid = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/**
 * Returns the Flow to send from a phone number: a published one, or with mode `draft` a saved draft
 * if the caller may edit Flows. Throws InvalidError with the path of the problem.
 */
export function findSendable(ctx: Ctx, input: FlowInput, account: AccountRow): FlowRow {
  const path = `${input.path}.flow_id`
  const row = rowOf(ctx, input.flowId)
  const isDraft = input.mode === 'draft'
  if (
    !row ||
    (isDraft ? row.status !== 'DRAFT' || row.metaFlowId === null : row.status === 'DRAFT')
  )
    throw invalid(
      path,
      `is not a ${isDraft ? 'draft on the platform' : 'published flow'} of this organization`,
    )
  if (isDraft && !hasPermission(ctx.actor, 'flows:update'))
    throw invalid(`${input.path}.mode`, 'draft requires the permission flows:update')
  if (row.businessId !== account.businessId)
    throw invalid(path, 'belongs to a different business account than the phone number')
  if (input.screen !== null && !screensOf(row).includes(input.screen))
    throw invalid(`${input.path}.screen`, 'is not a screen of this flow')
  return row
}

const screensOf = (row: FlowRow): string[] => factsOf(row).screens

function rowOf(ctx: Ctx, id: string): FlowRow | null {
  try {
    return requireFlow(ctx, id)
  } catch {
    return null
  }
}

/** Reports whether the platform accepts messages with this Flow. */
export const isFlowSendable = ({ status }: Pick<FlowRow, 'status'>): boolean =>
  status !== 'BLOCKED' && status !== 'DEPRECATED'

/** Throws InvalidError `flow_not_sendable` for a blocked or deprecated Flow. */
export function requireSendable(row: Pick<FlowRow, 'status' | 'name'>): void {
  if (isFlowSendable(row)) return
  const why = row.status === 'BLOCKED' ? 'the platform blocked it' : 'it is deprecated'
  throw new InvalidError(`The flow "${row.name}" cannot be sent: ${why}.`, {
    code: 'flow_not_sendable',
  })
}

/**
 * Returns the message fields of a Flow. Without a screen, a Flow with an endpoint requests its
 * first screen; others start with their first screen.
 */
export function flowContentOf(row: FlowRow, { screen, data, mode }: FlowInput): FlowContentFields {
  const { entry } = factsOf(row)
  const asksEndpoint = screen === null && row.dataApiVersion !== null
  return {
    flow_id: row.id,
    meta_flow_id: row.metaFlowId ?? '',
    flow_name: row.name,
    mode,
    flow_action: asksEndpoint ? 'data_exchange' : 'navigate',
    screen: asksEndpoint ? null : (screen ?? entry),
    data: data !== null && Object.keys(data).length > 0 ? data : null,
  }
}

/** Returns a token for a Flow to be sent: 128 random bits, hexadecimal. */
export const newFlowToken = (): string => randomHex(TOKEN_BYTES)

/** Stores the token of a sent Flow in the transaction that stores the message. */
export function recordSentFlowIn(
  tx: Tx,
  ctx: Ctx,
  sent: { token: string; flowId: string; accountId: string; messageId: string },
): void {
  const nowMs = ctx.clock.nowMs()
  tx.insert(flowTokens)
    .values({
      organizationId: ctx.organizationId,
      ...sent,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + TOKEN_LIFE_MS,
    })
    .run()
}

/**
 * Deletes the tokens and responses of messages that are erased, in the caller's transaction. A
 * response outlives the message that sent the Flow.
 */
export function deleteFlowDataIn(tx: Tx, ctx: Ctx, messageIds: string[]): void {
  if (messageIds.length === 0) return
  const gone = tx
    .delete(flowResponses)
    .where(inOrganization(ctx, flowResponses, inArray(flowResponses.messageId, messageIds)))
    .returning({ flowId: flowResponses.flowId })
    .all()
    .map(({ flowId }) => flowId)
    .filter((flowId) => flowId !== null)
  for (const [flowId, ones] of Map.groupBy(gone, (id) => id))
    tx.update(flows)
      .set({ responseCount: sql`max(0, ${flows.responseCount} - ${ones.length})` })
      .where(inOrganization(ctx, flows, eq(flows.id, flowId)))
      .run()
  const ofMessages = inOrganization(ctx, flowTokens, inArray(flowTokens.messageId, messageIds))
  const tokens = tx
    .select({ token: flowTokens.token })
    .from(flowTokens)
    .where(ofMessages)
    .all()
    .map(({ token }) => token)
  if (tokens.length === 0) return
  tx.update(flowResponses)
    .set({ token: null })
    .where(inOrganization(ctx, flowResponses, inArray(flowResponses.token, tokens)))
    .run()
  tx.delete(flowTokens).where(ofMessages).run()
}
