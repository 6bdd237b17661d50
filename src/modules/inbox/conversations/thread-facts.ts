import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { messages } from '../messages/table'
import type { ThreadFact, ThreadTimes } from './rules'
import { messagesOf, type ConversationRow } from './row'
import { conversations, THREAD_FACTS, threadFacts } from './table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

const insertFact = compiled((orm) =>
  orm
    .insert(threadFacts)
    .values({
      organizationId: sql.placeholder('organizationId'),
      conversationId: sql.placeholder('conversationId'),
      kind: sql.placeholder('kind'),
      atMs: sql.placeholder('atMs'),
      role: sql.placeholder('role'),
    })
    .onConflictDoUpdate({
      target: [
        threadFacts.organizationId,
        threadFacts.conversationId,
        threadFacts.kind,
        threadFacts.atMs,
      ],
      set: {
        role: sql`max(coalesce(excluded.role, ${threadFacts.role}), coalesce(${threadFacts.role}, excluded.role))`,
      },
    })
    .prepare(),
)

/**
 * Stores a fact about the owner of a thread. A repeated fact changes nothing; of two roles at the same
 * time the one that sorts last counts, in any order of arrival.
 */
export function insertFactIn(
  tx: Tx,
  ctx: Scope,
  conversationId: string,
  { kind, atMs, role = null }: ThreadFact,
): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  insertFact(ctx.db).run({ organizationId: ctx.organizationId, conversationId, kind, atMs, role })
}

const newestFacts = compiled((orm) => {
  const newest = (kind: ThreadFact['kind']) =>
    sql<
      number | null
    >`(select max(${threadFacts.atMs}) from ${threadFacts} where ${threadFacts.organizationId} = ${place(threadFacts.organizationId, 'organizationId')} and ${threadFacts.conversationId} = ${place(threadFacts.conversationId, 'conversationId')} and ${threadFacts.kind} = ${kind})`
  return orm
    .select(
      Object.fromEntries(THREAD_FACTS.map((kind) => [kind, newest(kind)])) as Record<
        ThreadFact['kind'],
        ReturnType<typeof newest>
      >,
    )
    .from(sql`(select 1)`)
    .prepare()
})

/** Returns the time of the newest fact of each kind; `null` for a kind without facts. */
export const newestFactsOf = (ctx: Scope, conversationId: string): ThreadTimes =>
  newestFacts(ctx.db).get({ organizationId: ctx.organizationId, conversationId }) as ThreadTimes

const firstFactAfter = compiled((orm) =>
  orm
    .select({ atMs: sql<number | null>`min(${threadFacts.atMs})` })
    .from(threadFacts)
    .where(
      inOrganization(
        anyScope,
        threadFacts,
        and(
          eq(threadFacts.conversationId, place(threadFacts.conversationId, 'conversationId')),
          eq(threadFacts.kind, place(threadFacts.kind, 'kind')),
          sql`${threadFacts.atMs} > ${sql.placeholder('afterMs')}`,
        ),
      ),
    )
    .prepare(),
)

/** Returns the time of the first fact of a kind after `afterMs`, or `null`. */
export const firstFactOf = (
  ctx: Scope,
  conversationId: string,
  fact: { kind: ThreadFact['kind']; afterMs: number },
): number | null =>
  firstFactAfter(ctx.db).get({ organizationId: ctx.organizationId, conversationId, ...fact })
    ?.atMs ?? null

const newestRole = compiled((orm) =>
  orm
    .select({ role: threadFacts.role })
    .from(threadFacts)
    .where(
      inOrganization(
        anyScope,
        threadFacts,
        and(
          eq(threadFacts.conversationId, place(threadFacts.conversationId, 'conversationId')),
          eq(threadFacts.kind, place(threadFacts.kind, 'kind')),
          sql`${threadFacts.atMs} >= ${sql.placeholder('sinceMs')}`,
          isNotNull(threadFacts.role),
        ),
      ),
    )
    .orderBy(desc(threadFacts.atMs))
    .limit(1)
    .prepare(),
)

/** Returns the last role that a fact of a kind named since `sinceMs`, or `null`. */
export const newestRoleOf = (
  ctx: Scope,
  conversationId: string,
  fact: { kind: ThreadFact['kind']; sinceMs: number },
): string | null =>
  newestRole(ctx.db).get({ organizationId: ctx.organizationId, conversationId, ...fact })?.role ??
  null

/** Own messages that are considered when the owner of a thread comes into question. */
const MAX_OWN = 500

/**
 * Stores the newest own messages of a conversation as facts: what the customer wrote to us, and what
 * the platform accepted from us. Repeating it changes nothing.
 */
export function addOwnFactsIn(
  tx: Tx,
  ctx: Scope,
  row: Pick<ConversationRow, 'id' | 'contactId'>,
): void {
  const accepted = sql`coalesce(${messages.acceptedAtMs}, ${messages.sentAtMs})`
  const isOwn = sql`case ${messages.direction}
    when 'incoming' then ${messages.type} <> 'system' and ${messages.isSilent} = 0
      and json_extract(${messages.context}, '$.group_id') is null
    else ${messages.source} in ('agent', 'api', 'chatbot', 'campaign', 'system') and ${accepted} is not null end`
  const own = tx
    .select({
      atMs: sql<number>`case ${messages.direction} when 'incoming' then ${messages.timestampMs} else ${accepted} end`,
    })
    .from(messages)
    .where(inOrganization(ctx, messages, messagesOf(row), isOwn))
    .orderBy(sql`${messages.timestampMs} desc`)
    .limit(MAX_OWN)
    .all()
  for (const { atMs } of own) insertFactIn(tx, ctx, row.id, { kind: 'us', atMs })
}

/** Returns all facts about the owner of a thread. */
export const threadFactsIn = (tx: Tx, ctx: Scope, conversationId: string): ThreadFact[] =>
  tx
    .select({ kind: threadFacts.kind, atMs: threadFacts.atMs, role: threadFacts.role })
    .from(threadFacts)
    .where(inOrganization(ctx, threadFacts, eq(threadFacts.conversationId, conversationId)))
    .all()

/** Deletes facts about the owner of a thread, in the caller's transaction. */
export function deleteFactsIn(
  tx: Tx,
  ctx: Scope,
  conversationId: string,
  facts: ThreadFact[],
): void {
  for (const { kind, atMs } of facts)
    tx.delete(threadFacts)
      .where(
        inOrganization(
          ctx,
          threadFacts,
          eq(threadFacts.conversationId, conversationId),
          eq(threadFacts.kind, kind),
          eq(threadFacts.atMs, atMs),
        ),
      )
      .run()
}

/** Facts deleted in one step. */
const ERASED_AT_ONCE = 500

/**
 * Deletes a batch of the facts about a contact's threads, in the caller's transaction. Returns their
 * number; 0 at the end.
 */
export function eraseThreadFactsIn(tx: Tx, ctx: Ctx, contactId: string): number {
  const batch = tx
    .select({
      conversationId: threadFacts.conversationId,
      kind: threadFacts.kind,
      atMs: threadFacts.atMs,
    })
    .from(conversations)
    .innerJoin(
      threadFacts,
      and(
        eq(threadFacts.organizationId, conversations.organizationId),
        eq(threadFacts.conversationId, conversations.id),
      ),
    )
    .where(inOrganization(ctx, conversations, eq(conversations.contactId, contactId)))
    .limit(ERASED_AT_ONCE)
    .all()
  for (const { conversationId, ...fact } of batch) deleteFactsIn(tx, ctx, conversationId, [fact])
  return batch.length
}
