import { afterOpenTime, openTimeBetween } from '../../../lib/business-hours'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import { effectiveHours, effectiveSettings } from '../chatbot-settings/effective'
import type { ConversationRow } from '../../inbox/conversations/row'
import { getOrganization } from '../../organization/organizations/service'
import { findTeam, type TeamRow } from '../../inbox/teams/find'
import { earliest, type TransferRow } from './rules'

/** The deadlines of the SLA, and whether they count business hours only. */
type SlaClocks = Pick<
  TransferRow,
  'responseDueAtMs' | 'resolutionDueAtMs' | 'escalationDueAtMs' | 'countsOpenTime'
>

/** Returns the deadlines of a new transfer. Changed settings count for later ones. */
export function slaDeadlines(ctx: Ctx, accountId: string): SlaClocks {
  const settings = effectiveSettings(ctx, accountId)
  const countsOpenTime = settings.sla_business_hours_only && settings.business_hours_enabled
  const clock = { accountId, countsOpenTime }
  const after = (minutes: number): number | null =>
    settings.sla_enabled
      ? deadlineAfter(ctx, clock, { fromMs: ctx.clock.nowMs(), durationMs: minutes * MINUTE_MS })
      : null
  return {
    responseDueAtMs: after(settings.sla_response_minutes),
    resolutionDueAtMs: after(settings.sla_resolution_minutes),
    escalationDueAtMs: after(settings.sla_escalation_minutes),
    countsOpenTime,
  }
}

/** Returns when an escalated transfer is escalated again. */
export const nextEscalation = (ctx: Ctx, row: TransferRow): number | null =>
  deadlineAfter(ctx, row, {
    fromMs: row.escalationDueAtMs ?? ctx.clock.nowMs(),
    durationMs: effectiveSettings(ctx, row.accountId).sla_escalation_minutes * MINUTE_MS,
  })

type SlaClock = Pick<TransferRow, 'accountId' | 'countsOpenTime'>

/** Returns when a clock has run for this long, or `null` if it never will. */
function deadlineAfter(
  ctx: Ctx,
  { accountId, countsOpenTime }: SlaClock,
  span: { fromMs: number; durationMs: number },
): number | null {
  if (!countsOpenTime) return span.fromMs + span.durationMs
  return afterOpenTime(effectiveHours(ctx, accountId), getOrganization(ctx).timezone, span)
}

/**
 * Returns the deadlines of a transfer whose clocks have stood since it was paused: what was left
 * then is left now. Missed deadlines stay.
 */
export function resumedDeadlines(
  ctx: Ctx,
  row: TransferRow,
  pausedAtMs: number,
): Pick<
  TransferRow,
  | 'responseDueAtMs'
  | 'resolutionDueAtMs'
  | 'escalationDueAtMs'
  | 'expiresAtMs'
  | 'reminderDueAtMs'
  | 'agentDueAtMs'
> {
  const nowMs = ctx.clock.nowMs()
  const later = (dueAtMs: number | null): number | null =>
    dueAtMs === null || dueAtMs <= pausedAtMs ? dueAtMs : dueAtMs + (nowMs - pausedAtMs)
  const laterInHours = (dueAtMs: number | null): number | null =>
    dueAtMs === null || dueAtMs <= pausedAtMs || !row.countsOpenTime
      ? later(dueAtMs)
      : deadlineAfter(ctx, row, {
          fromMs: nowMs,
          durationMs: openTimeBetween(
            effectiveHours(ctx, row.accountId),
            getOrganization(ctx).timezone,
            { fromMs: pausedAtMs, beforeMs: dueAtMs },
          ),
        })
  return {
    responseDueAtMs: laterInHours(row.responseDueAtMs),
    resolutionDueAtMs: laterInHours(row.resolutionDueAtMs),
    escalationDueAtMs: laterInHours(row.escalationDueAtMs),
    expiresAtMs: later(row.expiresAtMs),
    reminderDueAtMs: later(row.reminderDueAtMs),
    agentDueAtMs: later(row.agentDueAtMs),
  }
}

/** Returns when the agent of a team must have responded, or `null` without a limit. */
export const agentDeadline = (ctx: Ctx, team: TeamRow | null): number | null =>
  team === null || team.perAgentTimeoutS === 0
    ? null
    : ctx.clock.nowMs() + team.perAgentTimeoutS * SECOND_MS

/** Returns when the agent of a transfer must have responded, or `null` without a limit. */
export const agentDeadlineOf = (ctx: Ctx, { teamId }: TransferRow): number | null =>
  agentDeadline(ctx, teamId === null ? null : findTeam(ctx, teamId))

/**
 * Returns since when the customer has been silent: the time of our last message if nobody on our
 * side owes an answer, otherwise `null`. What the bot wrote does not count.
 */
export const silentSinceMs = (
  conversation: Pick<ConversationRow, 'unansweredSinceMs' | 'lastAnsweredAtMs'> | null,
): number | null =>
  conversation === null || conversation.unansweredSinceMs !== null
    ? null
    : conversation.lastAnsweredAtMs

/** The times at which the silence of a customer has consequences. */
type SilenceClocks = Pick<TransferRow, 'expiresAtMs' | 'isClientExpiry' | 'reminderDueAtMs'>

/**
 * Returns when a transfer expires and when its customer is reminded. Silence counts from our last
 * message, at the earliest from the transfer; a reminder is sent once per silence, and only while
 * the transfer has an agent. While the customer waits, nothing is due.
 */
export function silenceClocks(
  ctx: Ctx,
  transfer: Pick<TransferRow, 'accountId' | 'agentId' | 'transferredAtMs' | 'remindedAtMs'>,
  sinceMs: number | null,
): SilenceClocks {
  if (sinceMs === null) return { expiresAtMs: null, isClientExpiry: false, reminderDueAtMs: null }
  const settings = effectiveSettings(ctx, transfer.accountId)
  const fromMs = Math.max(sinceMs, transfer.transferredAtMs)
  const hours = settings.sla_auto_close_hours
  const slaMs = hours === null ? null : fromMs + hours * HOUR_MS
  const isAssigned = transfer.agentId !== null && settings.client_reminder_enabled
  const minutes = settings.client_auto_close_minutes
  const clientMs = isAssigned && minutes !== null ? fromMs + minutes * MINUTE_MS : null
  const isReminded = transfer.remindedAtMs !== null && transfer.remindedAtMs >= sinceMs
  return {
    expiresAtMs: earliest(slaMs, clientMs),
    isClientExpiry: clientMs !== null && (slaMs === null || clientMs <= slaMs),
    reminderDueAtMs:
      isAssigned && !isReminded ? fromMs + settings.client_reminder_minutes * MINUTE_MS : null,
  }
}
