import type { Http } from '../../http/http-deps'
import type { Module } from '../../http/module'
import type { DeliveryReceiver } from './receive'
import { webhookRoutes, inboundRoutes } from './routes'
import { inboundSubscribers } from './subscribers'
import { inboundWorkers } from './workers'

export const inboundModule: Module<{ http: Http; receiver: DeliveryReceiver }> = {
  name: 'inbound',
  routes: ({ http, receiver }) => [webhookRoutes(http, receiver), inboundRoutes(http)],
  workers: inboundWorkers,
  subscribers: inboundSubscribers,
}
