import { and, eq, gt } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { runHooks } from '../../../infra/transaction-hooks'
import { emit } from '../../../infra/outbox/events'
import { recordPersonalDataChange } from '../../organization/audit/record'
import { conversations } from '../conversations/table'
import { ContactChanged, ContactClosed } from './events'
import { BlockOnPlatform } from './jobs'
import type { BlockedContact } from './model'
import { changeContactIn } from './service'
import { WINDOW_MS, type ContactRow } from './view'
import { getVisibleContact } from './visibility'
import { viewOf } from './load-views'

/**
 * Blocks or unblocks a contact. A job repeats it on the platform, which only accepts people who
 * wrote within the last 24 hours. Throws NotFoundError.
 */
export function blockContact(ctx: Ctx, id: string, isBlocked: boolean): BlockedContact {
  return transact(ctx.db, (tx) => {
    const before = getVisibleContact(ctx, id)
    const isNews = (before.blockedAtMs !== null) !== isBlocked
    const row = isNews
      ? changeContactIn(tx, ctx, id, { blockedAtMs: isBlocked ? ctx.clock.nowMs() : null })
      : before
    if (isNews && isBlocked) runHooks(tx, ctx, ContactClosed, { contactId: id, reason: 'blocked' })
    if (isNews) {
      emit(tx, ctx, ContactChanged, {
        contactId: id,
        payload: { contactId: id, changed: ['blocked', 'blocked_at'], lostBy: [] },
      })
      recordPersonalDataChange(tx, ctx, {
        action: isBlocked ? 'blocked' : 'unblocked',
        resourceType: 'contact',
        resourceId: id,
        fields: ['blocked_at'],
      })
      for (const accountId of accountsToTell(tx, ctx, row))
        enqueue(tx, ctx, BlockOnPlatform, { args: { contactId: id, accountId, isBlocked } })
    }
    return { ...viewOf(ctx, row), platform_blocked: row.platformBlockedAtMs !== null }
  })
}

/**
 * Returns the accounts on which to block or unblock the contact: those it wrote to within 24 hours,
 * or those on which it may have been blocked.
 */
const accountsToTell = (tx: Tx, ctx: Ctx, row: ContactRow): string[] =>
  tx
    .select({ accountId: conversations.accountId })
    .from(conversations)
    .where(
      inOrganization(
        ctx,
        conversations,
        and(
          eq(conversations.contactId, row.id),
          row.blockedAtMs === null
            ? undefined
            : gt(conversations.lastInboundAtMs, ctx.clock.nowMs() - WINDOW_MS),
        ),
      ),
    )
    .all()
    .filter(() => row.blockedAtMs !== null || row.platformBlockedAtMs !== null)
    .map(({ accountId }) => accountId)
