import { and, asc, inArray, lt, lte, sql } from 'drizzle-orm'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../../lib/clock'
import { systemCtx, type Ctx, type JobCtx } from '../../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../../infra/working-organizations'
import { isStorageError } from '../../../../../infra/db/errors'
import { savepoint, type Tx } from '../../../../../infra/db/transact'
import { timeIsOver } from '../../../../../infra/jobs/concurrency'
import { stateChange } from '../../../../inbox/conversations/change-state'
import { conversations } from '../../../../inbox/conversations/table'
import { changeConversationIn } from '../../../../inbox/conversations/update'
import { botInbox, botMarks, botSessions, botTrace } from '../table'
import { expireSessionIn } from './expire-session'
import { giveUpIn } from './give-up'
import { scheduleTurnIn } from './inbox'
import type { BotSessionRow } from './store'

/** Rows of each kind that one sweep handles. */
const AT_ONCE = 200

/** Time of one sweep without its commit, milliseconds. */
const SWEEP_MS = 5

/** Age from which a message in the inbox has lost its job, milliseconds. */
const LOST_AFTER_MS = MINUTE_MS

/**
 * Reminds silent customers, ends their sessions, revives turns that lost their job, and opens
 * conversations that no session looks after, in the transaction of the job. Returns whether there is
 * more.
 */
export function sweepBotIn(tx: Tx, ctx: JobCtx): boolean {
  const isOver = timeIsOver(SWEEP_MS)
  const expired = expiredSessions(tx, ctx)
  for (const [nth, row] of expired.entries()) {
    if (nth > 0 && isOver()) return true
    expireSafelyIn(tx, systemCtx(ctx, row.organizationId), row)
  }
  reviveTurnsIn(tx, ctx)
  const opened = openLeftConversationsIn(tx, ctx)
  return expired.length === AT_ONCE || opened === AT_ONCE
}

const expiredSessions = (tx: Tx, ctx: Ctx): BotSessionRow[] =>
  tx
    .select()
    .from(botSessions)
    .where(
      inWorkingOrganizations(
        'each session is ended in the scope of its own organization',
        botSessions,
        and(
          sql`${botSessions.status} = 'active' and ${botSessions.expiresAtMs} is not null`,
          lte(botSessions.expiresAtMs, ctx.clock.nowMs()),
        ),
      ),
    )
    .orderBy(asc(botSessions.expiresAtMs))
    .limit(AT_ONCE)
    .all()

/** Does what is due on a session. Ends it if its last steps fail, so that it does not hold up others. */
function expireSafelyIn(tx: Tx, ctx: Ctx, row: BotSessionRow): void {
  try {
    savepoint(tx, (inner) => expireSessionIn(inner, ctx, row))
  } catch (error) {
    if (isStorageError(error)) throw error
    ctx.log.error({ error, session_id: row.id }, 'session of the bot could not time out')
    const place = { contactId: row.contactId, accountId: row.accountId }
    giveUpIn(tx, ctx, { place, session: row, messageId: null, reason: 'internal_error' })
  }
}

/** Enqueues the turn of messages that wait for too long. */
function reviveTurnsIn(tx: Tx, ctx: JobCtx): void {
  const old = tx
    .selectDistinct({
      organizationId: botInbox.organizationId,
      contactId: botInbox.contactId,
      accountId: botInbox.accountId,
    })
    .from(botInbox)
    .where(
      inWorkingOrganizations(
        'each turn is enqueued in the scope of its own organization',
        botInbox,
        lt(botInbox.receivedAtMs, ctx.clock.nowMs() - LOST_AFTER_MS),
      ),
    )
    .limit(AT_ONCE)
    .all()
  for (const { organizationId, ...place } of old)
    scheduleTurnIn(tx, systemCtx(ctx, organizationId), place, ctx.clock.nowMs())
}

/** How long after a message a conversation may be pending without a session, milliseconds. */
const SETTLED_AFTER_MS = 30 * SECOND_MS

/** Conversations are looked at for this long after their last message, milliseconds. */
const LOOKED_AT_MS = 10 * MINUTE_MS

/**
 * Opens conversations in which a customer waits and no session is active, so that no message is left
 * to a bot that does not answer. Returns the number.
 */
function openLeftConversationsIn(tx: Tx, ctx: JobCtx): number {
  const nowMs = ctx.clock.nowMs()
  const left = tx
    .select()
    .from(conversations)
    .where(
      inWorkingOrganizations(
        'each conversation is opened in the scope of its own organization',
        conversations,
        and(
          sql`${conversations.state} = 'pending'`,
          sql`${conversations.lastMessageAtMs} between ${nowMs - LOOKED_AT_MS} and ${nowMs - SETTLED_AFTER_MS}`,
          sql`${conversations.unansweredSinceMs} is not null`,
          // Others are pending because a person wants it.
          sql`exists (select 1 from ${botSessions} where ${botSessions.organizationId} = ${conversations.organizationId} and ${botSessions.contactId} = ${conversations.contactId} and ${botSessions.accountId} = ${conversations.accountId} and ${botSessions.endedAtMs} > ${conversations.lastMessageAtMs} - ${LOOKED_AT_MS})`,
          sql`not exists (select 1 from ${botSessions} where ${botSessions.organizationId} = ${conversations.organizationId} and ${botSessions.contactId} = ${conversations.contactId} and ${botSessions.accountId} = ${conversations.accountId} and ${botSessions.status} = 'active')`,
          sql`not exists (select 1 from ${botInbox} where ${botInbox.organizationId} = ${conversations.organizationId} and ${botInbox.contactId} = ${conversations.contactId})`,
        ),
      ),
    )
    .limit(AT_ONCE)
    .all()
  for (const row of left) {
    const own = systemCtx(ctx, row.organizationId)
    changeConversationIn(tx, own, row, stateChange(own, row, 'open'))
  }
  return left.length
}

/** How long traces and marks are kept, milliseconds. */
const KEPT_MS = 30 * DAY_MS

/** Deletes old traces and marks, in the transaction of the job. Returns whether there is more. */
export function pruneBotDataIn(tx: Tx, ctx: JobCtx): boolean {
  const beforeMs = ctx.clock.nowMs() - KEPT_MS
  const old = 'only their age counts'
  const traces = tx
    .select({ id: botTrace.id })
    .from(botTrace)
    .where(inWorkingOrganizations(old, botTrace, lt(botTrace.atMs, beforeMs)))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)
  tx.delete(botTrace)
    .where(
      inWorkingOrganizations(
        old,
        botTrace,
        and(lt(botTrace.atMs, beforeMs), inArray(botTrace.id, traces)),
      ),
    )
    .run()
  const marks = tx
    .select({ atMs: botMarks.atMs })
    .from(botMarks)
    .where(inWorkingOrganizations(old, botMarks, lt(botMarks.atMs, beforeMs)))
    .orderBy(asc(botMarks.atMs))
    .limit(AT_ONCE)
    .all()
  const last = marks.at(-1)
  if (last)
    tx.delete(botMarks)
      .where(inWorkingOrganizations(old, botMarks, lte(botMarks.atMs, last.atMs)))
      .run()
  return traces.length === AT_ONCE || marks.length === AT_ONCE
}
