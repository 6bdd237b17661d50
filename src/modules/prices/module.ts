import type { Module } from '../../http/module'
import { priceRoutes } from './routes'
import { priceSchedules, priceWorkers } from './workers'

export const pricesModule: Module = {
  name: 'prices',
  routes: ({ http }) => [priceRoutes(http)],
  workers: priceWorkers,
  schedules: priceSchedules,
}
