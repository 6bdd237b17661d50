import { and, eq, isNotNull, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { AccountChanged } from './events'
import { accounts } from './table'
import type { AccountRow } from './view'

/**
 * Records whether WhatsApp took or refused a message without a template outside of the 24-hour
 * window, so that people are told before they write the next one. Runs in the caller's transaction.
 */
export function recordDirectResultIn(
  tx: Tx,
  ctx: Ctx,
  { id }: Pick<AccountRow, 'id'>,
  { isRefused }: { isRefused: boolean },
): void {
  const { directRefusedAtMs } = accounts
  const changed = tx
    .update(accounts)
    .set({ directRefusedAtMs: isRefused ? ctx.clock.nowMs() : null })
    .where(
      inOrganization(
        ctx,
        accounts,
        and(
          eq(accounts.id, id),
          isRefused ? isNull(directRefusedAtMs) : isNotNull(directRefusedAtMs),
        ),
      ),
    )
    .returning({ id: accounts.id })
    .all()
  if (changed.length > 0)
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId: id, changed: ['direct_send'], isConnected: false },
    })
}
