import { and, eq, gt } from 'drizzle-orm'

import { type Ctx, type JobCtx, inOrganization } from '../../../infra/ctx'
import { type Tx, transact } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import type { Outcome } from '../../../infra/jobs/work'
import { emit } from '../../../infra/outbox/events'
import { runHooks } from '../../../infra/transaction-hooks'
import { PlatformError } from '../../../platform/client/errors'
import { accessTokenOf, findAccount } from '../../channel/accounts/queries'
import { recordPersonalDataChange } from '../../organization/audit/record'
import { conversations } from '../conversations/table'
import { ContactChanged, ContactClosed } from './events'
import { BlockOnPlatform } from './jobs'
import { viewOf } from './load-views'
import type { BlockedContact } from './model'
import { changeContactIn, findContact } from './service'
import { getVisibleContact } from './sight/visibility'
import { type ContactRow, WINDOW_MS } from './view'

/**
 * Blocks or unblocks a contact. A job repeats it on the platform, which only accepts people who
 * wrote within the last 24 hours. Throws NotFoundError.
 */
export const blockContact = (ctx: Ctx, id: string, isBlocked: boolean): BlockedContact =>
  transact(ctx.db, (tx) => {
    const row = blockContactIn(tx, ctx, getVisibleContact(ctx, id), isBlocked)
    return { ...viewOf(ctx, row), platform_blocked: row.platformBlockedAtMs !== null }
  })

/** Blocks or unblocks a contact and publishes it, in the caller's transaction. Returns its row. */
export function blockContactIn(
  tx: Tx,
  ctx: Ctx,
  before: ContactRow,
  isBlocked: boolean,
): ContactRow {
  const { id } = before
  if ((before.blockedAtMs !== null) === isBlocked) return before
  const row = changeContactIn(tx, ctx, id, { blockedAtMs: isBlocked ? ctx.clock.nowMs() : null })
  if (isBlocked) runHooks(tx, ctx, ContactClosed, { contactId: id, reason: 'blocked' })
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
  return row
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

/**
 * Blocks or unblocks a contact on the platform for one account. Stops if the block was changed in
 * the meantime.
 */
export async function blockOnPlatform(
  ctx: JobCtx,
  at: { contactId: string; accountId: string; isBlocked: boolean },
): Promise<Outcome> {
  const row = findContact(ctx, at.contactId)
  const account = findAccount(ctx, at.accountId)
  const user = row?.waId ?? row?.phoneNumber ?? row?.userId ?? row?.parentUserId ?? null
  if (!row || user === null || (row.blockedAtMs !== null) !== at.isBlocked)
    return { cancel: 'the block was removed in the meantime' }
  const accessToken = account && account.deletedAtMs === null ? accessTokenOf(ctx, account) : null
  if (!account || accessToken === null) return { cancel: 'the number is not connected' }
  const { phoneId, apiVersion } = account
  try {
    const isDone = await ctx.platform.blockUser({
      phoneId,
      apiVersion,
      accessToken,
      user,
      isBlocked: at.isBlocked,
      signal: ctx.signal,
    })
    if (isDone) transact(ctx.db, (tx) => notePlatformIn(tx, ctx, at))
    return isDone ? undefined : { cancel: 'the platform did not apply it' }
  } catch (error) {
    // A refusal of the platform is final. The contact stays blocked here.
    if (error instanceof PlatformError && error.outcome === 'refused')
      return { cancel: 'the platform rejected it' }
    throw error
  }
}

function notePlatformIn(tx: Tx, ctx: Ctx, at: { contactId: string; isBlocked: boolean }): void {
  const row = findContact(ctx, at.contactId)
  if (!row || (row.platformBlockedAtMs !== null) === at.isBlocked) return
  changeContactIn(tx, ctx, row.id, { platformBlockedAtMs: at.isBlocked ? ctx.clock.nowMs() : null })
  emit(tx, ctx, ContactChanged, {
    contactId: row.id,
    payload: { contactId: row.id, changed: ['platform_blocked'], lostBy: [] },
  })
}
