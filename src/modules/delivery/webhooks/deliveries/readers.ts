import { reader } from '../../../../infra/read/reader'
import { listDeliveries, testsEach, type DeliveryQuery } from './queries'

/** Lists a page of the deliveries of an endpoint (`listDeliveries`). */
export const ListDeliveries = reader(
  'webhooks.deliveries',
  (query: DeliveryQuery) => (testsEach(query) ? 'long' : 'list'),
  listDeliveries,
)
