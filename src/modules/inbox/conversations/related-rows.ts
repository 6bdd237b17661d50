import { and, eq, sql } from 'drizzle-orm'

import { hasIdIn, anyScope, inOrganization } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { accounts } from '../../channel/accounts/table'
import { calls } from '../../channel/calls/table'
import { botSessions } from '../../automation/chatbot/engine/table'
import { contacts } from '../contacts/table'
import { messages } from '../messages/table'
import { teams } from '../teams/table'
import { transfers } from '../../automation/transfers/table'
import { users } from '../../organization/users/table'
import { contactOf } from './row'
import { conversations } from './table'

/** Columns of the newest message in the response. */
const LAST = {
  id: messages.id,
  direction: messages.direction,
  type: messages.type,
  preview: messages.preview,
  source: messages.source,
  status: messages.status,
  timestampMs: messages.timestampMs,
  errorCode: sql<string | null>`${messages.error} ->> '$.code'`.as('last_error_code'),
}

/** Columns of the newest item in the response if it is a call. */
const LAST_CALL = {
  id: calls.id,
  direction: calls.direction,
  state: calls.state,
  readAtMs: calls.readAtMs,
  timestampMs: calls.timestampMs,
}

/** Columns of the active transfer in the response. */
const TRANSFER = {
  id: transfers.id,
  agentId: transfers.agentId,
  teamId: transfers.teamId,
  priority: transfers.priority,
  responseDueAtMs: transfers.responseDueAtMs,
  breachedAtMs: transfers.breachedAtMs,
}

const transferOfConversation = and(
  eq(transfers.organizationId, conversations.organizationId),
  eq(transfers.contactId, conversations.contactId),
  eq(transfers.accountId, conversations.accountId),
  sql`${transfers.status} = 'active'`,
)

const joined = compiled((orm) =>
  orm
    .select({
      conversation: conversations,
      contact: contacts,
      assignee: { id: users.id, full_name: users.fullName },
      team: { id: teams.id, name: teams.name },
      last: LAST,
      lastCall: LAST_CALL,
      account: {
        sharedAtMs: accounts.sharedAtMs,
        routing: accounts.routing,
        routingUnknownAtMs: accounts.routingUnknownAtMs,
      },
      transfer: TRANSFER,
      bot: {
        id: botSessions.id,
        waitingFor: botSessions.waitingFor,
        expiresAtMs: botSessions.expiresAtMs,
      },
    })
    .from(conversations)
    .innerJoin(contacts, contactOf)
    .innerJoin(
      accounts,
      and(
        eq(accounts.organizationId, conversations.organizationId),
        eq(accounts.id, conversations.accountId),
      ),
    )
    .leftJoin(
      botSessions,
      and(
        eq(botSessions.organizationId, conversations.organizationId),
        eq(botSessions.contactId, conversations.contactId),
        eq(botSessions.accountId, conversations.accountId),
        sql`${botSessions.status} = 'active'`,
      ),
    )
    .leftJoin(users, eq(users.id, conversations.assignedTo))
    .leftJoin(
      teams,
      and(
        eq(teams.organizationId, conversations.organizationId),
        eq(teams.id, conversations.teamId),
      ),
    )
    .leftJoin(
      messages,
      and(
        eq(messages.organizationId, conversations.organizationId),
        eq(messages.id, conversations.lastMessageId),
      ),
    )
    .leftJoin(
      calls,
      and(
        eq(calls.organizationId, conversations.organizationId),
        eq(calls.id, conversations.lastMessageId),
      ),
    )
    .leftJoin(transfers, transferOfConversation)
    .where(inOrganization(anyScope, conversations, hasIdIn(conversations.id)))
    .prepare(),
)

/** Returns the conversations with these IDs, joined with contact, assignee, team and last message. */
export const rowsWithRelations = (ctx: Pick<ReadCtx, 'db' | 'organizationId'>, ids: string[]) =>
  joined(ctx.db).all({ organizationId: ctx.organizationId, ids: JSON.stringify(ids) })

/** A conversation with its related rows. */
export type RelatedRows = ReturnType<typeof rowsWithRelations>[number]
