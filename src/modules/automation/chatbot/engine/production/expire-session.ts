import { eq } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../../infra/ctx'
import type { Tx } from '../../../../../infra/db/transact'
import { hasLiveJob } from '../../../../../infra/jobs/waiting-jobs'
import { findConversation } from '../../../../inbox/conversations/service'
import { outcomeWaitMs } from '../../../../inbox/messages/outbound/outcome-wait'
import { messages } from '../../../../inbox/messages/table'
import { findHoldingTransfer } from '../../../transfers/find'
import { AskBotAi, MakeBotCall, RunBotStep } from '../../jobs'
import { textMessage } from '../drafts'
import type { Session, TraceRow } from '../model'
import { renderText } from '../render'
import { finishRun } from '../finish-run'
import { beginRun, endSession, timeoutMinutes, trace, write, type Run } from '../run'
import { botSessions } from '../table'
import { endSessionIn } from './end-sessions'
import { giveUpIn } from './give-up'
import { botKey, callKey } from './inbox'
import { productionPorts } from './ports'
import { haltReasonOf } from './silence'
import { sessionOf, type SessionPlace, type BotSessionRow } from './store'

/** When the silence of a customer has which consequence; `null` for never. */
interface Deadlines {
  remindAtMs: number | null
  /** The end by the settings for silent clients. */
  closeAtMs: number | null
  timeoutAtMs: number
  /** When the silence began. */
  sinceMs: number
  /** Why the settings keep the bot from writing meanwhile, or `null`. */
  halted: string | null
}

/**
 * Does what is due on a session, in the caller's transaction. A customer who is silent is reminded
 * once, and then the session ends. A session that waits for anything else has lost its job. A
 * person who has the customer is not interrupted.
 */
export function expireSessionIn(tx: Tx, ctx: Ctx, row: BotSessionRow): void {
  if (findHoldingTransfer(ctx, row.contactId)) {
    endSessionIn(tx, ctx, row, { status: 'transferred', reason: 'transfer_active' })
    return
  }
  if (row.waitingFor !== 'reply' && row.waitingFor !== 'form') {
    if (isWorking(ctx, row)) return postpone(tx, ctx, row, ctx.clock.nowMs() + 5 * MINUTE_MS)
    const place = { contactId: row.contactId, accountId: row.accountId }
    return giveUpIn(tx, ctx, { place, session: row, messageId: null, reason: 'lost' })
  }
  const outcomeMs = outcomeWaitMs(ctx, row)
  if (outcomeMs !== null) return postpone(tx, ctx, row, ctx.clock.nowMs() + outcomeMs)
  const place = { contactId: row.contactId, accountId: row.accountId }
  const session = sessionOf(row)
  const run = beginRun(productionPorts(tx, ctx, { place, before: row }), session, null)
  const due = deadlinesOf(ctx, run, session, place)
  const nowMs = ctx.clock.nowMs()
  if (Math.min(due.closeAtMs ?? due.timeoutAtMs, due.timeoutAtMs) <= nowMs)
    return timeOut(run, session, due)
  if (due.remindAtMs === null || due.remindAtMs > nowMs) return postpone(tx, ctx, row, nextOf(due))
  remind(run, session, due)
}

/**
 * Returns the deadlines of a session that waits for its customer. The timeout counts from the last
 * message of either side, also from those that the bot had no part in; reminder and close count only
 * while that one is ours. The reminder itself does not begin another silence.
 */
function deadlinesOf(ctx: Ctx, run: Run, session: Session, place: SessionPlace): Deadlines {
  const { settings } = run.ports
  const last = lastMessage(ctx, place)
  const { reminded } = session.state
  const isReminded = reminded !== null && last.atMs <= reminded.atMs
  const sinceMs = isReminded ? reminded.sinceMs : Math.max(session.lastActivityMs, last.atMs)
  const after = (minutes: number): number => sinceMs + minutes * MINUTE_MS
  const looksAfterSilence = last.isOurs && settings.client_reminder_enabled
  const { client_auto_close_minutes: closes, client_reminder_minutes: reminds } = settings
  return {
    remindAtMs: looksAfterSilence && !isReminded ? after(reminds) : null,
    closeAtMs: looksAfterSilence && closes !== null ? after(closes) : null,
    timeoutAtMs: after(timeoutMinutes(run, session)),
    sinceMs,
    halted: haltReasonOf(ctx, place.contactId, { settings, session }),
  }
}

const nextOf = ({ remindAtMs, closeAtMs, timeoutAtMs }: Deadlines): number =>
  Math.min(remindAtMs ?? timeoutAtMs, closeAtMs ?? timeoutAtMs, timeoutAtMs)

/** Returns the time of the last message of a conversation, and whether it is ours. */
function lastMessage(ctx: Ctx, place: SessionPlace): { atMs: number; isOurs: boolean } {
  const conversation = findConversation(ctx, place)
  const id = conversation?.lastMessageId ?? null
  const direction =
    id === null
      ? undefined
      : ctx.db.orm
          .select({ direction: messages.direction })
          .from(messages)
          .where(inOrganization(ctx, messages, eq(messages.id, id)))
          .get()?.direction
  return { atMs: conversation?.lastMessageAtMs ?? 0, isOurs: direction === 'outgoing' }
}

/** Ends a session whose customer was silent, with the text of whichever deadline came first. */
function timeOut(run: Run, session: Session, { closeAtMs, timeoutAtMs, halted }: Deadlines): void {
  const isClosed = closeAtMs !== null && closeAtMs < timeoutAtMs
  const { flowId, flowVersion } = session
  const flow =
    flowId === null || flowVersion === null ? null : run.ports.flowVersion(flowId, flowVersion)
  const entry = trace(run, {
    stage: 'timeout',
    outcome: isClosed ? 'client_auto_close' : 'timed_out',
  })
  say(
    run,
    renderText(
      run,
      isClosed ? run.ports.settings.client_auto_close_message : flow?.settings.timeoutMessage,
    ),
    { entry, halted },
  )
  endSession(run, 'timed_out', isClosed ? 'client_auto_close' : null)
  finishRun(run)
}

/** Reminds a silent customer. */
function remind(run: Run, session: Session, due: Deadlines): void {
  const { sinceMs, halted } = due
  const entry = trace(run, { stage: 'timeout', outcome: 'reminded' })
  say(run, renderText(run, run.ports.settings.client_reminder_message), { entry, halted })
  session.state.reminded = { atMs: run.ports.nowMs(), sinceMs }
  session.expiresAtMs = nextOf({ ...due, remindAtMs: null })
  finishRun(run)
}

/** Writes a text unless it may not be sent. */
function say(
  run: Run,
  text: string | null,
  { entry, halted }: { entry: TraceRow; halted: string | null },
): void {
  if (text === null) return
  const refusal = halted ?? run.ports.refusalOf(textMessage(text))
  if (refusal === null) write(run, textMessage(text), entry)
  else entry.error = refusal
}

/** Whether a job still takes care of a session. */
function isWorking(ctx: Ctx, { id, contactId, steps }: BotSessionRow): boolean {
  const args = { sessionId: id, step: steps }
  return [
    { kind: RunBotStep.name, orderingKeys: [botKey(contactId)], args },
    { kind: MakeBotCall.name, orderingKeys: [callKey(id)], args },
    { kind: AskBotAi.name, orderingKeys: [callKey(id)], args },
  ].some((which) => hasLiveJob(ctx, which))
}

function postpone(tx: Tx, ctx: Ctx, row: BotSessionRow, expiresAtMs: number): void {
  tx.update(botSessions)
    .set({ expiresAtMs })
    .where(inOrganization(ctx, botSessions, eq(botSessions.id, row.id)))
    .run()
}
