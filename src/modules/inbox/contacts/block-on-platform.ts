import type { Ctx, JobCtx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { emit } from '../../../infra/outbox/events'
import { PlatformError } from '../../../platform/client/errors'
import { accessTokenOf, findAccount } from '../../channel/accounts/queries'
import { ContactChanged } from './events'
import { changeContactIn, findContact } from './service'

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
