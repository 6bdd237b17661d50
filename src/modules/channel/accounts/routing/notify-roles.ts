import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { notifyAboutAccountIn } from '../notify'
import type { AccountRow } from '../view'
import { lastKnownRouting, noRoleSentence, routingOf, type RoutingColumns } from './roles'

/** Names of the roles for people. */
const NAMES: Readonly<Record<string, string>> = {
  customer_service: 'customer service',
  marketing: 'answers to marketing',
  utility: 'answers to utility messages',
  ctwa: 'chats from ads',
  calls: 'calls',
  escalation: 'escalation',
}

/**
 * Notifies the people who manage a number that it has no role any more, or lost some, since the
 * platform last said which, in the caller's transaction.
 */
export function notifyRolesIn(
  tx: Tx,
  ctx: Ctx,
  before: Pick<AccountRow, 'routing'> | null,
  after: RoutingColumns & Pick<AccountRow, 'id' | 'name'>,
): void {
  const routing = routingOf(after)
  if (routing === null) return
  const former = before && lastKnownRouting(before)
  const sentence = noRoleSentence(routing)
  if (sentence !== null) {
    if (former && noRoleSentence(former) === sentence) return
    notifyAboutAccountIn(tx, ctx, after, {
      kind: 'account_notice',
      severity: routing.isStandby ? 'warning' : 'critical',
      title: routing.isStandby ? 'Phone number only observes' : 'Phone number receives nothing',
      body: sentence,
    })
    return
  }
  const lost = former?.roles.filter((role) => !routing.roles.includes(role)) ?? []
  if (lost.length > 0)
    notifyAboutAccountIn(tx, ctx, after, {
      kind: 'account_notice',
      severity: 'warning',
      title: 'Phone number lost a role',
      body:
        `Another app now has: ${lost.map((role) => NAMES[role] ?? role).join(', ')}. Messages or ` +
        'calls of that kind no longer arrive here. The business sets the roles in the routing of ' +
        'Meta Business Suite.',
    })
}
