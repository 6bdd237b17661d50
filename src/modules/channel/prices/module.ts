import type { Module } from '../../../http/module'
import { shared } from '../../../infra/table-fates'
import { priceRoutes } from './routes'
import { priceSchedules, priceWorkers } from './workers'
import { prices } from './table'

export const pricesModule: Module = {
  name: 'prices',
  tables: [shared(prices, 'prices of the platform, the same for all organizations')],
  routes: ({ http }) => [priceRoutes(http)],
  workers: priceWorkers,
  schedules: priceSchedules,
}
