import { inArray } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { fieldSentence, InvalidError, NotFoundError } from '../../../../lib/errors'
import { inOrganization } from '../../../../infra/ctx'
import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { getAccount } from '../../../channel/accounts/queries'
import { tags } from '../../../inbox/tags/table'
import { findTeam, membersOf } from '../../../inbox/teams/find'
import { teamMembers, teams } from '../../../inbox/teams/table'
import {
  addWork,
  noWork,
  OF_NUMBERS,
  ofUsers,
  workOfAll,
  type WorkSums,
} from '../agents/read-counts'
import { workFigures } from '../agents/view'
import { namesOf } from '../costs/names'
import { bucketsOf, type TimeBucket } from '../report/buckets'
import { reportRange } from '../report/range'
import { percentOf } from '../report/rates'
import type { Granularity } from '../report/rules'
import { currencyOf, rangeView } from '../report/view'
import { planOf, type RollupPlan } from '../rollups/plan'
import type { RollupReading } from '../rollups/queries'
import { HOUR_DAYS } from '../rollups/rules'
import type { QualityFigures, QualityGroup, QualityGroupBy, QualityReport } from './model'
import { workByTag, type TagReading } from './read-tags'

/** Filters and form of the report. */
export interface QualityQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  team_id?: string | undefined
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

/** Whose work is read: of a team, or of everybody; `null` for everybody. */
function usersOf(ctx: ReadCtx, teamId: string | undefined): string[] | null {
  if (teamId === undefined) return null
  if (!findTeam(ctx, teamId)) throw new NotFoundError('Team')
  return membersOf(ctx, teamId).map(({ userId }) => userId)
}

const NOBODY = new Uint8Array(16)

/**
 * Returns how fast customers were answered and how well deadlines were met (analytics contract,
 * console 2). Throws InvalidError for an invalid range and NotFoundError for an unknown phone number
 * or team.
 */
export function qualityReport(ctx: ReadCtx, query: QualityQuery): QualityReport {
  const { granularity, groupBy } = query
  const range = reportRange(ctx, query, granularity)
  const buckets = bucketsOf(range, granularity)
  const plan = planOf(range, { granularity, buckets, nowMs: ctx.clock.nowMs() })
  const accountId = query.account_id === undefined ? null : getAccount(ctx, query.account_id).id
  const userIds = usersOf(ctx, query.team_id)
  const where: RollupReading['where'] = [
    // missed deadlines are counted once more for nobody, when they were missed
    ['user_id <> ?', NOBODY],
    ...(accountId === null ? [] : [['account_id = ?', uuidToBytes(accountId)] as const]),
    ...(userIds === null ? [] : [ofUsers(userIds)]),
  ]
  const points = buckets.map(noWork)
  addWork(
    ctx,
    { sources: OF_NUMBERS, plan, where, addUp: 'by period', keys: [] },
    ([unit, start]) => points[plan.pointOf(unit, start)],
  )
  const reading = { range, plan, where, accountId, userIds }
  return {
    summary: figuresOf(workOfAll(points)),
    groups: groupBy === undefined ? [] : GROUPS[groupBy](ctx, reading),
    timeline: buckets.map(({ date }, nth) => ({ date, ...figuresOf(points[nth] ?? noWork()) })),
    range: rangeView(range, granularity),
    ...currencyOf(ctx),
  }
}

const figuresOf = (work: WorkSums): QualityFigures => ({
  answers: work.responses,
  ...workFigures(work),
  sla_met_rate: percentOf(work.handled - work.breached, work.handled),
})

/** What groups are read from. */
interface GroupReading extends TagReading {
  plan: RollupPlan
  where: RollupReading['where']
}

const GROUPS: Readonly<
  Record<QualityGroupBy, (ctx: ReadCtx, reading: GroupReading) => QualityGroup[]>
> = {
  hour: byHour,
  weekday: byWeekday,
  team: byTeam,
  agent: (ctx, reading) =>
    named(byId(ctx, reading, 'user_id'), (ids) => namesOf(ctx, 'agent', ids)),
  account: (ctx, reading) =>
    named(byId(ctx, reading, 'account_id'), (ids) => namesOf(ctx, 'account', ids)),
  tag: byTag,
}

/** Returns work by the local hour of the day, whose counts are kept for 90 days. */
function byHour(ctx: ReadCtx, { range, where }: GroupReading): QualityGroup[] {
  const nowMs = ctx.clock.nowMs()
  if (range.fromMs < nowMs - HOUR_DAYS * DAY_MS)
    refuse(`must not be more than ${HOUR_DAYS} days ago for hours`)
  const buckets = bucketsOf(range, 'hour')
  const plan = planOf(range, { granularity: 'hour', buckets, nowMs })
  return byPeriod(ctx, {
    ...{ plan, buckets, where, keys: Array.from({ length: 24 }, (_, hour) => String(hour)) },
    keyOf: ({ date }) => String(Number(date.slice(11, 13))),
  })
}

/** Returns work by the day of the week. */
function byWeekday(ctx: ReadCtx, { range, where }: GroupReading): QualityGroup[] {
  const buckets = bucketsOf(range, 'day')
  const plan = planOf(range, { granularity: 'day', buckets, nowMs: ctx.clock.nowMs() })
  return byPeriod(ctx, {
    ...{ plan, buckets, where, keys: Array.from({ length: 7 }, (_, day) => String(day + 1)) },
    keyOf: ({ date }) => String(Temporal.PlainDate.from(date).dayOfWeek),
  })
}

/** Returns a group for each key, also those without work. */
function byPeriod(
  ctx: ReadCtx,
  {
    plan,
    buckets,
    where,
    keys,
    keyOf,
  }: Pick<GroupReading, 'plan' | 'where'> & {
    buckets: TimeBucket[]
    keys: readonly string[]
    keyOf: (bucket: TimeBucket) => string
  },
): QualityGroup[] {
  const work = new Map(keys.map((key) => [key, noWork()]))
  addWork(
    ctx,
    { sources: OF_NUMBERS, plan, where, addUp: 'by period', keys: [] },
    ([unit, start]) => {
      const bucket = buckets[plan.pointOf(unit, start)]
      return bucket && work.get(keyOf(bucket))
    },
  )
  return [...work].map(([key, sums]) => ({ key, name: null, ...figuresOf(sums) }))
}

/** Returns work by an ID in the rows of the counts. */
function byId(
  ctx: ReadCtx,
  { plan, where }: GroupReading,
  column: 'user_id' | 'account_id',
): Map<string | null, WorkSums> {
  const work = new Map<string | null, WorkSums>()
  addWork(
    ctx,
    { sources: OF_NUMBERS, plan, where, addUp: 'over all', keys: [column] },
    ([, , id]) => sumsIn(work, bytesToUuid(id as Uint8Array)),
  )
  return work
}

/** Returns the sums of a key, which are nothing at first. */
function sumsIn(work: Map<string | null, WorkSums>, key: string | null): WorkSums {
  const sums = work.get(key) ?? noWork()
  work.set(key, sums)
  return sums
}

/** Returns work by the present teams of people; who is in several counts in each. */
function byTeam(ctx: ReadCtx, reading: GroupReading): QualityGroup[] {
  const teamsOfUser = Map.groupBy(
    ctx.db.orm
      .select({ teamId: teamMembers.teamId, userId: teamMembers.userId })
      .from(teamMembers)
      .where(inOrganization(ctx, teamMembers))
      .all(),
    ({ userId }) => userId,
  )
  const parts = new Map<string | null, WorkSums[]>()
  for (const [userId, sums] of byId(ctx, reading, 'user_id'))
    for (const teamId of teamsOfUser.get(userId ?? '')?.map((one) => one.teamId) ?? [null])
      parts.set(teamId, [...(parts.get(teamId) ?? []), sums])
  const work = new Map([...parts].map(([id, all]) => [id, workOfAll(all)]))
  return named(work, (ids) => rowNames(ctx, teams, ids))
}

function byTag(ctx: ReadCtx, reading: GroupReading): QualityGroup[] {
  if (reading.range.days.length > MAX_TAG_DAYS)
    refuse(`must not be more than ${MAX_TAG_DAYS} days before the end for tags`)
  const work = new Map<string | null, WorkSums>()
  workByTag(ctx, reading, (tagId) => sumsIn(work, tagId))
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
