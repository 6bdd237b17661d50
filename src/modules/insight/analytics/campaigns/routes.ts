import { Elysia, t } from 'elysia'

import { csvResponse, wantsCsv } from '../../../../http/csv-response'
import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { pageQuery } from '../../../../http/pagination'
import { csvTable } from '../report/csv'
import { accountQuery, formatQuery, rangeQuery } from '../report/model'
import { CampaignFigures, CampaignReport } from './model'
import { campaignReport } from './queries'

/** Routes for the report on campaigns. */
export const campaignReportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/campaigns',
    async ({ ctx, query: { page = 1, limit = 20, ...query }, request }) => {
      const isFile = wantsCsv(request)
      const report = await campaignReport(ctx, {
        ...query,
        page: isFile ? 1 : page,
        limit: isFile ? Number.MAX_SAFE_INTEGER : limit,
      })
      return isFile
        ? (csvResponse(request, 'campaigns.csv', csvTable(CampaignFigures, report.items)) as never) // a file instead of the envelope
        : ok(report)
    },
    {
      canReport: 'analytics:read',
      query: t.Object({ ...pageQuery(), ...rangeQuery, ...accountQuery, ...formatQuery }),
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
