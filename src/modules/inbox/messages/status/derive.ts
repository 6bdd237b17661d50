import { and, eq } from 'drizzle-orm'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../infra/db/compiled'
import { compiledUpdate } from '../../../../infra/db/compiled-update'
import type { Tx } from '../../../../infra/db/transact'
import { expedite } from '../../../../infra/jobs/waiting-jobs'
import { classifyFault, describePlatformError } from '../../../../platform/client/errors'
import type { Fault } from '../../../../platform/webhook/body'
import { recordOwnMessageIn } from '../../conversations/thread-owner'
import { publishStatusIn, runMessageMovedHooks } from '../publish-status'
import { retryAfterOf } from '../outbound/failure-effects'
import { applyStatusEffectsIn } from './effects'
import {
  deriveDelivery,
  isKnownStatus,
  reaching,
  sendKey,
  type Delivery,
  type LocalFacts,
  type StatusFact,
} from '../rules'
import { settledCost, settleOthersIn } from '../cost/settle'
import { SendMessage } from '../jobs'
import { linkPendingReactionsIn } from '../reactions/receive'
import { applyEditsIn } from '../inbound/edits'
import { optionsWithoutCode, type SendError } from '../outbound/delivery-state'
import { endOutcomeWaitIn } from '../outbound/outcome-wait'
import { messages } from '../table'
import { messageStatuses } from './table'
import type { MessageRow } from '../view'

const statusesOf = compiled((orm) =>
  orm
    .select()
    .from(messageStatuses)
    .where(
      inOrganization(
        anyScope,
        messageStatuses,
        and(
          eq(messageStatuses.accountId, place(messageStatuses.accountId, 'accountId')),
          eq(messageStatuses.waMessageId, place(messageStatuses.waMessageId, 'waMessageId')),
        ),
      ),
    )
    .orderBy(messageStatuses.status, messageStatuses.participant)
    .limit(atMost(2_000))
    .prepare(),
)

/** Status of a message while there is none from the platform. */
function localFacts(row: MessageRow): LocalFacts {
  const base = row.stage === 'failed' ? 'failed' : row.stage === 'unknown' ? 'unknown' : 'pending'
  return { base, acceptedAtMs: row.acceptedAtMs }
}

const changeMessage = compiledUpdate(
  messages,
  inOrganization(anyScope, messages, eq(messages.id, place(messages.id, 'id'))),
)

/** What the platform answered when it accepted a message. */
type Receipt = Pick<MessageRow, 'waMessageId' | 'acceptedAtMs' | 'heldReason'>

/** Writes a new delivery of a message and its cost: once, and only the columns that change. */
function saveDeliveryIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  {
    delivery,
    hasPlatformStatus,
    receipt,
  }: { delivery: Delivery; hasPlatformStatus: boolean; receipt: Receipt | undefined },
): void {
  const { status, sentAtMs, deliveredAtMs, readAtMs, playedAtMs, failure } = delivery
  const after = { ...delivery, pricing: delivery.pricing ?? row.pricing }
  const settled = settledCost(ctx, row, after)
  const set: Partial<MessageRow> = {
    ...{ status, sentAtMs, deliveredAtMs, readAtMs, playedAtMs },
    pricing: after.pricing,
    platformTemplateId: delivery.templateId ?? row.platformTemplateId,
    ...(hasPlatformStatus ? acceptedColumns(row, status) : {}),
    ...(failure
      ? { error: JSON.stringify(errorOf(failure)), failedAtMs: failure.timestampMs }
      : {}),
    ...settled,
  }
  const changed = Object.entries(set).filter(
    ([column, value]) => row[column as keyof MessageRow] !== value,
  )
  if (receipt || changed.length > 0)
    changeMessage(
      ctx.db,
      { organizationId: ctx.organizationId, id: row.id },
      { ...receipt, ...Object.fromEntries(changed) },
    )
  settleOthersIn(tx, ctx, { before: row, after, settled })
}

/**
 * Returns the columns of a message that the platform has reported on. A report resolves an unknown
 * outcome.
 */
const acceptedColumns = (row: MessageRow, status: Delivery['status']): Partial<MessageRow> => ({
  stage: status === 'failed' ? 'failed' : 'accepted',
  sendOptions: optionsWithoutCode(row),
  ...(row.stage === 'unknown' ? { error: null } : {}),
})

/**
 * Recomputes a message's status from its recorded statuses and publishes a change, in the caller's
 * transaction. `isQuiet` skips the events, `receipt` is written together with the status. Called
 * after each recorded status or response.
 */
export function deriveStatusIn(
  tx: Tx,
  ctx: Ctx,
  before: MessageRow,
  how: { isQuiet: boolean; receipt?: Receipt } = { isQuiet: false },
): void {
  const row = { ...before, ...how.receipt }
  const facts =
    row.waMessageId === null
      ? []
      : slowestOfGroup(
          statusesOf(ctx.db).all({
            organizationId: ctx.organizationId,
            accountId: row.accountId,
            waMessageId: row.waMessageId,
          }),
        )
  const delivery = deriveDelivery(facts, localFacts(row))
  const hasPlatformStatus =
    row.acceptedAtMs !== null || facts.some(({ status }) => isKnownStatus(status))
  saveDeliveryIn(tx, ctx, row, { delivery, hasPlatformStatus, receipt: how.receipt })
  // The send job waits for a status, and later messages to the contact wait behind it.
  if (hasPlatformStatus && row.stage === 'ambiguous')
    expedite(tx, ctx, {
      kind: SendMessage.name,
      orderingKeys: [sendKey(row.contactId)],
      args: { messageId: row.id },
    })
  if (hasPlatformStatus && row.repeatAtMs !== null) endOutcomeWaitIn(tx, ctx, row)
  // A status proves that the platform accepted a message whose answer was lost.
  if (
    hasPlatformStatus &&
    !row.isDirect &&
    row.stage !== 'accepted' &&
    row.acceptedAtMs === null &&
    delivery.sentAtMs !== null
  )
    recordOwnMessageIn(tx, ctx, {
      conversationId: row.conversationId,
      atMs: delivery.sentAtMs,
    })
  if (delivery.status !== row.status && !how.isQuiet)
    publishStatusIn(tx, ctx, row, {
      status: delivery.status,
      timestampMs: timeOfStatus(delivery, ctx.clock.nowMs()),
    })
  if (!how.isQuiet) applyStatusEffectsIn(tx, ctx, row, delivery)
  runMessageMovedHooks(tx, ctx, row, how.receipt !== undefined)
  // Reactions and edits that arrived before the platform ID was known are applied now.
  if (hasPlatformStatus && row.stage !== 'accepted') {
    linkPendingReactionsIn(tx, ctx, row, how)
    applyEditsIn(tx, ctx, row, how)
  }
}

function timeOfStatus(delivery: ReturnType<typeof deriveDelivery>, nowMs: number): number {
  const times = {
    read: delivery.readAtMs,
    delivered: delivery.deliveredAtMs,
    sent: delivery.sentAtMs,
    failed: delivery.failedAtMs,
    pending: null,
    unknown: null,
  }
  return times[delivery.status] ?? nowMs
}

/**
 * Status of a group message: each status counts once all reporting members have reached it, at the
 * time of the last one.
 */
function slowestOfGroup(rows: (typeof messageStatuses.$inferSelect)[]): StatusFact[] {
  const memberRows = rows.filter(({ participant }) => participant !== '')
  if (memberRows.length === 0) return rows
  const members = [...Map.groupBy(memberRows, ({ participant }) => participant).values()]
  return [...new Set(memberRows.map(({ status }) => status))].flatMap((status) => {
    const reached = members
      .map((facts) => reaching(facts, status))
      .filter((fact) => fact !== undefined)
    const last = reached.toSorted((a, b) => b.timestampMs - a.timestampMs)[0]
    return last && (reached.length === members.length || status === 'sent')
      ? [{ ...last, status }]
      : []
  })
}

/** Translates the first platform error for the API. */
function errorOf(failure: StatusFact): SendError {
  const [first] = JSON.parse(failure.errors) as Fault[]
  const code = first?.code ?? null
  const retryClass = first === undefined ? 'other' : classifyFault(first)
  const words = describePlatformError(code, retryClass)
  return {
    code: words.code,
    platform_code: code,
    message: words.message,
    details: first?.details ?? first?.message ?? first?.title ?? null,
    retryable: words.retryable,
    ...retryAfterOf(retryClass, failure.timestampMs),
  }
}
