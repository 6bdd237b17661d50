import type { Http } from '../../http/http-deps'
import type { Module } from '../../http/module'
import { left, shared } from '../../infra/table-fates'
import type { DeliveryReceiver } from './receive'
import { webhookRoutes, inboundRoutes } from './routes'
import { inboundSubscribers } from './subscribers'
import { inboundWorkers } from './workers'

export const inboundModule: Module<{ http: Http; receiver: DeliveryReceiver }> = {
  name: 'inbound',
  tables: [
    left('inbound_events', 'deliveries belong to the server that received them'),
    shared('inbound_bodies', 'one delivery may hold changes of several organizations'),
    shared('inbound_staging', 'deliveries that wait for the journal'),
    left('inbound_hourly_stats', 'counts of deliveries to this server'),
  ],
  routes: ({ http, receiver }) => [webhookRoutes(http, receiver), inboundRoutes(http)],
  workers: inboundWorkers,
  subscribers: inboundSubscribers,
}
