import { and, eq, gte, isNull, lt, or, sql } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { messages } from '../messages/table'
import { getMemberByUser } from '../memberships/queries'
import { memberBreaks } from '../members/table'
import { activeTransfersOf, handledTransfers, type HandledTransfer } from '../transfers/figures'
import type { AgentDay, AgentReport } from './model'
import { reportRange, type ReportRange } from './report/range'
import { inSlices } from '../../infra/event-loop'
import { uuidPlaceholder } from '../../infra/db/uuid'

interface Span {
  fromMs: number
  beforeMs: number
}

interface Break {
  startedAtMs: number
  endedAtMs: number | null
}

/** Converts milliseconds to seconds with one decimal. */
const seconds = (ms: number): number => Math.round(ms / 100) / 10

/**
 * Returns the figures of a member with one point per day: messages they wrote and their breaks
 * (analytics contract A4). Messages sent by a program with the member's API key do not count.
 * Throws NotFoundError if the user is not a member.
 */
export async function agentReport(
  ctx: Ctx,
  userId: string,
  input: { start_date?: string | undefined; end_date?: string | undefined },
): Promise<AgentReport> {
  const range = reportRange(ctx, input)
  const { membership, user } = getMemberByUser(ctx, userId)
  const away = breaksOf(ctx, userId, range)
  // A member is neither available nor away before they joined and after now.
  const present: Span = { fromMs: membership.createdAtMs, beforeMs: ctx.clock.nowMs() }
  const all = await readWritten(ctx, userId, range)
  let [dayBegins, dayEnds] = [0, 0]
  // Messages and days are both sorted by time.
  const rowsBefore = (beforeMs: number): Written[] => {
    dayBegins = dayEnds
    while (dayEnds < all.length && (all[dayEnds]?.createdAtMs ?? 0) < beforeMs) dayEnds += 1
    return all.slice(dayBegins, dayEnds)
  }
  const handled = await handledTransfers(ctx, userId, range)
  const ended = handled.map(({ endedAtMs }) => endedAtMs).toReversed()
  const figures = (span: Span, rows: Written[]): Omit<AgentDay, 'date'> => ({
    ...responseFigures(rows),
    ...availabilityFigures(away, clip(span, present)),
    transfers_handled: endedBefore(ended, span.beforeMs) - endedBefore(ended, span.fromMs),
  })
  return {
    agent: {
      user_id: userId,
      full_name: user.fullName,
      is_available: membership.isAvailable,
      active_transfers: activeTransfersOf(ctx, userId),
      ...transferFigures(handled),
      ...figures(range, all),
    },
    timeline: range.days.map((day) => ({
      date: day.date,
      ...figures(clip(day, range), rowsBefore(day.beforeMs)),
    })),
    range: {
      start_date: range.days[0]?.date ?? '',
      end_date: range.days.at(-1)?.date ?? '',
      timezone: range.timezone,
      granularity: 'day',
    },
    as_of: isoTime(ctx.clock.nowMs()),
  }
}

/** Returns how many of these times, in ascending order, are before a time. */
function endedBefore(times: number[], beforeMs: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? 0) < beforeMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the average times of ended transfers: until their pickup, and until their end. */
function transferFigures(
  handled: HandledTransfer[],
): Pick<AgentReport['agent'], 'avg_queue_seconds' | 'avg_resolution_seconds' | 'sla_breached'> {
  const average = (times: number[]): number =>
    times.length === 0 ? 0 : seconds(times.reduce((sum, ms) => sum + ms, 0) / times.length)
  return {
    avg_queue_seconds: average(
      handled.flatMap(({ pickedUpAtMs, transferredAtMs }) =>
        pickedUpAtMs === null ? [] : [pickedUpAtMs - transferredAtMs],
      ),
    ),
    avg_resolution_seconds: average(
      handled.map(({ endedAtMs, transferredAtMs }) => endedAtMs - transferredAtMs),
    ),
    sla_breached: handled.filter(({ isBreached }) => isBreached).length,
  }
}

const clip = (span: Span, to: Span): Span => ({
  fromMs: Math.max(span.fromMs, to.fromMs),
  beforeMs: Math.min(span.beforeMs, to.beforeMs),
})
const lengthOf = (span: Span): number => Math.max(0, span.beforeMs - span.fromMs)

function breaksOf(ctx: Ctx, userId: string, range: ReportRange): Break[] {
  return ctx.db.orm
    .select({ startedAtMs: memberBreaks.startedAtMs, endedAtMs: memberBreaks.endedAtMs })
    .from(memberBreaks)
    .where(
      inOrganization(
        ctx,
        memberBreaks,
        eq(memberBreaks.userId, userId),
        lt(memberBreaks.startedAtMs, range.beforeMs),
        or(isNull(memberBreaks.endedAtMs), gte(memberBreaks.endedAtMs, range.fromMs)),
      ),
    )
    .all()
}

function availabilityFigures(
  breaks: Break[],
  span: Span,
): Pick<AgentDay, 'available_seconds' | 'away_seconds' | 'breaks'> {
  const within = breaks.map((one) =>
    lengthOf(clip({ fromMs: one.startedAtMs, beforeMs: one.endedAtMs ?? Infinity }, span)),
  )
  const awayMs = within.reduce((sum, ms) => sum + ms, 0)
  return {
    available_seconds: seconds(lengthOf(span) - awayMs),
    away_seconds: seconds(awayMs),
    breaks: within.filter((ms) => ms > 0).length,
  }
}

type Answers = Pick<
  AgentDay,
  'messages_sent' | 'avg_first_response_seconds' | 'median_first_response_seconds'
>

/** The columns of a sent message that the report needs. */
interface Written {
  id: string
  createdAtMs: number
  acceptedAtMs: number | null
  answeredAfterMs: number | null
}

/** Messages read per query. */
const READ_AT_ONCE = 250

const writtenMessages = compiled((orm) =>
  orm
    .select({
      id: messages.id,
      createdAtMs: messages.createdAtMs,
      acceptedAtMs: messages.acceptedAtMs,
      answeredAfterMs: messages.answeredAfterMs,
    })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.sentBy, uuidPlaceholder('userId')),
          sql`(${messages.createdAtMs}, ${messages.id}) > (${sql.placeholder('fromMs')}, ${uuidPlaceholder('after')})`,
          lt(messages.createdAtMs, sql.placeholder('beforeMs')),
          eq(messages.source, 'agent'),
        ),
      ),
    )
    .orderBy(messages.createdAtMs, messages.id)
    .limit(READ_AT_ONCE)
    .prepare(),
)

/**
 * Returns the messages a user wrote in a span, oldest first. Reads in slices of a few milliseconds.
 */
async function readWritten(
  ctx: Ctx,
  userId: string,
  { fromMs, beforeMs }: Span,
): Promise<Written[]> {
  const all: Written[] = []
  let position = { fromMs, after: '' }
  await inSlices(ctx, () => {
    const rows = writtenMessages(ctx.db).all({
      organizationId: ctx.organizationId,
      userId,
      beforeMs,
      ...position,
    })
    all.push(...rows)
    const last = rows.at(-1)
    if (last) position = { fromMs: last.createdAtMs, after: last.id }
    return rows.length < READ_AT_ONCE
  })
  return all
}

/** Returns the figures of sent messages. */
function responseFigures(rows: Written[]): Answers {
  const waits = rows
    .map(({ answeredAfterMs }) => answeredAfterMs)
    .filter((waitedMs) => waitedMs !== null)
    .toSorted((a, b) => a - b)
  const middle = waits.slice(Math.floor((waits.length - 1) / 2), Math.floor(waits.length / 2) + 1)
  return {
    messages_sent: rows.filter(({ acceptedAtMs }) => acceptedAtMs !== null).length,
    avg_first_response_seconds: seconds(meanOf(waits)),
    median_first_response_seconds: seconds(meanOf(middle)),
  }
}

const meanOf = (values: number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
