import { and, eq, gte, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db'
import { messages } from '../messages/table'
import { getMemberByUser } from '../organizations/members/queries'
import { memberBreaks } from '../people/table'
import type { AgentDay, AgentReport } from './model'
import { reportRange, type ReportRange } from './range'

interface Span {
  fromMs: number
  beforeMs: number
}

interface Break {
  startedAtMs: number
  endedAtMs: number | null
}

/** Milliseconds as seconds with one decimal. */
const seconds = (ms: number): number => Math.round(ms / 100) / 10

/**
 * The figures of a member with one point per day, of the messages that person wrote and the times it was away (analytics contract
 * A4). Messages that a program sent with the person's key are not the person's. Throws NotFoundError for who is no member.
 */
export function agentReport(
  ctx: Ctx,
  userId: string,
  asked: { start_date?: string | undefined; end_date?: string | undefined },
): AgentReport {
  const range = reportRange(ctx, asked)
  const { membership, user } = getMemberByUser(ctx, userId)
  const away = breaksOf(ctx, userId, range)
  // Before a person joined and after now there is nobody to be available.
  const present: Span = { fromMs: membership.createdAtMs, beforeMs: ctx.clock.nowMs() }
  const figures = (span: Span): Omit<AgentDay, 'date'> => ({
    ...answersOf(ctx, userId, span),
    ...timesOf(away, cut(span, present)),
    transfers_handled: 0,
  })
  return {
    agent: {
      user_id: userId,
      full_name: user.fullName,
      is_available: membership.isAvailable,
      active_transfers: 0,
      avg_queue_seconds: 0,
      avg_resolution_seconds: 0,
      sla_breached: 0,
      ...figures(range),
    },
    timeline: range.days.map((day) => ({ date: day.date, ...figures(cut(day, range)) })),
    range: {
      start_date: range.days[0]?.date ?? '',
      end_date: range.days.at(-1)?.date ?? '',
      timezone: range.timezone,
      granularity: 'day',
    },
    as_of: isoTime(ctx.clock.nowMs()),
  }
}

const cut = (span: Span, to: Span): Span => ({ fromMs: Math.max(span.fromMs, to.fromMs), beforeMs: Math.min(span.beforeMs, to.beforeMs) })
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

function timesOf(breaks: Break[], span: Span): Pick<AgentDay, 'available_seconds' | 'away_seconds' | 'breaks'> {
  const within = breaks.map((one) => lengthOf(cut({ fromMs: one.startedAtMs, beforeMs: one.endedAtMs ?? Infinity }, span)))
  const awayMs = within.reduce((sum, ms) => sum + ms, 0)
  return {
    available_seconds: seconds(lengthOf(span) - awayMs),
    away_seconds: seconds(awayMs),
    breaks: within.filter((ms) => ms > 0).length,
  }
}

type Answers = Pick<AgentDay, 'messages_sent' | 'avg_first_response_seconds' | 'median_first_response_seconds'>

const written = inOrganization(
  anyScope,
  messages,
  and(
    eq(messages.sentBy, sql.placeholder('userId')),
    gte(messages.createdAtMs, sql.placeholder('fromMs')),
    lt(messages.createdAtMs, sql.placeholder('beforeMs')),
    eq(messages.source, 'agent'),
  ),
)

const tally = compiled((orm) =>
  orm
    .select({
      sent: sql<number>`count(${messages.acceptedAtMs})`,
      answers: sql<number>`count(${messages.answeredAfterMs})`,
      meanMs: sql<number | null>`avg(${messages.answeredAfterMs})`,
    })
    .from(messages)
    .where(written)
    .prepare(),
)

const waits = compiled((orm) =>
  orm
    .select({ waitedMs: messages.answeredAfterMs })
    .from(messages)
    .where(and(written, isNotNull(messages.answeredAfterMs)))
    .orderBy(messages.answeredAfterMs)
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare(),
)

function answersOf(ctx: Ctx, userId: string, span: Span): Answers {
  const who = { organizationId: ctx.organizationId, userId, ...span }
  const { sent, answers, meanMs } = tally(ctx.db).get(who) ?? { sent: 0, answers: 0, meanMs: null }
  const middle = answers === 0 ? [] : waits(ctx.db).all({ ...who, limit: answers % 2 === 0 ? 2 : 1, offset: Math.floor((answers - 1) / 2) })
  const medianMs = middle.reduce((sum, { waitedMs }) => sum + (waitedMs ?? 0), 0) / Math.max(1, middle.length)
  return { messages_sent: sent, avg_first_response_seconds: seconds(meanMs ?? 0), median_first_response_seconds: seconds(medianMs) }
}
