import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock'
import type { Ctx } from '../../infra/ctx'
import { effectiveSettings } from '../chatbot-settings/effective'
import type { ConversationRow } from '../conversations/row'
import type { TeamRow } from '../teams/find'
import { earliest, type TransferRow } from './rules'

/** Returns the deadlines of a new transfer. Changed settings count for later ones. */
export function slaDeadlines(
  ctx: Ctx,
  accountId: string,
): Pick<TransferRow, 'responseDueAtMs' | 'resolutionDueAtMs' | 'escalationDueAtMs'> {
  const settings = effectiveSettings(ctx, accountId)
  if (!settings.sla_enabled)
    return { responseDueAtMs: null, resolutionDueAtMs: null, escalationDueAtMs: null }
  const nowMs = ctx.clock.nowMs()
  const after = (minutes: number): number => nowMs + minutes * MINUTE_MS
  return {
    responseDueAtMs: after(settings.sla_response_minutes),
    resolutionDueAtMs: after(settings.sla_resolution_minutes),
    escalationDueAtMs: after(settings.sla_escalation_minutes),
  }
}

/** Returns when the agent of a team must have responded, or `null` without a limit. */
export const agentDeadline = (ctx: Ctx, team: TeamRow | null): number | null =>
  team === null || team.perAgentTimeoutS === 0
    ? null
    : ctx.clock.nowMs() + team.perAgentTimeoutS * SECOND_MS

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
