import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { MINUTE_MS } from '../../../lib/clock'
import { AccountChanged } from './events'
import { accounts } from './table'
import type { AccountRow } from './view'

/** Records that the platform delivered something for an account. Writes at most once a minute. */
export function touchInboundIn(tx: Tx, ctx: Ctx, row: AccountRow): void {
  const nowMs = ctx.clock.nowMs()
  if (row.lastInboundAtMs !== null && nowMs - row.lastInboundAtMs < MINUTE_MS) return
  tx.update(accounts)
    .set({ lastInboundAtMs: nowMs })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
}

/** Records an error that the platform reported about a number as a whole. */
export function recordAccountErrorIn(
  tx: Tx,
  ctx: Ctx,
  row: AccountRow,
  error: { code: string; message: string },
): void {
  tx.update(accounts)
    .set({ lastError: JSON.stringify(error), lastErrorAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId: row.id, changed: ['last_error'], isConnected: false },
  })
}
