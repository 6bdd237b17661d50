import { and, desc, eq, gte, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, atMost, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../../../inbox/messages/table'
import { quotedPlatformId } from '../../../inbox/messages/view'
import { changeRecipientIn, isCurrentSend } from '../state'
import { campaignRecipients, campaignSends } from '../table'
import { publishCampaignIn } from './publish'

/**
 * A message from the contact within this time counts as a reply (templates contract C, rule 12).
 */
const REPLY_MS = 3 * DAY_MS

const recentSendsTo = compiled((orm) =>
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
    .innerJoin(campaignSends, isCurrentSend)
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
          eq(campaignRecipients.contactId, place(campaignRecipients.contactId, 'contactId')),
          gte(campaignRecipients.sentAtMs, place(campaignRecipients.sentAtMs, 'sinceMs')),
          sql`${campaignRecipients.sentAtMs} <= ${place(campaignRecipients.sentAtMs, 'atMs')}`,
        ),
      ),
    )
    // Equal times are sorted below. Every inbound message runs this query, and sorting by a second
    // column costs more than an empty result.
    .orderBy(desc(campaignRecipients.sentAtMs))
    .limit(atMost(20))
    .prepare(),
)

/** Records a reply to a campaign message: to the quoted message, otherwise to the newest one. */
export function trackReplyIn(
  tx: Tx,
  ctx: Ctx,
  arrived: { messageId: string; contactId: string; atMs: number },
): void {
  const { contactId, atMs } = arrived
  // The platform's times are whole seconds: a reply can have the second in which the message was
  // accepted.
  const recent = recentSendsTo(ctx.db)
    .all({
      organizationId: ctx.organizationId,
      contactId,
      sinceMs: atMs - REPLY_MS,
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
  const quotedSend = recent.find(({ waMessageId }) => quoted !== null && waMessageId === quoted)
  const repliedTo = quotedSend ?? newest
  // A button tap quotes its message. A tap on a button of another message counts as a reply only.
  const isClick =
    quotedSend !== undefined && message.type === 'interactive' && isTap(message.content)
  if (repliedTo.repliedAtMs !== null && (!isClick || repliedTo.clickedAtMs !== null)) return
  changeRecipientIn(tx, ctx, repliedTo, {
    repliedAtMs: repliedTo.repliedAtMs ?? atMs,
    ...(isClick && repliedTo.clickedAtMs === null ? { clickedAtMs: atMs } : {}),
  })
  publishCampaignIn(tx, ctx, repliedTo.campaignId, 'counters')
}

const isTap = (content: string): boolean =>
  (JSON.parse(content) as { kind?: string }).kind === 'template_button'
