import { PageOf } from '../../../http/pagination'
import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { notificationRoutes } from './routes'
import { notifications } from './table'
import { NotificationView } from './model'
import { listNotifications } from './queries'

export const notificationsModule: Module = {
  name: 'notifications',
  tables: [carried(notifications)],
  startParts: () => [
    startPart({
      name: 'notifications',
      schema: PageOf(NotificationView),
      read: (ctx) => listNotifications(ctx, { page: 1, limit: 20, unread: true }),
    }),
  ],
  routes: ({ http }) => [notificationRoutes(http)],
}
