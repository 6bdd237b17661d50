import { Elysia, t } from 'elysia'

import { textOrCsv, wantsCsv } from '../../../../http/csv-response'
import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { pageQuery } from '../../../../http/pagination'
import { csvTable } from '../report/csv'
import { accountQuery, campaignQuery, formatQuery, rangeQuery } from '../report/model'
import { CampaignFigures, CampaignReport } from './model'
import { ReadCampaignReport } from '../readers'

export const campaignReportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/campaigns',
    async ({ ctx, query: { page = 1, limit = 20, ...query }, request }) => {
      const isFile = wantsCsv(request)
      const text = await ctx.reads.text(ReadCampaignReport, ctx, {
        ...query,
        page: isFile ? 1 : page,
        limit: isFile ? Number.MAX_SAFE_INTEGER : limit,
      })
      return textOrCsv(request, text, 'campaigns.csv', ({ items }) =>
        csvTable(CampaignFigures, items),
      )
    },
    {
      can: { permission: 'analytics:read', bulk: 'csv' },
      query: t.Object({
        ...pageQuery(),
        ...rangeQuery,
        ...accountQuery,
        ...campaignQuery,
        ...formatQuery,
      }),
      response: { 200: Ok(CampaignReport) },
      detail: {
        operationId: 'listCampaignFigures',
        summary: 'Compare campaigns',
        description:
          'Returns a row for each campaign that began to send in the range, newest first. ' +
          '`summary` has the same figures over all of them, not only over this page. Defaults to ' +
          'the last 30 days. Up to 400 days; an end in the future is replaced by today.',
      },
    },
  )
