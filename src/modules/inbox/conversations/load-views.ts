import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { NotFoundError } from '../../../lib/errors'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { tagsOf, type TagSummary } from '../contacts/tags'
import { windowEndMs } from '../contacts/view'
import { type ContactSight, sightOf } from '../contacts/sight/visible-history'
import type { ConversationView } from './model'
import { threadOwnerAt } from './thread-owner'
import { costsThisMonth } from './cost'
import { isWindowOpen } from './window'
import { referralIn } from './referrals'
import { rowsWithRelations, type RelatedRows } from './related-rows'
import { relatedView } from './related-view'

/**
 * Returns a conversation as the API shows it. Does not check visibility, because a caller that has
 * just reassigned it still gets a response. Throws NotFoundError.
 */
export function viewOf(ctx: ReadCtx, id: string): ConversationView {
  const [view] = views(ctx, rowsWithRelations(ctx, [id]))
  if (!view) throw new NotFoundError('Conversation')
  return view
}

/** Returns conversations as the API shows them. Reads related rows for all of them at once. */
export function views(ctx: ReadCtx, rows: RelatedRows[]): ConversationView[] {
  const contactTags = tagsOf(ctx, [...new Set(rows.map(({ contact }) => contact.id))])
  const at = { sight: sightOf(ctx), nowMs: ctx.clock.nowMs() }
  const costs = costsThisMonth(
    ctx,
    rows.map(({ conversation }) => conversation),
  )
  return rows.map((row) =>
    conversationView(row, {
      ...at,
      contactTags: contactTags.get(row.contact.id) ?? [],
      costMonth: costs.get(row.conversation.id) ?? null,
    }),
  )
}

function conversationView(
  joined: RelatedRows,
  at: {
    sight: ContactSight
    nowMs: number
    contactTags: TagSummary[]
    costMonth: ConversationView['cost_month']
  },
): ConversationView {
  const { conversation } = joined
  const isShared = joined.account.sharedAtMs !== null
  const thread = threadOwnerAt(conversation, { isShared, nowMs: at.nowMs })
  return {
    id: conversation.id,
    account_id: conversation.accountId,
    state: conversation.state,
    assigned_to: conversation.assignedTo,
    team_id: conversation.teamId,
    unread_count: conversation.unreadCount,
    ...relatedView(joined, at),
    last_inbound_at: isoTimeOrNull(conversation.lastInboundAtMs),
    window_expires_at: isoTimeOrNull(windowEndMs(conversation)),
    window_open: isWindowOpen(conversation, at.nowMs),
    snoozed_until: isoTimeOrNull(conversation.snoozedUntilMs),
    first_response_at: isoTimeOrNull(conversation.firstResponseAtMs),
    waiting_since: isoTimeOrNull(conversation.unansweredSinceMs),
    thread_owner: thread.owner,
    owner_since: isoTimeOrNull(thread.sinceMs),
    owner_role: thread.role,
    closed_at: isoTimeOrNull(conversation.closedAtMs),
    created_at: isoTime(conversation.createdAtMs),
    updated_at: isoTime(conversation.updatedAtMs),
    first_referral: referralIn(conversation.firstReferral),
    last_referral: referralIn(conversation.lastReferral),
    free_entry_point_until: isoTimeOrNull(conversation.freeEntryUntilMs),
    cost_month: at.costMonth,
  }
}
