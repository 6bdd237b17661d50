import { and, eq, sql, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { searchKey } from '../../../infra/search-keys'
import { isObject, listOf } from '../../../platform/lenient-json'
import { messages } from '../../inbox/messages/table'
import { FlowSubmitted } from './events'
import { flows } from './table'
import { flowResponses, flowTokens } from './sent-table'

/** A sent Flow, found by its token or its message. */
export interface SentFlow {
  token: string
  flowId: string
}

/**
 * Returns the sent Flow that a response belongs to: by token, otherwise by quoted message, and only
 * for the same phone number and contact. `null` if there is none.
 */
export function findSentFlow(
  ctx: Ctx,
  answer: { token: string | null; accountId: string; contactId: string; quotedId: string | null },
): SentFlow | null {
  const { token, quotedId, accountId, contactId } = answer
  const find = (condition: SQL): SentFlow | undefined =>
    ctx.db.orm
      .select({ token: flowTokens.token, flowId: flowTokens.flowId })
      .from(flowTokens)
      .innerJoin(
        messages,
        and(
          eq(messages.organizationId, flowTokens.organizationId),
          eq(messages.id, flowTokens.messageId),
        ),
      )
      .where(
        inOrganization(
          ctx,
          flowTokens,
          and(condition, eq(flowTokens.accountId, accountId), eq(messages.contactId, contactId)),
        ),
      )
      .limit(1)
      .get()
  return (
    (token === null ? undefined : find(eq(flowTokens.token, token))) ??
    (quotedId === null ? undefined : find(eq(flowTokens.messageId, quotedId))) ??
    null
  )
}

/** A received response. */
export interface FlowAnswer {
  messageId: string
  contactId: string
  sent: SentFlow | null
  data: Record<string, unknown> | null
  completedAtMs: number
  /**
   * The response is from before the phone number was connected, or processed late: no automation
   * may act on it.
   */
  isLate: boolean
}

const MAX_WORDS_LENGTH = 20_000

/** Returns the text that the response search looks in: its values. */
function searchTextOf(data: Record<string, unknown> | null): string {
  const values: string[] = []
  const collect = (value: unknown, depth: number): void => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      values.push(String(value))
    else if (depth > 0)
      for (const inner of Array.isArray(value)
        ? listOf(value)
        : Object.values(isObject(value) ? value : {}))
        collect(inner, depth - 1)
  }
  const { flow_token: _token, ...answers } = data ?? {}
  collect(answers, 8)
  return searchKey(values.join('\n').slice(0, MAX_WORDS_LENGTH))
}

/**
 * Stores a response in the transaction that stores its message. The earliest response to a sent
 * Flow counts, in any order of arrival; a response to an unknown Flow is stored without one.
 */
export function recordResponseIn(
  tx: Tx,
  ctx: Ctx,
  { messageId, contactId, sent, data, completedAtMs, isLate }: FlowAnswer,
): void {
  const values = {
    flowId: sent?.flowId ?? null,
    messageId,
    data: data === null ? null : JSON.stringify(data),
    words: searchTextOf(data),
    completedAtMs,
  }
  const known = sent && responseTo(ctx, sent.token)
  if (known) {
    const isEarlier =
      completedAtMs < known.completedAtMs ||
      (completedAtMs === known.completedAtMs && messageId < known.messageId)
    if (isEarlier)
      tx.update(flowResponses)
        .set(values)
        .where(inOrganization(ctx, flowResponses, eq(flowResponses.id, known.id)))
        .run()
    return
  }
  const id = ctx.ids.next()
  tx.insert(flowResponses)
    .values({
      organizationId: ctx.organizationId,
      id,
      token: sent?.token ?? null,
      ...values,
      createdAtMs: ctx.clock.nowMs(),
    })
    .run()
  if (sent)
    tx.update(flows)
      .set({ responseCount: sql`${flows.responseCount} + 1` })
      .where(inOrganization(ctx, flows, eq(flows.id, sent.flowId)))
      .run()
  const flowId = sent?.flowId ?? null
  emit(tx, ctx, FlowSubmitted, {
    contactId,
    payload: { responseId: id, messageId, contactId, flowId, ...(isLate ? { isLate } : {}) },
  })
}

const responseTo = (ctx: Ctx, token: string) =>
  ctx.db.orm
    .select({
      id: flowResponses.id,
      completedAtMs: flowResponses.completedAtMs,
      messageId: flowResponses.messageId,
    })
    .from(flowResponses)
    .where(inOrganization(ctx, flowResponses, eq(flowResponses.token, token)))
    .get()
