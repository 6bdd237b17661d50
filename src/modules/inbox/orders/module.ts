import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { orderRoutes } from './routes'
import { orders } from './table'

export const ordersModule: Module = {
  name: 'orders',
  tables: [carried(orders)],
  routes: ({ http }) => [orderRoutes(http)],
}
