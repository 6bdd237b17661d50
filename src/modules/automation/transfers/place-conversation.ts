import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { findContact } from '../../inbox/contacts/service'
import { findConversation } from '../../inbox/conversations/service'
import { getOrganization, resetNewConversationsIn } from '../../organization/organizations/service'
import type { TeamUse } from '../../inbox/teams/events'
import { createTransferIn } from './create'

/**
 * Lets a conversation wait where the settings of the organization say, if a customer opened it and
 * no person or team has it or its contact. Without this, only people with `contacts:read_all` would
 * see it. Runs in the transaction of the customer's message or call, after the bot has passed on it.
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
