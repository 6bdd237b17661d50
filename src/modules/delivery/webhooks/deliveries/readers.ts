import { reader } from '../../../../infra/read/reader'
import { listDeliveries, testsEach, type DeliveryQuery } from './queries'
import { countChosen } from './chosen'

/** Lists a page of the deliveries of an endpoint (`listDeliveries`). */
export const ListDeliveries = reader(
  'webhooks.deliveries',
  (query: DeliveryQuery) => (testsEach(query) ? 'long' : 'list'),
  listDeliveries,
)

/** Counts the deliveries that a replay makes again (`countChosen`). */
export const CountChosen = reader('webhooks.count-chosen', 'long', countChosen)
