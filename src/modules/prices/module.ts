import type { Module } from '../../http/module'
import { priceRoutes } from './routes'

export const pricesModule: Module = {
  name: 'prices',
  routes: ({ http }) => [priceRoutes(http)],
}
