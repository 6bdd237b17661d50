import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { wasNotifiedSince } from '../../organization/notifications/queries'
import { notifyIn, type NewNotification } from '../../organization/notifications/service'
import { textAbout } from '../../organization/notifications/catalog'
import { holdersOf } from '../../organization/roles/holders'
import type { AccountRow } from './view'

/** A notification about a number. */
export type AccountNotice = Omit<NewNotification, 'userId' | 'link'>

/**
 * Notifies the members who may change numbers, inside the caller's transaction. With `onceSinceMs`,
 * skips members who got a notification of this kind about this number since then.
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
      notifyIn(tx, ctx, { ...notice, ...textAbout(notice.text, account.name), title, userId, link })
}
