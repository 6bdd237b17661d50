import type { Module } from '../../../http/module'
import { left, shared } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { MembershipEnded } from '../../organization/members/events'
import { MessageArrived } from '../../inbox/messages/events'
import { scheduleIn } from './notify'
import { pushRoutes } from './routes'
import { deleteOfMemberIn } from './subscriptions'
import { pushWorkers } from './workers'
import { pushKeys, pushSubscriptions } from './table'

export const pushModule: Module = {
  name: 'push',
  tables: [
    shared(pushKeys, 'keys of this installation'),
    left(pushSubscriptions, 'browsers subscribe to one server'),
  ],
  routes: ({ http }) => [pushRoutes(http)],
  workers: pushWorkers,
  hooks: [
    onHook(MessageArrived, scheduleIn),
    onHook(MembershipEnded, (tx, ctx, { userId }) => deleteOfMemberIn(tx, ctx, userId)),
  ],
}
