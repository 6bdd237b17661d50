import type { Http } from '../../../http/http-deps'
import type { Module } from '../../../http/module'
import { left, shared } from '../../../infra/table-fates'
import type { DeliveryReceiver } from './receive'
import { webhookRoutes, inboundRoutes } from './routes'
import { inboundSubscribers } from './subscribers'
import { inboundWorkers } from './workers'
import { inboundBodies, inboundEvents, inboundHourlyStats, inboundStaging } from './table'

export const inboundModule: Module<{ http: Http; receiver: DeliveryReceiver }> = {
  name: 'inbound',
  tables: [
    left(inboundEvents, 'deliveries belong to the server that received them'),
    shared(inboundBodies, 'one delivery may hold changes of several organizations'),
    shared(inboundStaging, 'deliveries that wait for the journal'),
    left(inboundHourlyStats, 'counts of deliveries to this server'),
  ],
  routes: ({ http, receiver }) => [webhookRoutes(http, receiver), inboundRoutes(http)],
  workers: inboundWorkers,
  subscribers: inboundSubscribers,
}
