import type { Module } from '../../http/module'
import { left, shared } from '../../infra/table-fates'
import { onHook } from '../../infra/transaction-hooks'
import { MembershipEnded } from '../members/events'
import { MessageArrived } from '../messages/events'
import { scheduleIn } from './notify'
import { pushRoutes } from './routes'
import { deleteOfMemberIn } from './subscriptions'
import { pushWorkers } from './workers'

export const pushModule: Module = {
  name: 'push',
  tables: [
    shared('push_keys', 'keys of this installation'),
    left('push_subscriptions', 'browsers subscribe to one server'),
  ],
  routes: ({ http }) => [pushRoutes(http)],
  workers: pushWorkers,
  hooks: [
    onHook(MessageArrived, scheduleIn),
    onHook(MembershipEnded, (tx, ctx, { userId }) => deleteOfMemberIn(tx, ctx, userId)),
  ],
}
