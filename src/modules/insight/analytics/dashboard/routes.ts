import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { textOrCsv } from '../../../../http/csv-response'
import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { csvTable } from '../report/csv'
import { accountQuery, formatQuery } from '../report/model'
import { Dashboard, DashboardRow } from './model'
import { ReadDashboard } from '../readers'
import { PERIODS } from './rules'
import { dashboardRows } from './view'

export const dashboardRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/dashboard',
    async ({ ctx, query, request }) => {
      const { account_id, period = 'month' } = query
      const text = await ctx.reads.text(ReadDashboard, ctx, { account_id, period })
      return textOrCsv(request, text, 'dashboard.csv', (figures) =>
        csvTable(DashboardRow, dashboardRows(figures)),
      )
    },
    {
      can: { permission: 'analytics:read', bulk: 'csv' },
      query: t.Object({
        ...accountQuery,
        period: t.Optional(
          oneOf(PERIODS, {
            description:
              'Since local midnight, Monday, the first day of the month or the first of January.',
            default: 'month',
          }),
        ),
        ...formatQuery,
      }),
      response: { 200: Ok(Dashboard) },
      detail: {
        operationId: 'getDashboard',
        summary: 'Get the dashboard',
        description: 'The figures of the organization, or of one phone number, at a glance.',
      },
    },
  )
