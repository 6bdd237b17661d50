import { eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { ConversationChanged } from './events'
import { findConversationById, type ConversationRow } from './row'
import { conversations } from './table'

const markPublished = compiled((orm) =>
  orm
    .update(conversations)
    .set({
      publishedAtMs: sql`${sql.placeholder('nowMs')}`,
      publishDueAtMs: null,
      unpublished: '[]',
    })
    .where(
      inOrganization(anyScope, conversations, eq(conversations.id, place(conversations.id, 'id'))),
    )
    .prepare(),
)

/** Returns the names of the fields that changed since the conversation was last published. */
export const delayedFields = (row: Pick<ConversationRow, 'unpublished'>): string[] =>
  JSON.parse(row.unpublished) as string[]

/** Publishes a conversation now, with all waiting changes. Runs inside the caller's transaction. */
export function publishNowIn(
  tx: Tx,
  ctx: Ctx,
  row: Pick<ConversationRow, 'id' | 'contactId'>,
  changed: string[],
): void {
  markPublished(ctx.db).run({
    organizationId: ctx.organizationId,
    id: row.id,
    nowMs: ctx.clock.nowMs(),
  })
  emit(tx, ctx, ConversationChanged, {
    contactId: row.contactId,
    payload: { conversationId: row.id, contactId: row.contactId, changed },
  })
}

/**
 * Publishes the waiting changes of a conversation; does nothing if there are none or they are not
 * due yet.
 */
export function publishDelayedIn(tx: Tx, ctx: Ctx, conversationId: string): void {
  const row = findConversationById(ctx, conversationId)
  const dueMs = row?.publishDueAtMs ?? null
  if (row && dueMs !== null && dueMs <= ctx.clock.nowMs())
    publishNowIn(tx, ctx, row, delayedFields(row))
}
