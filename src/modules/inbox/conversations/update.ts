import { and, eq, sql } from 'drizzle-orm'

import { SECOND_MS } from '../../../lib/clock'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { compiledUpdateOfRow } from '../../../infra/db/compiled-update'
import { beforeCommit, type Tx } from '../../../infra/db/transact'
import { TransactionLocal } from '../../../infra/db/transaction-scope'
import { enqueue } from '../../../infra/jobs/enqueue'
import { PublishConversationChange } from './jobs'
import type { ConversationRow } from './row'
import { conversations } from './table'
import { delayedFields, publishNowIn } from './publish-throttled'
import { recordTimelineIn } from './timeline/record'

/** Minimum time between two events of one conversation, in milliseconds. */
const PUBLISH_INTERVAL_MS = SECOND_MS

/** Fields in conversation lists, by the column they depend on. */
const LIST_FIELDS = {
  state: 'state',
  priority: 'priority',
  assignedTo: 'assigned_to',
  teamId: 'team_id',
  unreadCount: 'unread_count',
  lastMessageAtMs: 'last_message_at',
  lastMessageId: 'last_message_preview',
  lastInboundAtMs: 'window_expires_at',
  windowClosedAtMs: 'window_expires_at',
  snoozedUntilMs: 'snoozed_until',
  threadOwner: 'thread_owner',
  ownerSinceMs: 'owner_since',
  ownerRole: 'owner_role',
} as const satisfies Partial<Record<keyof ConversationRow, string>>

const COLUMNS = Object.keys(LIST_FIELDS) as (keyof typeof LIST_FIELDS)[]

const updateRow = compiledUpdateOfRow(
  conversations,
  inOrganization(anyScope, conversations, eq(conversations.id, place(conversations.id, 'id'))),
)

/**
 * Updates a conversation and publishes the changed list fields. Runs inside the caller's
 * transaction. Returns the new row. `isOwnerTold`: the timeline shows the new owner by itself.
 */
export function changeConversationIn(
  tx: Tx,
  ctx: Ctx,
  before: ConversationRow,
  set: Partial<ConversationRow>,
  { isOwnerTold = false }: { isOwnerTold?: boolean } = {},
): ConversationRow {
  const { organizationId } = ctx
  const changed = { ...set, updatedAtMs: ctx.clock.nowMs() }
  const after = updateRow(ctx.db, { organizationId, id: before.id }, changed)
  recordTimelineIn(tx, ctx, { before, after, isOwnerTold })
  publishListFieldsIn(tx, ctx, before, after)
  return after
}

/** Publishes the list fields that a change made different, if any, and records them in the timeline. */
export function publishDifferenceIn(
  tx: Tx,
  ctx: Ctx,
  before: ConversationRow,
  after: ConversationRow,
): void {
  recordTimelineIn(tx, ctx, { before, after })
  publishListFieldsIn(tx, ctx, before, after)
}

/** Publishes the list fields that a change or a message made different, if any. */
export function publishListFieldsIn(
  tx: Tx,
  ctx: Ctx,
  before: ConversationRow,
  after: ConversationRow,
): void {
  const changed = COLUMNS.filter((column) => before[column] !== after[column]).map(
    (column) => LIST_FIELDS[column],
  )
  if (changed.length > 0) publishConversationIn(tx, ctx, after.id, changed, after)
}

/** The columns that decide when a conversation is published. */
type PublishState = Pick<
  ConversationRow,
  'id' | 'contactId' | 'publishedAtMs' | 'publishDueAtMs' | 'unpublished'
>

const publishStateById = compiled((orm) =>
  orm
    .select({
      id: conversations.id,
      contactId: conversations.contactId,
      publishedAtMs: conversations.publishedAtMs,
      publishDueAtMs: conversations.publishDueAtMs,
      unpublished: conversations.unpublished,
    })
    .from(conversations)
    .where(
      inOrganization(anyScope, conversations, eq(conversations.id, place(conversations.id, 'id'))),
    )
    .prepare(),
)

const delayPublication = compiled((orm) =>
  orm
    .update(conversations)
    .set({
      publishDueAtMs: sql`${sql.placeholder('dueMs')}`,
      unpublished: sql`${sql.placeholder('changed')}`,
    })
    .where(
      inOrganization(anyScope, conversations, eq(conversations.id, place(conversations.id, 'id'))),
    )
    .prepare(),
)

interface PendingChange {
  ctx: Ctx
  changed: Set<string>
  /** The conversation, if the caller has read it. */
  row: PublishState | null
}

/** Changes to publish at the end of each open transaction, by conversation. */
const waiting = new TransactionLocal((tx) => {
  const all = new Map<string, PendingChange>()
  beforeCommit(tx, () => {
    waiting.delete(tx)
    for (const [id, change] of all)
      publishOrDelayIn(tx, change.ctx, change.row ?? findPublishState(change.ctx, id), [
        ...change.changed,
      ])
  })
  return all
})

/**
 * Publishes a conversation change at the end of the caller's transaction, as one event with all
 * changes of the transaction. If the conversation was published a moment ago, the change waits and
 * is published together with later ones. `changed` names the fields; `row` is the current
 * conversation, if the caller has read it in this transaction.
 */
export function publishConversationIn(
  tx: Tx,
  ctx: Ctx,
  conversationId: string,
  changed: string[],
  row: PublishState | null = null,
): void {
  const all = waiting.of(tx)
  const pending = all.get(conversationId)
  all.set(conversationId, {
    ctx,
    changed: new Set([...(pending?.changed ?? []), ...changed]),
    row: row ?? pending?.row ?? null,
  })
}

const findPublishState = (ctx: Ctx, id: string): PublishState | undefined =>
  publishStateById(ctx.db).get({ organizationId: ctx.organizationId, id })

function publishOrDelayIn(
  tx: Tx,
  ctx: Ctx,
  row: PublishState | undefined,
  changed: string[],
): void {
  if (!row) return
  const nowMs = ctx.clock.nowMs()
  const all = [...new Set([...delayedFields(row), ...changed])]
  const sinceMs = nowMs - (row.publishedAtMs ?? 0)
  // A clock that was set back must not delay events.
  if (sinceMs >= PUBLISH_INTERVAL_MS || sinceMs < 0) return publishNowIn(tx, ctx, row, all)
  const dueMs = row.publishDueAtMs ?? nowMs - sinceMs + PUBLISH_INTERVAL_MS
  delayPublication(ctx.db).run({
    organizationId: ctx.organizationId,
    id: row.id,
    dueMs,
    changed: JSON.stringify(all),
  })
  if (row.publishDueAtMs === null)
    enqueue(tx, ctx, PublishConversationChange, {
      args: { conversationId: row.id },
      runAtMs: dueMs,
    })
  return undefined
}

/**
 * Publishes a conversation whose newest message changed its preview, in the transaction of that
 * change.
 */
export function publishPreviewIn(
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
  if (shows) publishConversationIn(tx, ctx, message.conversationId, ['last_message_preview'])
}
