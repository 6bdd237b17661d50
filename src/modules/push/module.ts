import type { Module } from '../../http/module'
import { onHook } from '../../infra/transaction-hooks'
import { MembershipEnded } from '../members/events'
import { MessageArrived } from '../messages/events'
import { scheduleIn } from './notify'
import { pushRoutes } from './routes'
import { deleteOfMemberIn } from './subscriptions'
import { pushWorkers } from './workers'

export const pushModule: Module = {
  name: 'push',
  routes: ({ http }) => [pushRoutes(http)],
  workers: pushWorkers,
  hooks: [
    onHook(MessageArrived, scheduleIn),
    onHook(MembershipEnded, (tx, ctx, { userId }) => deleteOfMemberIn(tx, ctx, userId)),
  ],
}
