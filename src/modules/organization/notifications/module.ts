import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { notificationRoutes } from './routes'
import { notifications } from './table'

export const notificationsModule: Module = {
  name: 'notifications',
  tables: [carried(notifications)],
  routes: ({ http }) => [notificationRoutes(http)],
}
