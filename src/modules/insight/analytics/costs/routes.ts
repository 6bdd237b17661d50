import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { textOrCsv, wantsCsv } from '../../../../http/csv-response'
import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import { pageQuery } from '../../../../http/pagination'
import type { Http } from '../../../../http/http-deps'
import { csvTable } from '../report/csv'
import {
  accountQuery,
  campaignQuery,
  formatQuery,
  granularityQuery,
  memberQuery,
  rangeQuery,
} from '../report/model'
import { CostGroup, CostReport, GROUPS } from './model'
import { ReadCostReport } from '../readers'

const DEFAULT_GROUPS = 50

/** Routes for the report on costs. */
export const costRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/costs',
    async ({ ctx, query, request }) => {
      const { group_by = 'category', granularity = 'day', page = 1, limit, ...rest } = query
      const isFile = wantsCsv(request)
      const text = await ctx.reads.text(ReadCostReport, ctx, {
        ...rest,
        groupBy: group_by,
        granularity,
        page: isFile ? 1 : page,
        limit: isFile ? Number.MAX_SAFE_INTEGER : (limit ?? DEFAULT_GROUPS),
      })
      return textOrCsv(request, text, 'costs.csv', ({ groups }) => csvTable(CostGroup, groups))
    },
    {
      can: { permission: 'analytics:read', bulk: 'csv' },
      query: t.Object({
        ...pageQuery(DEFAULT_GROUPS),
        ...rangeQuery,
        ...accountQuery,
        ...campaignQuery,
        ...memberQuery,
        ...granularityQuery,
        group_by: t.Optional(oneOf(GROUPS, { default: 'category' })),
        ...formatQuery,
      }),
      response: { 200: Ok(CostReport) },
      detail: {
        operationId: 'getCosts',
        summary: 'Get the costs of messages',
        description:
          'Adds up the `cost` of messages, each when it was sent. Failed messages count nowhere. ' +
          'Conversations can be compared over up to 31 days; erased messages have the key `null` ' +
          'there. Costs of one campaign or member are compared by phone number only, or not at all. ' +
          'Defaults to the last 30 days. Up to 31 days of hours, 400 days, or ten years of weeks or ' +
          'months; an end in the future is replaced by today.',
      },
    },
  )
