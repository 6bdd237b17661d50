import { and, eq, inArray, lt, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../../../inbox/messages/table'
import { findHoldingTransfer } from '../../transfers/find'
import { endForTransferIn } from './production/end-sessions'
import { wakeInboxIn } from './production/inbox'
import { publishEndIn } from './production/store'
import { botInbox, botMarks, botSessions, botTrace } from './table'

/** Maximum number of rows of each table deleted in one transaction. */
const AT_ONCE = 200

/** A move of rows between two contacts. */
interface Move {
  from: string
  to: string
}

/**
 * Moves everything the bot knows about a contact to another one, in the transaction of their merge.
 * If both have an active session on one number, that of the source is cancelled. If either was
 * transferred to a person, their sessions end as for a transfer.
 */
export function mergeBotDataIn(tx: Tx, ctx: Ctx, { from, to }: Move): void {
  const nowMs = ctx.clock.nowMs()
  const ofSource = and(eq(botSessions.contactId, from), eq(botSessions.status, 'active'))
  const busy = tx
    .select({ accountId: botSessions.accountId })
    .from(botSessions)
    .where(
      inOrganization(
        ctx,
        botSessions,
        and(eq(botSessions.contactId, to), eq(botSessions.status, 'active')),
      ),
    )
    .all()
    .map(({ accountId }) => accountId)
  const cancelled =
    busy.length === 0
      ? []
      : tx
          .update(botSessions)
          .set({
            status: 'cancelled',
            waitingFor: null,
            expiresAtMs: null,
            endedAtMs: nowMs,
            endReason: 'merged',
          })
          .where(
            inOrganization(ctx, botSessions, and(ofSource, inArray(botSessions.accountId, busy))),
          )
          .returning()
          .all()
  for (const table of [botSessions, botTrace, botInbox])
    tx.update(table)
      .set({ contactId: to })
      .where(inOrganization(ctx, table, eq(table.contactId, from)))
      .run()
  wakeInboxesIn(tx, ctx, to)
  for (const row of cancelled) publishEndIn(tx, ctx, { ...row, contactId: to })
  const marks = tx
    .delete(botMarks)
    .where(inOrganization(ctx, botMarks, eq(botMarks.contactId, from)))
    .returning()
    .all()
  for (const mark of marks)
    tx.insert(botMarks)
      .values({ ...mark, contactId: to })
      .onConflictDoNothing()
      .run()
  const transfer = findHoldingTransfer(ctx, to)
  if (transfer) endForTransferIn(tx, ctx, { transfer })
}

/** Lets messages that waited for the bot under another contact form turns of this one. */
function wakeInboxesIn(tx: Tx, ctx: Ctx, contactId: string): void {
  const numbers = tx
    .selectDistinct({ accountId: botInbox.accountId })
    .from(botInbox)
    .where(inOrganization(ctx, botInbox, eq(botInbox.contactId, contactId)))
    .all()
  for (const { accountId } of numbers) wakeInboxIn(tx, ctx, { contactId, accountId })
}

/**
 * Gives a contact back the sessions that began with its messages, and its messages that wait for the
 * bot, in the transaction that undoes a merge.
 */
export function separateBotDataIn(tx: Tx, ctx: Ctx, { from, to }: Move): void {
  const isOwn = sql`exists (select 1 from ${messages} where ${messages.organizationId} = ${botSessions.organizationId} and ${messages.id} = ${botSessions.firstMessageId} and ${messages.contactId} = ${sql.param(to, botSessions.contactId)})`
  const isOwnMessage = sql`exists (select 1 from ${messages} where ${messages.organizationId} = ${botInbox.organizationId} and ${messages.id} = ${botInbox.messageId} and ${messages.contactId} = ${sql.param(to, botInbox.contactId)})`
  tx.update(botInbox)
    .set({ contactId: to })
    .where(inOrganization(ctx, botInbox, and(eq(botInbox.contactId, from), isOwnMessage)))
    .run()
  wakeInboxesIn(tx, ctx, to)
  const moved = tx
    .update(botSessions)
    .set({ contactId: to })
    .where(inOrganization(ctx, botSessions, and(eq(botSessions.contactId, from), isOwn)))
    .returning({ id: botSessions.id })
    .all()
    .map(({ id }) => id)
  if (moved.length > 0)
    tx.update(botTrace)
      .set({ contactId: to })
      .where(inOrganization(ctx, botTrace, inArray(botTrace.sessionId, moved)))
      .run()
}

/** Numbers of erased rows. */
export interface ErasedBotData {
  bot_sessions: number
  bot_trace: number
}

/**
 * Deletes up to 200 rows of each kind that the bot has about a contact, in the transaction that
 * erases it. Returns the numbers deleted; zeros at the end.
 */
export function eraseBotDataIn(tx: Tx, ctx: Ctx, contactId: string): ErasedBotData {
  for (const table of [botInbox, botMarks])
    tx.delete(table)
      .where(inOrganization(ctx, table, eq(table.contactId, contactId)))
      .run()
  const traces = tx
    .select({ id: botTrace.id })
    .from(botTrace)
    .where(inOrganization(ctx, botTrace, eq(botTrace.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
  deleteTraceIn(tx, ctx, traces)
  if (traces.length > 0) return { bot_sessions: 0, bot_trace: traces.length }
  const sessions = tx
    .select({ id: botSessions.id })
    .from(botSessions)
    .where(inOrganization(ctx, botSessions, eq(botSessions.contactId, contactId)))
    .limit(AT_ONCE)
    .all()
  deleteSessionsIn(tx, ctx, sessions)
  return { bot_sessions: sessions.length, bot_trace: 0 }
}

/**
 * Deletes up to 200 sessions that ended before a time with their traces, in the caller's
 * transaction. Returns whether there may be more.
 */
export function eraseBotDataBeforeIn(tx: Tx, ctx: Ctx, beforeMs: number): boolean {
  const sessions = tx
    .select({ id: botSessions.id })
    .from(botSessions)
    .where(inOrganization(ctx, botSessions, lt(botSessions.endedAtMs, beforeMs)))
    .limit(AT_ONCE)
    .all()
  const ids = sessions.map(({ id }) => id)
  const traces = tx
    .select({ id: botTrace.id })
    .from(botTrace)
    .where(inOrganization(ctx, botTrace, inArray(botTrace.sessionId, ids)))
    .limit(AT_ONCE)
    .all()
  deleteTraceIn(tx, ctx, traces)
  if (traces.length === AT_ONCE) return true
  deleteSessionsIn(tx, ctx, sessions)
  return sessions.length === AT_ONCE
}

function deleteTraceIn(tx: Tx, ctx: Ctx, rows: { id: string }[]): void {
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    tx.delete(botTrace)
      .where(inOrganization(ctx, botTrace, inArray(botTrace.id, ids)))
      .run()
}

function deleteSessionsIn(tx: Tx, ctx: Ctx, rows: { id: string }[]): void {
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    tx.delete(botSessions)
      .where(inOrganization(ctx, botSessions, inArray(botSessions.id, ids)))
      .run()
}
