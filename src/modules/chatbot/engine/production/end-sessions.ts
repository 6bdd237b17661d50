import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { stateChange } from '../../../conversations/change-state'
import { findConversation } from '../../../conversations/service'
import { changeConversationIn } from '../../../conversations/update'
import type { SessionStatus } from '../model'
import { botSessions } from '../table'
import { activeSessionsOf, publishBotActiveIn, publishEndIn, type SessionRow } from './store'

/**
 * Ends the bot's sessions with a contact because a person wrote to it, in the transaction of the
 * message. Its conversations are open.
 */
export function endForPersonIn(tx: Tx, ctx: Ctx, { contactId }: { contactId: string }): void {
  for (const row of activeSessionsOf(ctx, contactId))
    endSessionIn(tx, ctx, row, { status: 'transferred', reason: 'person_wrote' })
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
}

/** Ends an active session from outside a run, in the caller's transaction. Its conversation is open. */
export function endSessionIn(
  tx: Tx,
  ctx: Ctx,
  row: SessionRow,
  { status, reason }: { status: SessionStatus; reason: string },
): SessionRow {
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
  return after
}
