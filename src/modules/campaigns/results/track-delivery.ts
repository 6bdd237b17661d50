import { and, eq } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { findContact } from '../../contacts/service'
import { messages } from '../../messages/table'
import type { MessageRow } from '../../messages/view'
import { statusOfMessage } from '../rules'
import { completeWhenDoneIn } from '../run/complete'
import { countryOfContact } from '../run/eligibility'
import { watchErrorsIn } from '../run/error-rate'
import { changeRecipientIn, findCampaign } from '../state'
import { campaignRecipients, campaignSends } from '../table'
import type { RecipientRow } from '../view'
import { priceOf } from './pricing'
import { publishCampaignIn } from './publish'
import { trackReachIn } from './track-quota'
import { opaqueUuid } from '../../../infra/db/uuid'

/** The message columns that the state of a recipient depends on. */
type TrackedMessage = Pick<
  MessageRow,
  | 'contactId'
  | 'status'
  | 'sentAtMs'
  | 'deliveredAtMs'
  | 'readAtMs'
  | 'failedAtMs'
  | 'error'
  | 'pricing'
  | 'createdAtMs'
>

const trackedColumns = {
  contactId: messages.contactId,
  status: messages.status,
  sentAtMs: messages.sentAtMs,
  deliveredAtMs: messages.deliveredAtMs,
  readAtMs: messages.readAtMs,
  failedAtMs: messages.failedAtMs,
  error: messages.error,
  pricing: messages.pricing,
  createdAtMs: messages.createdAtMs,
}

const recipientOfMessage = compiled((orm) =>
  orm
    .select({
      message: trackedColumns,
      recipient: campaignRecipients,
      attempt: campaignSends.attempt,
    })
    .from(campaignSends)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, campaignSends.organizationId),
        eq(messages.id, campaignSends.messageId),
      ),
    )
    .innerJoin(
      campaignRecipients,
      and(
        eq(campaignRecipients.organizationId, campaignSends.organizationId),
        eq(campaignRecipients.campaignId, campaignSends.campaignId),
        eq(campaignRecipients.id, campaignSends.recipientId),
      ),
    )
    .where(
      inOrganization(anyScope, campaignSends, eq(campaignSends.messageId, opaqueUuid('messageId'))),
    )
    .prepare(),
)

/**
 * Updates the recipient of a message whose state changed. Runs inside the transaction that changed
 * the message.
 */
export function trackMessageIn(
  tx: Tx,
  ctx: Ctx,
  moved: { messageId: string; source: string; type: string },
): void {
  if (moved.type === 'template') trackReachIn(tx, ctx, moved)
  if (moved.source !== 'campaign') return
  const found = recipientOfMessage(ctx.db).get({
    organizationId: ctx.organizationId,
    messageId: moved.messageId,
  })
  if (!found || !decidesState(found)) return
  const { message, recipient } = found
  const set = recipientChanges(ctx, message, recipient)
  if (Object.entries(set).every(([key, value]) => recipient[key as keyof RecipientRow] === value))
    return
  changeRecipientIn(tx, ctx, recipient, set)
  const campaign = findCampaign(ctx, recipient.campaignId)
  if (!campaign) return
  if (set.status === 'failed' && recipient.status !== 'failed') watchErrorsIn(tx, ctx, campaign)
  if (!completeWhenDoneIn(tx, ctx, campaign)) publishCampaignIn(tx, ctx, campaign.id, 'counters')
}

/**
 * Reports whether a message decides the state of its recipient: only the newest attempt does. If a
 * retry is pending, only a delivery does.
 */
function decidesState({
  message,
  recipient,
  attempt,
}: {
  message: TrackedMessage
  recipient: RecipientRow
  attempt: number
}): boolean {
  if (
    attempt !== recipient.attempt ||
    recipient.status === 'skipped' ||
    recipient.status === 'cancelled'
  )
    return false
  return (
    recipient.status !== 'pending' || message.status === 'delivered' || message.status === 'read'
  )
}

function recipientChanges(ctx: Ctx, message: TrackedMessage, recipient: RecipientRow) {
  const status = statusOfMessage(message.status)
  const isFinished = status === 'delivered' || status === 'read' || status === 'failed'
  return {
    status,
    sentAtMs: message.sentAtMs,
    deliveredAtMs: message.deliveredAtMs,
    readAtMs: message.readAtMs,
    failedAtMs: message.failedAtMs,
    error: message.error,
    errorCode: message.error === null ? null : (JSON.parse(message.error) as { code: string }).code,
    finishedAtMs: recipient.finishedAtMs ?? (isFinished ? ctx.clock.nowMs() : null),
    ...costOf(ctx, message, recipient),
  }
}

/**
 * Returns the cost that the platform's status reports: `null` if the price is unknown, no change if
 * the status does not report it.
 */
function costOf(ctx: Ctx, message: TrackedMessage, recipient: RecipientRow): Partial<RecipientRow> {
  const pricing =
    message.pricing === null
      ? null
      : (JSON.parse(message.pricing) as { category?: string | null; billable?: boolean | null })
  if (typeof pricing?.billable !== 'boolean') return {}
  if (!pricing.billable) return { costMicros: 0, isCostActual: true }
  const campaign = findCampaign(ctx, recipient.campaignId)
  const contact = findContact(ctx, message.contactId)
  if (!campaign || !contact) return {}
  // Charged, but the price is unknown.
  if (campaign.currency === null) return { costMicros: null, isCostActual: true }
  const price = priceOf(ctx, {
    country: countryOfContact(contact),
    category: (pricing.category ?? '').toUpperCase(),
    currency: campaign.currency,
    atMs: message.sentAtMs ?? message.createdAtMs,
  })
  return { costMicros: price?.micros ?? null, isCostActual: true }
}
