import { and, asc, eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { enqueue } from '../../../infra/jobs/enqueue'
import { findAccount } from '../../channel/accounts/queries'
import type { AccountRow } from '../../channel/accounts/view'
import { notifyIn } from '../../organization/notifications/service'
import { resumeIn } from './end'
import { isActiveTransfer } from './find'
import { EndForAccount } from './jobs'
import { transfers } from './table'
import { noticeText } from '../../organization/notifications/catalog'

/** Maximum number of transfers ended in one transaction, and its time, milliseconds. */
const AT_ONCE = 25
const SLICE_MS = 5

/**
 * Ends the active transfers of a disconnected phone number, on which nobody can answer, and tells
 * their agents: 25 at a time; a job continues. Those that wait end first, so that none of them is
 * offered meanwhile. Runs inside the caller's transaction.
 */
export function endForAccountIn(tx: Tx, ctx: Ctx, { accountId }: { accountId: string }): void {
  const account = findAccount(ctx, accountId)
  if (account === null || account.deletedAtMs === null) return // connected again
  const rows = tx
    .select()
    .from(transfers)
    .where(inOrganization(ctx, transfers, isActiveTransfer, eq(transfers.accountId, accountId)))
    // SQLite sorts null first.
    .orderBy(asc(transfers.agentId), asc(transfers.contactId))
    .limit(AT_ONCE)
    .all()
  const isOver = timeIsOver(SLICE_MS)
  const agentIds = new Set<string>()
  let ended = 0
  for (const row of rows) {
    if (ended > 0 && isOver()) break
    resumeIn(tx, ctx, row, { reason: 'account_deleted' })
    if (row.agentId !== null) agentIds.add(row.agentId)
    ended += 1
  }
  for (const userId of agentIds) tellIn(tx, ctx, userId, account)
  if (ended < rows.length || rows.length === AT_ONCE)
    enqueue(tx, ctx, EndForAccount, { args: { accountId } })
}

/** Notifies an agent whose last transfer on a disconnected number has ended. */
function tellIn(tx: Tx, ctx: Ctx, userId: string, { id, name }: AccountRow): void {
  const left = tx
    .select({ id: transfers.id })
    .from(transfers)
    .where(
      inOrganization(
        ctx,
        transfers,
        and(isActiveTransfer, eq(transfers.accountId, id), eq(transfers.agentId, userId)),
      ),
    )
    .limit(1)
    .get()
  if (left) return
  notifyIn(tx, ctx, {
    userId,
    kind: 'account_notice',
    severity: 'warning',
    title: 'Your transfers on a phone number ended',
    text: noticeText('transfers_ended', { number: name }),
    body: `${name} was disconnected. Its customers cannot be answered there.`,
  })
}
