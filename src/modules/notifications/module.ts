import type { Module } from '../../http/module'
import { notificationRoutes } from './routes'

export const notificationsModule: Module = {
  name: 'notifications',
  routes: ({ http }) => [notificationRoutes(http)],
}
