import { and, eq, gt, inArray, sql, type SQL } from 'drizzle-orm'

import type { Candidates } from '../../infra/bounded-list'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { candidatesFor, ownCandidates, parsedSearchOf } from '../contacts/filters'
import { seesAll } from '../contacts/visibility'
import { fitting, type ConversationFilter } from './filters'
import type { ConversationCounts } from './model'
import { sumOverConversations } from './scan'
import { conversationCounts, conversations } from './table'
import { uuidValue } from '../../infra/db/uuid'

/**
 * Returns the condition on the stored counts that equals a filter, or `null` if the counts do not
 * cover it. They are stored by phone number, assignee, team and state.
 */
function countedFor(ctx: Ctx, filter: ConversationFilter): { condition: SQL | undefined } | null {
  const { tags, window, search, teamId, accountId, assignedTo } = filter
  if (!seesAll(ctx.actor) || [tags, window, search].some((value) => value !== undefined))
    return null
  const assignee =
    assignedTo === 'none' ? '' : assignedTo === 'me' ? (ctx.actor.userId ?? '-') : assignedTo
  const condition = and(
    accountId === undefined ? undefined : eq(conversationCounts.accountId, accountId),
    assignee === undefined ? undefined : eq(conversationCounts.assignedTo, assignee),
    teamId === undefined ? undefined : eq(conversationCounts.teamId, teamId),
    filter.states === undefined ? undefined : inArray(conversationCounts.state, filter.states),
    filter.unread === true ? gt(conversationCounts.unread, 0) : undefined,
  )
  return { condition }
}

/** Returns the number of conversations that match the filters. */
export async function totalOf(ctx: Ctx, query: ConversationFilter): Promise<number> {
  const counted = countedFor(ctx, query)
  if (counted === null)
    return await countFitting(ctx, fitting(ctx, query, null), ownCandidates(ctx))
  const column =
    query.unread === true ? conversationCounts.unread : conversationCounts.conversations
  return (
    ctx.db.orm
      .select({ rows: sql<number>`coalesce(sum(${column}), 0)` })
      .from(conversationCounts)
      .where(inOrganization(ctx, conversationCounts, counted.condition))
      .get()?.rows ?? 0
  )
}

/**
 * Counts the conversations that match a condition, without the stored counts: of these contacts, or
 * of all.
 */
export const countFitting = async (
  ctx: Ctx,
  filter: SQL,
  candidates: Candidates | null,
): Promise<number> => (await sumOverConversations(ctx, { filter, sums: {}, candidates })).rows

/**
 * Counts the conversations the caller can see by state, and those that are the caller's own,
 * unassigned and unread.
 */
export async function countConversations(
  ctx: Ctx,
  filter: ConversationFilter,
): Promise<ConversationCounts> {
  const known = countedFor(ctx, filter)
  if (known !== null) return sumOfCounts(ctx, known.condition, filter.unread === true)
  const found = parsedSearchOf(ctx, filter)
  const sums = {
    open: sql`(${conversations.state} = 'open')`,
    pending: sql`(${conversations.state} = 'pending')`,
    snoozed: sql`(${conversations.state} = 'snoozed')`,
    closed: sql`(${conversations.state} = 'closed')`,
    mine: sql`(${conversations.assignedTo} is ${uuidValue(ctx.actor.userId)})`,
    unassigned: sql`(${conversations.assignedTo} is null)`,
    unread: sql`(${conversations.unreadCount} > 0)`,
  }
  const { rows: _rows, ...counts } = await sumOverConversations(ctx, {
    sums,
    filter: fitting(ctx, filter, found),
    candidates: candidatesFor(ctx, { tags: filter.tags }, found),
  })
  return counts
}

const NO_CONVERSATIONS: ConversationCounts = {
  open: 0,
  pending: 0,
  snoozed: 0,
  closed: 0,
  mine: 0,
  unassigned: 0,
  unread: 0,
}

function sumOfCounts(ctx: Ctx, known: SQL | undefined, isUnread: boolean): ConversationCounts {
  const rows = isUnread ? conversationCounts.unread : conversationCounts.conversations
  const sumIf = (condition: SQL): SQL<number> =>
    sql<number>`coalesce(sum(case when ${condition} then ${rows} end), 0)`
  const counted = ctx.db.orm
    .select({
      open: sumIf(eq(conversationCounts.state, 'open')),
      pending: sumIf(eq(conversationCounts.state, 'pending')),
      snoozed: sumIf(eq(conversationCounts.state, 'snoozed')),
      closed: sumIf(eq(conversationCounts.state, 'closed')),
      mine: sumIf(eq(conversationCounts.assignedTo, ctx.actor.userId ?? '-')),
      unassigned: sumIf(eq(conversationCounts.assignedTo, '')),
      unread: sql<number>`coalesce(sum(${conversationCounts.unread}), 0)`,
    })
    .from(conversationCounts)
    .where(inOrganization(ctx, conversationCounts, known))
    .get()
  return counted ?? NO_CONVERSATIONS
}
