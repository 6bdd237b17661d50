import type { Module } from '../../http/module'
import { orderRoutes } from './routes'

export const ordersModule: Module = {
  name: 'orders',
  routes: ({ http }) => [orderRoutes(http)],
}
