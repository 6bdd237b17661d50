import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { RoutingView } from './model'
import { accountRouting } from './queries'

/** Routes about who answers the customers of a number. */
export const accountRoutingRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get('/:id/routing', ({ ctx, params }) => ok(accountRouting(ctx, params.id)), {
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
    })
