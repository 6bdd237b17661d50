import { and, count, desc, eq, inArray, isNotNull, isNull, min, sql } from 'drizzle-orm'

import { isoTimeOrNull } from '../../../lib/clock'
import { inOrganization } from '../../../infra/ctx'
import { NIL_UUID } from '../../../infra/db/uuid'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { transfers } from '../../automation/transfers/table'
import { contacts } from '../../inbox/contacts/table'
import { conversationCounts, conversations } from '../../inbox/conversations/table'
import { teamMembers, teams } from '../../inbox/teams/table'
import { memberBreaks } from '../../organization/members/table'
import { memberships } from '../../organization/memberships/table'
import { users } from '../../organization/users/table'
import type { BoardPerson, BoardQueue, TeamBoard } from './model'

/** The board with all its people. */
export type WholeBoard = Pick<TeamBoard, 'items' | 'queues' | 'summary'>

/** How many wait, and since when the first of them does. */
interface Waiting {
  rows: number
  sinceMs: number | null
}

const NOBODY_WAITS: Waiting = { rows: 0, sinceMs: null }

const waitingView = ({ rows, sinceMs }: Waiting = NOBODY_WAITS) => ({
  waiting: rows,
  oldest_waiting_at: isoTimeOrNull(sinceMs),
})

/**
 * Returns who works now and who waits, of the whole organization: its figures name colleagues and
 * teams, but no customers.
 */
export function wholeBoard(ctx: ReadCtx): WholeBoard {
  const members = membersOf(ctx)
  const openOf = openByPerson(ctx)
  const waitingOf = waitingByPerson(ctx)
  const people = members.map(({ userId, fullName, isAvailable }): BoardPerson => ({
    user_id: userId,
    full_name: fullName,
    is_available: isAvailable,
    away_since: isAvailable ? null : isoTimeOrNull(awaySinceMs(ctx, userId)),
    open: openOf.get(userId) ?? 0,
    ...waitingView(waitingOf.get(userId)),
  }))
  const available = new Set(members.flatMap((one) => (one.isAvailable ? [one.userId] : [])))
  return {
    items: people.toSorted(byNeed),
    queues: queuesOf(ctx, available),
    summary: {
      available: available.size,
      away: members.length - available.size,
      open: [...openOf.values()].reduce((sum, rows) => sum + rows, 0),
      ...waitingView(sumOf([...waitingOf.values()])),
    },
  }
}

/** Returns a page of the people on the board, and everything else of it. */
export function teamBoard(
  ctx: ReadCtx,
  { page, limit }: { page: number; limit: number },
): TeamBoard {
  const { items, ...rest } = wholeBoard(ctx)
  return {
    items: items.slice((page - 1) * limit, page * limit),
    ...{ total: items.length, page, limit, total_pages: Math.ceil(items.length / limit) },
    ...rest,
  }
}

/** Whose customers wait longest come first, then who has most. They arrive in the order of names. */
function byNeed(a: BoardPerson, b: BoardPerson): number {
  const [first, second] = [a.oldest_waiting_at ?? '~', b.oldest_waiting_at ?? '~']
  if (first !== second) return first < second ? -1 : 1
  return b.open - a.open
}

const sumOf = (all: readonly Waiting[]): Waiting =>
  all.reduce(
    (sum, { rows, sinceMs }) => ({
      rows: sum.rows + rows,
      sinceMs: Math.min(sum.sinceMs ?? Infinity, sinceMs ?? Infinity),
    }),
    NOBODY_WAITS,
  )

const membersOf = (ctx: ReadCtx) =>
  ctx.db.orm
    .select({
      userId: memberships.userId,
      fullName: users.fullName,
      isAvailable: memberships.isAvailable,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      inOrganization(
        ctx,
        memberships,
        eq(memberships.isActive, true),
        eq(memberships.isDisabled, false),
      ),
    )
    .orderBy(memberships.words)
    .all()

/** Returns since when a member is away, epoch milliseconds. */
const awaySinceMs = (ctx: ReadCtx, userId: string): number | null =>
  ctx.db.orm
    .select({ startedAtMs: memberBreaks.startedAtMs })
    .from(memberBreaks)
    .where(
      inOrganization(
        ctx,
        memberBreaks,
        and(eq(memberBreaks.userId, userId), isNull(memberBreaks.endedAtMs)),
      ),
    )
    .orderBy(desc(memberBreaks.startedAtMs))
    .limit(1)
    .get()?.startedAtMs ?? null

/** Returns the numbers of open conversations by person; those of nobody have the nil ID. */
const openByPerson = (ctx: ReadCtx): Map<string, number> =>
  new Map(
    ctx.db.orm
      .select({
        userId: conversationCounts.assignedTo,
        rows: sql<number>`sum(${conversationCounts.conversations})`,
      })
      .from(conversationCounts)
      .where(inOrganization(ctx, conversationCounts, eq(conversationCounts.state, 'open')))
      .groupBy(conversationCounts.assignedTo)
      .all()
      .map(({ userId, rows }) => [userId, rows]),
  )

/** Returns the customers who wait in open conversations, by person; those of nobody have the nil ID. */
const waitingByPerson = (ctx: ReadCtx): Map<string, Waiting> =>
  new Map(
    ctx.db.orm
      .select({
        userId: conversations.assignedTo,
        rows: count(),
        sinceMs: min(conversations.unansweredSinceMs),
      })
      .from(conversations)
      .innerJoin(
        contacts,
        and(
          eq(contacts.organizationId, conversations.organizationId),
          eq(contacts.id, conversations.contactId),
        ),
      )
      .where(
        inOrganization(
          ctx,
          conversations,
          eq(conversations.state, 'open'),
          isNotNull(conversations.unansweredSinceMs),
          isNull(contacts.deletedAtMs),
        ),
      )
      .groupBy(conversations.assignedTo)
      .all()
      .map(({ userId, ...waiting }) => [userId ?? NIL_UUID, waiting]),
  )

/** Returns the general queue and that of each active team. */
function queuesOf(ctx: ReadCtx, available: ReadonlySet<string>): BoardQueue[] {
  const waiting = waitingByTeam(ctx)
  const named = ctx.db.orm
    .select({ id: teams.id, name: teams.name })
    .from(teams)
    .where(inOrganization(ctx, teams, eq(teams.isActive, true), isNull(teams.deletedAtMs)))
    .orderBy(teams.nameKey)
    .all()
  const members = membersByTeam(
    ctx,
    named.map(({ id }) => id),
  )
  const general = { team_id: null, name: null, available: available.size }
  return [
    { ...general, ...waitingView(waiting.get(null)) },
    ...named.map(({ id, name }) => ({
      team_id: id,
      name,
      available: (members.get(id) ?? []).filter(({ userId }) => available.has(userId)).length,
      ...waitingView(waiting.get(id)),
    })),
  ]
}

const waitingByTeam = (ctx: ReadCtx): Map<string | null, Waiting> =>
  new Map(
    ctx.db.orm
      .select({
        teamId: transfers.teamId,
        rows: count(),
        sinceMs: min(transfers.transferredAtMs),
      })
      .from(transfers)
      .where(
        inOrganization(ctx, transfers, eq(transfers.status, 'active'), isNull(transfers.agentId)),
      )
      .groupBy(transfers.teamId)
      .all()
      .map(({ teamId, ...waiting }) => [teamId, waiting]),
  )

const membersByTeam = (ctx: ReadCtx, teamIds: string[]) =>
  Map.groupBy(
    ctx.db.orm
      .select({ teamId: teamMembers.teamId, userId: teamMembers.userId })
      .from(teamMembers)
      .where(inOrganization(ctx, teamMembers, inArray(teamMembers.teamId, teamIds)))
      .all(),
    ({ teamId }) => teamId,
  )
