import { and, eq, isNull, sql } from 'drizzle-orm'

import { isUuid } from '../../../lib/ids'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { expedite } from '../../../infra/jobs/enqueue'
import { classify, describePlatformError, type RetryClass } from '../../../platform/client/errors'
import type { Fault } from '../../../platform/webhook/body'
import type { InboundStatus, Pricing } from '../../../platform/webhook/statuses'
import type { AccountRow } from '../../accounts/view'
import { announceStatus, noteMoveIn } from '../publish-status'
import { retryAfterOf } from '../outbound/failure-effects'
import { applyStatusEffectsIn, learnRecipientIn } from './effects'
import {
  plausibleTime,
  deriveDelivery,
  isKnownStatus,
  reaching,
  REACTION_KEY,
  sendKey,
  type LocalFacts,
  type StatusFact,
} from '../rules'
import { SendMessage } from '../jobs'
import { noteReactionStatusIn } from '../reactions/send'
import { settleReactionsIn } from '../reactions/receive'
import { settleRevisionsIn } from '../inbound/edits'
import { withoutCode, type SendError } from '../outbound/delivery-state'
import { messageStatuses, messages } from '../table'
import type { MessageRow } from '../view'
import { atMost, place } from '../../../infra/db/place'

/**
 * What became of one reported status: applied to a message, or kept until the message it belongs to
 * is known.
 */
export type StatusReceipt = { outcome: 'applied'; messageId: string } | { outcome: 'parked' }

const intoLedger = compiled((orm) =>
  orm
    .insert(messageStatuses)
    .values({
      organizationId: sql.placeholder('organizationId'),
      accountId: sql.placeholder('accountId'),
      waMessageId: sql.placeholder('waMessageId'),
      status: sql.placeholder('status'),
      participant: sql.placeholder('participant'),
      timestampMs: sql.placeholder('timestampMs'),
      receivedAtMs: sql.placeholder('receivedAtMs'),
      errors: sql.placeholder('errors'),
      pricing: sql.placeholder('pricing'),
    })
    .onConflictDoUpdate({
      target: [
        messageStatuses.organizationId,
        messageStatuses.accountId,
        messageStatuses.waMessageId,
        messageStatuses.status,
        messageStatuses.participant,
      ],
      // Of repeats the earliest time counts; of equal ones the smaller text, so that the order of
      // arrival never matters.
      set: {
        errors: sql`case when excluded.timestamp_ms < ${messageStatuses.timestampMs} then excluded.errors when excluded.timestamp_ms = ${messageStatuses.timestampMs} then min(excluded.errors, ${messageStatuses.errors}) else ${messageStatuses.errors} end`,
        pricing: sql`case when ${messageStatuses.pricing} is null then excluded.pricing when excluded.pricing is null then ${messageStatuses.pricing} else min(excluded.pricing, ${messageStatuses.pricing}) end`,
        timestampMs: sql`min(excluded.timestamp_ms, ${messageStatuses.timestampMs})`,
      },
    })
    .prepare(),
)

const outgoingByPlatformId = compiled((orm) =>
  orm
    .select()
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.accountId, place('accountId')),
          eq(messages.waMessageId, place('waMessageId')),
          sql`${messages.direction} = 'outgoing'`,
        ),
      ),
    )
    .prepare(),
)

const ledgerOf = compiled((orm) =>
  orm
    .select()
    .from(messageStatuses)
    .where(
      inOrganization(
        anyScope,
        messageStatuses,
        and(
          eq(messageStatuses.accountId, place('accountId')),
          eq(messageStatuses.waMessageId, place('waMessageId')),
        ),
      ),
    )
    .orderBy(messageStatuses.status, messageStatuses.participant)
    .limit(atMost(2_000))
    .prepare(),
)

/**
 * Writes a reported status into the ledger and lets the message follow, in the caller's transaction
 * (spec 3, 6.1). Its message is the one of this account with the platform's id, else the one whose
 * id we gave along; unknown ones wait in the ledger.
 */
export function applyStatusIn(
  tx: Tx,
  ctx: Ctx,
  item: { account: AccountRow; status: InboundStatus; receivedAtMs: number },
): StatusReceipt {
  const { account, status, receivedAtMs } = item
  if (
    status.callbackData?.startsWith(REACTION_KEY) &&
    noteReactionStatusIn(tx, ctx, account.id, status)
  )
    return { outcome: 'applied', messageId: status.callbackData.slice(REACTION_KEY.length) }
  recordStatusIn(tx, ctx, {
    accountId: account.id,
    waMessageId: status.waMessageId,
    status: status.status,
    participant: status.participant ?? '',
    timestampMs: plausibleTime(status.timestampMs, receivedAtMs),
    receivedAtMs,
    errors: JSON.stringify(status.errors),
    pricing: status.pricing && JSON.stringify(pricingOf(status.pricing)),
  })
  const row = findMessageOf(tx, ctx, account.id, status)
  if (!row) return { outcome: 'parked' }
  deriveStatusIn(tx, ctx, row)
  learnRecipientIn(tx, ctx, row, status)
  return { outcome: 'applied', messageId: row.id }
}

/**
 * Writes what the platform says of a message of ours into the ledger, in the caller's transaction;
 * the message itself follows by {@link deriveStatusIn}.
 */
export function recordStatusIn(
  tx: Tx,
  ctx: Ctx,
  fact: Omit<typeof messageStatuses.$inferInsert, 'organizationId'>,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  intoLedger(ctx.db).run({
    organizationId: ctx.organizationId,
    participant: '',
    errors: '[]',
    pricing: null,
    ...fact,
  })
}

const pricingOf = ({ category, type, billable, pricingModel }: Pricing) => ({
  category,
  type,
  billable,
  pricing_model: pricingModel,
})

/**
 * Keeps a word with which the platform took a message and that is no status, beside its statuses.
 */
export function recordAcceptanceNoteIn(tx: Tx, ctx: Ctx, row: MessageRow, word: string): void {
  const nowMs = ctx.clock.nowMs()
  if (row.waMessageId === null || isKnownStatus(word)) return
  const { accountId, waMessageId } = row
  recordStatusIn(tx, ctx, {
    accountId,
    waMessageId,
    status: word,
    timestampMs: nowMs,
    receivedAtMs: nowMs,
  })
}

function findMessageOf(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  status: InboundStatus,
): MessageRow | null {
  const known = outgoingByPlatformId(ctx.db).get({
    organizationId: ctx.organizationId,
    accountId,
    waMessageId: status.waMessageId,
  })
  if (known) return known
  if (status.callbackData === null || !isUuid(status.callbackData)) return null
  // The answer to our call is not written yet, or was lost: the id we gave along tells which
  // message it is.
  return (
    tx
      .update(messages)
      .set({ waMessageId: status.waMessageId })
      .where(
        inOrganization(
          ctx,
          messages,
          and(
            eq(messages.id, status.callbackData),
            eq(messages.accountId, accountId),
            eq(messages.direction, 'outgoing'),
            isNull(messages.waMessageId),
          ),
        ),
      )
      .returning()
      .get() ?? null
  )
}

/** Where a message stands as long as the platform says nothing. */
function localFacts(row: MessageRow): LocalFacts {
  const base = row.stage === 'failed' ? 'failed' : row.stage === 'unknown' ? 'unknown' : 'pending'
  return { base, acceptedAtMs: row.acceptedAtMs }
}

const writeDelivery = compiled((orm) => {
  const given = (name: string) => sql`${sql.placeholder(name)}`
  const error = given('error')
  return orm
    .update(messages)
    .set({
      status: given('status'),
      stage: sql`coalesce(${given('stage')}, ${messages.stage})`,
      sendOptions: sql`case when ${given('stage')} is null then ${messages.sendOptions} else ${withoutCode} end`,
      sentAtMs: given('sentAtMs'),
      deliveredAtMs: given('deliveredAtMs'),
      readAtMs: given('readAtMs'),
      playedAtMs: given('playedAtMs'),
      error: sql`case when ${error} is not null then ${error} when ${given('isResolved')} = 1 then null else ${messages.error} end`,
      failedAtMs: sql`coalesce(${given('failedAtMs')}, ${messages.failedAtMs})`,
      pricing: sql`coalesce(${given('pricing')}, ${messages.pricing})`,
      updatedAtMs: given('nowMs'),
    })
    .where(inOrganization(anyScope, messages, eq(messages.id, sql.placeholder('id'))))
    .prepare()
})

/**
 * Derives from the ledger where a message of ours stands, writes it, and announces it when the
 * status moved, in the caller's transaction; `isQuiet` announces nothing. Called whenever a fact
 * was added: a status, or the platform's answer to our call.
 */
export function deriveStatusIn(
  tx: Tx,
  ctx: Ctx,
  row: MessageRow,
  how: { isQuiet: boolean } = { isQuiet: false },
): void {
  const facts =
    row.waMessageId === null
      ? []
      : slowestOfGroup(
          ledgerOf(ctx.db).all({
            organizationId: ctx.organizationId,
            accountId: row.accountId,
            waMessageId: row.waMessageId,
          }),
        )
  const delivery = deriveDelivery(facts, localFacts(row))
  const isHeard = row.acceptedAtMs !== null || facts.some(({ status }) => isKnownStatus(status))
  // Whether it arrived is no longer in question once the platform has spoken.
  const isResolved = isHeard && row.stage === 'unknown'
  const nowMs = ctx.clock.nowMs()
  const { status, sentAtMs, deliveredAtMs, readAtMs, playedAtMs, failure, pricing } = delivery
  writeDelivery(ctx.db).run({
    ...{
      organizationId: ctx.organizationId,
      id: row.id,
      status,
      sentAtMs,
      deliveredAtMs,
      readAtMs,
      playedAtMs,
      pricing,
      nowMs,
    },
    stage: isHeard ? (status === 'failed' ? 'failed' : 'accepted') : null,
    isResolved: isResolved ? 1 : 0,
    error: failure && JSON.stringify(errorOf(failure)),
    failedAtMs: failure ? delivery.failedAtMs : null,
  })
  // Its job waits for news; these are the news, and later messages to the contact wait behind it.
  if (isHeard && row.stage === 'ambiguous')
    expedite(tx, ctx, {
      kind: SendMessage.name,
      serialKeys: [sendKey(row.contactId)],
      args: { messageId: row.id },
    })
  if (delivery.status !== row.status && !how.isQuiet)
    announceStatus(tx, ctx, row, {
      status: delivery.status,
      timestampMs: timeOfStatus(delivery, nowMs),
    })
  if (!how.isQuiet) applyStatusEffectsIn(tx, ctx, row, delivery)
  noteMoveIn(tx, ctx, row)
  // What was said of it before its id was known waits for it.
  if (isHeard && row.stage !== 'accepted') {
    settleReactionsIn(tx, ctx, row, how)
    settleRevisionsIn(tx, ctx, row, how)
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
 * A group message stands where the slowest of its members stands: of each status the time of the
 * last one, and only when all who were heard of reached it.
 */
function slowestOfGroup(rows: (typeof messageStatuses.$inferSelect)[]): StatusFact[] {
  const told = rows.filter(({ participant }) => participant !== '')
  if (told.length === 0) return rows
  const members = [...Map.groupBy(told, ({ participant }) => participant).values()]
  return [...new Set(told.map(({ status }) => status))].flatMap((status) => {
    const reached = members
      .map((facts) => reaching(facts, status))
      .filter((fact) => fact !== undefined)
    const last = reached.toSorted((a, b) => b.timestampMs - a.timestampMs)[0]
    return last && (reached.length === members.length || status === 'sent')
      ? [{ ...last, status }]
      : []
  })
}

/** The first of the platform's errors in our words. */
function errorOf(failure: StatusFact): SendError {
  const [first] = JSON.parse(failure.errors) as Fault[]
  const code = first?.code ?? null
  const retryClass = classOf(code)
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

const classOf = (code: number | null): RetryClass =>
  code === null ? 'other' : classify({ code, subcode: null, httpStatus: null })
