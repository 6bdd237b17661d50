import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { agentReport } from './queries'
import { rangeQuery } from './report/model'
import { AgentReport } from './model'

/** Routes for reports. */
export const analyticsRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/me', tags: ['Me'] })
    .use(guard(http))
    .get(
      '/report',
      async ({ ctx, query }) => ok(await agentReport(ctx, ctx.actor.userId ?? '', query)),
      {
        self: 'session',
        query: t.Object(rangeQuery),
        response: { 200: Ok(AgentReport) },
        detail: {
          operationId: 'getMyReport',
          summary: 'Get my figures',
          description:
            'Defaults to the last 30 days. Up to 400 days; an end in the future is replaced by ' +
            'today.',
        },
      },
    )
