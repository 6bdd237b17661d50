import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { recordAudit } from '../../organization/audit/record'
import { AccountChanged } from './events'
import { getAccount } from './queries'
import { accounts } from './table'

/**
 * Pauses or resumes sending of a number by a person's decision. Independent of pauses after errors.
 * Throws NotFoundError.
 */
export function pauseSending(
  ctx: Ctx,
  accountId: string,
  change: { isPaused: boolean; reason: string | null },
): void {
  transact(ctx.db, (tx) => {
    const account = getAccount(ctx, accountId)
    const { isPaused } = change
    const reason = isPaused ? change.reason : null
    if ((account.sendingPausedAtMs !== null) === isPaused && account.sendingPausedReason === reason)
      return
    const nowMs = ctx.clock.nowMs()
    tx.update(accounts)
      .set({
        sendingPausedAtMs: isPaused ? (account.sendingPausedAtMs ?? nowMs) : null,
        sendingPausedReason: reason,
        updatedAtMs: nowMs,
      })
      .where(inOrganization(ctx, accounts, eq(accounts.id, accountId)))
      .run()
    recordAudit(tx, ctx, {
      action: isPaused ? 'sending_paused' : 'sending_resumed',
      resourceType: 'account',
      resourceId: accountId,
      resourceName: account.name,
      changes: [
        {
          field: 'sending_paused_reason',
          old_value: account.sendingPausedReason,
          new_value: reason,
        },
      ],
    })
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId, changed: ['sending_paused'], isConnected: false },
    })
  })
}
