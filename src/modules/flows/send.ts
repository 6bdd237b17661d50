import { eq, inArray, sql } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { fieldSentence, InvalidError } from '../../lib/errors'
import { randomHex } from '../../lib/random'
import { hasPermission, inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import type { FlowContent } from '../../platform/send/content'
import type { AccountRow } from '../accounts/view'
import { factsOf } from './definition'
import { flowOf } from './state'
import { flowResponses, flowTokens } from './sent-table'
import { flows } from './table'
import type { FlowRow } from './view'

/** The endpoint takes the token of a form so long after it was sent. */
const TOKEN_LIFE_MS = 7 * DAY_MS
const TOKEN_BYTES = 16

/** A form as somebody wants to send it. */
export interface FlowInput {
  flowId: string
  mode: 'draft' | 'published'
  screen: string | null
  data: Record<string, unknown> | null
  /** Where in the body it stands. */
  path: string
}

/** What of a message with a form follows from the form. */
export type FlowPart = Pick<
  FlowContent,
  'flow_id' | 'meta_flow_id' | 'flow_name' | 'mode' | 'flow_action' | 'screen' | 'data'
>

const invalid = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/**
 * Finds a form that is to be sent from a number: a published one, or with `mode` draft a draft the
 * platform has, for whoever may change forms. Throws InvalidError with the path of what is wrong.
 */
export function findSendable(ctx: Ctx, asked: FlowInput, account: AccountRow): FlowRow {
  const path = `${asked.path}.flow_id`
  const row = rowOf(ctx, asked.flowId)
  const isDraft = asked.mode === 'draft'
  if (
    !row ||
    (isDraft ? row.status !== 'DRAFT' || row.metaFlowId === null : row.status === 'DRAFT')
  )
    throw invalid(
      path,
      `is not a ${isDraft ? 'draft on the platform' : 'published flow'} of this organization`,
    )
  if (isDraft && !hasPermission(ctx.actor, 'flows:update'))
    throw invalid(`${asked.path}.mode`, 'draft requires the permission flows:update')
  if (row.businessId !== account.businessId)
    throw invalid(path, 'belongs to a different business account than the phone number')
  if (asked.screen !== null && !screensOf(row).includes(asked.screen))
    throw invalid(`${asked.path}.screen`, 'is not a screen of this flow')
  return row
}

const screensOf = (row: FlowRow): string[] => factsOf(row).screens

function rowOf(ctx: Ctx, id: string): FlowRow | null {
  try {
    return flowOf(ctx, id)
  } catch {
    return null
  }
}

/** Whether the platform takes messages with a form. */
export const isFlowSendable = ({ status }: Pick<FlowRow, 'status'>): boolean =>
  status !== 'BLOCKED' && status !== 'DEPRECATED'

/**
 * Refuses a form that the platform blocked or that was taken back. Throws InvalidError
 * `flow_not_sendable`.
 */
export function requireSendable(row: Pick<FlowRow, 'status' | 'name'>): void {
  if (isFlowSendable(row)) return
  const why = row.status === 'BLOCKED' ? 'the platform blocked it' : 'it is deprecated'
  throw new InvalidError(`The flow "${row.name}" cannot be sent: ${why}.`, {
    code: 'flow_not_sendable',
  })
}

/**
 * What of a message follows from its form. Without a screen a form with an endpoint asks that for
 * its first one; any other begins with its first screen.
 */
export function flowPartOf(row: FlowRow, { screen, data, mode }: FlowInput): FlowPart {
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

/** A token for a form that is about to be sent: 128 random bits, hexadecimal. */
export const newFlowToken = (): string => randomHex(TOKEN_BYTES)

/** Remembers for which message a token stands, in the transaction that stores the message. */
export function rememberSentIn(
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
 * Forgets forms and answers that belong to messages which are being erased, in the caller's
 * transaction. The answer to a form whose message goes before it stays with the form.
 */
export function forgetMessagesIn(tx: Tx, ctx: Ctx, messageIds: string[]): void {
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
