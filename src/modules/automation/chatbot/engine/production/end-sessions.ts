import { and, eq, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../../../infra/ctx'
import { compiled, place } from '../../../../../infra/db/compiled'
import type { Tx } from '../../../../../infra/db/transact'
import { stateChange } from '../../../../inbox/conversations/change-state'
import { findConversation } from '../../../../inbox/conversations/service'
import { changeConversationIn } from '../../../../inbox/conversations/update'
import type { SessionStatus } from '../model'
import { botSessions } from '../table'
import { wakeInboxIn } from './inbox'
import { activeSessionsOf, publishBotActiveIn, publishEndIn, type BotSessionRow } from './store'

/**
 * Ends the bot's sessions with a contact because a person wrote to it, in the transaction of the
 * message. Its conversations are open.
 */
export function endForPersonIn(tx: Tx, ctx: Ctx, { contactId }: { contactId: string }): void {
  for (const row of activeSessionsOf(ctx, contactId))
    endSessionIn(tx, ctx, row, { status: 'transferred', reason: 'person_wrote' })
  recordFollowUp(ctx, contactId)
}

/**
 * Ends the bot's sessions with a contact because it was transferred to a person, in the transaction
 * of the transfer.
 */
export function endForTransferIn(
  tx: Tx,
  ctx: Ctx,
  { transfer }: { transfer: { contactId: string; source: string } },
): void {
  for (const row of activeSessionsOf(ctx, transfer.contactId))
    endSessionIn(tx, ctx, row, { status: 'transferred', reason: transfer.source })
  recordFollowUp(ctx, transfer.contactId)
}

/** A person who takes over within this time shows that the bot did not solve the matter. */
const FOLLOW_UP_MS = DAY_MS

const markFollowedUp = compiled((orm) =>
  orm
    .update(botSessions)
    .set({ followedUpAtMs: sql.placeholder('nowMs') as unknown as number })
    .where(
      inOrganization(
        anyScope,
        botSessions,
        and(
          eq(botSessions.contactId, place(botSessions.contactId, 'contactId')),
          // The text matches the partial index.
          sql`${botSessions.status} = 'timed_out'`,
          sql`${botSessions.endedAtMs} >= ${place(botSessions.endedAtMs, 'sinceMs')}`,
          sql`${botSessions.followedUpAtMs} is null`,
        ),
      ),
    )
    .prepare(),
)

/** Records that a person took over after sessions of a contact had timed out. */
function recordFollowUp({ db, organizationId, clock }: Ctx, contactId: string): void {
  const nowMs = clock.nowMs()
  markFollowedUp(db).run({ organizationId, contactId, nowMs, sinceMs: nowMs - FOLLOW_UP_MS })
}

/**
 * Ends an active session from outside a run, in the caller's transaction. Its conversation is open,
 * and messages that arrived during a call of the session form the next turn.
 */
export function endSessionIn(
  tx: Tx,
  ctx: Ctx,
  row: BotSessionRow,
  { status, reason }: { status: SessionStatus; reason: string },
): BotSessionRow {
  const after = tx
    .update(botSessions)
    .set({
      status,
      waitingFor: null,
      expiresAtMs: null,
      endedAtMs: ctx.clock.nowMs(),
      endReason: reason,
    })
    .where(inOrganization(ctx, botSessions, eq(botSessions.id, row.id)))
    .returning()
    .get()
  publishEndIn(tx, ctx, after)
  publishBotActiveIn(tx, ctx, after)
  const conversation = findConversation(ctx, after)
  if (conversation?.state === 'pending')
    changeConversationIn(tx, ctx, conversation, stateChange(ctx, conversation, 'open'))
  wakeInboxIn(tx, ctx, { contactId: after.contactId, accountId: after.accountId })
  return after
}
