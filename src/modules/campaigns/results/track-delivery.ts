import { and, desc, eq, gte, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { within, type HookHandler } from '../../../infra/transaction-hooks'
import { findAccount } from '../../accounts/queries'
import { findContact } from '../../contacts/service'
import { WINDOW_MS } from '../../contacts/view'
import { findConversation } from '../../conversations/service'
import { ContactsMerged, MessageArrived, MessageMoved } from '../../messages/events'
import { notifyQuotaIn } from '../../messages/outbound/messaging-limit'
import { messages } from '../../messages/table'
import { quotedPlatformId, type MessageRow } from '../../messages/view'
import { publishCampaignIn } from './publish'
import { countryOfContact } from '../run/eligibility'
import { watchErrorsIn } from '../run/error-rate'
import { completeWhenDoneIn } from '../run/pause-automatically'
import { statusOfMessage } from '../rules'
import { priceOf } from './pricing'
import { noteReachIn } from '../run/quota'
import { changeRecipientIn, findCampaign, findRecipient, isPresentSend } from '../state'
import { campaignRecipients, campaignSends } from '../table'
import type { RecipientRow } from '../view'
import { atMost, place } from '../../../infra/db/place'

/** So long after a message an answer counts as one to it (templates contract C, rule 12). */
const ANSWERED_WITHIN_MS = 3 * DAY_MS

/** What a recipient follows of its message; the rest of the row is wide. */
type Followed = Pick<
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

const followed = {
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
    .select({ message: followed, recipient: campaignRecipients, attempt: campaignSends.attempt })
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
        eq(campaignSends.messageId, sql.placeholder('messageId')),
      ),
    )
    .prepare(),
)

/** Lets a recipient stand where its message stands, in the transaction in which that moved. */
function trackMessageIn(
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
  if (!found || !isMeant(found)) return
  const { message, recipient } = found
  const set = stateOf(ctx, message, recipient)
  if (Object.entries(set).every(([key, value]) => recipient[key as keyof RecipientRow] === value))
    return
  changeRecipientIn(tx, ctx, recipient, set)
  const campaign = findCampaign(ctx, recipient.campaignId)
  if (!campaign) return
  if (set.status === 'failed' && recipient.status !== 'failed') watchErrorsIn(tx, ctx, campaign)
  if (!completeWhenDoneIn(tx, ctx, campaign)) publishCampaignIn(tx, ctx, campaign.id, 'counters')
}

/**
 * Whether a message speaks for its recipient: of the newest attempt; of one that waits for another
 * try only when it arrived after all.
 */
function isMeant({
  message,
  recipient,
  attempt,
}: {
  message: Followed
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

function stateOf(ctx: Ctx, message: Followed, recipient: RecipientRow) {
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
 * What the platform's statuses say the message costs, `null` without a price; nothing new as long
 * as they do not say.
 */
function costOf(ctx: Ctx, message: Followed, recipient: RecipientRow): Partial<RecipientRow> {
  const pricing =
    message.pricing === null
      ? null
      : (JSON.parse(message.pricing) as { category?: string | null; billable?: boolean | null })
  if (typeof pricing?.billable !== 'boolean') return {}
  if (!pricing.billable) return { costMicros: 0, isCostActual: true }
  const campaign = findCampaign(ctx, recipient.campaignId)
  const contact = findContact(ctx, message.contactId)
  if (!campaign || !contact) return {}
  // Charged, and nobody knows how much.
  if (campaign.currency === null) return { costMicros: null, isCostActual: true }
  const price = priceOf(ctx, {
    country: countryOfContact(contact),
    category: (pricing.category ?? '').toUpperCase(),
    currency: campaign.currency,
    atMs: message.sentAtMs ?? message.createdAtMs,
  })
  return { costMicros: price?.micros ?? null, isCostActual: true }
}

const messageById = compiled((orm) =>
  orm
    .select({
      contactId: messages.contactId,
      accountId: messages.accountId,
      acceptedAtMs: messages.acceptedAtMs,
      status: messages.status,
    })
    .from(messages)
    .where(inOrganization(anyScope, messages, eq(messages.id, sql.placeholder('id'))))
    .prepare(),
)

/**
 * A template that was taken outside of an open window uses the portfolio's daily quota, whoever
 * sent it.
 */
function trackReachIn(
  tx: Tx,
  ctx: Ctx,
  { messageId, source }: { messageId: string; source: string },
): void {
  const message = messageById(ctx.db).get({ organizationId: ctx.organizationId, id: messageId })
  if (message?.status !== 'sent' || message.acceptedAtMs === null) return
  const account = findAccount(ctx, message.accountId)
  const heardAtMs =
    findConversation(ctx, { contactId: message.contactId, accountId: message.accountId })
      ?.lastInboundAtMs ?? null
  if (!account || (heardAtMs !== null && message.acceptedAtMs - heardAtMs < WINDOW_MS)) return
  noteReachIn(tx, ctx, { account, contactId: message.contactId, atMs: message.acceptedAtMs })
  // A campaign tells by itself, and pauses.
  if (source !== 'campaign') notifyQuotaIn(tx, ctx, account)
}

const recentlySentTo = compiled((orm) =>
  orm
    .select({
      campaignId: campaignRecipients.campaignId,
      id: campaignRecipients.id,
      sentAtMs: campaignRecipients.sentAtMs,
      repliedAtMs: campaignRecipients.repliedAtMs,
      clickedAtMs: campaignRecipients.clickedAtMs,
      waMessageId: messages.waMessageId,
    })
    .from(campaignRecipients)
    .innerJoin(campaignSends, isPresentSend)
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
        campaignRecipients,
        and(
          eq(campaignRecipients.contactId, place('contactId')),
          gte(campaignRecipients.sentAtMs, place('sinceMs')),
          sql`${campaignRecipients.sentAtMs} <= ${place('atMs')}`,
        ),
      ),
    )
    // Two of the same instant are told apart below: every message that comes in asks this, and to
    // sort nothing costs more than to find nothing.
    .orderBy(desc(campaignRecipients.sentAtMs))
    .limit(atMost(20))
    .prepare(),
)

/**
 * Notes an answer to a campaign's message: one that quotes it, else whatever the customer writes
 * after it.
 */
function trackAnswerIn(
  tx: Tx,
  ctx: Ctx,
  arrived: { messageId: string; contactId: string; atMs: number },
): void {
  const { contactId, atMs } = arrived
  // The platform's times are whole seconds: an answer may bear the second in which the message was
  // taken.
  const recent = recentlySentTo(ctx.db)
    .all({
      organizationId: ctx.organizationId,
      contactId,
      sinceMs: atMs - ANSWERED_WITHIN_MS,
      atMs: atMs + 999,
    })
    .toSorted(
      (a, b) => (b.sentAtMs ?? 0) - (a.sentAtMs ?? 0) || (a.campaignId < b.campaignId ? 1 : -1),
    )
  const [newest] = recent
  if (!newest) return
  const message = tx
    .select()
    .from(messages)
    .where(inOrganization(ctx, messages, eq(messages.id, arrived.messageId)))
    .get()
  if (!message) return
  const quoted = quotedPlatformId(message)
  const meant = recent.find(({ waMessageId }) => quoted !== null && waMessageId === quoted)
  const answered = meant ?? newest
  // A tap always names its message: one on the button of another message is an answer only.
  const isClick = meant !== undefined && message.type === 'interactive' && isTap(message.content)
  if (answered.repliedAtMs !== null && (!isClick || answered.clickedAtMs !== null)) return
  changeRecipientIn(tx, ctx, answered, {
    repliedAtMs: answered.repliedAtMs ?? atMs,
    ...(isClick && answered.clickedAtMs === null ? { clickedAtMs: atMs } : {}),
  })
  publishCampaignIn(tx, ctx, answered.campaignId, 'counters')
}

const isTap = (content: string): boolean =>
  (JSON.parse(content) as { kind?: string }).kind === 'template_button'

/** How recipients stand to whom a message went, or may have gone. */
const WRITTEN_TO: ReadonlySet<RecipientRow['status']> = new Set([
  'sending',
  'sent',
  'delivered',
  'read',
  'unknown',
])

/**
 * Gives recipients of a contact that was joined with another one to that one; of two that wait, or
 * of which one was written to, one is left out.
 */
function trackMergeIn(tx: Tx, ctx: Ctx, { from, to }: { from: string; to: string }): void {
  const identity = `c:${to}`
  const rows = tx
    .select()
    .from(campaignRecipients)
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.contactId, from)))
    .all()
  for (const row of rows) {
    const other = findRecipient(ctx, { campaignId: row.campaignId, identity })
    if (other === null) {
      changeRecipientIn(tx, ctx, row, { contactId: to, identity })
      continue
    }
    const leftOut = { status: 'skipped', skipReason: 'duplicate' } as const
    changeRecipientIn(tx, ctx, row, { contactId: to, ...(row.status === 'pending' ? leftOut : {}) })
    if (other.status === 'pending' && WRITTEN_TO.has(row.status))
      changeRecipientIn(tx, ctx, other, leftOut)
  }
}

/** What campaigns do at once when something happens with messages. */
export const campaignHooks: HookHandler[] = [
  within(MessageMoved, trackMessageIn),
  within(MessageArrived, trackAnswerIn),
  within(ContactsMerged, trackMergeIn),
]
