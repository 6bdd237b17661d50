import { and, desc, eq, gte, inArray, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import {
  isAgentRole,
  type Handover,
  type HandoverOwner,
} from '../../../../platform/webhook/standby'
import type { AccountRow } from '../../../channel/accounts/view'
import { messagesOf, type ConversationRow } from '../../conversations/row'
import { findOrOpenConversationIn } from '../../conversations/service'
import { threadFacts } from '../../conversations/table'
import { handoverMetadata, recordThreadFactIn } from '../../conversations/thread-owner'
import { linkedContactOfSenderIn } from '../contact-changes/link'
import { messages } from '../table'

/**
 * Applies a handover that the platform reported, in the caller's transaction. Opens the conversation
 * of an unknown customer, so that a handover before the first message counts too. Returns `false`
 * for an event that changes no owner.
 */
export function applyHandoverIn(
  tx: Tx,
  ctx: Ctx,
  event: { account: AccountRow; handover: Handover; atMs: number; isQuiet: boolean },
): boolean {
  const { account, handover, atMs, isQuiet } = event
  if (handover.kind === null) return false
  const { from: phone, userId, parentUserId } = handover.sender
  const contact = linkedContactOfSenderIn(
    tx,
    ctx,
    { phone, userId, parentUserId, profileName: null, username: null },
    { accountId: account.id, source: 'inbound', atMs: -1 },
  )
  const conversation = findOrOpenConversationIn(tx, ctx, {
    contactId: contact.id,
    accountId: account.id,
    assignedTo: null,
  })
  const kind = ownerOf(handover, conversation.id)
  if (kind === null) return false
  const role = kind === 'unknown' ? null : handover.roles.next
  recordThreadFactIn(tx, ctx, conversation, { kind, atMs, role }, { isQuiet })
  if (kind === 'platform_agent' || kind === 'other_app') nameAnswersIn(tx, ctx, conversation, atMs)
  return true
}

/**
 * Returns the owner after a handover. One that we caused ourselves says so in its metadata, and a pass
 * of ours that names no role adds nothing to what was recorded with it: `null`.
 */
function ownerOf(handover: Handover, conversationId: string): HandoverOwner | null {
  const { kind, owner, metadata, roles } = handover
  if (metadata !== handoverMetadata(conversationId)) return owner
  if (kind === 'taken') return 'us'
  return roles.next === null ? null : isAgentRole(roles.next) ? 'platform_agent' : 'other_app'
}

/** Owners whose answers we only observe. */
const OTHERS = ['platform_agent', 'other_app'] as const

/**
 * Returns who gave an observed answer: the owner that the last handover before it named. The
 * platform's agent where none did, because it is the only one that needs no set-up of the business.
 */
export const observedSourceOf = (
  ctx: Ctx,
  at: { conversationId: string; atMs: number },
): (typeof OTHERS)[number] =>
  ctx.db.orm
    .select({ kind: sql<(typeof OTHERS)[number]>`${threadFacts.kind}` })
    .from(threadFacts)
    .where(
      inOrganization(
        ctx,
        threadFacts,
        and(
          eq(threadFacts.conversationId, at.conversationId),
          inArray(threadFacts.kind, [...OTHERS]),
          sql`${threadFacts.atMs} <= ${at.atMs}`,
        ),
      ),
    )
    .orderBy(desc(threadFacts.atMs), desc(threadFacts.kind))
    .limit(1)
    .get()?.kind ?? 'platform_agent'

/** Names the source of the observed answers after a handover again, because it may come late. */
function nameAnswersIn(tx: Tx, ctx: Ctx, conversation: ConversationRow, atMs: number): void {
  const named = sql`(select ${threadFacts.kind} from ${threadFacts}
    where ${threadFacts.organizationId} = ${messages.organizationId} and ${threadFacts.conversationId} = ${messages.conversationId}
      and ${threadFacts.kind} in ('platform_agent', 'other_app') and ${threadFacts.atMs} <= ${messages.timestampMs}
    order by ${threadFacts.atMs} desc, ${threadFacts.kind} desc limit 1)`
  tx.update(messages)
    .set({ source: named })
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          messagesOf(conversation),
          gte(messages.timestampMs, atMs),
          sql`${messages.isObserved} = 1 and ${messages.direction} = 'outgoing'`,
        ),
      ),
    )
    .run()
}
