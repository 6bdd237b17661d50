import { and, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { beforeCommit, type Tx } from '../../infra/db/transact'
import { TransactionLocal } from '../../infra/db/transaction-scope'
import { enqueue } from '../../infra/jobs/enqueue'
import { PublishConversationChange } from './jobs'
import type { ConversationRow } from './row'
import { conversations } from './table'
import { heldBack, tellIn } from './publish-throttled'

/** A conversation is announced at most once in so long, milliseconds. */
const ANNOUNCED_EVERY_MS = 250

/** What lists show of a conversation, by the column it hangs on. */
const SHOWN = {
  state: 'state',
  priority: 'priority',
  assignedTo: 'assigned_to',
  unreadCount: 'unread_count',
  lastMessageAtMs: 'last_message_at',
  lastMessageId: 'last_message_preview',
  lastInboundAtMs: 'window_expires_at',
  windowClosedAtMs: 'window_expires_at',
  snoozedUntilMs: 'snoozed_until',
} as const satisfies Partial<Record<keyof ConversationRow, string>>

const COLUMNS = Object.keys(SHOWN) as (keyof typeof SHOWN)[]

/**
 * Writes a change to a conversation and announces what lists show of it, in the caller's
 * transaction. Returns the row as it is now.
 */
export function changeConversationIn(
  tx: Tx,
  ctx: Ctx,
  before: ConversationRow,
  set: Partial<ConversationRow>,
): ConversationRow {
  const after = tx
    .update(conversations)
    .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, conversations, eq(conversations.id, before.id)))
    .returning()
    .get()
  announceDifferenceIn(tx, ctx, before, after)
  return after
}

/**
 * Announces what lists show differently of a conversation after a change; nothing when it looks as
 * before.
 */
export function announceDifferenceIn(
  tx: Tx,
  ctx: Ctx,
  before: ConversationRow,
  after: ConversationRow,
): void {
  const changed = COLUMNS.filter((column) => before[column] !== after[column]).map(
    (column) => SHOWN[column],
  )
  if (changed.length > 0) announceConversationIn(tx, ctx, after.id, changed, after)
}

/** What decides when a conversation is announced. */
type Announced = Pick<
  ConversationRow,
  'id' | 'contactId' | 'announcedAtMs' | 'announceDueAtMs' | 'unannounced'
>

const newsById = compiled((orm) =>
  orm
    .select({
      id: conversations.id,
      contactId: conversations.contactId,
      announcedAtMs: conversations.announcedAtMs,
      announceDueAtMs: conversations.announceDueAtMs,
      unannounced: conversations.unannounced,
    })
    .from(conversations)
    .where(inOrganization(anyScope, conversations, eq(conversations.id, sql.placeholder('id'))))
    .prepare(),
)

const holdBack = compiled((orm) =>
  orm
    .update(conversations)
    .set({
      announceDueAtMs: sql`${sql.placeholder('dueMs')}`,
      unannounced: sql`${sql.placeholder('changed')}`,
    })
    .where(inOrganization(anyScope, conversations, eq(conversations.id, sql.placeholder('id'))))
    .prepare(),
)

interface News {
  ctx: Ctx
  changed: Set<string>
  /** The conversation, where whoever changed it has it. */
  row: Announced | null
}

/** What is published at the end of each open transaction, by conversation. */
const waiting = new TransactionLocal((tx) => {
  const all = new Map<string, News>()
  beforeCommit(tx, () => {
    waiting.delete(tx)
    for (const [id, news] of all)
      announceNowIn(tx, news.ctx, news.row ?? findNews(news.ctx, id), [...news.changed])
  })
  return all
})

/**
 * Announces a change of a conversation at the end of the caller's transaction, once with all that
 * changes in it: at once, or when it was announced a moment ago together with whatever else changes
 * in that time. `changed` names the fields, `row` is the conversation as it stands, where it was
 * read in this transaction.
 */
export function announceConversationIn(
  tx: Tx,
  ctx: Ctx,
  conversationId: string,
  changed: string[],
  row: Announced | null = null,
): void {
  const all = waiting.of(tx)
  const mine = all.get(conversationId)
  all.set(conversationId, {
    ctx,
    changed: new Set([...(mine?.changed ?? []), ...changed]),
    row: row ?? mine?.row ?? null,
  })
}

const findNews = (ctx: Ctx, id: string): Announced | undefined =>
  newsById(ctx.db).get({ organizationId: ctx.organizationId, id })

function announceNowIn(tx: Tx, ctx: Ctx, row: Announced | undefined, changed: string[]): void {
  if (!row) return
  const nowMs = ctx.clock.nowMs()
  const all = [...new Set([...heldBack(row), ...changed])]
  const sinceMs = nowMs - (row.announcedAtMs ?? 0)
  // A clock that was put back must not hold anything back.
  if (sinceMs >= ANNOUNCED_EVERY_MS || sinceMs < 0) return tellIn(tx, ctx, row, all)
  const dueMs = row.announceDueAtMs ?? nowMs - sinceMs + ANNOUNCED_EVERY_MS
  holdBack(ctx.db).run({
    organizationId: ctx.organizationId,
    id: row.id,
    dueMs,
    changed: JSON.stringify(all),
  })
  if (row.announceDueAtMs === null)
    enqueue(tx, ctx, PublishConversationChange, {
      args: { conversationId: row.id },
      runAtMs: dueMs,
    })
  return undefined
}

/**
 * Announces a conversation whose newest message now says something else, in the transaction of that
 * change.
 */
export function announcePreviewIn(
  tx: Tx,
  ctx: Ctx,
  message: { id: string; conversationId: string },
): void {
  const shows = tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      inOrganization(
        ctx,
        conversations,
        and(
          eq(conversations.id, message.conversationId),
          eq(conversations.lastMessageId, message.id),
        ),
      ),
    )
    .get()
  if (shows) announceConversationIn(tx, ctx, message.conversationId, ['last_message_preview'])
}
