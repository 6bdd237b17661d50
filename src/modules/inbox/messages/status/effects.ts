import { eq } from 'drizzle-orm'

import { HOUR_MS } from '../../../../lib/clock'
import { numberVariants } from '../../../../lib/phone'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import {
  classifyFault,
  describePlatformError,
  stopsNumber,
} from '../../../../platform/client/errors'
import type { Fault } from '../../../../platform/webhook/body'
import type { InboundStatus } from '../../../../platform/webhook/statuses'
import { phoneDigitsOf } from '../../../../platform/webhook/sender'
import { AI_PROVIDER, notifyAiProviderIn } from '../../../channel/accounts/ai-provider'
import { recordBilledIn, recordUnpaidIn } from '../../../channel/accounts/funding/record'
import { addIdentityIn } from '../../contacts/identities/identities'
import { recordReachedIn } from '../../contacts/activity/reachability'
import { contactIdentities } from '../../contacts/table'
import { updateClosedWindowIn, WINDOW_CODE } from '../../conversations/window'
import {
  holdNumberIn,
  recordContactFailureIn,
  recordFlowFailureIn,
} from '../outbound/failure-effects'
import { billingOf, isOurs } from '../cost/billing'
import { isServiceMessage } from '../outbound/unpaid'
import type { Delivery } from '../rules'
import { warnIn, type SendError } from '../outbound/delivery-state'
import { messages } from '../table'
import type { MessageRow } from '../view'

/** Older failures do not affect the phone number's current state. */
const RECENT_MS = HOUR_MS

const identitiesOf = compiled((orm) =>
  orm
    .select({ kind: contactIdentities.kind, value: contactIdentities.value })
    .from(contactIdentities)
    .where(
      inOrganization(
        anyScope,
        contactIdentities,
        eq(contactIdentities.contactId, place(contactIdentities.contactId, 'contactId')),
      ),
    )
    .prepare(),
)

/**
 * Applies what a new message status means for its contact and phone number, in the caller's
 * transaction (inbound contract 8). `row` is the message before the change.
 */
export function applyStatusEffectsIn(tx: Tx, ctx: Ctx, row: MessageRow, delivery: Delivery): void {
  if (delivery.deliveredAtMs !== null && delivery.deliveredAtMs !== row.deliveredAtMs)
    recordReachedIn(tx, ctx, row.contactId)
  recordPaymentIn(tx, ctx, row, delivery)
  recordAiProviderIn(tx, ctx, row, delivery)
  if (!delivery.failure) return
  const [fault] = JSON.parse(delivery.failure.errors) as Fault[]
  if (!fault) return
  const platformCode = fault.code
  const before = row.error === null ? null : (JSON.parse(row.error) as SendError)
  if (platformCode === null || before?.platform_code === platformCode) return
  // An earlier failure of another kind has replaced the window error.
  if (before?.platform_code === WINDOW_CODE) updateClosedWindowIn(tx, ctx, row.conversationId)
  const retryClass = classifyFault(fault)
  const failure = {
    retryClass,
    platformCode,
    why: describePlatformError(platformCode, retryClass),
    retryAfterMs: null,
  }
  recordContactFailureIn(tx, ctx, row, { ...failure, atMs: delivery.failure.timestampMs })
  // The failure of an observed message says nothing about what we send.
  if (row.isObserved) return
  recordFlowFailureIn(tx, ctx, row, { platformCode, atMs: delivery.failure.timestampMs })
  if (retryClass === 'payment')
    recordUnpaidIn(tx, ctx, row.accountId, {
      atMs: delivery.failure.timestampMs,
      isService: isServiceMessage(row),
    })
  const isRecent = ctx.clock.nowMs() - delivery.failure.timestampMs < RECENT_MS
  if (isRecent && stopsNumber(retryClass)) holdNumberIn(tx, ctx, row.accountId, failure)
}

/** Tells the admins when the platform bills a message as that of an AI provider. */
function recordAiProviderIn(tx: Tx, ctx: Ctx, row: MessageRow, { pricing }: Delivery): void {
  if (pricing === null || pricing === row.pricing) return
  if (billingOf(pricing)?.category === AI_PROVIDER) notifyAiProviderIn(tx, ctx, row)
}

/** Records that somebody pays, once a charged message of ours is delivered. */
function recordPaymentIn(tx: Tx, ctx: Ctx, row: MessageRow, delivery: Delivery): void {
  const { deliveredAtMs, pricing } = delivery
  if (deliveredAtMs === null || row.isObserved || !isOurs(row)) return
  const isNew = deliveredAtMs !== row.deliveredAtMs || (pricing ?? row.pricing) !== row.pricing
  const billing = isNew ? billingOf(pricing ?? row.pricing) : null
  if (billing?.freeReason === null) recordBilledIn(tx, ctx, row.accountId, deliveredAtMs)
}

/**
 * Records the phone number that a status names if it is another spelling of a known one. An unknown
 * number adds a warning to the message. Group statuses name no single recipient.
 */
export function recordRecipientIn(tx: Tx, ctx: Ctx, row: MessageRow, status: InboundStatus): void {
  const phone = status.participant === null ? phoneDigitsOf(status.recipientId) : null
  const userId = status.participant === null ? status.recipientUserId : null
  if (phone === null && userId === null) return
  const known = identitiesOf(ctx.db).all({
    organizationId: ctx.organizationId,
    contactId: row.contactId,
  })
  const numbers = known.filter(({ kind }) => kind === 'phone').map(({ value }) => value)
  const users = known.filter(({ kind }) => kind !== 'phone').map(({ value }) => value)
  if (
    phone !== null &&
    !numbers.includes(phone) &&
    numberVariants(phone).some((spelling) => numbers.includes(spelling))
  )
    return addIdentityIn(tx, ctx, row.contactId, {
      kind: 'phone',
      value: phone,
      accountId: row.accountId,
    })
  const isKnown =
    (phone !== null && numbers.includes(phone)) || (userId !== null && users.includes(userId))
  if (!isKnown) warnIn(tx, ctx, 'recipient_differs', eq(messages.id, row.id))
}
