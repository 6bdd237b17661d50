import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { wasNotifiedSince } from '../notifications/queries'
import { notifyIn, type NewNotification } from '../notifications/service'
import { holdersOf } from '../roles/holders'
import type { AccountRow } from './view'

/** What the people who look after a number are told of it. */
export type AccountNotice = Omit<NewNotification, 'userId' | 'link'>

/**
 * Tells everybody who may change numbers something about one, in the transaction of what it is
 * about; with `onceSinceMs` nobody who was told the same since then.
 */
export function notifyAboutAccountIn(
  tx: Tx,
  ctx: Ctx,
  account: Pick<AccountRow, 'id' | 'name'>,
  notice: AccountNotice,
  { onceSinceMs = null }: { onceSinceMs?: number | null } = {},
): void {
  const title = `${notice.title}: ${account.name}`
  const link = `/accounts/${account.id}`
  for (const userId of holdersOf(tx, ctx, 'accounts:update'))
    if (
      onceSinceMs === null ||
      !wasNotifiedSince(ctx, { userId, kind: notice.kind, link, sinceMs: onceSinceMs })
    )
      notifyIn(tx, ctx, { ...notice, title, userId, link })
}
