import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { findAccount } from '../../channel/accounts/queries'
import { findContact } from '../../inbox/contacts/service'
import { findConversation } from '../../inbox/conversations/service'
import { conversationsOf } from '../../inbox/conversations/unread'
import { getOrganization, resetNewConversationsIn } from '../../organization/organizations/service'
import type { TeamUse } from '../../inbox/teams/events'
import { createTransferIn } from './create'
import type { TransferRow } from './rules'

/**
 * Lets a conversation wait where the settings of the organization say, if a customer opened it and
 * no person or team has it or its contact. Without this, it waits in no queue, and people without
 * `contacts:read_unassigned` do not see it. Runs in the transaction of the customer's message or call,
 * after the bot has passed on it.
 */
export function placeConversationIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, accountId }: { contactId: string; accountId: string },
): void {
  const { newConversations: queue } = getOrganization(ctx)
  if (queue === 'nobody') return
  const conversation = findConversation(ctx, { contactId, accountId })
  if (conversation?.state !== 'open' || conversation.assignedTo || conversation.teamId) return
  const contact = findContact(ctx, contactId)
  if (!contact || contact.blockedAtMs !== null) return
  if (contact.assignedTo !== null || contact.assignedTeamId !== null) return
  createTransferIn(tx, ctx, {
    contactId,
    accountId,
    source: 'new_conversation',
    teamId: queue === 'general' ? null : queue,
  })
}

/** Why a transfer ends although its contact may still wait on other numbers. */
const LEAVES_OTHERS: ReadonlySet<string | null> = new Set([null, 'account_deleted'])

/**
 * Lets the conversation of a contact on another number wait once a transfer has ended: a contact has
 * one at a time. Without this, nobody would see a customer who has written to two numbers until they
 * write again. Runs in the transaction of the end.
 */
export function placeOthersIn(
  tx: Tx,
  ctx: Ctx,
  { transfer: { contactId, accountId, endReason } }: { transfer: TransferRow },
): void {
  if (!LEAVES_OTHERS.has(endReason)) return
  for (const other of conversationsOf(tx, ctx, { contactId }))
    if (
      other.accountId !== accountId &&
      other.unansweredSinceMs !== null &&
      findAccount(ctx, other.accountId)?.deletedAtMs === null
    )
      placeConversationIn(tx, ctx, other)
}

/** Adds the settings of the organization to the uses of a team if new conversations go to it. */
export function nameQueueUse(
  _tx: Tx,
  ctx: Ctx,
  { teamId, uses }: { teamId: string; uses: TeamUse[] },
): void {
  const { id, newConversations } = getOrganization(ctx)
  if (newConversations === teamId)
    uses.push({ kind: 'organization_settings', id, name: 'New conversations' })
}

/** Lets new conversations go to the general queue once the team to which they went is deleted. */
export function leaveDeletedQueueIn(
  tx: Tx,
  ctx: Ctx,
  { teamId, isDeleted }: { teamId: string; isDeleted: boolean },
): void {
  if (isDeleted && getOrganization(ctx).newConversations === teamId)
    resetNewConversationsIn(tx, ctx)
}
