import { and, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../../../inbox/messages/table'
import type { MessageRow } from '../../../inbox/messages/view'
import { statusOfMessage } from '../rules'
import { completeWhenDoneIn } from '../run/complete'
import { watchErrorsIn } from '../run/error-rate'
import { changeRecipientIn, findCampaign, findProgress } from '../state'
import { campaignRecipients, campaignSends } from '../table'
import type { RecipientRow } from '../view'
import { closeOpenCostsIn } from './open-costs'
import { publishCampaignIn } from './publish'
import { trackReachIn } from './track-quota'

/** The message columns that the state of a recipient depends on. */
type TrackedMessage = Pick<
  MessageRow,
  | 'status'
  | 'sentAtMs'
  | 'deliveredAtMs'
  | 'readAtMs'
  | 'failedAtMs'
  | 'error'
  | 'costMicros'
  | 'costMonth'
  | 'isCostEstimate'
>

const trackedColumns = {
  status: messages.status,
  sentAtMs: messages.sentAtMs,
  deliveredAtMs: messages.deliveredAtMs,
  readAtMs: messages.readAtMs,
  failedAtMs: messages.failedAtMs,
  error: messages.error,
  costMicros: messages.costMicros,
  costMonth: messages.costMonth,
  isCostEstimate: messages.isCostEstimate,
}

const recipientOfMessage = compiled((orm) =>
  orm
    .select({
      message: trackedColumns,
      recipient: campaignRecipients,
      attempt: campaignSends.attempt,
      openCostMicros: campaignSends.openCostMicros,
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
      inOrganization(
        anyScope,
        campaignSends,
        eq(campaignSends.messageId, place(campaignSends.messageId, 'messageId')),
      ),
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
  moved: { messageId: string; source: string; isBusinessInitiated: boolean; isAccepted: boolean },
): void {
  if (moved.isBusinessInitiated && moved.isAccepted) trackReachIn(tx, ctx, moved)
  if (moved.source !== 'campaign') return
  const found = recipientOfMessage(ctx.db).get({
    organizationId: ctx.organizationId,
    messageId: moved.messageId,
  })
  if (!found) return
  const { message, recipient } = found
  const set = decidesState(found)
    ? recipientChanges(ctx, message, recipient)
    : lateCostOf(ctx, message, recipient)
  if (found.openCostMicros !== null || recipient.attempt > 1) {
    const { campaignId, id: recipientId } = recipient
    const isCostActual = set.isCostActual ?? recipient.isCostActual
    closeOpenCostsIn(tx, ctx, { campaignId, recipientId, isCostActual })
  }
  // Columns that stay as they are would have their indexes written again.
  const changed = Object.entries(set).filter(
    ([column, value]) => recipient[column as keyof RecipientRow] !== value,
  )
  if (changed.length === 0) return
  changeRecipientIn(tx, ctx, recipient, Object.fromEntries(changed))
  if (set.status === 'failed' && recipient.status !== 'failed')
    watchCampaignIn(tx, ctx, recipient.campaignId)
  const campaign = findProgress(ctx, recipient.campaignId)
  if (campaign && !completeWhenDoneIn(tx, ctx, campaign))
    publishCampaignIn(tx, ctx, campaign.id, 'counters')
}

function watchCampaignIn(tx: Tx, ctx: Ctx, campaignId: string): void {
  const campaign = findCampaign(ctx, campaignId)
  if (campaign) watchErrorsIn(tx, ctx, campaign)
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

/** Returns the cost of a recipient after a message of a former attempt was settled late. */
const lateCostOf = (
  ctx: Ctx,
  message: TrackedMessage,
  recipient: RecipientRow,
): Partial<RecipientRow> => (recipient.isCostActual ? costOf(ctx, message, recipient) : {})

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

const settledSums = compiled((orm) =>
  orm
    .select({
      micros: sql<number>`coalesce(sum(${messages.costMicros}), 0)`,
      unpriced: sql<number>`coalesce(sum(${messages.costMicros} is null), 0)`,
    })
    .from(campaignSends)
    .innerJoin(
      messages,
      and(
        eq(messages.organizationId, campaignSends.organizationId),
        eq(messages.id, campaignSends.messageId),
      ),
    )
    .where(
      inOrganization(
        anyScope,
        campaignSends,
        and(
          eq(campaignSends.campaignId, place(campaignSends.campaignId, 'campaignId')),
          eq(campaignSends.recipientId, place(campaignSends.recipientId, 'recipientId')),
          sql`${messages.isCostEstimate} = 0 and ${messages.costMonth} is not null`,
        ),
      ),
    )
    .prepare(),
)

/**
 * Returns the settled cost of all messages to a recipient, which are several after a retry: `null`
 * if a price is unknown, no change if the message is not settled.
 */
function costOf(ctx: Ctx, message: TrackedMessage, recipient: RecipientRow): Partial<RecipientRow> {
  if (message.isCostEstimate || message.costMonth === null) return {}
  if (recipient.attempt <= 1) return { costMicros: message.costMicros, isCostActual: true }
  const sums = settledSums(ctx.db).get({
    organizationId: ctx.organizationId,
    campaignId: recipient.campaignId,
    recipientId: recipient.id,
  })
  return { costMicros: sums && sums.unpriced === 0 ? sums.micros : null, isCostActual: true }
}
