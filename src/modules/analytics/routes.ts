import { Elysia, t } from 'elysia'

import { oneOf } from '../../lib/fields'
import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import { pageQuery } from '../../http/pagination'
import type { Http } from '../../http/http-deps'
import { CostReport, GROUPS } from './costs/model'
import { costReport } from './costs/queries'
import { agentReport } from './queries'
import { GRANULARITIES } from './rules'
import { AgentReport } from './model'

const DEFAULT_GROUPS = 50

const Day = t.Optional(
  t.String({
    maxLength: 40,
    description:
      "Date (YYYY-MM-DD, a whole day in the organization's time zone) or time with offset.",
  }),
)

/** Routes for reports. */
export const analyticsRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/me', tags: ['Me'] })
    .use(guard(http))
    .get(
      '/report',
      async ({ ctx, query }) => ok(await agentReport(ctx, ctx.actor.userId ?? '', query)),
      {
        self: 'session',
        query: t.Object({ start_date: Day, end_date: Day }),
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

/** Routes for reports of the whole organization. */
export const reportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/costs',
    async ({ ctx, query }) => {
      const { group_by = 'category', granularity = 'day', page = 1, limit, ...rest } = query
      return ok(
        await costReport(ctx, {
          ...rest,
          groupBy: group_by,
          granularity,
          page,
          limit: limit ?? DEFAULT_GROUPS,
        }),
      )
    },
    {
      can: 'analytics:read',
      query: t.Object({
        ...pageQuery(DEFAULT_GROUPS),
        start_date: Day,
        end_date: Day,
        account_id: t.Optional(t.String({ format: 'uuid', description: 'Phone number.' })),
        granularity: t.Optional(
          oneOf(GRANULARITIES, {
            description: 'Length of the points of `timeline`.',
            default: 'day',
          }),
        ),
        group_by: t.Optional(oneOf(GROUPS, { default: 'category' })),
      }),
      response: { 200: Ok(CostReport) },
      detail: {
        operationId: 'getCosts',
        summary: 'Get the costs of messages',
        description:
          'Adds up the `cost` of stored messages, each when it was sent. Failed messages count nowhere. ' +
          'Erased messages are only part of `month_to_date`. ' +
          'Defaults to the last 30 days. Up to 31 days of hours, 400 days, or ten years of weeks or ' +
          'months; an end in the future is replaced by today.',
      },
    },
  )
