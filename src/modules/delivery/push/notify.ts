import { asc, eq, gt } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { ForbiddenError } from '../../../lib/errors'
import { anyScope, inOrganization, type Ctx, type JobCtx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { transact, type Tx } from '../../../infra/db/transact'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { enqueue } from '../../../infra/jobs/enqueue'
import { delegatedCtx } from '../../organization/auth/delegated-ctx'
import { findLiveSession } from '../../organization/auth/sessions'
import { isVisible } from '../../inbox/contacts/sight/visibility'
import { findConversation } from '../../inbox/conversations/service'
import type { ArrivedMessage } from '../../inbox/messages/events'
import { findUser } from '../../organization/users/service'
import { FindPushes, SendPush } from './jobs'
import { deleteSubscriptionIn, type SubscriptionRow } from './subscriptions'
import { pushSubscriptions } from './table'

/** Compiled, because every message that arrives asks for it. */
const anySubscription = compiled((orm) =>
  orm
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(inOrganization(anyScope, pushSubscriptions))
    .limit(1)
    .prepare(),
)

/** Schedules the notifications of a customer's message, in its transaction. */
export function scheduleIn(
  tx: Tx,
  ctx: Ctx,
  { contactId, accountId, isQuiet }: ArrivedMessage,
): void {
  if (isQuiet || !ctx.settings.hasWebPush) return
  if (anySubscription(ctx.db).get({ organizationId: ctx.organizationId }) === undefined) return
  enqueue(tx, ctx, FindPushes, { args: { contactId, accountId, after: '' } })
}

/** Subscriptions looked at in one run of the job. */
const BATCH = 200

/** Time between two notifications of one conversation. */
const INTERVAL_MS = MINUTE_MS

/** Conversations whose last notification a subscription remembers. */
const MAX_RECENT = 50

/**
 * Schedules the notifications for those who see the contact, want them, and do not look at the
 * console. Deletes subscriptions whose session has ended.
 */
export async function findPushes(
  ctx: JobCtx,
  { contactId, accountId, after }: { contactId: string; accountId: string; after: string },
): Promise<void> {
  const conversation = findConversation(ctx, { contactId, accountId })
  if (!conversation) return
  const rows = ctx.db.orm
    .select()
    .from(pushSubscriptions)
    .where(
      inOrganization(
        ctx,
        pushSubscriptions,
        after === '' ? undefined : gt(pushSubscriptions.id, after),
      ),
    )
    .orderBy(asc(pushSubscriptions.id))
    .limit(BATCH)
    .all()
  for (const row of rows) {
    ctx.signal.throwIfAborted()
    notifyOne(ctx, row, { contactId, conversationId: conversation.id })
    await yieldToEventLoop()
  }
  const last = rows.at(-1)
  if (rows.length === BATCH && last)
    transact(ctx.db, (tx) =>
      enqueue(tx, ctx, FindPushes, { args: { contactId, accountId, after: last.id } }),
    )
}

function notifyOne(
  ctx: Ctx,
  row: SubscriptionRow,
  { contactId, conversationId }: { contactId: string; conversationId: string },
): void {
  if (!findLiveSession(ctx, row.sessionId))
    return transact(ctx.db, (tx) => deleteSubscriptionIn(tx, ctx, row.id))
  const nowMs = ctx.clock.nowMs()
  const recent = JSON.parse(row.recent) as Record<string, number>
  const isRecent = nowMs - (recent[conversationId] ?? -Infinity) < INTERVAL_MS
  if (isRecent || ctx.focusedUsers.has(row, nowMs) || !readerOf(ctx, row, contactId)) return
  const kept = Object.entries({ ...recent, [conversationId]: nowMs })
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_RECENT)
  transact(ctx.db, (tx) => {
    tx.update(pushSubscriptions)
      .set({ recent: JSON.stringify(Object.fromEntries(kept)) })
      .where(inOrganization(ctx, pushSubscriptions, eq(pushSubscriptions.id, row.id)))
      .run()
    enqueue(tx, ctx, SendPush, { args: { subscriptionId: row.id, conversationId } })
  })
}

/**
 * Returns the context of a person who wants alerts and sees the messages of the contact with the
 * rights of now; `null` otherwise.
 */
export function readerOf(ctx: Ctx, { userId }: { userId: string }, contactId: string): Ctx | null {
  if (findUser(ctx, userId)?.newMessageAlerts !== true) return null
  try {
    const reader = delegatedCtx(ctx, { userId, apiKeyId: null }, ['messages:read', 'contacts:read'])
    return isVisible(reader, contactId) ? reader : null
  } catch (error) {
    if (error instanceof ForbiddenError) return null
    throw error
  }
}
