import { PageOf } from '../../../http/pagination'
import { startPart } from '../../../http/start-parts'
import type { Module } from '../../../http/module'
import { carried, left } from '../../../infra/table-fates'
import { notificationRoutes } from './routes'
import { notifications } from './table'
import { NotificationView } from './model'
import { listNotifications } from './queries'
import { WorkView } from './work/model'
import { listWork } from './work/queries'
import { workRoutes } from './work/routes'
import { works } from './work/table'

export const notificationsModule: Module = {
  name: 'notifications',
  tables: [
    carried(notifications),
    left(works, 'it tells of work of this server', { moving: 'true' }),
  ],
  startParts: () => [
    startPart({
      name: 'notifications',
      schema: PageOf(NotificationView),
      read: (ctx) => listNotifications(ctx, { page: 1, limit: 20, unread: true }),
    }),
    startPart({
      name: 'work',
      schema: PageOf(WorkView),
      read: (ctx) => listWork(ctx, { page: 1, limit: 20, running: true }),
    }),
  ],
  routes: ({ http }) => [notificationRoutes(http), workRoutes(http)],
}
