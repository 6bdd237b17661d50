import type { Module } from '../../http/module'
import { onHook } from '../../infra/transaction-hooks'
import { ContactClosed } from '../contacts/events'
import { ContactsMerged } from '../messages/events'
import { webhookGate } from './delivery/gate'
import { deliveryRoutes } from './deliveries/routes'
import { endpointActionRoutes } from './endpoints/routes'
import { moveDeliveriesIn } from './erase'
import { storeUnreadIn } from './log/store-unread'
import { webhookRoutes } from './routes'
import { webhookSubscribers } from './subscribers'
import { webhookSchedules, webhookWorkers } from './workers'

export const webhooksModule: Module = {
  name: 'webhooks',
  routes: ({ http }) => [webhookRoutes(http), endpointActionRoutes(http), deliveryRoutes(http)],
  workers: webhookWorkers,
  schedules: webhookSchedules,
  subscribers: webhookSubscribers,
  hooks: [onHook(ContactsMerged, moveDeliveriesIn), onHook(ContactClosed, storeUnreadIn)],
  gates: [webhookGate],
}
