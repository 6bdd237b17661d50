import { Elysia } from 'elysia'

import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { okText } from '../../../../http/read-answer'
import { ReadAccountRouting } from '../readers'
import { RoutingView } from './model'

/** Routes about who answers the customers of a number. */
export const accountRoutingRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get(
      '/:id/routing',
      async ({ ctx, params }) => okText(await ctx.reads.text(ReadAccountRouting, ctx, params.id)),
      {
        can: 'accounts:read',
        params: IdParam,
        response: { 200: Ok(RoutingView) },
        detail: {
          operationId: 'getAccountRouting',
          summary: 'Get the routing of a phone number',
          description:
            "A number can be shared with the platform's own agent or another app. Messages that they " +
            'answer are stored as observed: they are never unread, and automatic messages are held ' +
            'back. The roles are those of the daily check of the number; ' +
            '`POST /api/accounts/{id}/test` reads them now.',
        },
      },
    )
