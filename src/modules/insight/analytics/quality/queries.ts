import { inArray } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { fieldSentence, InvalidError, NotFoundError } from '../../../../lib/errors'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getAccount } from '../../../channel/accounts/queries'
import { tags } from '../../../inbox/tags/table'
import { findTeam, membersOf } from '../../../inbox/teams/find'
import { teamMembers, teams } from '../../../inbox/teams/table'
import { noWork, workOfAll, type WorkSums } from '../agents/read-counts'
import { workFigures } from '../agents/view'
import { namesOf } from '../costs/names'
import type { TimeBucket } from '../report/buckets'
import { requireMember } from '../report/filters'
import { reportRange, type ReportRange } from '../report/range'
import { percentOf } from '../report/rates'
import type { Granularity } from '../report/rules'
import { currencyOf, rangeView } from '../report/view'
import { HOUR_DAYS } from '../rollups/rules'
import type { QualityFigures, QualityGroup, QualityGroupBy, QualityReport } from './model'
import { workByTag, type TagReading } from './read-tags'
import { countedWork, sumsIn, taggedWork, type ComparedWork } from './work'

/** Filters and form of the report. */
export interface QualityQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  team_id?: string | undefined
  user_id?: string | undefined
  tag_id?: string | undefined
  granularity: Granularity
  groupBy?: QualityGroupBy | undefined
}

/** Longest report by tag, days: it is added up from stored messages. */
const MAX_TAG_DAYS = 31

const refuse = (message: string): never => {
  throw new InvalidError(fieldSentence('start_date', message), {
    code: 'invalid_input',
    errors: [{ path: 'query.start_date', message }],
  })
}

/** Whose work is read: of a team, of one person, of one person in a team; `null` for everybody. */
function usersOf(ctx: ReadCtx, { team_id, user_id }: QualityQuery): string[] | null {
  if (user_id !== undefined) requireMember(ctx, user_id)
  if (team_id === undefined) return user_id === undefined ? null : [user_id]
  if (!findTeam(ctx, team_id)) throw new NotFoundError('Team')
  const members = membersOf(ctx, team_id).map(({ userId }) => userId)
  return user_id === undefined ? members : members.filter((id) => id === user_id)
}

/**
 * Returns how fast customers were answered and how well deadlines were met (analytics contract,
 * console 2). Throws InvalidError for an invalid range and NotFoundError for an unknown phone number,
 * team, member or tag.
 */
export function qualityReport(ctx: ReadCtx, query: QualityQuery): QualityReport {
  const { granularity, groupBy, tag_id: tagId } = query
  const range = reportRange(ctx, query, granularity)
  if (groupBy === 'hour') requireKeptHours(ctx, range)
  if (groupBy === 'tag' || tagId !== undefined) requireTagDays(range)
  const accountId = query.account_id === undefined ? null : getAccount(ctx, query.account_id).id
  const reading = { range, accountId, userIds: usersOf(ctx, query) }
  const read = tagId === undefined ? countedWork(ctx, reading) : ofTag(ctx, reading, tagId)
  const { buckets, sums } = read.byPoint(granularity)
  // the timeline often has the points that the groups are made of
  const work: ComparedWork = {
    ...read,
    byPoint: (wished) => (wished === granularity ? { buckets, sums } : read.byPoint(wished)),
  }
  return {
    summary: figuresOf(workOfAll(sums)),
    groups: groupBy === undefined ? [] : GROUPS[groupBy](ctx, { ...reading, work, tagId }),
    timeline: buckets.map(({ date }, nth) => ({ date, ...figuresOf(sums[nth] ?? noWork()) })),
    range: rangeView(range, granularity),
    ...currencyOf(ctx),
  }
}

/** Returns the work about contacts with a tag. Throws NotFoundError and InvalidError. */
function ofTag(ctx: ReadCtx, reading: TagReading, tagId: string): ComparedWork {
  if (rowNames(ctx, tags, [tagId]).size === 0) throw new NotFoundError('Tag')
  return taggedWork(ctx, { ...reading, tagId })
}

/** Throws InvalidError for hours whose counts are not kept. */
function requireKeptHours(ctx: ReadCtx, { fromMs }: ReportRange): void {
  if (fromMs < ctx.clock.nowMs() - HOUR_DAYS * DAY_MS)
    refuse(`must not be more than ${HOUR_DAYS} days ago for hours`)
}

/** Throws InvalidError for more days than are added up from stored messages. */
function requireTagDays({ days }: ReportRange): void {
  if (days.length > MAX_TAG_DAYS)
    refuse(`must not be more than ${MAX_TAG_DAYS} days before the end for tags`)
}

const figuresOf = (work: WorkSums): QualityFigures => ({
  answers: work.responses,
  ...workFigures(work),
  sla_met_rate: percentOf(work.handled - work.breached, work.handled),
})

/** What groups are read from. */
interface GroupReading extends TagReading {
  work: ComparedWork
  /** The tag to which the work is limited. */
  tagId: string | undefined
}

const GROUPS: Readonly<
  Record<QualityGroupBy, (ctx: ReadCtx, reading: GroupReading) => QualityGroup[]>
> = {
  // whose counts are kept for 90 days
  hour: (_ctx, { work }) =>
    byPeriod(work, 'hour', {
      keys: Array.from({ length: 24 }, (_, hour) => String(hour)),
      keyOf: ({ date }) => String(Number(date.slice(11, 13))),
    }),
  weekday: (_ctx, { work }) =>
    byPeriod(work, 'day', {
      keys: Array.from({ length: 7 }, (_, day) => String(day + 1)),
      keyOf: ({ date }) => String(Temporal.PlainDate.from(date).dayOfWeek),
    }),
  team: byTeam,
  agent: (ctx, { work }) => named(work.byId('user_id'), (ids) => namesOf(ctx, 'agent', ids)),
  account: (ctx, { work }) => named(work.byId('account_id'), (ids) => namesOf(ctx, 'account', ids)),
  tag: byTag,
}

/** Returns a group for each key, also those without work. */
function byPeriod(
  work: ComparedWork,
  granularity: Granularity,
  { keys, keyOf }: { keys: readonly string[]; keyOf: (bucket: TimeBucket) => string },
): QualityGroup[] {
  const parts = new Map<string, WorkSums[]>(keys.map((key) => [key, []]))
  const { buckets, sums } = work.byPoint(granularity)
  for (const [nth, bucket] of buckets.entries())
    parts.get(keyOf(bucket))?.push(sums[nth] ?? noWork())
  return [...parts].map(([key, all]) => ({ key, name: null, ...figuresOf(workOfAll(all)) }))
}

/** Returns work by the present teams of people; who is in several counts in each. */
function byTeam(ctx: ReadCtx, { work }: GroupReading): QualityGroup[] {
  const teamsOfUser = Map.groupBy(
    ctx.db.orm
      .select({ teamId: teamMembers.teamId, userId: teamMembers.userId })
      .from(teamMembers)
      .where(inOrganization(ctx, teamMembers))
      .all(),
    ({ userId }) => userId,
  )
  const parts = new Map<string | null, WorkSums[]>()
  for (const [userId, sums] of work.byId('user_id'))
    for (const teamId of teamsOfUser.get(userId ?? '')?.map((one) => one.teamId) ?? [null])
      parts.set(teamId, [...(parts.get(teamId) ?? []), sums])
  const teamWork = new Map([...parts].map(([id, all]) => [id, workOfAll(all)]))
  return named(teamWork, (ids) => rowNames(ctx, teams, ids))
}

function byTag(ctx: ReadCtx, reading: GroupReading): QualityGroup[] {
  const work = new Map<string | null, WorkSums>()
  workByTag(ctx, reading, (tagId) =>
    reading.tagId === undefined || tagId === reading.tagId ? sumsIn(work, tagId) : noWork(),
  )
  return named(work, (ids) => rowNames(ctx, tags, ids))
}

const rowNames = (
  ctx: ReadCtx,
  table: typeof teams | typeof tags,
  ids: string[],
): Map<string, string> =>
  new Map(
    ctx.db.orm
      .select({ id: table.id, name: table.name })
      .from(table)
      .where(inOrganization(ctx, table, inArray(table.id, ids)))
      .all()
      .map(({ id, name }) => [id, name]),
  )

/** Returns groups with their names, the slowest answers first. */
function named(
  work: ReadonlyMap<string | null, WorkSums>,
  namesFor: (ids: string[]) => Map<string, string>,
): QualityGroup[] {
  const names = namesFor([...work.keys()].filter((id) => id !== null))
  return [...work]
    .map(([key, sums]) => ({ key, name: names.get(key ?? '') ?? null, ...figuresOf(sums) }))
    .toSorted(
      (a, b) =>
        b.avg_first_response_seconds - a.avg_first_response_seconds ||
        (a.name ?? '').localeCompare(b.name ?? ''),
    )
}
