import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db'
import { notifyIn, type NewNotification } from '../notifications/service'
import { holdersOf } from '../roles/holders'
import type { AccountRow } from './view'

/** What the people who look after a number are told of it. */
export type AccountNotice = Omit<NewNotification, 'userId' | 'link'>

/** Tells everybody who may change numbers something about one, in the transaction of what it is about. */
export function notifyAboutAccountIn(tx: Tx, ctx: Ctx, account: Pick<AccountRow, 'id' | 'name'>, notice: AccountNotice): void {
  const title = `${notice.title}: ${account.name}`
  for (const userId of holdersOf(tx, ctx, 'accounts:update'))
    notifyIn(tx, ctx, { ...notice, title, userId, link: `/accounts/${account.id}` })
}
