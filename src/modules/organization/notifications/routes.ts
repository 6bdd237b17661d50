import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { PageOf, pageQuery } from '../../../http/pagination'
import { NotificationView, ReadNotifications, UnreadView } from './model'
import { listNotifications } from './queries'
import { markNotificationsRead } from './service'

const NotificationQuery = t.Object({
  ...pageQuery(),
  unread: t.Optional(
    t.BooleanString({ description: 'Only unread notifications, or only read ones.' }),
  ),
})

/** Routes for the caller's notifications. */
export const notificationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/me/notifications', tags: ['Me'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, unread } }) =>
        ok(listNotifications(ctx, { page, limit, unread })),
      {
        can: 'session',
        query: NotificationQuery,
        response: { 200: Ok(PageOf(NotificationView)) },
        detail: {
          operationId: 'listMyNotifications',
          summary: 'List my notifications',
          description:
            'Lists notifications of this organization, newest first. They are kept for 90 days.',
        },
      },
    )
    .post(
      '/read',
      ({ ctx, body }) =>
        ok({
          message: 'The notifications are marked as read.',
          unread_count: markNotificationsRead(ctx, body.ids),
        }),
      {
        can: 'session',
        body: ReadNotifications,
        response: { 200: Ok(UnreadView) },
        detail: {
          operationId: 'markMyNotificationsRead',
          summary: 'Mark my notifications as read',
          description: 'Marks all notifications if `ids` is omitted.',
        },
      },
    )
