import type { Module } from '../../http/module'
import { carried } from '../../infra/table-fates'
import { notificationRoutes } from './routes'

export const notificationsModule: Module = {
  name: 'notifications',
  tables: [carried('notifications')],
  routes: ({ http }) => [notificationRoutes(http)],
}
