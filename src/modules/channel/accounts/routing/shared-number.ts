import { eq } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { CheckAccount } from '../jobs'
import { notifyAboutAccountIn } from '../notify'
import { accounts } from '../table'
import type { AccountRow } from '../view'

/**
 * Records that another app or the platform's own agent shares a number, inside the caller's
 * transaction. New conversations of it belong to nobody known. The platform is asked which roles are
 * left, because the routing of a number changes without a word to this server.
 */
export function recordSharingIn(tx: Tx, ctx: Ctx, row: AccountRow, atMs: number): void {
  if (row.sharedAtMs !== null) return
  tx.update(accounts)
    .set({ sharedAtMs: atMs })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  enqueue(tx, ctx, CheckAccount, { args: { accountId: row.id } })
}

/**
 * Records that a number received a standby webhook, inside the caller's transaction. Notifies the
 * members who may change numbers of the first one. Writes at most once a minute.
 */
export function recordStandbyIn(tx: Tx, ctx: Ctx, row: AccountRow, atMs: number): void {
  recordSharingIn(tx, ctx, row, atMs)
  if (row.lastStandbyAtMs !== null && atMs - row.lastStandbyAtMs < MINUTE_MS) return
  tx.update(accounts)
    .set({ lastStandbyAtMs: atMs })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  if (row.lastStandbyAtMs === null)
    notifyAboutAccountIn(tx, ctx, row, {
      kind: 'account_notice',
      severity: 'warning',
      title: 'Phone number is shared',
      body:
        "Another app or the platform's own agent answers some customers of this number. Their " +
        'messages are shown as observed, and automatic messages to them are held back.',
    })
}
