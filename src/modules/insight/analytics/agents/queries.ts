import { eq, inArray } from 'drizzle-orm'

import { fieldSentence, InvalidError, NotFoundError } from '../../../../lib/errors'
import { isUuid, normalizeId } from '../../../../lib/ids'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { memberships } from '../../../organization/memberships/table'
import { findTeam, membersOf } from '../../../inbox/teams/find'
import { activeTransfersOf } from '../../../automation/transfers/figures'
import { users } from '../../../organization/users/table'
import { bucketsOf, type TimeBucket } from '../report/buckets'
import { reportRange, type ReportRange } from '../report/range'
import type { Granularity } from '../report/rules'
import { currencyOf, rangeView } from '../report/view'
import { planOf, type RollupPlan } from '../rollups/plan'
import type {
  AgentComparison,
  AgentList,
  AgentPoint,
  AgentReport,
  AgentRow,
  AgentSort,
} from './model'
import { breaksOf, clip, presenceIn, type AgentPresence } from './presence'
import { readWork, readWorkByPoint, workOfAll, type CountSpan, type WorkSums } from './read-counts'
import { figuresOf } from './view'

/** The dates of a report. */
interface Dates {
  start_date?: string | undefined
  end_date?: string | undefined
}

/** A member of the organization. */
interface Agent {
  userId: string
  fullName: string
  isAvailable: boolean
  joinedAtMs: number
}

/** An agent with the sums that its row is made of. */
interface MeasuredAgent {
  row: AgentRow
  work: WorkSums
  presence: AgentPresence
}

const allMembers = (ctx: ReadCtx, userIds?: string[]): Agent[] =>
  ctx.db.orm
    .select({
      userId: memberships.userId,
      fullName: users.fullName,
      isAvailable: memberships.isAvailable,
      joinedAtMs: memberships.createdAtMs,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      inOrganization(
        ctx,
        memberships,
        userIds === undefined ? undefined : inArray(memberships.userId, userIds),
      ),
    )
    .orderBy(memberships.words)
    .all()

/** Returns the members of a team, or all. Throws NotFoundError for an unknown team. */
function agentsOf(ctx: ReadCtx, teamId: string | undefined): Agent[] {
  if (teamId === undefined) return allMembers(ctx)
  if (!findTeam(ctx, teamId)) throw new NotFoundError('Team')
  return allMembers(
    ctx,
    membersOf(ctx, teamId).map(({ userId }) => userId),
  )
}

/** Members are neither available nor away before they joined and after now. */
const presentOf = (ctx: ReadCtx, { joinedAtMs }: Agent): CountSpan => ({
  fromMs: joinedAtMs,
  beforeMs: ctx.clock.nowMs(),
})

function measure(ctx: ReadCtx, agent: Agent, range: ReportRange, work: WorkSums): MeasuredAgent {
  const { userId, fullName, isAvailable } = agent
  const present = clip(range, presentOf(ctx, agent))
  const presence = presenceIn(breaksOf(ctx, userId, range), present)
  const row = {
    user_id: userId,
    full_name: fullName,
    is_available: isAvailable,
    active_transfers: activeTransfersOf(ctx, userId),
    ...figuresOf(work, presence),
  }
  return { row, work, presence }
}

const readingPlan = (
  ctx: ReadCtx,
  range: ReportRange,
  granularity: Granularity,
): RollupPlan & { buckets: TimeBucket[] } => {
  const buckets = bucketsOf(range, granularity)
  return { ...planOf(range, { granularity, buckets, nowMs: ctx.clock.nowMs() }), buckets }
}

function measureAll(ctx: ReadCtx, agents: readonly Agent[], range: ReportRange): MeasuredAgent[] {
  const userIds = agents.map(({ userId }) => userId)
  const work = readWork(ctx, userIds, readingPlan(ctx, range, 'day'))
  return agents.map((agent) => measure(ctx, agent, range, work.get(agent.userId) ?? workOfAll([])))
}

/**
 * Returns the figures of the agents of the organization or a team (analytics contract A4). Throws
 * InvalidError for an invalid range and NotFoundError for an unknown team.
 */
export function listAgents(
  ctx: ReadCtx,
  query: Dates & {
    teamId: string | undefined
    sort: AgentSort
    order: 'asc' | 'desc'
    page: number
    limit: number
  },
): AgentList {
  const range = reportRange(ctx, query)
  const all = measureAll(ctx, agentsOf(ctx, query.teamId), range)
  const { page, limit } = query
  return {
    items: sorted(
      all.map(({ row }) => row),
      query,
    ).slice((page - 1) * limit, page * limit),
    total: all.length,
    page,
    limit,
    total_pages: Math.ceil(all.length / limit),
    summary: summaryOf(all),
    range: rangeView(range, 'day'),
    ...currencyOf(ctx),
  }
}

function summaryOf(all: readonly MeasuredAgent[]): AgentList['summary'] {
  const sum = (value: (one: MeasuredAgent) => number): number =>
    all.reduce((total, one) => total + value(one), 0)
  return {
    active_transfers: sum(({ row }) => row.active_transfers),
    ...figuresOf(workOfAll(all.map(({ work }) => work)), {
      availableMs: sum(({ presence }) => presence.availableMs),
      awayMs: sum(({ presence }) => presence.awayMs),
      breaks: sum(({ presence }) => presence.breaks),
    }),
  }
}

/** Rows arrive sorted by name, which decides between equal figures. */
function sorted(
  rows: AgentRow[],
  { sort, order }: { sort: AgentSort; order: 'asc' | 'desc' },
): AgentRow[] {
  const sign = order === 'asc' ? 1 : -1
  if (sort === 'full_name') return sign === 1 ? rows : rows.toReversed()
  return rows.toSorted((a, b) => sign * (a[sort] - b[sort]))
}

/**
 * Returns the figures of a member with a timeline. Throws InvalidError for an invalid range and
 * NotFoundError if the user is not a member.
 */
export function agentReport(
  ctx: ReadCtx,
  {
    userId,
    granularity = 'day',
    ...dates
  }: Dates & { userId: string; granularity?: Granularity | undefined },
): AgentReport {
  const range = reportRange(ctx, dates, granularity)
  const [agent] = allMembers(ctx, [userId])
  if (!agent) throw new NotFoundError('User')
  const plan = readingPlan(ctx, range, granularity)
  const work = readWorkByPoint(ctx, userId, { plan, points: plan.buckets.length })
  return {
    agent: measure(ctx, agent, range, workOfAll(work)).row,
    timeline: timelineOf(ctx, agent, { range, buckets: plan.buckets, work }),
    range: rangeView(range, granularity),
    ...currencyOf(ctx),
  }
}

function timelineOf(
  ctx: ReadCtx,
  agent: Agent,
  { range, buckets, work }: { range: ReportRange; buckets: TimeBucket[]; work: WorkSums[] },
): AgentPoint[] {
  const breaks = breaksOf(ctx, agent.userId, range)
  const present = clip(range, presentOf(ctx, agent))
  return buckets.map((bucket, nth) => ({
    date: bucket.date,
    ...figuresOf(work[nth] ?? workOfAll([]), presenceIn(breaks, clip(bucket, present))),
  }))
}

/** Numbers of agents that can be compared. */
const MIN_COMPARED = 2
const MAX_COMPARED = 10

/**
 * Returns the figures of some members side by side. Throws InvalidError for an invalid range or list
 * and NotFoundError if a user is not a member.
 */
export function compareAgents(
  ctx: ReadCtx,
  { user_ids, ...dates }: Dates & { user_ids: string },
): AgentComparison {
  const range = reportRange(ctx, dates)
  const ids = readUserIds(user_ids)
  const known = new Map(allMembers(ctx, ids).map((agent) => [agent.userId, agent]))
  const agents = ids.map((id) => {
    const agent = known.get(id)
    if (!agent) throw new NotFoundError('User')
    return agent
  })
  const measured = measureAll(ctx, agents, range)
  return {
    agents: measured.map(({ row }) => row),
    range: rangeView(range, 'day'),
    ...currencyOf(ctx),
  }
}

function readUserIds(written: string): string[] {
  const ids = [...new Set(written.split(',').map((id) => normalizeId(id.trim())))]
  const isValid =
    ids.every((id) => isUuid(id)) && ids.length >= MIN_COMPARED && ids.length <= MAX_COMPARED
  if (isValid) return ids
  const message = `must be ${MIN_COMPARED} to ${MAX_COMPARED} different user IDs, separated by commas`
  throw new InvalidError(fieldSentence('user_ids', message), {
    code: 'invalid_input',
    errors: [{ path: 'query.user_ids', message }],
  })
}
