import { and, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import type { Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import { accounts } from '../../channel/accounts/table'
import { findContact } from '../contacts/service'
import { findActiveMember } from '../../organization/memberships/find'
import { transfers } from '../../automation/transfers/table'
import type { ConversationRow } from './row'
import { conversations, threadFacts } from './table'
import { timelineEntries } from './timeline/table'

const byPair = compiled((orm) =>
  orm
    .select()
    .from(conversations)
    .where(
      inOrganization(
        anyScope,
        conversations,
        and(
          eq(conversations.contactId, place(conversations.contactId, 'contactId')),
          eq(conversations.accountId, place(conversations.accountId, 'accountId')),
        ),
      ),
    )
    .prepare(),
)

const insertConversation = compiled((orm) =>
  orm
    .insert(conversations)
    .values({
      organizationId: sql.placeholder('organizationId'),
      id: sql.placeholder('id'),
      contactId: sql.placeholder('contactId'),
      accountId: sql.placeholder('accountId'),
      state: 'open',
      assignedTo: sql.placeholder('assignedTo'),
      teamId: sql.placeholder('teamId'),
      threadOwner: sql`(select case when ${accounts.sharedAtMs} is null then 'us' else 'unknown' end from ${accounts} where ${accounts.organizationId} = ${place(accounts.organizationId, 'organizationId')} and ${accounts.id} = ${place(accounts.id, 'accountId')})`,
      createdAtMs: sql.placeholder('nowMs'),
      updatedAtMs: sql.placeholder('nowMs'),
    })
    .returning()
    .prepare(),
)

/**
 * Returns the conversation between a contact and a phone number, or `null` before the first
 * message.
 */
export const findConversation = (
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  at: { contactId: string; accountId: string },
): ConversationRow | null =>
  byPair(ctx.db).get({
    organizationId: ctx.organizationId,
    contactId: at.contactId,
    accountId: at.accountId,
  }) ?? null

/**
 * Returns the conversation between a contact and a phone number, opening it if there is none. The
 * contact's assignee becomes its assignee; while the contact has a transfer, it waits in the queue
 * of the transfer instead. On a shared number nobody knows who owns its thread yet.
 * Runs inside the caller's transaction.
 */
export function findOrOpenConversationIn(
  tx: Tx,
  ctx: Ctx,
  at: { contactId: string; accountId: string; assignedTo: string | null },
): ConversationRow {
  const known = findConversation(ctx, at)
  if (known) return known
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const queue = queueOf(ctx, at.contactId)
  return insertConversation(ctx.db).get({
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    contactId: at.contactId,
    accountId: at.accountId,
    assignedTo: queue ? null : activeOwner(ctx, at.assignedTo),
    teamId: queue?.teamId ?? null,
    nowMs: ctx.clock.nowMs(),
  })
}

/**
 * Opens the conversation of a past that another product had, unassigned and without an event. Runs
 * inside the caller's transaction. The pair must have none.
 */
export function openPastConversationIn(
  tx: Tx,
  ctx: Ctx,
  at: { contactId: string; accountId: string; isOpen: boolean },
): ConversationRow {
  const opened = findOrOpenConversationIn(tx, ctx, { ...at, assignedTo: null })
  if (at.isOpen) return opened
  const closed = { state: 'closed', closedAtMs: ctx.clock.nowMs() } as const
  const [row = opened] = of(ctx, conversations).update(tx, { id: opened.id }, closed)
  return row
}

/**
 * Deletes the conversation of such a past if it is as it was opened and has no message, call, or
 * entry of its timeline. Runs inside the caller's transaction. Returns whether it is gone.
 */
export function removePastConversationIn(tx: Tx, ctx: Ctx, id: string, isOpen: boolean): boolean {
  const row = of(ctx, conversations).find({ id })
  if (!row) return true
  const isUntouched =
    row.lastMessageId === null &&
    row.state === (isOpen ? 'open' : 'closed') &&
    row.assignedTo === null &&
    row.teamId === null &&
    row.priority === 'normal' &&
    of(ctx, timelineEntries).count({ contactId: row.contactId, accountId: row.accountId }) === 0 &&
    of(ctx, threadFacts).count({ conversationId: id }) === 0
  if (isUntouched) of(ctx, conversations).delete(tx, { id })
  return isUntouched
}

const activeQueue = compiled((orm) =>
  orm
    .select({ teamId: transfers.teamId })
    .from(transfers)
    .where(
      inOrganization(
        anyScope,
        transfers,
        and(
          eq(transfers.contactId, place(transfers.contactId, 'contactId')),
          sql`${transfers.status} = 'active'`,
        ),
      ),
    )
    .prepare(),
)

/** Returns the queue of a contact's active transfer (`null` = general queue), or `null` if it has none. */
export const queueOf = (ctx: Ctx, contactId: string): { teamId: string | null } | null =>
  activeQueue(ctx.db).get({ organizationId: ctx.organizationId, contactId }) ?? null

/** Returns the contact's assignee if it is an active member, else `null`. */
const activeOwner = (ctx: Ctx, userId: string | null): string | null =>
  userId !== null && findActiveMember(ctx, userId) ? userId : null

/**
 * Returns the assignee of the conversation's contact if it is an active member. A closed
 * conversation that reopens is assigned to it.
 */
export const activeOwnerOf = (ctx: Ctx, row: ConversationRow): string | null =>
  activeOwner(ctx, findContact(ctx, row.contactId)?.assignedTo ?? null)
